"""Trees of the intent language, built by hand, and what comes of them for an entity."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.functions import FUNCTIONS
from anaphora.grammar.functions.registry import Function
from anaphora.grammar.idl.codegen.translator import translate_predicate
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    IntentNode,
    ListNode,
    LiteralNode,
    PredicateNode,
    TermNode,
    UnaryNode,
    VariableDeclaration,
    VariableNode,
)
from anaphora.grammar.operators import BINARY_OPERATORS, UNARY_OPERATORS, require_boolean

TOKYO = Entity(
    "city",
    frozenset({"place", "geo"}),
    "tokyo",
    value="Tokyo",
    ancestors=("settlement", "location"),
    meta={"population": 14_000_000, "kind": "capital", "mayors": frozenset({"b", "a"})},
)
NOW = Entity("date", frozenset({"date"}), "now")


def literal(value: Any) -> LiteralNode:
    return LiteralNode(value)


def call(name: str, *arguments: Any) -> CallNode:
    return CallNode(name, tuple(tree(one) for one in arguments))


def binary(left: Any, operator: str, right: Any) -> BinaryNode:
    return BinaryNode(operator, tree(left), tree(right))


def negated(operand: Any) -> UnaryNode:
    return UnaryNode("!", tree(operand))


def var(name: str) -> VariableNode:
    return VariableNode(name)


def tree(value: Any) -> Expression:
    """A node as it is, a Python value as the literal or the list that it is."""
    if isinstance(value, list):
        return ListNode(tuple(tree(item) for item in value))
    if value is None or isinstance(value, bool | int | float | str):
        return LiteralNode(value)
    return value  # type: ignore[no-any-return]  # it is a node


def predicate(expression: Any, /, **variables: Any) -> PredicateNode:
    declared = tuple(VariableDeclaration(name, tree(value)) for name, value in variables.items())
    return PredicateNode(declared, tree(expression))


def intent(*predicates: PredicateNode, id: str = "order", **fields: Any) -> IntentNode:
    terms = tuple(TermNode(None, one, conversational=True) for one in predicates)
    return IntentNode(id, terms, **fields)


def evaluate(
    expression: Any,
    /,
    entity: Entity | None = TOKYO,
    question: QuestionContext | None = None,
    **variables: Any,
) -> tuple[bool, bool]:
    """What the predicate says of the entity, and whether it has looked at it."""
    context = EntityContext(entity, question or QuestionContext((TOKYO, NOW)))
    result = translate_predicate(predicate(expression, **variables))(context)
    return result, context.used


def is_true(expression: Any, /, entity: Entity | None = TOKYO, **variables: Any) -> bool:
    return evaluate(expression, entity, **variables)[0]


def interpret(node: Expression, context: EntityContext, variables: dict[str, Expression]) -> Any:
    """The value of an expression by walking its tree: slow, and plain to see."""
    match node:
        case LiteralNode():
            return node.value
        case ListNode():
            return tuple(interpret(item, context, variables) for item in node.items)
        case VariableNode():
            if node.name not in context.variables:
                value = interpret(variables[node.name], context, variables)
                context.variables[node.name] = value
            return context.variables[node.name]
        case UnaryNode():
            return UNARY_OPERATORS[node.operator](interpret(node.operand, context, variables))
        case BinaryNode(operator="&&" | "||"):
            left = require_boolean(interpret(node.left, context, variables), "a side")
            if left is (node.operator == "||"):
                return left
            return require_boolean(interpret(node.right, context, variables), "a side")
        case BinaryNode():
            left = interpret(node.left, context, variables)
            return BINARY_OPERATORS[node.operator](left, interpret(node.right, context, variables))
        case CallNode():
            return _walk_call(FUNCTIONS[node.name], node, context, variables)


def interpret_predicate(node: PredicateNode, context: EntityContext) -> bool:
    """The value of a predicate by walking its tree."""
    variables = {variable.name: variable.value for variable in node.variables}
    return require_boolean(interpret(node.expression, context, variables), "a term")


def outcome(test: Any, context: EntityContext) -> bool | None:
    """What the test says, or None if it cannot be evaluated."""
    try:
        return bool(test(context))
    except EvaluationError:
        return None


def _walk_call(
    function: Function, node: CallNode, context: EntityContext, variables: dict[str, Expression]
) -> Any:
    arguments: list[Any] = []
    for index, argument in enumerate(node.arguments):
        if function.parameter(index).passing == "lazy":
            arguments.append(lambda one=argument: interpret(one, context, variables))
        else:
            arguments.append(interpret(argument, context, variables))
    current = len(arguments) < len(function.parameters)
    if function.reads_entity and (
        current or not any(p.defaults_to_current for p in function.parameters)
    ):
        context.used = True
    if function.reads_entity and current:
        arguments.append(context.entity)
    if function.takes_context:
        arguments.insert(0, context)
    return function.call(node.name, *arguments)


NAMES = st.sampled_from(["city", "date", "place", "settlement", "Tokyo"])
LITERALS = st.one_of(
    NAMES,
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, -2.5, float("nan"), 2**63 - 1]),
).map(literal)
READS = st.sampled_from(
    [call(name) for name in ("#", "ent_value", "ent_text", "tok_parent", "ent_index")]
)
LISTS = st.one_of(
    st.sampled_from([call("ent_groups"), call("tok_ancestors")]),
    st.lists(LITERALS, max_size=3).map(lambda items: ListNode(tuple(items))),
    st.lists(st.one_of(LITERALS, READS), max_size=3).map(lambda items: call("list", *items)),
)


def _larger(values: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    compared = st.builds(
        binary, values, st.sampled_from(["==", "!=", "<", ">=", "+", "-", "*", "/", "%"]), values
    )
    joined = st.builds(binary, values, st.sampled_from(["&&", "||"]), values)
    member = st.builds(call, st.just("has"), LISTS, values)
    lists = st.builds(call, st.sampled_from(["has_any", "has_all"]), LISTS, LISTS)
    chosen = st.builds(call, st.just("if"), values, values, values)
    otherwise = st.builds(call, st.just("or_else"), values, values)
    return st.one_of(joined, compared, member, lists, values.map(negated), chosen, otherwise)


VALUES = st.recursive(st.one_of(LITERALS, READS), _larger, max_leaves=12)
TESTS = st.recursive(
    st.one_of(
        st.builds(binary, READS, st.sampled_from(["==", "!="]), st.one_of(LITERALS, READS)),
        st.builds(binary, LITERALS, st.just("=="), READS),
        st.builds(call, st.just("has"), LISTS, st.one_of(LITERALS, READS)),
        st.builds(call, st.sampled_from(["has_any", "has_all"]), LISTS, LISTS),
        st.booleans().map(literal),
    ),
    lambda tests: st.one_of(
        st.builds(binary, tests, st.sampled_from(["&&", "||"]), tests),
        tests.map(negated),
        st.builds(call, st.just("if"), tests, tests, tests),
    ),
    max_leaves=8,
)
ENTITIES = st.builds(
    Entity,
    element=NAMES,
    groups=st.frozensets(NAMES, min_size=1, max_size=3),
    text=NAMES,
    value=st.one_of(st.none(), NAMES),
    ancestors=st.lists(NAMES, max_size=2).map(tuple),
)


@st.composite
def predicates(draw: st.DrawFn, expressions: st.SearchStrategy[Expression]) -> PredicateNode:
    """Predicates whose parts may stand in variables, one built upon the other."""
    variables: list[VariableDeclaration] = []
    for name in draw(st.sampled_from(["", "a", "ab"])):
        value = draw(expressions)
        if variables and draw(st.booleans()):
            value = binary(
                VariableNode(variables[-1].name), draw(st.sampled_from(["&&", "||"])), value
            )
        variables.append(VariableDeclaration(name, value))
    expression = draw(expressions)
    if variables and draw(st.booleans()):
        last = VariableNode(variables[-1].name)
        expression = binary(last, draw(st.sampled_from(["&&", "||", "=="])), expression)
    return PredicateNode(tuple(variables), expression)
