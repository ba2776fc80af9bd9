"""Durations as texts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.models.schema.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("5m", timedelta(minutes=5)),
        ("90s", timedelta(seconds=90)),
        ("1h30m", timedelta(minutes=90)),
        (" 1h 30m ", timedelta(minutes=90)),
        ("2d", timedelta(days=2)),
        ("1.5h", timedelta(minutes=90)),
        ("PT5M", timedelta(minutes=5)),
        ("P1DT2H", timedelta(days=1, hours=2)),
        ("pt0.5s", timedelta(seconds=0.5)),
    ],
)
def test_a_duration_is_read(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    "text", ["", " ", "5", "m", "P", "PT", "5 minutes", "m5", "30m1h", "-5m", "٥m", "9" * 400 + "s"]
)
def test_what_is_no_duration_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


def test_more_than_a_century_is_rejected() -> None:
    for text in ("36501d", "999999999d999999999h"):
        with pytest.raises(ValueError, match="hundred years"):
            parse_duration(text)


@given(st.integers(0, 3_000_000_000).map(lambda seconds: timedelta(seconds=seconds)))
def test_a_duration_that_was_formatted_is_parsed_again(duration: timedelta) -> None:
    assert parse_duration(format_duration(duration)) == duration


def test_a_duration_is_formatted_briefly() -> None:
    assert format_duration(timedelta(minutes=6)) == "6m"
    assert format_duration(timedelta(days=1, hours=1, seconds=1.5)) == "1d1h1.5s"
    assert format_duration(timedelta(0)) == "0s"
