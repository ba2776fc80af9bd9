"""Times in another zone: nine o'clock in Tokyo's time."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer

AT = datetime(2026, 11, 18, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))  # a Wednesday


def read(text, language="en"):
    return DateRecognizer(get_date_parser(language)).read(text, AT)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("tomorrow at 9 am GMT", "2026-11-19T10:00"),
        ("9am EST on Friday", "2026-11-20T15:00"),
        ("Friday, 17:30 (UTC)", "2026-11-20T18:30"),
        ("at 5 pm UTC+3", "2026-11-18T15:00"),
        ("noon UTC-5", "2026-11-18T18:00"),
        ("tomorrow at 8 in the morning Tokyo time", "2026-11-19T00:00"),
        ("at 3 pm in New York time", "2026-11-18T21:00"),
        ("from 10:00 to 11:30 JST on Friday", "2026-11-20T02:00/2026-11-20T03:30"),
        ("2026-12-01T17:30Z", "2026-12-01T18:30"),
        ("2026-12-01T17:30:00+05:30", "2026-12-01T13:00:00"),
        ("2026-12-01 17:30:00 -0800", "2026-12-02T02:30:00"),
        ("Tue, 01 Dec 2026 17:30:00 +0100", "2026-12-01T17:30:00"),
        ("at 9 am UTC+5:30", "2026-11-19T04:30"),
        ("19:00 GMT to 20:00 GMT", "2026-11-18T20:00/2026-11-18T21:00"),
    ],
)
def test_a_time_is_that_of_the_zone(said, value):
    (found,) = read(said)
    assert found.value == value
    assert found.meta["zone"]


def test_the_end_of_a_range_is_no_offset():
    (found,) = read("2026-12-01 17:30-18:45")
    assert found.value == "2026-12-01T17:30/2026-12-01T18:45"


def test_a_zone_is_in_the_metadata():
    (found,) = read("tomorrow at 9 am London time")
    assert found.meta["zone"] == "Europe/London"
    assert found.meta["start"] == "2026-11-19T10:00:00+01:00"


def test_the_day_is_that_of_the_zone():
    """In Auckland it is Thursday already."""
    (found,) = read("Friday 9 am Auckland time")
    assert found.value == "2026-11-19T21:00"


@pytest.mark.parametrize(
    "said", ["tomorrow in Tokyo", "it is time for Paris tomorrow", "the weather in London tomorrow"]
)
def test_a_city_is_no_zone_by_itself(said):
    (found,) = read(said)
    assert found.value == "2026-11-19"
    assert "zone" not in found.meta


@pytest.mark.parametrize("hours", [20, 122])
def test_an_impossible_offset_is_no_date(hours):
    assert not any("zone" in found.meta for found in read(f"9 am UTC+{hours}"))
