"""Texts of intents that are written as mappings stand in the sections of the model."""

from __future__ import annotations

import pytest

from anaphora import Engine, ModelError, parse_model

HEAD = """
id: rooms
elements:
  - {id: book, synonyms: [book]}
  - {id: room, values: [single, double]}
"""


def model(intent: str, rest: str = ""):
    return parse_model(
        f"{HEAD}{rest}intents:\n  - {{id: book, slots: {{book: book, room: room}}{intent}}}\n"
    )


def test_an_intent_says_itself_what_is_said_if_it_is_only_near():
    engine = Engine(model(', fallback: "Say which room."', 'fallback: "Sorry?"\n'))
    assert engine.ask("book").text == "Say which room."
    assert engine.ask("good grief").text == "Sorry?"


@pytest.mark.parametrize("rest", ["", "fallback: {text: Sorry?}\n", "fallback: {en: Sorry?}\n"])
def test_the_fallback_of_the_model_may_have_any_form(rest):
    assert Engine(model(", fallback: Which room?", rest)).ask("book").text == "Which room?"


def test_an_intent_tells_and_offers_entities():
    read = model(", mentions: [room], offers: [{room: single}]")
    assert read.mentions == {"book": ("room",)}
    assert [dict(one.entities) for one in read.offers["book"]] == [{"room": "single"}]
    assert read.dialog_acts is not None


def test_a_fallback_in_two_places_is_reported_at_the_inner_one():
    with pytest.raises(ModelError, match="the 'fallback' of 'book' of 'intents' is written twice"):
        model(", fallback: One", "fallback: {intents: {book: Two}}\n")
