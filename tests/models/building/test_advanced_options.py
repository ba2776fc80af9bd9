"""What a model file says beyond the simplest: options, limits, stop words, code, composition."""

from __future__ import annotations

import json
import sys
import types

import pytest

from anaphora import ModelError, load_model, parse_model
from anaphora.grammar.idl.intent import IntentOptions
from anaphora.models.domain import StopWords, UtteranceLimits

HEAD = "id: m\nelements: [{id: city, values: {Tokyo: []}}, {id: weather}]\n"
INTENT = "intents: [\"intent=x term={# == 'city'}\"]\n"


def problems(text, **how):
    with pytest.raises(ModelError) as caught:
        parse_model(text, **how)
    return [problem.message for problem in caught.value.problems]


class TestOptionsOfTheModel:
    def test_they_hold_for_every_intent_that_does_not_set_them(self):
        model = parse_model(
            f"{HEAD}options: {{unused_usr_toks: false, ordered: true}}\n"
            "intents:\n- intent=a term={# == 'city'}\n"
            "- \"intent=b options={'ordered': false} term={# == 'city'}\"\n"
        )
        a, b = model.intents
        assert a.options == IntentOptions(ordered=True, unused_user_entities=False)
        assert b.options == IntentOptions(unused_user_entities=False)


class TestLimitsAndStopWords:
    def test_they_become_part_of_the_model(self):
        model = parse_model(
            f"{HEAD}{INTENT}stop_words: {{add: [please], remove: [now], skip: true}}\n"
            "limits: {max_words: 9, suspicious_words: [Bomb], max_suspicious_words: 0}\n"
        )
        assert model.stop_words == StopWords(frozenset({"please"}), frozenset({"now"}), True)
        assert model.limits == UtteranceLimits(
            max_words=9, max_suspicious_words=0, suspicious_words=frozenset({"bomb"})
        )

    def test_a_limit_is_a_whole_number(self):
        assert problems(f"{HEAD}{INTENT}limits: {{max_words: -1}}") == [
            "expected at least 0, not -1"
        ]
        assert problems(f"{HEAD}{INTENT}limits: {{max_words: few}}")

    def test_limits_that_nothing_can_keep_are_an_error(self):
        (message,) = problems(f"{HEAD}{INTENT}limits: {{min_words: 5, max_words: 2}}")
        assert message == "no question can have at least 5 and at most 2 words"

    @pytest.mark.parametrize(
        "written",
        ["limits: {swear_words: [darn, go away]}", "stop_words: {add: ['well then']}"],
    )
    def test_words_that_are_several_cause_warnings(self, written):
        (warning,) = parse_model(f"{HEAD}{INTENT}{written}").warnings
        assert "is no single word" in warning.message
        assert warning.line == 4

    @pytest.mark.parametrize(
        ("written", "hint"),
        [
            ("options: {orderd: true}", "did you mean 'ordered'?"),
            ("limits: {max_word: 3}", "did you mean 'max_words'?"),
            ("stop_words: {skipp: true}", "did you mean 'skip'?"),
            ("conversation: {dept: 3}", "did you mean 'depth'?"),
        ],
    )
    def test_a_misspelt_key_is_reported_everywhere(self, written, hint):
        with pytest.raises(ModelError) as caught:
            parse_model(f"{HEAD}{INTENT}{written}")
        assert caught.value.message.startswith("unknown key")
        assert caught.value.hint == hint


INTENT_OF_A = "intents: [\"intent=x term={# == 'a'}\"]"


