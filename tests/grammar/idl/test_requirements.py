"""What can be known of a predicate without running it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from anaphora.core.utterance import Entity
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.idl.codegen.translator import translate_predicate
from anaphora.grammar.idl.requirements import find_elements, find_mentions, find_requirements
from anaphora.grammar.idl.syntax import BinaryNode, CallNode, LiteralNode, PredicateNode
from tests.grammar.idl.tree_builders import (
    TESTS,
    binary,
    call,
    negated,
    outcome,
    predicate,
    predicates,
    var,
)
from tests.support.examples import examples

# Tests that are often true of an entity, so that what they require is put to the proof.
TWO = st.sampled_from(["city", "place"])
SOME = st.lists(TWO, min_size=1, max_size=2)
ENTITIES = st.builds(
    Entity,
    element=TWO,
    groups=st.frozensets(TWO, min_size=1),
    text=TWO,
    value=TWO,
    ancestors=st.lists(TWO, max_size=2).map(tuple),
)
KINDS = ("type", "group", "parent")
POSITIONAL = [f"ent_is_{side}_{kind}" for side in ("before", "after") for kind in KINDS]
BETWEEN = [f"ent_is_between_{kind}s" for kind in KINDS]
KNOWN = st.one_of(
    st.builds(binary, st.sampled_from([call("#"), call("tok_parent")]), st.just("=="), TWO),
    st.builds(call, st.just("has"), st.just(call("ent_groups")), TWO),
    st.builds(call, st.just("has"), st.just(call("tok_ancestors")), TWO),
    st.builds(call, st.just("has_any"), st.just(call("ent_groups")), SOME),
    st.builds(call, st.just("has_all"), st.just(call("ent_groups")), SOME),
    st.builds(call, st.just("has_all"), st.just(call("tok_ancestors")), SOME),
    st.builds(call, st.just("has_any"), SOME, st.just(call("tok_ancestors"))),
    st.builds(call, st.just("has"), SOME, st.just(call("#"))),
    st.builds(call, st.just("has"), SOME, st.just(call("tok_parent"))),
)
OTHERS = st.one_of(
    st.just(call("has", [None, "city"], call("tok_parent"))),
    st.just(binary(call("ent_value"), "==", "city")),
    KNOWN.map(negated),
    st.sampled_from(["ent_is_first", "ent_is_last", "tok_is_user"]).map(call),
    st.builds(call, st.sampled_from(POSITIONAL), TWO),
    st.builds(call, st.sampled_from(BETWEEN), TWO, TWO),
    st.builds(call, st.just("if"), KNOWN, KNOWN, st.booleans()),
    st.builds(call, st.just("or_else"), st.none() | KNOWN, KNOWN),
    st.builds(binary, KNOWN, st.sampled_from(["==", "!="]), KNOWN),
)
NEIGHBOUR = Entity("city", frozenset({"place"}), "x", ancestors=("place",))
FITTING = st.recursive(
    KNOWN,
    lambda tests: st.builds(binary, tests, st.sampled_from(["&&", "||"]), tests | OTHERS),
    max_leaves=4,
)

IS_X = binary(call("#"), "==", "x")
IS_Y = binary(call("tok_id"), "==", "y")
IN_G = call("has", call("ent_groups"), "g")
X, Y, G = ("element", "x"), ("element", "y"), ("group", "g")


@settings(max_examples=examples(500), deadline=None)
@given(predicates(FITTING) | predicates(FITTING | OTHERS) | predicates(TESTS), ENTITIES)
def test_an_entity_that_fits_has_one_of_the_required_keys(node: Any, entity: Entity) -> None:
    required = find_requirements(node)
    context = EntityContext(entity, QuestionContext((NEIGHBOUR, entity, NEIGHBOUR)))
    if required is None or not outcome(translate_predicate(node), context):
        return
    event("fits, and something is required")
    keys = {("element", entity.element)}
    keys |= {("group", group) for group in entity.groups}
    keys |= {("ancestor", ancestor) for ancestor in entity.ancestors}
    assert context.used
    assert keys & required


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (IS_X, {X}),
        (binary("x", "==", call("#")), {X}),
        (binary(call("ent_type"), "==", "x"), {X}),
        (IN_G, {G}),
        (call("has_any", call("ent_groups"), ["a", "b"]), {("group", "a"), ("group", "b")}),
        (call("has_any", call("ent_groups"), call("list", "g")), {G}),
        (call("has", call("list", "x", "y"), call("#")), {X, Y}),
        (call("has", ["x", 1], call("#")), {X}),
        (call("has_all", call("ent_groups"), ["g", "h"]), {G}),
        (binary(call("tok_parent"), "==", "p"), {("ancestor", "p")}),
        (call("has", call("tok_ancestors"), "p"), {("ancestor", "p")}),
        (binary(binary(IS_X, "||", IS_Y), "&&", IN_G), {G}),
        (binary(call("ent_is_first"), "&&", IS_X), {X}),
        (binary(IS_X, "||", IS_Y), {X, Y}),
        (binary(IS_X, "||", call("ent_is_first")), None),
        (negated(IS_X), None),
        (binary(call("#"), "!=", "x"), None),
        (call("has", ["x", None], call("tok_parent")), None),
        (call("has", call("list", call("mdl_id")), call("#")), None),
        (binary(call("#", call("first", call("ent_all"))), "==", "x"), None),
        (binary(IS_X, "==", True), None),
        (binary(IS_X, "!=", IS_Y), None),
        (True, None),
        (var("is_x"), {X}),
        (binary(call("#"), "==", var("name")), {X}),
        (call("has_any", var("groups"), var("wanted")), {G}),
    ],
)
def test_what_a_predicate_requires(expression: Any, expected: Any) -> None:
    node = predicate(expression, is_x=IS_X, name="x", groups=call("ent_groups"), wanted=["g"])
    assert find_requirements(node) == expected


@settings(max_examples=examples(500), deadline=None)
@given(
    predicates(st.recursive(KNOWN, lambda tests: st.builds(binary, tests, st.just("||"), tests))),
    ENTITIES,
)
def test_a_predicate_on_elements_alone_is_true_of_these_and_no_others(
    node: Any, entity: Entity
) -> None:
    fitting = find_elements(node)
    context = EntityContext(entity, QuestionContext((NEIGHBOUR, entity, NEIGHBOUR)))
    if fitting is not None:
        event("asks for elements alone")
        assert outcome(translate_predicate(node), context) is (entity.element in fitting)
        assert context.used


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (IS_X, {"x"}),
        (binary("x", "==", call("ent_type")), {"x"}),
        (binary(IS_X, "||", binary(IS_Y, "||", IS_X)), {"x", "y"}),
        (binary(call("#"), "==", var("name")), {"x"}),
        (binary(IS_X, "&&", IS_X), None),
        (binary(IS_X, "||", IN_G), None),
        (binary(call("tok_parent"), "==", "x"), None),
        (binary(call("#", call("first", call("ent_all"))), "==", "x"), None),
        (negated(IS_X), None),
        (IN_G, None),
        (call("has", call("list", "x", "y"), call("#")), {"x", "y"}),
        (call("has", call("list", "x", 5), call("#")), {"x"}),
        (call("has", call("list", "x", None), call("#")), None),
        (call("has", call("tok_ancestors"), "x"), None),
    ],
)
def test_which_elements_are_all_that_a_predicate_asks_for(expression: Any, expected: Any) -> None:
    assert find_elements(predicate(expression, name="x")) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (negated(IS_X), {X}),
        (binary(call("#"), "!=", "x"), {X}),
        (call("if", IS_X, IN_G, IS_Y), {X, Y, G}),
        (binary(call("length", call("meta_cfg", "x")), ">", 1), set()),
        (call("ent_is_before_type", "x"), {X}),
        (call("ent_is_after_group", "g"), {G}),
        (call("tok_is_before_parent", "p"), {("ancestor", "p")}),
        (call("ent_is_between_types", "x", "y"), {X, Y}),
        (call("tok_is_between_groups", "g", "h"), {G, ("group", "h")}),
        (call("ent_is_between_parents", "p", var("name")), {("ancestor", "p"), ("ancestor", "x")}),
        (call("non_empty", call("ent_all_for_type", "x")), {X}),
        (call("non_empty", call("tok_all_for_group", "g")), {G}),
        (call("non_empty", call("tok_all_for_parent", "p")), {("ancestor", "p")}),
        (call("ent_is_before_type", call("ent_text")), set()),
        (call("tok_has_part", call("ent_this"), "x"), set()),
        (call("has_any", ["g"], call("ent_groups")), {G}),
        (binary(call("#", call("first", call("ent_all"))), "==", "x"), {X}),
        (binary(call("ent_value"), "==", "x"), set()),
        (binary(True, "&&", binary(call("#"), "==", var("name"))), {X}),
    ],
)
def test_what_a_predicate_mentions(expression: Any, expected: Any) -> None:
    assert set(find_mentions(predicate(expression, name="x"))) == expected


def test_a_mention_has_its_first_offset() -> None:
    first = BinaryNode("==", CallNode("#", ()), LiteralNode("x", at=9), at=6)
    second = BinaryNode("==", CallNode("#", ()), LiteralNode("x", at=20), at=17)
    assert find_mentions(PredicateNode((), BinaryNode("||", second, first))) == {X: 9}


def test_variables_that_build_upon_each_other_do_not_multiply_the_work() -> None:
    values: dict[str, Any] = {"v0": IS_X}
    for number in range(45):
        values[f"v{number + 1}"] = binary(var(f"v{number}"), "||", var(f"v{number}"))
    assert find_requirements(predicate(var("v45"), **values)) == {X}
