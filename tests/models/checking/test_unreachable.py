"""Elements that no intent can take are told, but only where that is certain."""

from __future__ import annotations

import pytest

from anaphora import load_model, parse_model
from anaphora.models.catalog import model_names
from anaphora.models.checking.unreachable import find_unreachable_elements

each = pytest.mark.parametrize

BASE = """
id: bot
entities: [%s]
elements:
  - {id: a, groups: [g]}
  - {id: b}
%s
intents:
%s
"""
OF_A = "  - \"intent=i term(x)={# == 'a'}\""


def found(more: str = "", intents: str = OF_A, entities: str = "") -> tuple[str, ...]:
    return find_unreachable_elements(parse_model(BASE % (entities, more, intents)))


def test_an_element_that_no_intent_can_take_is_found():
    assert found() == ("b",)


def test_so_is_a_built_in_entity():
    assert found(entities="date") == ("b", "date")


@each(
    "intents",
    [
        "  - \"intent=i term(x)={# == 'a' || # == 'b'}\"",
        "  - \"intent=i term(x)={# == 'a'} term(y)~{has(ent_groups(), 'b')}?\"",
        "  - \"intent=i term(x)={# == 'a' && !ent_is_after_type('b')}\"",
        '  - "intent=i term(x)={length(ent_text()) > 3}"',  # whatever it is
        "  - \"intent=i options={'unused_entities': false} term(x)={# == 'a'}\"",  # it may forbid
    ],
)
def test_whatever_an_intent_may_ask_for_is_none(intents):
    assert found(intents=intents) == ()


@each(
    ("more", "expected"),
    [
        ("  - {id: c, parent: b}", ("c",)),  # b is there for c to be one
        ("  - {id: c, groups: [g]}", ("b",)),  # it hides a
        ("  - {id: c, topic: true}", ("b",)),
        (
            "  - {id: c, abstract: true}\n  - {id: d, groups: [g], synonyms: [\"^^{# == 'c'}^^\"]}",
            ("b",),
        ),
        ("  - {id: c, synonyms: [\"^^{# == 'b'}^^ c\"]}", ("c",)),
        ("  - {id: c, synonyms: [\"^^{ent_text() == 'b'}^^ c\"]}", ()),
        ("  - {id: c, groups: [g], recognizer: sort, config: {of: [b]}}", ()),
        ("  - {id: c, groups: [g], recognizer: sort}", ()),
        ("limits: {max_entities: 3}", ()),
    ],
)
def test_elements_that_serve_otherwise_are_none(more, expected):
    assert found(more) == expected


@each(
    ("more", "expected"),
    [
        ("offers: {i: [{money: 5 dollars}]}", ("b", "date")),
        ("dialog_acts: true\nhandlers: {i: 'json#dumps'}", ("b",)),  # it may offer dates and prices
        ("dialog_acts: true", ("b", "date", "money")),
        ("handlers: {i: 'json#dumps'}", ("b", "date", "money")),
    ],
)
def test_what_offers_may_be_compared_by_is_used(more, expected):
    assert found(entities="date, money", intents=f"{OF_A}\n{more}") == expected


@each("name", model_names())
def test_bundled_models_have_none(name):
    assert find_unreachable_elements(load_model(name)) == ()
