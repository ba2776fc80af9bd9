"""What a reply tells of the bot's side of the dialog: its words, its offers, what it waits for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anaphora import Engine
from tests.conftest import Clock
from tests.support.plain_models import CINEMA, PLAIN_WEATHER

TWO_SIDED = {"offers", "offered_by", "confirms", "quick_replies"}


@pytest.fixture
def cinema(clock: Clock) -> Iterator[Engine]:
    with Engine(CINEMA, clock=clock) as engine:
        yield engine


def test_offers_come_with_the_intent_that_made_them_and_a_text_that_accepts_each(
    cinema: Engine,
) -> None:
    reply = cinema.ask("What's on?")
    assert [[str(entity) for entity in bundle] for bundle in reply.offers] == [
        ["film=Alien", "hall=red"],
        ["film=Brazil", "hall=blue"],
        ["film=Casablanca", "hall=red"],
    ]
    assert reply.offered_by == "find"
    assert not reply.confirms
    accepted = [cinema.ask("What's on?").quick_replies[place] for place in range(3)]
    films = []
    for text in accepted:
        cinema.ask("What's on?")
        films.append(cinema.ask(text).slots["film"].value)
        cinema.forget()
    assert films == ["Alien", "Brazil", "Casablanca"]


def test_what_was_accepted_is_remembered_as_said_by_the_bot(cinema: Engine) -> None:
    cinema.ask("What's on?")
    reply = cinema.ask("the second one")
    assert [str(entity) for entity in reply.by_bot] == ["film=Brazil", "hall=blue"]
    assert [str(entity) for entity in reply.memory] == ["film=Brazil", "hall=blue", "find"]
    assert [one.get("by") for one in reply.to_dict()["memory"]] == ["bot", "bot", None]
    assert reply.offers == ()
    assert reply.offered_by == ""


def test_a_reply_tells_that_it_waits_for_a_yes(cinema: Engine) -> None:
    cinema.ask("What's on?")
    cinema.ask("the second one")
    reply = cinema.ask("three")
    assert reply.status == "incomplete"
    assert reply.confirms
    assert reply.quick_replies == ("yes", "no")
    assert reply.to_dict().keys() >= {"confirms", "quick_replies"}
    assert cinema.ask(reply.quick_replies[0]).text == "Booked: Brazil."


def test_texts_of_buttons_are_in_the_language_of_the_question(cinema: Engine) -> None:
    assert cinema.ask("Что идёт?").quick_replies == ("Alien", "Brazil", "Casablanca")
    cinema.ask("Бразилия")
    assert cinema.ask("три").quick_replies == ("да", "нет")


def test_a_dialog_of_one_side_has_no_more_keys_than_before(clock: Clock) -> None:
    with Engine(PLAIN_WEATHER, clock=clock) as engine:
        plain = engine.ask("weather in Tokyo").to_dict()
    assert not plain.keys() & TWO_SIDED
    assert all(one.keys() == {"element", "value", "groups"} for one in plain["memory"])
