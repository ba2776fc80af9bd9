"""Predicates as they run: what is true, what counts as looking at the entity, what fails."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from anaphora.errors import EvaluationError, GrammarError
from anaphora.grammar.compiler import (
    compile_expression,
    compile_intents,
    compile_part,
    compile_predicate,
)
from anaphora.grammar.context import Context, Surroundings
from anaphora.grammar.intent import Options
from anaphora.grammar.printer import printed
from anaphora.grammar.translator import translate
from anaphora.models.utterance import Entity
from tests.grammar.trees import (
    ENTITIES,
    NOW,
    TESTS,
    TOKYO,
    VALUES,
    call,
    intent,
    no,
    op,
    outcome,
    predicate,
    predicates,
    run,
    says,
    var,
    walked,
)


@settings(max_examples=300, deadline=None)
@given(predicates(VALUES) | predicates(TESTS), ENTITIES)
def test_a_compiled_predicate_says_what_walking_its_tree_says(node: Any, entity: Entity) -> None:
    around = Surroundings((NOW, entity))
    compiled, slow = Context(entity, around), Context(entity, around)
    result = outcome(translate(node), compiled)
    expected = outcome(lambda context: walked(node, context), slow)
    assert result == expected
    if result is not None:
        assert compiled.used == slow.used


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (op(call("#"), "==", "city"), True),
        (op("City", "==", call("#")), False),
        (op(call("#"), "!=", "city"), False),
        (call("has", call("ent_groups"), "place"), True),
        (call("has", call("ent_groups"), "plac"), False),
        (call("has_any", call("ent_groups"), ["x", "geo"]), True),
        (call("has_any", ["x", "geo"], call("ent_groups")), True),
        (call("has_any", call("ent_groups"), ["x"]), False),
        (call("has_all", call("ent_groups"), ["place", "geo"]), True),
        (call("has_all", call("ent_groups"), ["place", "x"]), False),
        (call("has", call("list", "town", "city"), call("#")), True),
        (call("has", ["town"], call("#")), False),
        (op(call("tok_value"), "==", "Tokyo"), True),
        (op(call("tok_parent"), "==", "settlement"), True),
        (call("has", call("tok_ancestors"), "location"), True),
        (op(call("meta_ent", "population"), ">", 1_000_000), True),
        (op(call("meta_ent", "mayor"), "==", None), True),
        (op(call("meta_ent", "mayors"), "==", ["a", "b"]), True),
        (no(op(call("#"), "==", "date")), True),
        (op(no(call("ent_is_last")), "==", True), True),
        (call("if", call("ent_is_first"), True, op(1, "/", 0)), True),
        (op(call("or_else", call("meta_ent", "x"), "none"), "==", "none"), True),
    ],
)
def test_it_reads_the_entity_in_question(expression: Any, expected: Any) -> None:
    assert says(expression) is expected


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
    assert says(op(op(left, operator, right), "==", expected))


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
    assert says(op(left, "==", right)) is expected
    assert says(op(right, "!=", left)) is not expected
    held = {"left": left, "right": right}  # the same, where the types are not known before
    around = Surroundings(conversation_data=held)
    equal = op(call("meta_conv", "left"), "==", call("meta_conv", "right"))
    assert run(equal, surroundings=around)[0] is expected


def test_membership_keeps_types_apart() -> None:
    assert says(call("has", [1, 2], 1))
    assert not says(call("has", [1, 2], 1.0))
    assert not says(call("has", [1, 2], True))
    assert not says(call("has_any", [1], [1.0, True, "1"]))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (True, (True, False)),
        (op(1, "==", 1), (True, False)),
        (op(call("#"), "==", "city"), (True, True)),
        (op(call("#"), "==", "x"), (False, True)),
        (op(True, "||", op(call("#"), "==", "city")), (True, False)),
        (op(False, "&&", op(call("#"), "==", "city")), (False, False)),
        (op(True, "&&", op(call("#"), "==", "city")), (True, True)),
        (op(op(call("mdl_id"), "==", ""), "||", call("ent_is_first")), (True, False)),
        (call("if", True, True, op(call("#"), "==", "city")), (True, False)),
        (op(call("#", call("first", call("ent_all"))), "==", "city"), (True, False)),
        (op(call("#", call("ent_this")), "==", "city"), (True, True)),
        (op(call("ent_count"), "==", 2), (True, False)),
        (call("ent_is_before_type", "date"), (True, True)),
        (op(call("meta_ent", "x"), "==", None), (True, True)),
        (op(call("meta_cfg", "x"), "==", None), (True, False)),
        (var("seen"), (True, True)),
        (op(True, "||", var("seen")), (True, False)),
    ],
)
def test_only_what_is_evaluated_counts_as_looking_at_the_entity(
    expression: Any, expected: tuple[bool, bool]
) -> None:
    assert run(expression, seen=op(call("#"), "==", "city")) == expected


def test_and_and_or_stand_on_one_level_from_left_to_right() -> None:
    # The parser makes (true || false) && false of `true || false && false`.
    assert not says(op(op(True, "||", False), "&&", False))


class _Counting(dict[str, Any]):
    reads = 0

    def get(self, key: str, default: Any = None) -> Any:
        self.reads += 1
        return super().get(key, default)


def test_a_variable_is_evaluated_once_for_an_entity_and_again_for_the_next() -> None:
    meta = _Counting(size=3)
    entity = Entity("pizza", frozenset({"pizza"}), "pizza", meta=meta)
    size = predicate(
        op(op(var("s"), ">", 1), "&&", op(var("s"), "<", 5)), s=call("meta_ent", "size")
    )
    test = translate(size)
    context = Context(entity, Surroundings())
    assert test(context)
    assert meta.reads == 1
    assert test(Context(entity, Surroundings()))
    assert meta.reads == 2


def test_a_variable_that_is_not_needed_is_not_evaluated() -> None:
    assert says(op(True, "||", var("broken")), broken=op(call("length", "a"), "<", "b"))


def test_one_context_serves_two_predicates_with_variables_of_the_same_name() -> None:
    context = Context(TOKYO, Surroundings())
    assert translate(predicate(op(var("x"), "==", "city"), x=call("#")))(context)
    assert translate(predicate(op(var("x"), "==", "Tokyo"), x=call("ent_value")))(context)


def test_variables_that_build_upon_each_other_do_not_multiply_the_work() -> None:
    names = [f"v{number}" for number in range(40)]
    values = {"v0": call("ent_index")}
    for before, name in pairwise(names):
        values[name] = op(var(before), "+", var(before))
    assert says(op(var(names[-1]), "==", 0), **values)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (op(call("meta_ent", "kind"), "<", 3), "'<' cannot compare the text 'capital' with"),
        (op(call("meta_ent", "none"), "+", 1), "'+' cannot work with null and the integer 1"),
        (no(call("meta_ent", "kind")), "must be true or false, not the text 'capital'"),
        (call("meta_ent", "kind"), "a term must be true or false, not the text 'capital'"),
        (op(call("meta_ent", "kind"), "&&", True), "each side of '&&' must be true or false"),
        (op(op(1, "/", call("ent_index")), "==", 1), "'/' divides the integer 1 by zero"),
        (op(op(1, "%", call("ent_index")), "==", 1), "'%' divides the integer 1 by zero"),
        (
            op(call("get", call("ent_groups"), 2), "==", "x"),
            "'get' finds no place 2 in a list of 2",
        ),
        (
            call("starts_with", call("tok_value", call("get", call("ent_all"), 1)), "x"),
            "'starts_with' needs a text as its 1st argument, not null",
        ),
        (call("regex", "a", call("meta_ent", "kind")), None),
        (op(op(2**62, "*", call("length", "four")), ">", 0), "does not fit 64 bits"),
        (op(op(2**63 - 1, "+", call("length", "a")), ">", 0), "does not fit 64 bits"),
        (op(call("to_int", call("#")), "==", 1), "'to_int' finds no integer in the text 'city'"),
    ],
)
def test_what_cannot_be_evaluated_is_told_in_plain_words(expression: Any, message: str) -> None:
    if message is None:
        assert not says(expression)
        return
    with pytest.raises(EvaluationError) as raised:
        says(expression)
    assert message in str(raised.value)


def test_without_an_entity_a_predicate_that_reads_it_fails_in_plain_words() -> None:
    for reading in (
        op(call("#"), "==", "x"),
        call("ent_is_first"),
        call("has", call("tok_groups"), "x"),
    ):
        with pytest.raises(EvaluationError, match=r"no entity in question|needs an entity"):
            says(reading, None)


def test_an_entity_whose_metadata_fails_makes_an_evaluation_error() -> None:
    class Broken(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            raise OSError("the disk is gone")

    entity = Entity("a", frozenset({"a"}), "a", meta=Broken())
    with pytest.raises(EvaluationError, match="the disk is gone"):
        says(op(call("meta_ent", "x"), "==", 1), entity)


def test_no_expression_eats_up_the_memory() -> None:
    doubled: Any = "0123456789"
    values: dict[str, Any] = {"v0": call("uppercase", doubled)}
    for number in range(40):
        values[f"v{number + 1}"] = op(var(f"v{number}"), "+", var(f"v{number}"))
    with pytest.raises(EvaluationError, match="1000000 is the most"):
        says(op(var("v40"), "==", ""), **values)
    nested: dict[str, Any] = {"v0": call("list", call("#"))}
    for number in range(40):
        nested[f"v{number + 1}"] = call("list", var(f"v{number}"), var(f"v{number}"))
    with pytest.raises(EvaluationError, match="cannot be compared"):
        says(op(var("v40"), "==", []), **nested)


def _chain(make: Any, start: Any, times: int = 200) -> Any:
    for _ in range(times):
        start = make(start)
    return start


@pytest.mark.parametrize(
    "expression",
    [
        _chain(no, call("ent_is_first")),
        _chain(lambda e: op(e, "&&", call("ent_is_first")), True),
        _chain(lambda e: op(call("ent_is_first"), "&&", e), True),
        _chain(lambda e: op(op(call("mdl_id"), "==", ""), "&&", e), call("ent_is_first")),
        _chain(lambda e: op(op(call("mdl_id"), "==", "x"), "||", e), call("ent_is_first")),
        _chain(lambda e: op(call("meta_ent", "yes"), "==", e), True, 199),
        _chain(lambda e: call("or_else", None, e), call("ent_is_first")),
        _chain(lambda e: call("if", True, e, False), call("ent_is_first")),
        _chain(
            lambda e: call("has", call("list", e), e if isinstance(e, bool) else True), True, 100
        ),
        op(_chain(lambda e: op(e, "+", 1), call("ent_index")), "==", 200),
        op(_chain(lambda e: op(1, "+", e), call("ent_index")), "==", 200),
        op(_chain(lambda e: call("lowercase", e), call("#")), "==", "city"),
        op(_chain(lambda e: [e], call("#")), "!=", "city"),
    ],
)
def test_an_expression_two_hundred_levels_deep_compiles_and_runs(expression: Any) -> None:
    entity = Entity("city", frozenset({"a"}), "tokyo", meta={"yes": True})
    around = Surroundings((entity,))
    assert run(expression, entity, around)[0] in (True, False)


def test_names_and_literals_of_a_model_are_never_read_as_python() -> None:
    nasty = "'); __import__('os').abort() #"
    assert not says(op(call("#"), "==", nasty))
    assert says(op(var(nasty), "==", nasty), **{nasty: nasty})


def test_an_intent_is_compiled_with_its_terms_options_flow_and_mentions() -> None:
    node = intent(
        predicate(op(call("#"), "==", "pizza")),
        predicate(call("has", call("ent_groups"), "size")),
        options={"allow_stm_only": True},
        flow="greet .*",
        meta={"topic": "food"},
    )
    (compiled,) = compile_intents(printed([node]))
    assert compiled.id == "order"
    assert compiled.options == Options(allow_stm_only=True)
    assert compiled.flow is not None
    assert compiled.flow.fits("greet again")
    assert compiled.meta == {"topic": "food"}
    assert [term.predicate.requires for term in compiled.terms] == [
        {("element", "pizza")},
        {("group", "size")},
    ]
    assert set(compiled.mentions) == {("element", "pizza"), ("group", "size")}


def test_a_predicate_with_a_mistake_is_not_compiled() -> None:
    with pytest.raises(GrammarError, match="no function 'ent_typ'"):
        compile_predicate(predicate(op(call("ent_typ"), "==", "x")))


def test_all_mistakes_of_a_text_come_in_one_error_with_their_places() -> None:
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
    context = Context(TOKYO, Surroundings((TOKYO, NOW)))
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
    test = compile_part(text).test
    pizza = Entity("pizza", frozenset({"pizza"}), "pizza")
    assert all(test(Context(pizza, Surroundings())) for _ in range(20))


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
    assert compile_expression(text)(Context(None, Surroundings())) == value


@pytest.mark.parametrize(
    "text", ["ent_is_first", "year > 2000", "user_admin", "meta_req('k') == 1", "tok_count == 1"]
)
def test_a_part_of_a_synonym_may_not_ask_about_the_question(text: str) -> None:
    with pytest.raises(GrammarError, match="of which a synonym knows nothing"):
        compile_part(text)


def test_a_part_of_a_synonym_may_ask_about_the_entity_and_the_model() -> None:
    text = "# == 'city' && meta_model('k') == null && tok_is_user && mdl_id == ''"
    assert compile_part(text).requires == {("element", "city")}
