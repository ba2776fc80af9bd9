"""Functions on the moment at which the question was asked."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.grammar.functions.evaluation import (
    AROUND,
    FUNCTIONS,
    call,
    context,
    evaluate,
    grammar_error,
)


def at(moment: str, name: str) -> int:
    around = replace(AROUND, at=datetime.fromisoformat(moment))
    found = evaluate(name, around=around)
    assert type(found) is int
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("year", 2026),
        ("month", 8),
        ("quarter", 3),
        ("day_of_month", 9),
        ("day_of_week", 7),
        ("day_of_year", 221),
        ("week_of_month", 1),
        ("week_of_year", 32),
        ("hour", 23),
        ("minute", 5),
        ("second", 59),
        ("now", 1786316759999),
        ("now()", 1786316759999),
    ],
)
def test_the_parts_of_a_moment(name: str, expected: int) -> None:
    assert evaluate(name) == expected


def test_time_is_in_utc() -> None:
    here = datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=9)))
    around = replace(AROUND, at=here)
    assert evaluate("list(year, month, day_of_month, hour)", around=around) == (2025, 12, 31, 16)


@pytest.mark.parametrize(
    ("day", "week"),
    [("2026-01-01", 1), ("2027-01-01", 53), ("2024-12-30", 1), ("2020-12-31", 53)],
)
def test_weeks_of_the_year_are_iso(day: str, week: int) -> None:
    assert at(f"{day}T12:00:00+00:00", "week_of_year") == week


@pytest.mark.parametrize(
    ("day", "week"),
    [
        ("2026-01-01", 1),  # a Thursday: four days of this week are in January
        ("2026-01-04", 1),
        ("2026-01-05", 2),
        ("2026-01-31", 5),
        ("2026-05-01", 0),  # a Friday: three days only
        ("2026-05-03", 0),
        ("2026-05-04", 1),
        ("2026-06-01", 1),  # a Monday
        ("2026-06-08", 2),
    ],
)
def test_the_first_week_of_a_month_has_four_days_of_it(day: str, week: int) -> None:
    assert at(f"{day}T00:00:00+00:00", "week_of_month") == week


@pytest.mark.parametrize(("month", "quarter"), [(1, 1), (3, 1), (4, 2), (9, 3), (12, 4)])
def test_quarters(month: int, quarter: int) -> None:
    assert at(f"2026-{month:02}-15T00:00:00+00:00", "quarter") == quarter


@given(st.dates(date(1971, 1, 1), date(2999, 12, 30)))
def test_weeks_of_a_month_change_on_mondays_and_only_there(day: date) -> None:
    today, tomorrow = (
        context(around=replace(AROUND, at=datetime(one.year, one.month, one.day, tzinfo=UTC)))
        for one in (day, day + timedelta(days=1))
    )
    weeks = [call("week_of_month", today), call("week_of_month", tomorrow)]
    if (day + timedelta(days=1)).day == 1:
        assert weeks[1] in (0, 1)
    else:
        assert weeks[1] - weeks[0] == (day.isoweekday() == 7)


def test_a_wrong_call_is_found_before_it_runs() -> None:
    names = [name for name, one in FUNCTIONS.items() if one.group == "dates"]
    assert len(names) == 12
    for name in names:
        assert grammar_error(f"{name}(1)") == f"'{name}' takes no arguments, not 1"
