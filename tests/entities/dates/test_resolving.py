"""What holds for every date, whenever and wherever it is said."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.entities.dates.reader import reader
from anaphora.entities.dates.recognizer import DateRecognizer
from tests.entities.dates.test_calendar import ZONES, times

SAID = sorted(
    (path.stem, phrase["say"])
    for path in (Path(__file__).parent / "phrases").glob("*.yaml")
    for phrase in yaml.load(path.read_text("utf-8"), yaml.BaseLoader)
)
NEW_YORK = ZoneInfo("America/New_York")


def dates(text, at, language="en", **kinds):
    return DateRecognizer(reader(language), **kinds).read(text, at)


def value(text, at, **kinds):
    (found,) = dates(text, at, **kinds)
    return found.value


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SAID), times, st.booleans(), st.sampled_from([0, 6]))
def test_what_begins_begins_before_it_ends(said, at, ahead, first_day):
    language, text = said
    for found in dates(text, at, language, ahead=ahead, first_day=first_day):
        start, end = found.meta.get("from"), found.meta.get("to")
        assert start is not None or end is not None
        assert start is None or end is None or start < end
        assert 0 <= found.start < found.end <= len(text)
        for key, stamp in (("start", start), ("end", end)):
            if stamp is not None:
                assert datetime.fromisoformat(found.meta[key]).timestamp() * 1000 == stamp


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SAID), times)
def test_the_same_text_at_the_same_time_is_the_same_date(said, at):
    language, text = said
    fresh = DateRecognizer(reader.__wrapped__(language))
    assert fresh.read(text, at) == dates(text, at, language)


def test_times_that_are_equal_in_two_zones_are_different_days_in_each():
    recognizer = DateRecognizer(reader("en"))
    at = datetime(2026, 11, 18, 23, 30, tzinfo=UTC)
    first, second, third = (
        recognizer.read("today", asked)[0].value
        for asked in (at, at.astimezone(ZoneInfo("Asia/Tokyo")), at.astimezone(NEW_YORK))
    )
    assert (first, second, third) == ("2026-11-18", "2026-11-19", "2026-11-18")


def test_an_hour_that_the_clocks_show_twice_is_told_apart():
    recognizer = DateRecognizer(reader("en"))
    at = datetime(2026, 11, 1, 1, 30, tzinfo=NEW_YORK)
    first, second = (
        recognizer.read("in an hour", at.replace(fold=fold))[0].meta["start"] for fold in (0, 1)
    )
    assert (first, second) == ("2026-11-01T01:30:00-05:00", "2026-11-01T02:30:00-05:00")


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(SAID),
    st.sampled_from([datetime(1, 1, 1), datetime(1, 12, 31, 23, 59), datetime(9999, 12, 31, 23)]),
    st.sampled_from(ZONES),
)
def test_at_the_ends_of_the_calendar_there_are_dates_or_none(said, at, zone):
    language, text = said
    dates(text, at.replace(tzinfo=ZoneInfo(zone)), language)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["en", "ru", "ja", "ar", "xx", "sw"]))
def test_any_text_is_read(text, language):
    dates(text, datetime(2026, 11, 18, 10, 30, tzinfo=UTC), language)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *("from", "to", "until", "since", "next", "last", "3", "12", "2024", "may"),
                *("friday", "week", "days", "at", "5", "pm", "of", "the", "-", ",", ".", "/"),
                *(":", "half", "quarter", "first", "in", "and", "31", "february", "99999"),
                *("tomorrow", "morning"),
            ]
        ),
        max_size=14,
    )
)
def test_any_row_of_words_is_read(words):
    for found in dates(" ".join(words), datetime(2026, 11, 18, 10, 30, tzinfo=UTC)):
        assert found.value


@pytest.mark.parametrize(
    "text",
    [
        "1" * 10_000,
        "1 " * 5_000,
        "may " * 2_500,
        "from may to " * 800,
        "1.1." * 2_500,
        "12:" * 3_000,
        "last 3 " * 1_400,
        "tomorrow " * 1_100,
        "-" * 10_000,
    ],
)
def test_long_nonsense_is_read(text):
    dates(text, datetime(2026, 11, 18, 10, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    "text", ["31 February", "32 May 2024", "in the year 0", "in the year 99999", "in 99999 years"]
)
def test_what_never_comes_is_no_date(text):
    assert dates(text, datetime(2026, 11, 18, 10, 30, tzinfo=UTC)) == []


def test_today_is_today_where_the_question_is_asked():
    at = datetime(2026, 11, 18, 23, 30, tzinfo=UTC)
    assert value("today", at) == "2026-11-18"
    assert value("today", at.astimezone(ZoneInfo("Asia/Tokyo"))) == "2026-11-19"


def test_a_day_on_which_the_clocks_change_is_as_long_as_it_is():
    (found,) = dates("on November 1", datetime(2026, 10, 30, 12, tzinfo=NEW_YORK))
    assert found.meta["start"] == "2026-11-01T00:00:00-04:00"
    assert found.meta["end"] == "2026-11-02T00:00:00-05:00"
    assert found.meta["to"] - found.meta["from"] == 25 * 3_600_000


def test_hours_from_now_pass_over_a_change_of_the_clocks():
    at = datetime(2026, 11, 1, 0, 30, tzinfo=NEW_YORK)
    assert dates("in 3 hours", at)[0].meta["start"] == "2026-11-01T02:30:00-05:00"


def test_a_time_that_the_clocks_skip_is_an_hour_later():
    (found,) = dates("tomorrow at 2:30 am", datetime(2026, 3, 7, 12, tzinfo=NEW_YORK))
    assert found.meta["start"] == "2026-03-08T03:30:00-04:00"


def test_dates_that_do_not_tell_may_lie_behind():
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    assert value("on Friday", at, ahead=False) == "2026-11-13"
    assert value("May 1", at, ahead=False) == "2026-05-01"
    assert value("December 24", at, ahead=False) == "2025-12-24"
    assert value("in December", at, ahead=False) == "2025-12"


def test_an_hour_that_may_be_one_of_the_afternoon_is_the_next_of_both():
    at = datetime(2026, 11, 18, 4, 0, tzinfo=UTC)
    assert value("at 7", at) == "2026-11-18T07:00"
    assert value("at 7", at + timedelta(hours=6)) == "2026-11-18T19:00"
    assert value("at 7", at + timedelta(hours=18)) == "2026-11-19T07:00"
    assert value("at 19", at + timedelta(hours=18)) == "2026-11-19T19:00"


def test_the_order_of_day_and_month_may_be_chosen():
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    (found,) = DateRecognizer(reader("en", "DMY")).read("05/01/2024", at)
    assert found.value == "2024-01-05"
