"""Days, weeks and years where the clocks change, and where they do not."""

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.builtin.dates.intervals import GRAINS, Moment

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Pacific/Apia",
    "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Casablanca",
]  # fmt: skip


def moment(*at, zone=BERLIN, **kinds):
    return Moment(datetime(*at, tzinfo=zone), **kinds)


times = st.builds(
    lambda at, zone: at.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)),
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)),
    st.sampled_from(ZONES),
)


@pytest.mark.parametrize(("day", "hours"), [(24, 24), (25, 25), (26, 24)])
def test_the_day_on_which_the_clocks_go_back_has_an_hour_more(day, hours):
    cell = moment(2026, 10, day, 12).period("day")
    assert cell.end.astimezone(UTC) - cell.start.astimezone(UTC) == timedelta(hours=hours)


def test_the_day_on_which_they_go_forward_has_an_hour_less():
    cell = moment(2026, 3, 29, 12).period("day")
    assert cell.end.astimezone(UTC) - cell.start.astimezone(UTC) == timedelta(hours=23)


def test_a_time_that_the_clocks_skip_is_as_much_later():
    assert moment(2026, 3, 29, 12).local_time(date(2026, 3, 29), 2, 30).isoformat() == (
        "2026-03-29T03:30:00+02:00"
    )


def test_a_day_whose_midnight_is_skipped_begins_with_its_first_hour():
    sao_paulo = moment(2018, 11, 4, 12, zone=ZoneInfo("America/Sao_Paulo"))
    assert sao_paulo.period("day").start.isoformat() == "2018-11-04T01:00:00-02:00"


def test_hours_pass_when_the_clocks_change_and_days_keep_the_time_of_day():
    before = moment(2026, 10, 24, 12)
    assert before.add(Fraction(1), "day", before.at).hour == 12
    assert before.add(Fraction(24), "hour", before.at).hour == 11


def test_a_month_later_than_its_last_day_is_the_last_day_of_the_next():
    january = moment(2026, 1, 31, 9)
    assert january.add(Fraction(1), "month", january.at).date() == date(2026, 2, 28)
    assert january.add(Fraction(-11), "month", january.at).date() == date(2025, 2, 28)


def test_half_a_month_is_fifteen_days_and_half_a_day_twelve_hours():
    june = moment(2026, 6, 1, 9)
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
def test_each_unit_divides_time_where_people_do(grain, start, end):
    cell = moment(2026, 11, 18, 10).period(grain)
    assert (cell.start.date().isoformat(), cell.end.date().isoformat()) == (start, end)


def test_december_begins_the_winter_of_the_next_year():
    assert moment(2026, 12, 5, 10).period("season").end.date() == date(2027, 3, 1)
    assert moment(2027, 2, 5, 10).period("season").start.date() == date(2026, 12, 1)


def test_a_week_may_begin_on_sunday():
    assert moment(2026, 11, 18, 10, first_day=6).period("week").start.date() == date(2026, 11, 15)
    assert moment(2026, 11, 15, 10, first_day=6).period("week").start.date() == date(2026, 11, 15)


@given(times, st.sampled_from(GRAINS), st.integers(-18, 50))
def test_cells_follow_each_other_without_a_gap(at, grain, shift):
    if grain == "part":
        return
    here, following = (Moment(at).period(grain, shift=step) for step in (shift, shift + 1))
    assert here.is_valid
    if grain != "weekend":
        assert here.end == following.start


@given(times, st.sampled_from(GRAINS))
def test_a_time_lies_in_its_cell(at, grain):
    if grain in ("part", "weekend"):
        return
    cell = Moment(at).period(grain)
    assert cell.start <= at < cell.end