class TestElements:
    def test_what_the_model_says_of_all_an_element_may_say_otherwise(self):
        model = parse_model(
            "id: m\nsparse: true\ngreedy: false\n"
            "elements: [{id: a}, {id: b, sparse: false, permute: true, greedy: true}]\n"
            "intents: [\"intent=x term={# == 'a'}\"]"
        )
        a, b = model.elements
        assert (a.sparse, a.permute, a.greedy) == (True, False, False)
        assert (b.sparse, b.permute, b.greedy) == (False, True, True)

    def test_gaps_of_sparse_elements_are_of_the_model_or_their_own(self):
        model = parse_model(
            "id: m\nsparse: true\nmax_gap: 3\nelements: [{id: a}, {id: b, max_gap: 0}]\n"
            "intents: [\"intent=x term={# == 'a'}\"]"
        )
        assert [element.max_gap for element in model.elements] == [3, 0]
        model = parse_model("id: m\nelements: [{id: a, sparse: true}]\n" + INTENT_OF_A)
        assert model.elements[0].max_gap == 6

    @pytest.mark.parametrize(
        ("keys", "message", "hint"),
        [
            ("sparse: true, max_gap: -1", "expected at least 0, not -1", ""),
            ("sparse: true, max_gap: far", "expected a whole number, not text", ""),
            ("max_gap: 3", "only a sparse element has gaps", "add 'sparse: true'"),
        ],
    )
    def test_a_gap_is_a_number_of_words_of_a_sparse_element(self, keys, message, hint):
        with pytest.raises(ModelError) as caught:
            parse_model(f"id: m\nelements:\n  - {{id: a, {keys}}}\n" + INTENT_OF_A)
        assert (caught.value.message, caught.value.hint) == (message, hint)
        assert caught.value.line == 3

    def test_more_synonyms_than_the_model_allows_are_an_error(self):
        text = (
            "id: m\nmax_synonyms: 3\nelements: [{id: a, synonyms: ['{b|c|d|e}']}]\n"
            "intents: [\"intent=x term={# == 'a'}\"]"
        )
        assert problems(text) == [
            "the synonyms of 'a' expand to 5 phrases; 'max_synonyms' allows 3"
        ]

    def test_elements_that_are_composed_of_each_other_are_an_error(self):
        text = """
            id: m
            elements:
              - {id: a, synonyms: ["x ^^{# == 'b'}^^"]}
              - {id: b, synonyms: ["y ^^{# == 'a'}^^"]}
            intents: ["intent=x term={# == 'a'}"]
        """
        (problem,) = problems(text)
        assert "composed of each other in a cycle: a → b → a" in problem

    def test_a_part_that_no_element_can_be_is_an_error(self):
        text = f"{HEAD}{INTENT}".replace(
            "{id: weather}", "{id: w, synonyms: [\"^^[c]{# == 'citi'}^^\"]}"
        )
        (problem,) = problems(text)
        assert "refers to the unknown element 'citi'" in problem

    def test_a_part_is_not_named_like_an_element(self):
        text = f"{HEAD}{INTENT}".replace(
            "{id: weather}", "{id: w, synonyms: [\"^^[city]{# == 'city'}^^\"]}"
        )
        (problem,) = problems(text)
        assert "the name 'city' is that of an element" in problem


@pytest.fixture
def values(monkeypatch):
    module = types.ModuleType("values_of_a_bot")
    vars(module).update(
        cities=lambda element: {"Kyoto": ["kyo"], "Tokyo": ["edo"]},
        names=lambda element: [element.id, "Nara"],
        wrong=lambda element: 5,
        wrong_synonyms=lambda element: {"Kyoto": "kyo"},
        a_number=lambda element: {"Kyoto": 3},
        broken=lambda element: 1 / 0,
        leaving=lambda element: sys.exit(3),
        by_language=lambda element: {"Kyoto": {"en": ["kyo"]}},
    )
    monkeypatch.setitem(sys.modules, "values_of_a_bot", module)


def with_loader(reference, head=""):
    return (
        f"id: m\n{head}elements: [{{id: city, values: {{Tokyo: [capital]}}, "
        f"value_loader: '{reference}'}}]\n{INTENT}"
    )


class TestValueLoaders:
    def test_a_function_gives_values_and_replaces_those_of_the_same_name(self, values):
        (city,) = parse_model(with_loader("values_of_a_bot#cities")).elements
        assert {value.name: value.phrases[""] for value in city.values} == {
            "Tokyo": (("Tokyo",), ("edo",)),
            "Kyoto": (("Kyoto",), ("kyo",)),
        }

    def test_it_may_give_names_alone_and_lie_in_the_module_of_the_model(self, values):
        (city,) = parse_model(with_loader("#names", "code: values_of_a_bot\n")).elements
        assert [value.name for value in city.values] == ["Tokyo", "city", "Nara"]

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("wrong", "it must give a mapping from names to lists of synonyms, or a list of names"),
            ("wrong_synonyms", "it must give a mapping"),
            ("a_number", "it must give a mapping"),
            ("leaving", "failed: SystemExit: 3"),
            ("by_language", "it must give a mapping"),
            ("broken", "failed: ZeroDivisionError: division by zero"),
            ("citis", "the module 'values_of_a_bot' has no function 'citis'"),
        ],
    )
    def test_one_that_fails_is_an_error_of_the_file(self, values, name, message):
        (problem,) = problems(with_loader(f"values_of_a_bot#{name}"))
        assert message in problem


