"""A conversation survives being stored."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given

from anaphora import Conversation, Entity, StoreError
from anaphora.stm import rules
from anaphora.stm.conversation import Pending
from tests.stm.strategies import BEGIN, conversations


@given(conversations)
def test_what_is_read_back_is_what_was_written(conversation):
    plain = json.loads(json.dumps(conversation.to_plain()))
    assert Conversation.from_plain(plain) == conversation


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"format": 0},
        {"format": 99, "user": "ann"},
        {"format": 1, "user": "ann"},
        None,
        [1],
        Conversation("ann", "weather").to_plain() | {"last": "yesterday"},
        Conversation("ann", "weather").to_plain() | {"remembered": [{}]},
    ],
)
def test_what_is_no_conversation_is_refused(plain):
    with pytest.raises(StoreError):
        Conversation.from_plain(plain)


def full() -> dict[str, Any]:
    """A conversation with something of everything, as it is stored."""
    city = Entity("city", frozenset({"place"}), "Tokyo", (0,), 0, 5)
    asked = Conversation("ann", "weather")
    asked, _ = rules.remember(asked, BEGIN, intent="weather", new=[city], used=())
    asked = rules.incomplete(asked, BEGIN, Pending("weather", (city,), ("date",), BEGIN))
    return json.loads(json.dumps(asked.to_plain()))


def places(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything inside ``plain``."""
    steps = {dict: dict.items, list: enumerate}.get(type(plain), lambda _: ())(plain)
    inner = [deeper for step, value in steps for deeper in places(value, (*path, step))]
    return [path, *inner] if path else inner


@pytest.mark.parametrize("path", places(full()), ids=lambda path: ".".join(map(str, path)))
def test_something_of_another_type_is_refused_wherever_it_stands(path):
    plain = full()
    *way, last = path
    inner: Any = plain
    for step in way:
        inner = inner[step]
    inner[last] = 1.5
    with pytest.raises(StoreError):
        Conversation.from_plain(plain)


@pytest.mark.parametrize(
    "wrong",
    [{"questions": True}, {"last": "2026-01-01T00:00:00"}, {"pending": []}, {"remembered": ""}],
)
def test_what_only_looks_alike_is_refused(wrong):
    assert Conversation.from_plain(full()).questions == 2
    with pytest.raises(StoreError):
        Conversation.from_plain(full() | wrong)


def test_a_time_in_the_hour_that_comes_twice_is_read_back_too():
    at = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=1)
    asked, _ = rules.reset(Conversation("ann", "weather"), at)
    assert Conversation.from_plain(asked.to_plain()) == asked
