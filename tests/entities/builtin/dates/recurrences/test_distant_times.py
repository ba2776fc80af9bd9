"""The time of a recurrence may be said apart from it, with other words in between."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine
from anaphora.entities.builtin.dates.recurrences.recurrence_parser import get_recurrence_parser
from anaphora.entities.builtin.dates.recurrences.recurrence_recognizer import RecurrenceRecognizer

TUESDAY = datetime(2026, 11, 24, 10, tzinfo=UTC)

MODEL = """
id: remind
language: en
entities: [date, recurrence]
elements: [{id: remind, synonyms: [remind me]}]
intents:
  - "intent=remind
      term(act)={# == 'remind'} term(once)={# == 'date'}? term(often)={# == 'recurrence'}?"
"""


def read(text):
    recognizer = RecurrenceRecognizer(get_recurrence_parser("en"))
    return [
        (one.value, one.gap and text[slice(*one.gap)]) for one in recognizer.read(text, TUESDAY)
    ]


@pytest.mark.parametrize(
    ("text", "value", "between"),
    [
        ("every Monday remind me at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", " remind me "),
        ("at 9 remind me every Monday", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", " remind me "),
        ("Every day, call me in the evening", "FREQ=DAILY;BYHOUR=18;BYMINUTE=0", ", call me in "),
        ("every week remind me on Monday at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
         " remind me on "),
        ("every Monday wake me from 9 to 10", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
         " wake me "),
        ("every morning remind me at 9", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0", " remind me "),
        ("every evening remind me at 8", "FREQ=DAILY;BYHOUR=20;BYMINUTE=0", " remind me "),
        ("at 8 remind me every evening", "FREQ=DAILY;BYHOUR=20;BYMINUTE=0", " remind me "),
    ],
)  # fmt: skip
def test_a_time_behind_or_before_other_words_is_that_of_the_recurrence(text, value, between):
    assert read(text) == [(value, between)]


@pytest.mark.parametrize(
    "text",
    [
        "I swim every Monday and call me at 9",
        "I swim every Monday. Wake me at 9",
        "I swim every Monday, call me at 9",
        "every Monday remind me tomorrow at 9",
        "every Monday remind me at 9 of the call on Friday",
    ],
)
def test_another_clause_or_date_has_a_time_of_its_own(text):
    assert read(text) == [("FREQ=WEEKLY;BYDAY=MO", None)]


def test_a_time_outside_the_part_of_the_day_is_not_that_of_the_recurrence():
    assert read("every morning tell me about the meeting at 3 pm") == [
        ("FREQ=DAILY;BYHOUR=6;BYMINUTE=0", None)
    ]


def test_two_recurrences_share_no_time():
    found = read("every Monday and every day remind me at 9")
    assert all(gap is None for _, gap in found)


@pytest.fixture
def engine(tmp_path):
    path = tmp_path / "remind.yaml"
    path.write_text(MODEL, encoding="utf-8")
    return Engine(str(path))


def test_the_words_between_and_the_time_are_no_other_entities(engine):
    reply = engine.ask("every Monday remind me at 9", at=TUESDAY)
    often = reply.slots["often"].entities[0]
    assert often.text == "every Monday at 9"
    assert often.value == "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"
    assert "once" not in reply.slots
    assert reply.slots["act"].text == "remind me"
