"""Texts of several statements: fragments, imports, Python functions, options, warnings."""

from __future__ import annotations

import os
import sys
import types
from datetime import UTC, datetime

import pytest

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError, GrammarError
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.diagnostics import MAX_DIAGNOSTICS
from anaphora.grammar.idl.compiler import MAX_IMPORTS, Compiler, compile_intents
from anaphora.grammar.idl.intent import IntentOptions
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.stm.conversation import FlowStep

CITY = Entity("city", frozenset({"place"}), "Tokyo", value="Tokyo")


def intent(text, **how):
    return Compiler(**how).compile(text).intents[-1]


def mistakes(text, **how):
    with pytest.raises(GrammarError) as caught:
        Compiler(**how).compile(text, "bot.idl")
    return caught.value


def fits(term, entity=CITY, **about):
    context = EntityContext(entity, QuestionContext(**about))
    context.arguments = term.arguments
    return term.predicate.test(context)


class TestFragments:
    def test_the_terms_of_a_fragment_stand_where_it_is_named(self):
        text = """
            fragment=place term(city)~{# == 'city'} term(area)={# == 'area'}?
            intent=go term(a)={true} fragment(place) term(b)={true}
        """
        go = intent(text)
        assert [term.id for term in go.terms] == ["a", "city", "area", "b"]
        assert [term.position for term in go.terms] == [0, 1, 2, 3]
        assert [term.conversational for term in go.terms] == [False, True, False, False]

    def test_its_terms_read_the_arguments_with_which_it_is_named(self):
        text = """
            fragment=sized term(it)={meta_frag('size') == 3 && meta_frag('other') == null}
            intent=three fragment(sized, {'size': 3})
            intent=four fragment(sized, {'size': 4})
            intent=none fragment(sized)
        """
        three, four, none = compile_intents(text)
        assert [fits(one.terms[0]) for one in (three, four, none)] == [True, False, False]

    def test_a_fragment_in_a_fragment_gets_the_arguments_of_both_its_own_first(self):
        text = """
            fragment=inner term(i)={meta_frag('a') == 'inner' && meta_frag('b') == 'outer'}
            fragment=outer fragment(inner, {'a': 'inner'}) term(o)={meta_frag('a') == 'outer'}
            intent=x fragment(outer, {'a': 'outer', 'b': 'outer'})
        """
        assert all(fits(term) for term in intent(text).terms)

    def test_a_later_text_of_the_model_knows_the_fragments_of_the_earlier_ones(self):
        compiler = Compiler()
        compiler.compile("fragment=place term(city)~{# == 'city'}")
        (go,) = compiler.compile("intent=go fragment(place)").intents
        assert go.terms[0].id == "city"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("intent=x fragment(f)", "no fragment 'f' before this place|declared before its use"),
            ("fragment=place term={true} intent=x fragment(plase)", "did you mean 'place'?"),
            ("intent=x fragment(f) fragment=f term={true}", "no fragment 'f' before"),
            ("fragment=f fragment(f)", "no fragment 'f' before"),
            ("fragment=f term={true} fragment=f term={true} ", "already a fragment 'f'"),
            (
                "fragment=f term(a)={true} intent=x term(a)={true} fragment(f)",
                "with the fragment 'f' there are two terms 'a'",
            ),
            (
                "fragment=f term(a)={true} intent=x fragment(f) fragment(f)",
                "with the fragment 'f' there are two terms 'a'",
            ),
        ],
    )
    def test_a_fragment_that_cannot_be_used_is_shown_where_it_is_named(self, text, message):
        found = str(mistakes(text))
        for part in message.split("|"):
            assert part in found

    def test_an_error_in_a_fragment_is_reported_once(self):
        text = "fragment=f term={# == 3 < 'a'} intent=x fragment(f) intent=y fragment(f)"
        assert len(mistakes(text).problems) == 1

    def test_fragments_that_double_each_other_are_bounded(self):
        steps = "".join(f"fragment=f{i + 1} fragment(f{i}) fragment(f{i})\n" for i in range(40))
        error = mistakes(f"fragment=f0 term={{true}}\n{steps}intent=x fragment(f40)")
        assert "more than 1,000 terms" in error.message

    def test_what_fragments_bring_into_one_model_is_bounded(self):
        uses = "".join(f"intent=i{number} fragment(f)\n" for number in range(200))
        error = mistakes("fragment=f " + "term={true} " * 1_000 + uses)
        assert "fragments add more than 100,000 terms" in error.message


