"""The calendars by which named days are found, beside the tables of other people."""

from datetime import date, timedelta

import pytest
from holidays import calendars

from anaphora.entities.builtin.dates.named_days import calendars as ours
from anaphora.entities.builtin.dates.named_days.calendars import (
    hebrew_days,
    islamic_days,
    tabulated_days,
)
from anaphora.entities.builtin.dates.named_days.moon_and_sun import (
    chinese_days,
    chinese_month,
    solar_term,
)

HEBREW, ISLAMIC = calendars._HebrewLunisolar, calendars._IslamicLunar
CHINESE = calendars._ChineseLunisolar


def known_days(table):
    return {
        date(year, *day)
        for year, days in table.items()
        for day in (days if isinstance(days[0], tuple) else (days,))
    }


@pytest.mark.parametrize(
    ("month", "day", "table"),
    [
        ("tishri", 1, HEBREW.ROSH_HASHANAH_DATES), ("kislev", 25, HEBREW.HANUKKAH_DATES),
        ("adar", 14, HEBREW.PURIM_DATES), ("nisan", 15, HEBREW.PASSOVER_DATES),
        ("av", 9, HEBREW.TISHA_BAV_DATES),
    ],
)  # fmt: skip
def test_the_hebrew_calendar_is_exact(month, day, table):
    assert {found for year in table for found in hebrew_days(month, day, year)} == known_days(table)


@pytest.mark.parametrize(
    ("month", "day", "table"),
    [
        (1, 1, CHINESE.LUNAR_NEW_YEAR_DATES), (5, 5, CHINESE.DRAGON_BOAT_DATES),
        (8, 15, CHINESE.MID_AUTUMN_DATES), (9, 9, CHINESE.DOUBLE_NINTH_DATES),
    ],
)  # fmt: skip
def test_the_chinese_calendar_is_that_of_the_tables(month, day, table):
    found = {found for year in table for found in chinese_days(month, day, year)}
    assert found == known_days(table)


def test_a_chinese_month_ends_with_the_next_new_moon():
    assert chinese_month(1, 2027) == (date(2027, 2, 6), date(2027, 3, 8))
    assert chinese_month(1, 2027, zone=9) == (date(2027, 2, 7), date(2027, 3, 8))  # in Korea
    assert chinese_month(12, 2026) == (date(2027, 1, 8), date(2027, 2, 6))
    first, end = chinese_month(6, 2025)  # a leap month follows
    assert (first, end) == (date(2025, 6, 25), date(2025, 7, 25))


@pytest.mark.parametrize("month", [0, 13])
def test_a_chinese_year_has_no_other_months(month):
    with pytest.raises(ValueError, match="no such month"):
        chinese_month(month, 2027)


def test_the_sun_reaches_a_longitude_on_the_day_of_the_tables():
    beijing = timedelta(hours=8)
    for year in range(1901, 2100):
        known, _ = CHINESE().qingming_date(year)
        assert (solar_term(15, year) + beijing).date() == known


def test_islamic_days_are_those_of_the_tables():
    assert list(islamic_days(9, 1, 2030)) == [date(2030, 1, 5), date(2030, 12, 26)]
    assert list(islamic_days(12, 9, 2026)) == [date(2026, 5, 26)]


def test_without_tables_islamic_days_are_at_most_two_days_off(monkeypatch):
    monkeypatch.setattr(ours, "find_spec", lambda name: None)
    known = known_days(ISLAMIC.EID_AL_FITR_DATES)
    near = {
        known_day: min(
            abs(found - known_day)
            for year in (known_day.year - 1, known_day.year, known_day.year + 1)
            for found in islamic_days(10, 1, year)
        )
        for known_day in known
    }
    assert max(near.values()) <= timedelta(days=2)


def test_a_year_that_no_table_has_is_refused(monkeypatch):
    assert tabulated_days("hindu", "DIWALI_INDIA", 2027) == (date(2027, 10, 29),)
    with pytest.raises(ValueError, match="not known in 2050"):
        tabulated_days("hindu", "DIWALI_INDIA", 2050)
    monkeypatch.setattr(ours, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="not known in 2027"):
        tabulated_days("hindu", "DIWALI_INDIA", 2027)
