"""Dates that people read differently carry their other readings."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora import Engine
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import TokenizedText
from anaphora.models.loader import parse_model
from anaphora.models.schema.builtin_entities import find_invalid_options, resolve_options

AT = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)  # a Wednesday

MODEL = """
id: wake
entities: [date]
elements:
  - {id: wake, synonyms: [wake me]}
intents: ["intent=wake term(act)={# == 'wake'} term(when)={# == 'date'}"]
"""


def read(text, language="en", **options):
    recognize = create_builtin("date", language, resolve_options("date", options))
    (found,) = recognize(TokenizedText(text, [text], [0]), AT)
    return found.value, [one["value"] for one in found.meta.get("alternatives", ())]


@pytest.mark.parametrize(
    ("language", "said", "value", "others"),
    [
        ("en", "at 5", "2026-11-18T17:00", ["2026-11-19T05:00"]),
        ("en", "tomorrow at 5", "2026-11-19T05:00", ["2026-11-19T17:00"]),
        ("en", "half past seven tomorrow", "2026-11-19T07:30", ["2026-11-19T19:30"]),
        ("de", "morgen um 8", "2026-11-19T08:00", ["2026-11-19T20:00"]),
        ("ru", "завтра в 8", "2026-11-19T08:00", ["2026-11-19T20:00"]),
        ("en", "2027-04-03", "2027-04-03", []),
        ("en", "on 3/4/2027", "2027-03-04", ["2027-04-03"]),
        ("en-GB", "on 3/4/2027", "2027-04-03", ["2027-03-04"]),
        ("en", "after 5", "2026-11-18T17:00/..", ["2026-11-19T05:00/.."]),
        ("en", "5 pm", "2026-11-18T17:00", []),
        ("en", "tomorrow at 17:00", "2026-11-19T17:00", []),
        ("en", "at 5 in the morning", "2026-11-19T05:00", []),
        ("en", "on 3/14/2027", "2027-03-14", []),
        ("en", "March 4, 2027", "2027-03-04", []),
        ("en", "on 5/5/2027", "2027-05-05", []),
        ("fr", "le 7/9/2027", "2027-09-07", ["2027-07-09"]),
        ("de", "am 7.9.", "2027-09-07", []),
        ("pl", "7.09.2027", "2027-09-07", []),
        ("ru", "07.09.2027", "2027-09-07", []),
        ("tr", "7.9.2027", "2027-09-07", []),
        ("he", "7.9.2027", "2027-09-07", []),
    ],
)
def test_other_readings(language, said, value, others):
    assert read(said, language) == (value, others)


def test_usual_hours_decide():
    assert read("tomorrow at 5", hours="8-20") == ("2026-11-19T17:00", ["2026-11-19T05:00"])
    assert read("tomorrow at 9", hours="8-20") == ("2026-11-19T09:00", ["2026-11-19T21:00"])
    assert read("tomorrow at 5 am", hours="8-20") == ("2026-11-19T05:00", [])


@pytest.mark.parametrize("hours", ["8", "20-8", "8-30", "from 8 to 20"])
def test_hours_that_make_no_sense_are_an_error(hours):
    (error,) = find_invalid_options("date", {"hours": hours})
    assert error.key == "hours"
    assert hours in error.message


@given(st.integers(1, 12), st.integers(0, 59))
def test_the_readings_are_twelve_hours_apart(hour, minute):
    value, others = read(f"tomorrow at {hour}:{minute:02}")
    first, last = (datetime.fromisoformat(one) for one in sorted([value, *others]))
    assert (last - first).total_seconds() == 12 * 3600


def test_the_explanation_shows_them():
    explained = str(Engine(parse_model(MODEL)).explain("wake me at 5", at=AT))
    assert "date=2026-11-18T17:00 or 2026-11-19T05:00 from 'at 5'" in explained