class TestImports:
    def test_an_import_is_read_beside_the_file_that_names_it(self, tmp_path):
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "a.idl").write_text("import('b.idl') intent=a fragment(f)")
        (tmp_path / "more" / "b.idl").write_text("fragment=f term(t)={true}")
        text = "import('more/a.idl') intent=x fragment(f)"
        compiled = Compiler(folder=tmp_path).compile(text)
        assert [one.id for one in compiled.intents] == ["a", "x"]

    def test_a_package_may_bring_a_text(self, tmp_path, monkeypatch):
        package = tmp_path / "idl_texts_of_a_package"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "common.idl").write_text("intent=common term={true}")
        monkeypatch.syspath_prepend(tmp_path)
        compiled = Compiler().compile("import('idl_texts_of_a_package/common.idl')")
        assert [one.id for one in compiled.intents] == ["common"]

    def test_what_lies_beside_it_in_the_package_can_be_imported_from_it(
        self, tmp_path, monkeypatch
    ):
        package = tmp_path / "more_texts_of_a_package"
        package.mkdir()
        (package / "a.idl").write_text("import('b.idl') intent=a fragment(f)")
        (package / "b.idl").write_text("fragment=f term={true}")
        monkeypatch.syspath_prepend(tmp_path)
        assert Compiler().compile("import('more_texts_of_a_package/a.idl')").intents

    @pytest.mark.parametrize("failure", ["raise AttributeError", "raise SystemExit", "1 +"])
    def test_reading_a_text_of_a_package_runs_none_of_its_code(
        self, tmp_path, monkeypatch, failure
    ):
        package = tmp_path / "broken_package_of_texts"
        package.mkdir()
        (package / "__init__.py").write_text(failure)
        (package / "a.idl").write_text("intent=a term={true}")
        monkeypatch.syspath_prepend(tmp_path)
        compiled = Compiler().compile("import('broken_package_of_texts/a.idl')")
        assert [one.id for one in compiled.intents] == ["a"]

    def test_what_is_no_ordinary_file_or_too_large_is_not_read(self, tmp_path):
        with (tmp_path / "large.idl").open("wb") as file:
            file.truncate(2**40)
        os.mkfifo(tmp_path / "pipe.idl")
        for location, message in (
            ("large.idl", "larger than"),
            ("pipe.idl", "there is no file"),
            ("/dev/zero", "there is no file"),
            ("a" * 5000, "cannot be read: File name too long"),
        ):
            assert message in mistakes(f"import('{location}')", folder=tmp_path).message

    def test_a_cycle_through_a_link_is_found(self, tmp_path):
        (tmp_path / "a.idl").write_text("import('sub/../link.idl')")
        (tmp_path / "sub").mkdir()
        (tmp_path / "link.idl").symlink_to("a.idl")
        assert "cycle: a.idl → a.idl" in mistakes("import('a.idl')", folder=tmp_path).message

    @pytest.mark.parametrize("lost", ["fragment=f term={", "import('nowhere.idl')"])
    def test_a_fragment_of_a_text_that_cannot_be_read_is_not_called_unknown(self, lost):
        compiler = Compiler()
        with pytest.raises(GrammarError):
            compiler.compile(lost)
        assert compiler.compile("intent=x fragment(f) term={true}").intents

    def test_a_text_that_is_imported_twice_is_there_once(self, tmp_path):
        (tmp_path / "f.idl").write_text("fragment=f term(t)={true}")
        (tmp_path / "a.idl").write_text("import('f.idl') intent=a fragment(f)")
        text = "import('f.idl') import('./f.idl') import('a.idl') intent=x fragment(f)"
        assert len(Compiler(folder=tmp_path).compile(text).intents) == 2

    def test_cyclic_imports_are_found(self, tmp_path):
        (tmp_path / "a.idl").write_text("import('b.idl') intent=a term={true}")
        (tmp_path / "b.idl").write_text("import('a.idl') intent=b term={true}")
        error = mistakes("import('a.idl')", folder=tmp_path)
        assert error.message == "the imports form a cycle: a.idl → b.idl → a.idl"
        assert error.source.endswith("b.idl")
        assert error.line == 1

    def test_an_error_in_an_imported_text_is_shown_there(self, tmp_path):
        (tmp_path / "a.idl").write_text("intent=a\n  term={ent_typ == 'x'}")
        error = mistakes("import('a.idl') intent=x term={1}", folder=tmp_path)
        first, second = error.problems
        assert (first.source, first.line, first.column) == (str(tmp_path / "a.idl"), 2, 9)
        assert second.source == "bot.idl"

    @pytest.mark.parametrize(
        ("location", "message"),
        [
            ("nowhere.idl", "there is no file 'nowhere.idl' and no such resource"),
            ("https://example.org/a.idl", "is a URL"),
            ("", "needs the name of a file"),
            ("binary.idl", "not a text in UTF-8"),
            (".", "there is no file '.'"),
        ],
    )
    def test_an_import_that_cannot_be_read_is_reported_with_its_position(
        self, tmp_path, location, message
    ):
        (tmp_path / "binary.idl").write_bytes(b"\xff\xfe\x00")
        error = mistakes(f"intent=x term={{true}}\nimport('{location}')", folder=tmp_path)
        assert message in error.message
        assert error.line == 2

    def test_the_same_intent_twice_is_an_error_across_files_too(self, tmp_path):
        (tmp_path / "a.idl").write_text("intent=x term={true}")
        error = mistakes("intent=x term={true} import('a.idl')", folder=tmp_path)
        assert "the intent 'x' is already declared" in error.message

    def test_imports_are_bounded(self, tmp_path):
        for number in range(MAX_IMPORTS + 2):
            (tmp_path / f"{number}.idl").write_text(f"import('{number + 1}.idl')")
        error = mistakes("import('0.idl')", folder=tmp_path)
        assert f"imports {MAX_IMPORTS} texts at most" in error.message


