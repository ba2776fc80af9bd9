"""Functions on metadata."""

from __future__ import annotations

from typing import Any

import pytest

from anaphora.grammar.functions import FUNCTIONS
from anaphora.grammar.idl.compiler import compile_expression
from tests.grammar.functions.evaluation import (
    AROUND,
    DATE,
    NOTHING,
    context,
    evaluate,
    evaluation_error,
    grammar_error,
    is_same,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("meta_ent('population')", 14_000_000),
        ("meta_tok('population')", 14_000_000),
        ("meta_ent('mayors')", ("a", "b")),
        ("get(meta_ent('map'), 'k')", "v"),
        ("first(meta_ent('texts'))", "b"),
        ("meta_ent('none')", None),
        ("meta_ent('missing')", None),
        ("meta_ent('city:value')", "Tokyo"),
        ("meta_ent('city:population')", 14_000_000),
        ("meta_ent('town:value')", None),
        ("meta_ent('value')", None),
        ("meta_cfg('k')", "model"),
        ("meta_model('k')", "model"),
        ("meta_intent('k')", "intent"),
        ("meta_conv('k')", "conversation"),
        ("meta_frag('k')", "fragment"),
        ("meta_req('k')", "request"),
        ("meta_user('k')", "user"),
        ("meta_company('k')", "company"),
        ("meta_sys('HOME')", "/home/ann"),
    ],
)
def test_metadata_are_read_where_they_are_kept(text: str, expected: Any) -> None:
    assert is_same(evaluate(text), expected)


@pytest.mark.parametrize(
    "name", ["ent", "cfg", "model", "intent", "conv", "frag", "req", "user", "company", "sys"]
)
def test_a_missing_key_gives_null(name: str) -> None:
    assert evaluate(f"meta_{name}('missing')") is None
    assert evaluate(f"meta_{name}('missing')", around=NOTHING) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("meta_part('daytime', 'from')", 6),
        ("meta_part('when', 'from')", None),
        ("meta_part(tok_find_part(tok_this, 'daytime'), 'from')", 6),
        ("meta_part(first(tok_find_parts(ent_this, 'daytime')), 'from')", 6),
    ],
)
def test_metadata_of_a_part(text: str, expected: Any) -> None:
    assert is_same(evaluate(text, DATE), expected)


def test_a_part_that_is_not_there_has_no_metadata() -> None:
    assert evaluation_error("meta_part('x', 'k')") == "the entity 'city' has no part 'x'"
    assert evaluation_error("meta_part('x', 'k')", entity=None) == "there is no entity under test"


def test_both_spellings_name_one_function() -> None:
    assert FUNCTIONS["meta_ent"] is FUNCTIONS["meta_tok"]
    assert FUNCTIONS["meta_cfg"] is FUNCTIONS["meta_model"]


def test_only_metadata_of_the_entity_use_it() -> None:
    for text, used in (("meta_ent('k')", True), ("meta_user('k')", False)):
        here = context(around=AROUND)
        compile_expression(text)(here)
        assert here.used is used


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("meta_ent(1)", "'meta_ent' needs a text as its 1st argument, not an integer"),
        ("meta_tok()", "'meta_tok' takes 1 argument, not 0"),
        ("meta_part('k')", "'meta_part' takes 2 arguments, not 1"),
        ("meta_part(1, 'k')", "'meta_part' needs a text or an entity as its 1st argument, not"),
        ("meta_sys('a', 'b')", "'meta_sys' takes 1 argument, not 2"),
    ],
)
def test_a_wrong_call_is_found_before_it_runs(text: str, message: str) -> None:
    assert message in grammar_error(text)


def test_a_key_that_is_no_text_is_an_error() -> None:
    assert "'meta_cfg' needs a text as its 1st argument" in evaluation_error(
        "meta_cfg(meta_ent('one'))"
    )


def test_metadata_are_looked_for_where_there_is_an_entity() -> None:
    assert evaluation_error("meta_ent('k')", entity=None) == "there is no entity under test"
