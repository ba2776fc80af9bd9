"""A date of which the month, or the beginning, was not said goes on from the one before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from anaphora import Engine, parse_model

MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)

ROOM = """
id: room
language: {language}
conversation: {{timeout: 1h}}
entities: [date]
elements:
  - {{id: room, synonyms: [{room}]}}
  - {{id: guests, values: [two, zwei, двое, deux]}}
intents:
  - "intent=book term(act)~{{# == 'room'}} term(when)~{{# == 'date'}}
     term(guests)~{{# == 'guests'}}"
prompts: {{book: {{guests: For how many?, when: When?, act: What?}}}}
"""


def talk(*questions: str, language: str = "en", room: str = "room") -> list:
    engine = Engine(parse_model(ROOM.format(language=language, room=room)))
    times = (MONDAY + timedelta(minutes=number) for number in range(len(questions)))
    return [
        engine.ask(text, at=at, explain=True) for text, at in zip(questions, times, strict=True)
    ]


def when(reply) -> tuple[str, str]:
    """The first and the last day."""
    meta = reply.slots["when"].meta
    last = datetime.fromisoformat(meta["end"]) - timedelta(seconds=1)
    return meta["start"][:10], last.isoformat()[:10]


@pytest.mark.parametrize(
    ("language", "room", "questions"),
    [
        ("en", "room", ["a room from December 20 to December 27 for two", "until the 28th"]),
        ("en", "room", ["a room from December 20 to December 27", "until the 28th"]),
        ("en", "room", ["a room from December 20 for two", "till the 28th"]),
        ("de", "Zimmer", ["ein Zimmer vom 20. Dezember bis 27. Dezember", "bis zum 28."]),
        ("ru", "номер", ["номер с 20 декабря по 27 декабря", "до 28-го"]),
        ("fr", "chambre", ["une chambre du 20 décembre au 27 décembre", "jusqu'au 28"]),
    ],
)
def test_until_the_28th_is_in_the_month_that_was_said(language, room, questions):
    *_, reply = talk(*questions, language=language, room=room)
    assert when(reply)[0] == "2026-12-20"
    assert when(reply)[1] in ("2026-12-27", "2026-12-28")  # in Russian "до" leaves out the day
    explanation = str(reply.explanation)
    assert "is combined with '" in explanation
    assert "): date=2026-12-20/2026-12-2" in explanation


def test_a_day_of_the_month_is_of_the_month_that_was_said():
    *_, reply = talk("a room on December 20 for two", "on the 24th")
    assert when(reply) == ("2026-12-24", "2026-12-24")


def test_a_day_before_the_one_that_was_said_is_of_the_same_month():
    *_, reply = talk("a room on December 20 for two", "on the 18th")
    assert when(reply) == ("2026-12-18", "2026-12-18")


def test_a_question_that_is_complete_by_itself_does_not_look_back():
    *_, reply = talk("a room on December 20 for two", "a room on the 25th for two")
    assert when(reply) == ("2026-11-25", "2026-11-25")


def test_until_a_weekday_goes_on_from_the_beginning_that_was_said():
    *_, reply = talk("a room from December 20 for two", "until Friday")
    assert when(reply) == ("2026-12-20", "2026-12-25")


def test_alone_it_is_of_this_month():
    (reply,) = talk("a room until the 28th for two")
    assert when(reply) == ("2026-11-23", "2026-11-28")


@pytest.mark.parametrize("said", ["on Friday", "tomorrow", "in January", "on November 28"])
def test_what_says_enough_does_not_depend_on_the_date_before(said):
    (alone,) = talk(f"a room {said} for two")
    _, later = talk("a room on December 20 for two", said)
    assert when(later) == when(alone)


def test_a_date_that_is_over_is_none_to_go_on_from():
    *_, reply = talk("a room on November 20, 2026 for two", "until the 28th")
    assert when(reply) == ("2026-11-23", "2026-11-28")


def test_what_was_forgotten_is_none_either():
    engine = Engine(parse_model(ROOM.format(language="en", room="room")))
    engine.ask("a room on December 20 for two", at=MONDAY)
    later = MONDAY + timedelta(hours=2)
    reply = engine.ask("a room until the 28th for two", at=later)
    assert when(reply) == ("2026-11-23", "2026-11-28")
