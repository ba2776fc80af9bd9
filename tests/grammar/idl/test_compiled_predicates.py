"""Predicates as they run: what is true, what counts as looking at the entity, what fails."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError, GrammarError
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.idl.codegen.translator import translate_predicate
from anaphora.grammar.idl.compiler import (
    compile_entity_part,
    compile_expression,
    compile_intents,
    compile_predicate,
)
from anaphora.grammar.idl.intent import IntentOptions
from anaphora.grammar.idl.printer import print_statements
from tests.grammar.idl.tree_builders import (
    ENTITIES,
    NOW,
    TESTS,
    TOKYO,
    VALUES,
    binary,
    call,
    evaluate,
    intent,
    interpret_predicate,
    is_true,
    negated,
    outcome,
    predicate,
    predicates,
    var,
)
from tests.support.examples import examples


@settings(max_examples=examples(300), deadline=None)
@given(predicates(VALUES) | predicates(TESTS), ENTITIES)
def test_a_compiled_predicate_says_what_walking_its_tree_says(node: Any, entity: Entity) -> None:
    around = QuestionContext((NOW, entity))
    compiled, slow = EntityContext(entity, around), EntityContext(entity, around)
    result = outcome(translate_predicate(node), compiled)
    expected = outcome(lambda context: interpret_predicate(node, context), slow)
    assert result == expected
    if result is not None:
        assert compiled.used == slow.used


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (binary(call("#"), "==", "city"), True),
        (binary("City", "==", call("#")), False),
        (binary(call("#"), "!=", "city"), False),
        (call("has", call("ent_groups"), "place"), True),
        (call("has", call("ent_groups"), "plac"), False),
        (call("has_any", call("ent_groups"), ["x", "geo"]), True),
        (call("has_any", ["x", "geo"], call("ent_groups")), True),
        (call("has_any", call("ent_groups"), ["x"]), False),
        (call("has_all", call("ent_groups"), ["place", "geo"]), True),
        (call("has_all", call("ent_groups"), ["place", "x"]), False),
        (call("has", call("list", "town", "city"), call("#")), True),
        (call("has", ["town"], call("#")), False),
        (binary(call("tok_value"), "==", "Tokyo"), True),
        (binary(call("tok_parent"), "==", "settlement"), True),
        (call("has", call("tok_ancestors"), "location"), True),
        (binary(call("meta_ent", "population"), ">", 1_000_000), True),
        (binary(call("meta_ent", "mayor"), "==", None), True),
        (binary(call("meta_ent", "mayors"), "==", ["a", "b"]), True),
        (negated(binary(call("#"), "==", "date")), True),
        (binary(negated(call("ent_is_last")), "==", True), True),
        (call("if", call("ent_is_first"), True, binary(1, "/", 0)), True),
        (binary(call("or_else", call("meta_ent", "x"), "none"), "==", "none"), True),
    ],
)
def test_it_reads_the_entity_in_question(expression: Any, expected: Any) -> None:
    assert is_true(expression) is expected


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        (7, "/", 2, 3),
        (-7, "/", 2, -3),
        (7, "%", -2, 1),
        (-7, "%", 2, -1),
        (7.0, "/", 2, 3.5),
        (1, "+", 2, 3),
        (1, "+", 0.5, 1.5),
        ("a", "+", "b", "ab"),
        ("a", "+", 1, "a1"),
        (True, "+", "a", "truea"),
        ([1], "+", [2], [1, 2]),
        (2, "*", 3, 6),
        (1, "-", 3, -2),
    ],
)
def test_arithmetic_is_that_of_java(left: Any, operator: str, right: Any, expected: Any) -> None:
    assert is_true(binary(binary(left, operator, right), "==", expected))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (None, None, True),
        (1, 1.0, True),
        (1, True, False),
        (0.0, False, False),
        ("1", 1, False),
        (None, False, False),
        (float("nan"), float("nan"), False),
        ([1, 2], [2, 1], True),
        ([1, 1, 2], [1, 2, 2], False),
        ([1, 2], [1.0, 2], False),
        ([[1, "a"], "b"], ["b", ["a", 1]], True),
        ([], "", False),
    ],
)
def test_equality_keeps_types_apart(left: Any, right: Any, expected: Any) -> None:
    assert is_true(binary(left, "==", right)) is expected
    assert is_true(binary(right, "!=", left)) is not expected
    held = {"left": left, "right": right}  # the same, where the types are not known before
    around = QuestionContext(conversation_data=held)
    equal = binary(call("meta_conv", "left"), "==", call("meta_conv", "right"))
    assert evaluate(equal, question=around)[0] is expected


def test_membership_keeps_types_apart() -> None:
    assert is_true(call("has", [1, 2], 1))
    assert not is_true(call("has", [1, 2], 1.0))
    assert not is_true(call("has", [1, 2], True))
    assert not is_true(call("has_any", [1], [1.0, True, "1"]))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (True, (True, False)),
        (binary(1, "==", 1), (True, False)),
        (binary(call("#"), "==", "city"), (True, True)),
        (binary(call("#"), "==", "x"), (False, True)),
        (binary(True, "||", binary(call("#"), "==", "city")), (True, False)),
        (binary(False, "&&", binary(call("#"), "==", "city")), (False, False)),
        (binary(True, "&&", binary(call("#"), "==", "city")), (True, True)),
        (binary(binary(call("mdl_id"), "==", ""), "||", call("ent_is_first")), (True, False)),
        (call("if", True, True, binary(call("#"), "==", "city")), (True, False)),
        (binary(call("#", call("first", call("ent_all"))), "==", "city"), (True, False)),
        (binary(call("#", call("ent_this")), "==", "city"), (True, True)),
        (binary(call("ent_count"), "==", 2), (True, False)),
        (call("ent_is_before_type", "date"), (True, True)),
        (binary(call("meta_ent", "x"), "==", None), (True, True)),
        (binary(call("meta_cfg", "x"), "==", None), (True, False)),
        (var("seen"), (True, True)),
        (binary(True, "||", var("seen")), (True, False)),
    ],
)
def test_only_what_is_evaluated_counts_as_looking_at_the_entity(
    expression: Any, expected: tuple[bool, bool]
) -> None:
    assert evaluate(expression, seen=binary(call("#"), "==", "city")) == expected


def test_and_and_or_have_the_same_precedence_from_left_to_right() -> None:
    # The parser makes (true || false) && false of `true || false && false`.
    assert not is_true(binary(binary(True, "||", False), "&&", False))


class _Counting(dict[str, Any]):
    reads = 0

    def get(self, key: str, default: Any = None) -> Any:
        self.reads += 1
        return super().get(key, default)


def test_a_variable_is_evaluated_once_for_an_entity_and_again_for_the_next() -> None:
    meta = _Counting(size=3)
    entity = Entity("pizza", frozenset({"pizza"}), "pizza", meta=meta)
    size = predicate(
        binary(binary(var("s"), ">", 1), "&&", binary(var("s"), "<", 5)), s=call("meta_ent", "size")
    )
    test = translate_predicate(size)
    context = EntityContext(entity, QuestionContext())
    assert test(context)
    assert meta.reads == 1
    assert test(EntityContext(entity, QuestionContext()))
    assert meta.reads == 2


def test_a_variable_that_is_not_needed_is_not_evaluated() -> None:
    assert is_true(binary(True, "||", var("broken")), broken=binary(call("length", "a"), "<", "b"))


def test_one_context_serves_two_predicates_with_variables_of_the_same_name() -> None:
    context = EntityContext(TOKYO, QuestionContext())
    assert translate_predicate(predicate(binary(var("x"), "==", "city"), x=call("#")))(context)
    assert translate_predicate(predicate(binary(var("x"), "==", "Tokyo"), x=call("ent_value")))(
        context
    )


def test_variables_that_build_upon_each_other_do_not_multiply_the_work() -> None:
    names = [f"v{number}" for number in range(40)]
    values = {"v0": call("ent_index")}
    for before, name in pairwise(names):
        values[name] = binary(var(before), "+", var(before))
    assert is_true(binary(var(names[-1]), "==", 0), **values)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (binary(call("meta_ent", "kind"), "<", 3), "'<' cannot compare the text 'capital' with"),
        (binary(call("meta_ent", "none"), "+", 1), "'+' cannot work with null and the integer 1"),
        (negated(call("meta_ent", "kind")), "must be true or false, not the text 'capital'"),
        (call("meta_ent", "kind"), "a term must be true or false, not the text 'capital'"),
        (binary(call("meta_ent", "kind"), "&&", True), "each side of '&&' must be true or false"),
        (binary(binary(1, "/", call("ent_index")), "==", 1), "'/' divides the integer 1 by zero"),
        (binary(binary(1, "%", call("ent_index")), "==", 1), "'%' divides the integer 1 by zero"),
        (
            binary(call("get", call("ent_groups"), 2), "==", "x"),
            "'get' finds no index 2 in a list of 2",
        ),
        (
            call("starts_with", call("tok_value", call("get", call("ent_all"), 1)), "x"),
            "'starts_with' needs a text as its 1st argument, not null",
        ),
        (call("regex", "a", call("meta_ent", "kind")), None),
        (binary(binary(2**62, "*", call("length", "four")), ">", 0), "does not fit 64 bits"),
        (binary(binary(2**63 - 1, "+", call("length", "a")), ">", 0), "does not fit 64 bits"),
        (
            binary(call("to_int", call("#")), "==", 1),
            "'to_int' finds no integer in the text 'city'",
        ),
    ],
)
def test_what_cannot_be_evaluated_has_a_readable_message(expression: Any, message: str) -> None:
    if message is None:
        assert not is_true(expression)
        return
    with pytest.raises(EvaluationError) as raised:
        is_true(expression)
    assert message in str(raised.value)


def test_without_an_entity_a_predicate_that_reads_it_fails_with_a_readable_message() -> None:
    for reading in (
        binary(call("#"), "==", "x"),
        call("ent_is_first"),
        call("has", call("tok_groups"), "x"),
    ):
        with pytest.raises(EvaluationError, match=r"no entity under test|needs an entity"):
            is_true(reading, None)


def test_an_entity_whose_metadata_fails_makes_an_evaluation_error() -> None:
    class Broken(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            raise OSError("the disk is gone")

    entity = Entity("a", frozenset({"a"}), "a", meta=Broken())
    with pytest.raises(EvaluationError, match="the disk is gone"):
        is_true(binary(call("meta_ent", "x"), "==", 1), entity)


def test_no_expression_eats_up_the_memory() -> None:
    doubled: Any = "0123456789"
    values: dict[str, Any] = {"v0": call("uppercase", doubled)}
    for number in range(40):
        values[f"v{number + 1}"] = binary(var(f"v{number}"), "+", var(f"v{number}"))
    with pytest.raises(EvaluationError, match="1000000 is the most"):
        is_true(binary(var("v40"), "==", ""), **values)
    nested: dict[str, Any] = {"v0": call("list", call("#"))}
    for number in range(40):
        nested[f"v{number + 1}"] = call("list", var(f"v{number}"), var(f"v{number}"))
    with pytest.raises(EvaluationError, match="cannot be compared"):
        is_true(binary(var("v40"), "==", []), **nested)


def _chain(make: Any, start: Any, times: int = 200) -> Any:
    for _ in range(times):
        start = make(start)
    return start


@pytest.mark.parametrize(
    "expression",
    [
        _chain(negated, call("ent_is_first")),
        _chain(lambda e: binary(e, "&&", call("ent_is_first")), True),
        _chain(lambda e: binary(call("ent_is_first"), "&&", e), True),
        _chain(lambda e: binary(binary(call("mdl_id"), "==", ""), "&&", e), call("ent_is_first")),
        _chain(lambda e: binary(binary(call("mdl_id"), "==", "x"), "||", e), call("ent_is_first")),
        _chain(lambda e: binary(call("meta_ent", "yes"), "==", e), True, 199),
        _chain(lambda e: call("or_else", None, e), call("ent_is_first")),
        _chain(lambda e: call("if", True, e, False), call("ent_is_first")),
        _chain(
            lambda e: call("has", call("list", e), e if isinstance(e, bool) else True), True, 100
        ),
        binary(_chain(lambda e: binary(e, "+", 1), call("ent_index")), "==", 200),
        binary(_chain(lambda e: binary(1, "+", e), call("ent_index")), "==", 200),
        binary(_chain(lambda e: call("lowercase", e), call("#")), "==", "city"),
        binary(_chain(lambda e: [e], call("#")), "!=", "city"),
    ],
)
def test_an_expression_two_hundred_levels_deep_compiles_and_runs(expression: Any) -> None:
    entity = Entity("city", frozenset({"a"}), "tokyo", meta={"yes": True})
    around = QuestionContext((entity,))
    assert evaluate(expression, entity, around)[0] in (True, False)


def test_names_and_literals_of_a_model_are_never_read_as_python() -> None:
    nasty = "'); __import__('os').abort() #"
    assert not is_true(binary(call("#"), "==", nasty))
    assert is_true(binary(var(nasty), "==", nasty), **{nasty: nasty})


def test_an_intent_is_compiled_with_its_terms_options_flow_and_mentions() -> None:
    node = intent(
        predicate(binary(call("#"), "==", "pizza")),
        predicate(call("has", call("ent_groups"), "size")),
        options={"allow_stm_only": True},
        flow="greet .*",
        meta={"topic": "food"},
    )
    (compiled,) = compile_intents(print_statements([node]))
    assert compiled.id == "order"
    assert compiled.options == IntentOptions(allow_stm_only=True)
    assert compiled.flow is not None
    assert compiled.flow.fullmatch("greet again")
    assert compiled.meta == {"topic": "food"}
    assert [term.predicate.requires for term in compiled.terms] == [
        {("element", "pizza")},
        {("group", "size")},
    ]
    assert set(compiled.mentions) == {("element", "pizza"), ("group", "size")}


def test_a_predicate_with_an_error_is_not_compiled() -> None:
    with pytest.raises(GrammarError, match="no function 'ent_typ'"):
        compile_predicate(predicate(binary(call("ent_typ"), "==", "x")))


def test_all_errors_of_a_text_come_in_one_error_with_their_positions() -> None:
    text = "intent=a term~{# < 3}\nintent=b\n  options={'orderd': true}\n  term~{has(ent_groups())}"
    with pytest.raises(GrammarError) as raised:
        compile_intents(text, "shop.idl")
    places = [(one.source, one.line) for one in raised.value.problems]
    assert places == [("shop.idl", 1), ("shop.idl", 3), ("shop.idl", 4)]
    first = raised.value.problems[0]
    assert first.excerpt[first.column - 1] == "<"


def test_a_text_compiles_to_intents_that_run() -> None:
    (compiled,) = compile_intents("intent=order term(what)~{# == 'city' && !ent_is_last}?")
    (term,) = compiled.terms
    context = EntityContext(TOKYO, QuestionContext((TOKYO, NOW)))
    assert (term.id, term.min, term.max, term.conversational) == ("what", 0, 1, True)
    assert term.predicate.test(context)
    assert context.used


@pytest.mark.parametrize(
    "text",
    [
        "@b = rand() @c = @b + 0  @b >= 0 && @b == @c",
        "@r = rand()  (@r < 0 && true) || @r == @r",
        "@r = rand() @s = @r  if(@r == @s, @s == @r, false)",
        "@r = rand()  if(true, @r, 0) == @r",
    ],
)
def test_a_variable_has_one_value_wherever_it_is_used(text: str) -> None:
    test = compile_entity_part(text).test
    pizza = Entity("pizza", frozenset({"pizza"}), "pizza")
    assert all(test(EntityContext(pizza, QuestionContext())) for _ in range(20))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("if(true, 1, 1 / 0)", 1),
        ("or_else(1, 1 / 0)", 1),
        ("false && 1 / 0 == 1", False),
        ("1.0 / 0.0 > 9000000.0", True),
        ("-1.0 / 0.0 < 0", True),
        ("0.0 / 0.0 == 0.0 / 0.0", False),
        ("5.5 % 0.0 == 5.5 % 0.0", False),
    ],
)
def test_what_is_not_evaluated_does_no_harm_and_fractions_divide_by_zero(
    text: str, value: Any
) -> None:
    assert compile_expression(text)(EntityContext(None, QuestionContext())) == value


@pytest.mark.parametrize(
    "text", ["hour == 5", "year > 2000", "user_admin", "meta_req('k') == 1", "user_id == 'u'"]
)
def test_a_part_of_a_synonym_may_not_ask_about_the_question(text: str) -> None:
    with pytest.raises(GrammarError, match="not available in a synonym"):
        compile_entity_part(text)


def test_a_part_of_a_synonym_may_ask_what_stands_beside_it() -> None:
    found = compile_entity_part("# == 'city' && tok_is_between_ids('from', 'to')")
    assert (found.reads_position, found.requires) == (True, {("element", "city")})
    assert found.neighbours == {("element", "from"), ("element", "to")}
    assert compile_entity_part("ent_is_after_group('g') || tok_count == 1").neighbours == {
        ("group", "g")
    }
    assert not compile_entity_part("# == 'city'").reads_position


def test_a_part_of_a_synonym_may_ask_about_the_entity_and_the_model() -> None:
    text = "# == 'city' && meta_model('k') == null && tok_is_user && mdl_id == ''"
    assert compile_entity_part(text).requires == {("element", "city")}