def is_tokyo(entity):
    return entity.value == "Tokyo"


def is_asked(entity, about):
    return about.text == "now?", 0


def broken(entity):
    return 1 / 0


@pytest.fixture
def code(monkeypatch):
    module = types.ModuleType("rules_of_a_bot")
    vars(module).update(
        is_tokyo=is_tokyo,
        is_asked=is_asked,
        broken=broken,
        says_maybe=lambda entity: "maybe",
        after_greeting=lambda flow: [step.intent for step in flow] == ["greet"],
        number=3,
    )
    monkeypatch.setitem(sys.modules, "rules_of_a_bot", module)
    return FunctionLoader("rules_of_a_bot")


class TestFunctionsInPython:
    def test_a_term_may_be_a_function_of_the_entity(self, code):
        go = intent("intent=go term(c)~/rules_of_a_bot#is_tokyo/[1,2]", code=code)
        assert go.terms[0].max == 2
        assert fits(go.terms[0])
        assert not fits(go.terms[0], Entity("city", frozenset({"place"}), "Kyoto"))

    def test_a_function_without_a_module_is_that_of_the_model(self, code):
        assert fits(intent("intent=go term={true} term~/#is_tokyo/", code=code).terms[1])

    def test_it_may_read_the_question_and_leave_the_entity_unused(self, code):
        term = intent("intent=go term~/#is_asked/", code=code).terms[0]
        context = EntityContext(CITY, QuestionContext(text="now?"))
        assert term.predicate.test(context)
        assert not context.used
        assert not fits(term, text="then?")

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("broken", "/#broken/ failed: ZeroDivisionError: division by zero"),
            ("says_maybe", "must give true or false, not the text 'maybe'"),
        ],
    )
    def test_a_function_that_fails_makes_an_evaluation_error(self, code, name, message):
        term = intent(f"intent=go term~/#{name}/", code=code).terms[0]
        with pytest.raises(EvaluationError, match=r"true or false|ZeroDivision") as caught:
            fits(term)
        assert message in str(caught.value)

    def test_a_flow_may_be_a_function_of_the_dialog_so_far(self, code):
        flow = intent("intent=go flow=/#after_greeting/ term={true}", code=code).flow
        greeted = FlowStep("greet", datetime(2026, 1, 5, tzinfo=UTC))
        assert flow.allows((greeted,))
        assert not flow.allows(())

    def test_a_module_may_lie_beside_the_model(self, tmp_path):
        (tmp_path / "rules_beside.py").write_text("def yes(entity):\n    return True\n")
        go = intent("intent=go term~/rules_beside#yes/", code=FunctionLoader(folder=tmp_path))
        assert fits(go.terms[0])

    def test_a_module_beside_the_model_is_run_once_and_may_have_dataclasses(self, tmp_path):
        (tmp_path / "classes_beside.py").write_text(
            "from __future__ import annotations\n"
            "from dataclasses import dataclass\n"
            "@dataclass\nclass Seen:\n    count: int = 0\n"
            "SEEN = Seen()\n"
            "def once(entity):\n    SEEN.count += 1\n    return SEEN.count == 1\n"
        )
        text = "intent=go term~/classes_beside#once/ term~/classes_beside#once/"
        first, second = intent(text, code=FunctionLoader("", tmp_path)).terms
        assert fits(first)
        assert not fits(second)
        assert "classes_beside" not in sys.modules
        assert fits(intent(text, code=FunctionLoader("", tmp_path)).terms[0])  # a model loaded anew

    def test_a_module_that_ends_the_program_does_not_end_ours(self, tmp_path):
        (tmp_path / "program_beside.py").write_text("import sys\nsys.exit(3)\n")
        error = mistakes("intent=x term~/program_beside#f/", code=FunctionLoader("", tmp_path))
        assert "cannot be imported: SystemExit: 3" in error.message
        assert "__main__" in error.hint

    def test_a_file_whose_name_is_taken_by_an_installed_module_is_reported(self, tmp_path):
        (tmp_path / "calendar.py").write_text("def is_free(entity):\n    return True\n")
        error = mistakes("intent=x term~/calendar#is_free/", code=FunctionLoader("", tmp_path))
        assert error.hint == (
            "an installed module 'calendar' comes before calendar.py beside the model: rename it"
        )

    @pytest.mark.parametrize(
        ("source", "reference", "message"),
        [
            ("async def f(entity): return True", "term~/odd_beside#f/", "is async"),
            ("class f:\n    pass", "term~/odd_beside#f/", "not a function but a class"),
            ("def f(): return True", "term~/odd_beside#f/", "must take one argument or two"),
            ("def f(e, s, x): return True", "term~/odd_beside#f/", "one argument or two"),
            ("def f(e, *, x): return True", "term~/odd_beside#f/", "one argument or two"),
            ("def f(): return True", "flow=/odd_beside#f/ term={true}", "must take one argument"),
        ],
    )
    def test_what_could_not_be_called_is_found_when_the_text_is_compiled(
        self, tmp_path, source, reference, message
    ):
        (tmp_path / "odd_beside.py").write_text(source)
        error = mistakes(f"intent=x {reference}", code=FunctionLoader("", tmp_path))
        assert message in error.message
        assert error.line == 1

    @pytest.mark.parametrize(
        ("reference", "message"),
        [
            ("/#is_tokio/", "has no function 'is_tokio'|did you mean 'is_tokyo'?"),
            ("/#number/", "is not a function but the integer 3"),
            ("/no_such_module_here#f/", "there is no Python module 'no_such_module_here'"),
        ],
    )
    def test_a_function_that_is_not_there_is_found_when_the_text_is_compiled(
        self, code, reference, message
    ):
        error = str(mistakes(f"intent=go\n  term~{reference}", code=code))
        for part in message.split("|"):
            assert part in error
        assert "bot.idl:2:8" in error

    def test_a_module_that_fails_is_reported_with_its_reason(self, tmp_path):
        (tmp_path / "rules_that_fail.py").write_text("raise RuntimeError('no licence')")
        error = mistakes(
            "intent=x flow=/rules_that_fail#f/ term={true}", code=FunctionLoader("", tmp_path)
        )
        assert "cannot be imported: RuntimeError: no licence" in error.message

    def test_without_any_module_the_hint_says_where_to_name_one(self):
        assert "under 'code:'" in mistakes("intent=x term~/#f/").hint


