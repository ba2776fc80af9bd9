"""What the rules of named days mean."""

from datetime import UTC, datetime, timedelta

import pytest

from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.named_days.rule_parser import parse_rule

MOMENT = Moment(datetime(2026, 1, 1, tzinfo=UTC), prefer_future=True)


def days(rule, year):
    """The first and the last day of each occurrence, as texts."""
    return [
        (f"{found.start:%m-%d}", f"{found.end - timedelta(days=1):%m-%d}")
        for found in parse_rule(rule).occurrences(MOMENT, year)
    ]


@pytest.mark.parametrize(
    ("rule", "year", "expected"),
    [
        ("12-25", 2026, "12-25"),
        ("2-29", 2028, "02-29"),
        ("first monday of september", 2026, "09-07"),
        ("fourth thursday of november", 2026, "11-26"),
        ("last monday of may", 2026, "05-25"),
        ("last sunday of december", 2028, "12-31"),
        ("saturday from 6-20", 2026, "06-20"),
        ("saturday from 6-20", 2025, "06-21"),
        ("friday before 3-20", 2026, "03-13"),
        ("easter", 2026, "04-05"),
        ("orthodox easter", 2026, "04-12"),
        ("46 days before easter", 2026, "02-18"),
        ("1 day after easter", 2026, "04-06"),
        ("hebrew tishri 1", 2026, "09-12"),
        ("islamic 10-1", 2025, "03-30"),
        ("chinese 1-1", 2026, "02-17"),
        ("vietnamese 1-1", 2007, "02-17"),
        ("chinese 1-1", 2007, "02-18"),
        ("hindu holi", 2026, "03-04"),
        ("10-16 (saturday -1, sunday +1)", 2026, "10-16"),
        ("10-16 (saturday -1, sunday +1)", 2027, "10-15"),
        ("10-16 (saturday -1, sunday +1)", 2022, "10-17"),
        ("1 day before hebrew iyar 5 (friday -1, saturday -2, monday +1)", 2026, "04-21"),
        ("thursday from islamic 7-1", 2026, "12-10"),
        ("solar longitude 180 in Asia/Tokyo", 2026, "09-23"),
        ("solar longitude 270", 2026, "12-21"),
    ],
)
def test_a_rule_names_a_day_of_a_year(rule, year, expected):
    assert days(rule, year) == [(expected, expected)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("12-25 for 12 days", ("12-25", "01-05")),
        ("1 day before 3-1 for 4 days", ("02-28", "03-03")),
        ("islamic 9-1 until islamic 10-1", ("02-18", "03-19")),
    ],
)
def test_a_rule_names_a_period(rule, expected):
    assert days(rule, 2026) == [expected]


def test_a_day_of_some_years_is_not_in_the_others():
    rule = "tuesday from 11-2 in years 4n+2"
    assert [year for year in range(2020, 2031) if days(rule, year)] == [2022, 2026, 2030]
    assert [year for year in range(2020, 2031) if days("2-29", year)] == [2020, 2024, 2028]


def test_an_islamic_day_may_be_in_a_year_twice():
    assert [first for first, _ in days("islamic 1-1", 2008)] == ["01-10", "12-29"]


def test_the_eve_of_an_islamic_day_is_of_the_year_in_which_it_is():
    assert ("01-01", "01-01") in days("islamic 7-1", 2025)
    assert ("12-31", "12-31") in days("1 day before islamic 7-1", 2024)
    assert ("12-31", "12-31") not in days("1 day before islamic 7-1", 2025)


@pytest.mark.parametrize(
    ("rule", "expression"),
    [
        ("12-25", ("monthday", 12, 25)),
        ("last monday of may", ("nth_weekday_of_year", -1, 0, 5)),
        ("12-25 for 2 days", ()),
        ("1 day after last monday of may", ()),
        ("4-27 (sunday -1)", ()),
        ("1-20 in years 4n+1", ()),
        ("easter", ()),
    ],
)
def test_only_plain_dates_recur_by_a_simple_rule(rule, expression):
    assert parse_rule(rule).expression == expression