class TestIntentsFromElsewhere:
    def test_a_file_may_import_its_intents(self, tmp_path):
        (tmp_path / "intents.idl").write_text("intent=x\n  term={# == 'citi'}")
        file = tmp_path / "m.yaml"
        file.write_text(f"{HEAD}intents: [\"import('intents.idl')\"]")
        with pytest.raises(ModelError, match="unknown element 'citi'"):
            load_model(file)
        (tmp_path / "intents.idl").write_text("intent=x\n  term={# === 'city'}")
        with pytest.raises(ModelError) as caught:
            load_model(file)
        (problem,) = caught.value.problems
        assert (problem.source, problem.line) == (str(tmp_path / "intents.idl"), 2)
        (tmp_path / "intents.idl").write_text("intent=x\n  term={# == 'city'}")
        assert [intent.id for intent in load_model(file).intents] == ["x"]

    def test_further_intents_may_be_given_with_the_file(self):
        model = parse_model(HEAD, intents=["intent=x term={# == 'city'}"])
        assert [intent.id for intent in model.intents] == ["x"]
        with pytest.raises(ModelError, match=r"intents\[0\]:1:13"):
            parse_model(HEAD, intents=["intent= term"])
        assert problems(f"{HEAD}{INTENT}", intents=["intent=x term={# == 'city'}"]) == [
            "intents[0] declares the intent 'x' again"
        ]

    def test_a_single_text_may_be_given_and_its_errors_are_shown_in_it(self):
        assert parse_model(HEAD, intents="intent=x term={# == 'city'}").intents
        with pytest.raises(ModelError) as caught:
            parse_model(HEAD, intents="intent=x\n  term={# == 'citi'}")
        (problem,) = caught.value.problems
        assert (problem.source, problem.line, problem.column) == ("intents[0]", 2, 14)

    def test_a_model_without_any_intents_is_an_error(self):
        assert problems(HEAD) == ["the model declares no intents"]


def test_what_looks_like_an_error_is_reported_with_its_position_in_the_file():
    model = parse_model(
        f"{HEAD}intents:\n  - intent=x\n    term={{# == 'city' || true && false}}\n",
        source="m.yaml",
    )
    (warning,) = model.warnings
    assert "same precedence" in warning.message
    assert (warning.source, warning.line) == ("m.yaml", 5)


@pytest.mark.parametrize(
    ("synonym", "column", "message"),
    [
        ("{very}* good", 7, "this '*' after a group is an ordinary character"),
        ("{very}+", 7, "this '+' after a group is an ordinary character"),
        ("{a|b}[0,2]? c", 11, "this '?' after a repetition is an ordinary character"),
        ("{a|b}?? c", 7, "this '?' after a repetition is an ordinary character"),
        ("x {y {a|b}*|z} c", 11, "this '*' after a group is an ordinary character"),
        ("<M>+ c", 4, "this '+' after a macro is an ordinary character"),
        ("the //a b// c", 5, "no word matches the regular expression 'a b'"),
        ("{x|//a^b//}", 4, "no word matches the regular expression 'a^b'"),
    ],
)
@pytest.mark.parametrize("place", ["synonyms: ['{}']", "values: {{v: ['{}']}}", "macro"])
def test_what_cannot_be_meant_causes_a_warning_where_it_stands(synonym, column, message, place):
    macros = ["'<M>': m"]
    if place == "macro":
        macros.append(f"'<N>': '{synonym}'")
        line, before = 2, macros[1].index(synonym) + len("macros: {, ") + len(macros[0])
        element = "{id: w, synonyms: ['<N>', '<N> x']}"
    else:
        element = "{id: w, " + place.format(synonym) + "}"
        line, before = 3, len("elements: [") + element.index(synonym)
    text = f"id: m\nmacros: {{{', '.join(macros)}}}\nelements: [{element}, {{id: city}}]\n{INTENT}"
    (warning,) = parse_model(text, source="m.yaml").warnings
    assert (warning.message, warning.line, warning.column) == (message, line, before + column)
    assert warning.source == "m.yaml"
    assert warning.hint


def test_what_is_meant_is_not_warned_of():
    fine = ["C++ {or}[1,2] a+", r"{c}\+\+", r"{a}[0,2]\?", "{five|two} + x", r"//\$[0-9]+//"]
    text = HEAD.replace("{id: weather}", f"{{id: w, synonyms: {json.dumps(fine)}}}")
    assert parse_model(f"{text}{INTENT}").warnings == ()


def test_json_may_have_comments():
    data = {"id": "m", "elements": [{"id": "city"}], "intents": ["intent=x term={# == 'city'}"]}
    text = json.dumps(data, indent=1).replace('"elements"', '/* what is said */ "elements"')
    assert parse_model(f"// a model\n{text}", format="json").id == "m"
