"""What is found wrong with intents before they run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from anaphora.core.utterance import Entity
from anaphora.errors import GrammarError
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.diagnostics import Diagnostics
from anaphora.grammar.idl.checker import check_predicate, check_statements
from anaphora.grammar.idl.codegen.translator import translate_predicate
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    IntentNode,
    LiteralNode,
    PredicateNode,
    TermNode,
    UnaryNode,
    VariableDeclaration,
)
from tests.grammar.idl.tree_builders import (
    ENTITIES,
    VALUES,
    binary,
    call,
    intent,
    negated,
    outcome,
    predicate,
    predicates,
    tree,
    var,
)
from tests.support.examples import examples


def problems(node: PredicateNode) -> list[str]:
    try:
        check_predicate(node)
    except GrammarError as error:
        return [f"{one.message}|{one.hint}" for one in error.problems]
    return []


def only(expression: Any, /, **variables: Any) -> str:
    (problem,) = problems(predicate(expression, **variables))
    return problem


IS_X = binary(call("#"), "==", "x")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            binary(call("ent_typ"), "==", "x"),
            "there is no function 'ent_typ'|did you mean 'ent_type'?",
        ),
        (binary(call("id"), "==", "x"), "there is no function 'id'|write #"),
        (call("has", call("groups"), "x"), "no function 'groups'|write ent_groups()"),
        (binary(call("grain"), "==", "hour"), "no function 'grain'|write meta_ent('grain')"),
        (binary(call("#"), "==", call("tokyo")), "texts need quotes: 'tokyo'"),
        (
            binary(call("#"), "==", call("ent_tex")),
            "'ent_text'? texts need quotes: 'ent_tex'",
        ),
        (call("not", True), "there is no function 'not'|write !(…)"),
        (call("has", call("ent_groups")), "'has' takes 2 arguments, not 1"),
        (binary(call("#", call("ent_this"), 1), "==", "x"), "'#' takes 0 to 1 arguments, not 2"),
        (binary(call("mdl_id", 1), "==", "x"), "'mdl_id' takes no arguments, not 1"),
        (binary(call("length"), ">", 1), "'length' takes 1 argument, not 0"),
        (call("has", call("#"), "x"), "'has' needs a list as its 1st argument, not a text"),
        (
            binary(call("length", 1), ">", 1),
            "needs a text, a list or a map as its 1st argument, not",
        ),
        (call("starts_with", "x", None), "needs a text as its 2nd argument, not null"),
        (call("regex", call("#"), "(a"), "'(a' is not a regular expression"),
        (binary("a", "<", 3), "'<' cannot compare a text with an integer"),
        (binary(True, ">=", False), "'>=' cannot compare a boolean with a boolean"),
        (negated(5), "'!' needs a boolean, not an integer"),
        (
            binary(negated(call("#")), "==", "x"),
            "'!' needs a boolean, not a text|'!' binds tighter",
        ),
        (binary(1, "&&", True), "'&&' needs booleans, not an integer"),
        (binary(True, "||", "a"), "'||' needs booleans, not a text"),
        (binary(binary("a", "-", 1), "==", 1), "'-' cannot work with a text and an integer"),
        (binary(binary(None, "+", 1), "==", 1), "'+' cannot work with null and an integer"),
        (binary(UnaryNode("-", tree("a")), "==", 1), "'-' needs a number, not a text"),
        (call("#"), "a term must be true or false, not a text"),
        (binary(1, "+", 1), "a term must be true or false, not an integer"),
        (binary(var("sise"), "==", 1), "there is no variable '@sise'|did you mean '@size'?"),
    ],
)
def test_an_error_in_a_predicate_is_named(expression: Any, message: str) -> None:
    assert message in only(expression, size=1)


@pytest.mark.parametrize(
    "expression",
    [
        binary(negated(call("ent_is_first")), "==", True),
        binary(call("ent_value"), "<", "x"),  # null only sometimes
        binary(call("meta_ent", "a"), "&&", call("meta_ent", "b")),
        call("if", call("meta_ent", "a"), IS_X, False),
        binary(binary("a", "+", 1), "==", "a1"),
        binary(call("round", 1), "==", 1),  # an integer may stand for a fraction
        binary(call("length", call("list")), "==", 0),
        binary(1, "==", "a"),
        binary(binary(1, "/", call("ent_index")), "==", 1),
    ],
)
def test_what_may_be_right_is_left_alone(expression: Any) -> None:
    assert problems(predicate(expression)) == []


@settings(max_examples=examples(300), deadline=None)
@given(predicates(VALUES), ENTITIES)
def test_a_predicate_without_short_cuts_that_runs_has_no_type_error(
    node: PredicateNode, entity: Entity
) -> None:
    """Types are sound: what is reported fails, unless the part is never evaluated."""
    found = problems(node)
    if not found or _has_shortcut(node):
        return
    assert (
        outcome(translate_predicate(node), EntityContext(entity, QuestionContext((entity,))))
        is None
    )


def _has_shortcut(node: PredicateNode) -> bool:
    text = repr(node)
    unused = bool(node.variables)
    return unused or any(one in text for one in ("'&&'", "'||'", "'if'", "'or_else'"))


def test_a_variable_is_declared_once_and_before_it_is_used() -> None:
    node = PredicateNode(
        (
            VariableDeclaration("a", binary(var("b"), "+", 1)),
            VariableDeclaration("b", LiteralNode(1)),
            VariableDeclaration("a", LiteralNode(2)),
        ),
        binary(var("a"), "==", 1),
    )
    assert problems(node) == [
        "the variable '@b' is used before it is declared|",
        "the variable '@a' is declared twice|",
    ]


def test_variables_carry_their_types() -> None:
    assert "'has' needs a list" in only(call("has", var("name"), "x"), name=call("#"))


def test_a_term_cannot_have_variables_without_end() -> None:
    many: dict[str, Any] = {f"v{number}": number for number in range(51)}
    assert only(True, **many) == "a term has 50 variables at most|"


def check(statements: list[IntentNode], text: str = "", source: str = "") -> None:
    diagnostics = Diagnostics(text, source)
    check_statements(statements, diagnostics)
    diagnostics.raise_if_any()


def test_options_are_known_and_boolean() -> None:
    node = intent(predicate(IS_X), options={"orderd": True, "allow_stm_only": "yes"})
    with pytest.raises(GrammarError) as raised:
        check([node])
    assert [(one.message, one.hint) for one in raised.value.problems] == [
        ("there is no option 'orderd'", "did you mean 'ordered'?"),
        ("the option 'allow_stm_only' must be true or false, not the text 'yes'", ""),
    ]


def test_a_bad_flow_is_shown_at_its_place() -> None:
    text = "intent=a\n  flow='(b' term~{true}"
    node = intent(predicate(True), flow="(b", flow_at=text.index("'(b'"))
    with pytest.raises(GrammarError, match="not a regular expression") as raised:
        check([node], text, "shop.yaml")
    assert (raised.value.source, raised.value.line, raised.value.column) == ("shop.yaml", 2, 8)
    assert raised.value.caret == "  flow='(b' term~{true}\n       ^"


def test_two_intents_and_two_terms_cannot_have_one_id() -> None:
    twins = intent(predicate(IS_X))
    with pytest.raises(GrammarError, match="already an intent 'order'"):
        check([twins, twins])
    term = TermNode("what", predicate(IS_X), conversational=True)
    with pytest.raises(GrammarError, match="already a term 'what'"):
        check([IntentNode("order", (term, term))])


def test_terms_without_an_id_do_not_clash() -> None:
    check([intent(predicate(IS_X), predicate(IS_X))])


def test_all_problems_come_at_once_in_the_order_of_the_text() -> None:
    text = "foo(1) && !'a' && @x"
    node = PredicateNode(
        (),
        BinaryNode(
            "&&",
            BinaryNode(
                "&&",
                CallNode("foo", (LiteralNode(1, at=4),), at=0),
                UnaryNode("!", LiteralNode("a", at=11), at=10),
                at=7,
            ),
            type(var("x"))("x", at=18),
            at=15,
        ),
    )
    with pytest.raises(GrammarError) as raised:
        check_predicate(node, text)
    assert [one.column for one in raised.value.problems] == [1, 11, 19]


def test_where_no_variable_is_declared_the_hint_says_how() -> None:
    with pytest.raises(GrammarError) as caught:
        check_predicate(predicate(binary(var("a"), "==", 1)))
    assert caught.value.hint == "declare it before the condition: @a = …"