class TestOptions:
    @pytest.mark.parametrize(
        ("written", "options"),
        [
            ("ordered=true", IntentOptions(ordered=True)),
            ("options={'ordered': true}", IntentOptions(ordered=True)),
            ("options={'allow_stm_only': true}", IntentOptions(allow_stm_only=True)),
            ("options={'unused_free_words': false}", IntentOptions(unused_free_words=False)),
            ("options={'unused_usr_toks': false}", IntentOptions(unused_user_entities=False)),
            ("options={'unused_sys_toks': false}", IntentOptions(unused_system_entities=False)),
            (
                "options={'unused_entities': false}",
                IntentOptions(unused_user_entities=False, unused_system_entities=False),
            ),
            (
                "options={'unused_sys_toks': true, 'unused_entities': false}",
                IntentOptions(unused_user_entities=False),
            ),
        ],
    )
    def test_each_option_has_the_spellings_of_both_versions(self, written, options):
        assert intent(f"intent=x {written} term={{true}}").options == options

    def test_what_an_intent_does_not_set_is_as_the_model_has_it(self):
        strict = IntentOptions(ordered=True, unused_user_entities=False)
        text = "intent=x options={'ordered': false} term={true}"
        assert intent(text, defaults=strict).options == IntentOptions(unused_user_entities=False)


