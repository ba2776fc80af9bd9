"""Every predicate that the checker lets through, over data of every kind: it compiles, it fails
with EvaluationError only, and it says what walking its tree says."""

from __future__ import annotations

from collections import UserDict
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from anaphora.core.request import Request, User
from anaphora.errors import EvaluationError, GrammarError
from anaphora.grammar.context import EntityContext, ModelInfo, QuestionContext
from anaphora.grammar.functions import FUNCTIONS
from anaphora.grammar.idl.checker import check_predicate
from anaphora.grammar.idl.codegen.translator import translate_expression
from anaphora.grammar.idl.syntax import (
    CallNode,
    Expression,
    ListNode,
    PredicateNode,
    UnaryNode,
    VariableDeclaration,
    VariableNode,
)
from tests.grammar.idl.tree_builders import (
    LISTS,
    LITERALS,
    NOW,
    READS,
    TOKYO,
    binary,
    call,
    interpret,
    literal,
)
from tests.support.examples import examples


class Text(str):
    """A text that is not quite a ``str``."""


HELD: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.0, float("nan"), float("inf"), 2**63, 10**30, 10**5000),
    *("", "a", "city", Text("city"), b"a", bytearray(b"a"), "x" * 2000, 1 + 2j, object(), int),
    *([], [1, "a"], (1,), [[1], [None]], {1, 2}, frozenset({"a"}), range(3), TOKYO, [TOKYO]),
    *({"a": 1}, {1: 2}, UserDict(a=1)),
]
KEYS = ["a", "a:b"]
# Mostly plain values: the fast paths must keep them apart.
METADATA = st.dictionaries(
    st.sampled_from(KEYS), st.sampled_from(HELD[:7]) | st.sampled_from(HELD), min_size=1
)
READERS = ["meta_ent", "meta_conv", "meta_model", "meta_req", "meta_user", "meta_frag"]
NAMES = st.sampled_from(sorted(FUNCTIONS))
READ = st.builds(call, st.sampled_from(READERS), st.sampled_from(KEYS))
COMPARED = st.builds(
    binary,
    READ,
    st.sampled_from(["==", "!=", "<", ">="]),
    st.sampled_from([1, 0, 1.0, "city"]).map(literal),
)
LEAVES = st.one_of(
    READ,
    COMPARED,
    LITERALS,
    READS,
    st.sampled_from(["[", "(a", "$1", '{"a": 1}', "1", "-5", "a"]).map(literal),
    NAMES.map(call),
)
OPERATORS = st.sampled_from(["==", "!=", "<", ">=", "+", "-", "*", "/", "%", "&&", "||"])


def larger(values: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(values, max_size=3).map(tuple)
    return st.one_of(
        st.builds(binary, values, OPERATORS, values),
        st.builds(UnaryNode, st.sampled_from("!-"), values),
        st.builds(CallNode, NAMES, several),
        st.builds(ListNode, several),
        st.builds(call, st.sampled_from(["has", "has_any", "has_all"]), LISTS, values),
        st.builds(call, st.just("if"), values, values, values),
    )


@st.composite
def predicates(draw: st.DrawFn) -> PredicateNode:
    """Values, with variables that use each other."""
    if draw(st.booleans()):
        return PredicateNode((), draw(COMPARED))
    declared: list[VariableDeclaration] = []
    leaves: st.SearchStrategy[Expression] = LEAVES
    for name in draw(st.sampled_from(["", "x", "xy", "xyz"])):
        value = draw(st.recursive(leaves, larger, max_leaves=5))
        declared.append(VariableDeclaration(name, value))
        leaves = st.one_of(leaves, st.just(VariableNode(name)))
    return PredicateNode(tuple(declared), draw(st.recursive(leaves, larger, max_leaves=8)))


@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
@given(
    node=predicates(),
    own=METADATA,
    other=METADATA,
    entity=st.sampled_from([TOKYO, NOW, None]),
    alone=st.booleans(),
)
def test_what_is_let_through_compiles_and_says_what_walking_says(
    *, node: PredicateNode, own: Any, other: Any, entity: Any, alone: bool
) -> None:
    try:
        check_predicate(node, boolean=False)
    except GrammarError:
        return
    entity = entity and replace(entity, meta=own)
    variables = {variable.name: variable.value for variable in node.variables}

    def walked(context: EntityContext) -> Any:
        return interpret(node.expression, context, variables)

    result, used = _outcome(translate_expression(node), entity, other, alone=alone)
    expected, expected_used = _outcome(walked, entity, other, alone=alone, any_error=True)
    assert (type(result), repr(result)) == (type(expected), repr(expected))
    if result is not _FAILED:
        assert used == expected_used


_FAILED = object()


def _outcome(
    test: Any, entity: Any, held: Any, *, alone: bool, any_error: bool = False
) -> tuple[Any, bool]:
    """The value and whether the entity was looked at; walking may fail with any error."""
    around = QuestionContext(
        entities=() if alone else (NOW, entity) if entity else (NOW,),
        conversation_data=held,
        model=ModelInfo(meta=held),
        request=Request(data=held),
        user=User("ann", meta=held),
        random=Random(5).random,
    )
    context = EntityContext(entity, around)
    context.arguments = held
    try:
        return test(context), context.used
    except Exception as error:
        if not any_error and not isinstance(error, EvaluationError):
            raise
        return _FAILED, False
