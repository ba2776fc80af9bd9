"""The recognizer of bare hours."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.bots.alarm.recognizers import hours

MORNING = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("8", "en", ["2026-01-05T20:00"]),
        ("10", "en", ["2026-01-05T10:00"]),
        ("and 17", "en", ["2026-01-05T17:00"]),
        ("0", "en", ["2026-01-06T00:00"]),
        ("24", "en", ["2026-01-06T00:00"]),
        ("12", "en", ["2026-01-05T12:00"]),
        ("in the café for 8, please", "en", ["2026-01-05T20:00"]),
        ("в семь", "ru", ["2026-01-05T19:00"]),
        ("25", "en", []),
        ("7:30", "en", []),
        ("in 20 minutes", "en", []),
        ("8 alarms", "en", []),
        ("for 8%", "en", []),
        ("на 5 минут", "ru", []),
        ("the 7th", "en", []),
    ],
)
def test_bare_hours(text, language, found):
    assert [mention.value for mention in hours(text, MORNING, language)] == found


@given(st.text(), st.sampled_from(["en", "ru", "ja"]))
def test_any_text_can_be_read(text, language):
    for mention in hours(text, MORNING, language):
        assert 0 <= mention.start < mention.end <= len(text)


@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)), st.integers(0, 24))
def test_an_hour_is_the_next_one(at, hour):
    (mention,) = hours(str(hour), at.replace(tzinfo=UTC), "en")
    begin = datetime.fromisoformat(mention.meta["start"])
    assert 0 < (begin - at.replace(tzinfo=UTC)).total_seconds() <= 86_400
    assert begin.hour % 12 == hour % 12


@pytest.mark.parametrize("piece", ["8 ", "and 8 ", "on ", "1"])
def test_very_long_texts_are_fast(piece):
    text = (piece * 10_000)[:10_000]
    list(hours("8", MORNING, "en"))  # tables are read once
    begin = time.process_time()
    list(hours(text, MORNING, "en"))
    assert time.process_time() - begin < 10  # some 0.1 s; it must come to an end