class TestForgiving:
    """Files of other programs name functions that are not there."""

    def test_an_intent_that_lacks_its_function_is_left_out_with_a_warning(self, code):
        text = """
            fragment=f term~/org.bot.Rules#late/
            intent=flow flow=/#m/ term={true}
            intent=term term~/org.bot.Rules#late/
            intent=fragment fragment(f)
            intent=good flow=/#after_greeting/ term~/#is_tokyo/
        """
        compiled = Compiler(code=code, lenient=True).compile(text)
        assert [one.id for one in compiled.intents] == ["good"]
        said = [warning.message for warning in compiled.warnings]
        assert "the intent 'fragment' is skipped: it needs that function" in said
        assert "there is no Python module 'org.bot.Rules'" in said


class TestWarnings:
    @pytest.mark.parametrize(
        ("predicate", "message"),
        [
            ("a() || b() && c()", "the same precedence and group from left to right"),
            ("true && false || true", "same precedence"),
            ("!true == false", "this is (!a) == b"),
            ("!true != false", "this is (!a) != b"),
        ],
    )
    def test_what_most_languages_read_otherwise_causes_a_warning(self, predicate, message):
        predicate = predicate.replace("a()", "true").replace("b()", "true").replace("c()", "true")
        (warning,) = Compiler().compile(f"intent=x term={{{predicate}}}", "bot.idl").warnings
        assert message in warning.message
        assert warning.line == 1

    @pytest.mark.parametrize(
        ("predicate", "message"),
        [
            ("ent_groups() == 'a'", "this is always false: a list against a text"),
            ("# == ['a', 'b']", "this is always false: a text against a list"),
            ("@g = tok_ancestors() @g != 'a'", "this is always true"),
            ("ent_value() == 3", "always false: a text or null against an integer"),
        ],
    )
    def test_a_comparison_of_what_is_never_equal_causes_a_warning(self, predicate, message):
        (warning,) = Compiler().compile(f"intent=x term={{{predicate}}}").warnings
        assert message in warning.message

    @pytest.mark.parametrize(
        "predicate",
        ["ent_value() == null", "meta_ent('k') == 3", "1 == 1.0", "ent_groups() == ['a']"],
    )
    def test_what_may_be_equal_is_not(self, predicate):
        assert not Compiler().compile(f"intent=x term={{{predicate}}}").warnings

    @pytest.mark.parametrize(
        "predicate",
        ["true || (true && false)", "(true || true) && false", "(!true) == false", "!(1 == 2)"],
    )
    def test_with_parentheses_there_is_nothing_to_warn_of(self, predicate):
        assert not Compiler().compile(f"intent=x term={{{predicate}}}").warnings


def test_of_many_findings_the_first_are_reported_and_the_others_counted():
    text = "\n" + "intent=x term={true || true && true} term={true || 1}" * 200
    error = mistakes(text)
    assert len(error.problems) == MAX_DIAGNOSTICS + 1
    assert error.problems[-1].message == "… and 299 more from here"
    assert len({id(problem.excerpt) for problem in error.problems[:-1]}) == 1

    @pytest.mark.parametrize("predicate", ["1 / 0 == 1", "false && 1 % 0 == 1", "5.5 / 0.0 > 1"])
    def test_a_division_by_zero_causes_a_warning_for_it_may_never_be_evaluated(self, predicate):
        (warning,) = Compiler().compile(f"intent=x term={{{predicate}}}").warnings
        assert "divides by zero" in warning.message
