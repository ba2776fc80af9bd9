"""Calendar periods, with and without clock changes."""

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.builtin.dates.conventions import Conventions
from anaphora.entities.builtin.dates.intervals import GRAINS, Moment

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Pacific/Apia",
    "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Casablanca",
]  # fmt: skip


def moment_at(*at, zone=BERLIN, **kinds):
    return Moment(datetime(*at, tzinfo=zone), **kinds)


times = st.builds(
    lambda at, zone: at.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)),
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)),
    st.sampled_from(ZONES),
)


@pytest.mark.parametrize(("day", "hours"), [(24, 24), (25, 25), (26, 24)])
def test_the_day_when_clocks_go_back_has_an_extra_hour(day, hours):
    period = moment_at(2026, 10, day, 12).period("day")
    assert period.end.astimezone(UTC) - period.start.astimezone(UTC) == timedelta(hours=hours)


def test_the_day_when_clocks_go_forward_lacks_an_hour():
    period = moment_at(2026, 3, 29, 12).period("day")
    assert period.end.astimezone(UTC) - period.start.astimezone(UTC) == timedelta(hours=23)


def test_a_time_in_a_gap_moves_forward_by_its_length():
    assert moment_at(2026, 3, 29, 12).local_time(date(2026, 3, 29), 2, 30).isoformat() == (
        "2026-03-29T03:30:00+02:00"
    )


def test_a_day_without_midnight_starts_with_its_first_hour():
    sao_paulo = moment_at(2018, 11, 4, 12, zone=ZoneInfo("America/Sao_Paulo"))
    assert sao_paulo.period("day").start.isoformat() == "2018-11-04T01:00:00-02:00"


def test_hours_elapse_over_a_clock_change_and_days_keep_the_local_time():
    before = moment_at(2026, 10, 24, 12)
    assert before.add(Fraction(1), "day", before.at).hour == 12
    assert before.add(Fraction(24), "hour", before.at).hour == 11


def test_a_month_later_than_its_last_day_is_the_last_day_of_the_next():
    january = moment_at(2026, 1, 31, 9)
    assert january.add(Fraction(1), "month", january.at).date() == date(2026, 2, 28)
    assert january.add(Fraction(-11), "month", january.at).date() == date(2025, 2, 28)


def test_half_a_month_is_fifteen_days_and_half_a_day_twelve_hours():
    june = moment_at(2026, 6, 1, 9)
    assert june.add(Fraction(1, 2), "month", june.at).date() == date(2026, 6, 16)
    assert june.add(Fraction(3, 2), "day", june.at).isoformat() == "2026-06-02T21:00:00+02:00"


@pytest.mark.parametrize(
    ("grain", "start", "end"),
    [
        ("week", "2026-11-16", "2026-11-23"),
        ("weekend", "2026-11-21", "2026-11-23"),
        ("month", "2026-11-01", "2026-12-01"),
        ("quarter", "2026-10-01", "2027-01-01"),
        ("half", "2026-07-01", "2027-01-01"),
        ("season", "2026-09-01", "2026-12-01"),
        ("year", "2026-01-01", "2027-01-01"),
        ("decade", "2020-01-01", "2030-01-01"),
        ("century", "2000-01-01", "2100-01-01"),
    ],
)
def test_each_unit_has_its_calendar_period(grain, start, end):
    period = moment_at(2026, 11, 18, 10).period(grain)
    assert (period.start.date().isoformat(), period.end.date().isoformat()) == (start, end)


def test_december_begins_the_winter_of_the_next_year():
    assert moment_at(2026, 12, 5, 10).period("season").end.date() == date(2027, 3, 1)
    assert moment_at(2027, 2, 5, 10).period("season").start.date() == date(2026, 12, 1)


def test_a_week_may_begin_on_sunday():
    assert moment_at(2026, 11, 18, 10, conventions=Conventions(6)).period(
        "week"
    ).start.date() == date(2026, 11, 15)
    assert moment_at(2026, 11, 15, 10, conventions=Conventions(6)).period(
        "week"
    ).start.date() == date(2026, 11, 15)


@given(times, st.sampled_from(GRAINS), st.integers(-18, 50))
def test_periods_follow_each_other_without_a_gap(at, grain, shift):
    if grain == "part":
        return
    here, following = (Moment(at).period(grain, shift=step) for step in (shift, shift + 1))
    assert here.is_valid
    if grain != "weekend":
        assert here.end == following.start


@given(times, st.sampled_from(GRAINS))
def test_a_time_is_inside_its_period(at, grain):
    if grain in ("part", "weekend"):
        return
    period = Moment(at).period(grain)
    assert period.start <= at < period.end
