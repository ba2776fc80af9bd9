"""Properties of n-th units, halves, and units before and after a date."""

from datetime import UTC, datetime, timedelta
from itertools import count, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.builtin.dates.conventions import Conventions
from anaphora.entities.builtin.dates.intervals import Interval, Moment
from anaphora.entities.builtin.dates.operations import resolve
from tests.entities.builtin.dates.test_intervals import times

MONTHS = st.integers(1, 12)
YEARS = st.integers(1900, 2100)
WEEKDAYS = st.integers(0, 6)
RANKS = st.integers(-6, 6)
UNITS = st.sampled_from(["day", "week", "weekend"])
MOMENTS = st.builds(
    Moment,
    times.filter(lambda at: at.tzinfo.key != "Pacific/Apia"),  # there a day was left out
    st.booleans(),
    st.sampled_from([Conventions(0), Conventions(6), Conventions(6, "friday")]),
)


def first_and_end_day(found: Interval):
    assert found.start is not None
    assert found.end is not None
    return found.start.date(), found.end.date()


def each_in_month(moment, unit, month, year):
    """The first, the second … of that unit in a month, to the last one."""
    found = (resolve(("nth", n, unit, ("month_of", month, year)), moment) for n in count(1))
    while (one := next(found)) is not None:
        yield one


@given(MOMENTS, RANKS, WEEKDAYS, MONTHS, YEARS)
def test_the_nth_weekday_of_a_month_is_that_weekday_in_that_month(moment, n, day, month, year):
    found = resolve(("nth_weekday", n, day, ("month_of", month, year)), moment)
    if found is None:
        assert n == 0 or abs(n) > 4  # each month has four of them, some have five
        return
    first, end = first_and_end_day(found)
    assert end - first == timedelta(days=1)
    assert (first.year, first.month, first.weekday()) == (year, month, day)
    whole = resolve(("month_of", month, year), moment)
    begins, ends = first_and_end_day(whole)
    assert (first - begins).days // 7 == n - 1 if n > 0 else (ends - end).days // 7 == -n - 1


@given(MOMENTS, UNITS, MONTHS, YEARS)
def test_every_day_week_and_weekend_is_the_nth_of_one_month(moment, unit, month, year):
    later = (month + 1, year) if month < 12 else (1, year + 1)
    found = [*each_in_month(moment, unit, month, year), *each_in_month(moment, unit, *later)]
    starts = [first_and_end_day(one)[0] for one in found]
    step = timedelta(days=1 if unit == "day" else 7)
    assert [one - starts[0] for one in starts] == [step * at for at in range(len(starts))]


@given(MOMENTS, UNITS, MONTHS, YEARS)
def test_most_days_of_the_nth_lie_in_its_month(moment, unit, month, year):
    for one in each_in_month(moment, unit, month, year):
        first, end = first_and_end_day(one)
        inside = [(first + timedelta(days=at)).month == month for at in range((end - first).days)]
        assert sum(inside) * 2 >= len(inside)


@given(MOMENTS, UNITS, MONTHS, YEARS)
def test_counting_from_the_end_gives_the_same_units(moment, unit, month, year):
    forwards = list(each_in_month(moment, unit, month, year))
    backwards = [
        resolve(("nth", -n, unit, ("month_of", month, year)), moment)
        for n in range(1, len(forwards) + 1)
    ]
    assert backwards == forwards[::-1]


@given(MOMENTS, st.integers(2, 4), MONTHS, YEARS, st.booleans())
def test_the_parts_of_a_month_or_a_year_cover_it(moment, parts, month, year, is_year):
    whole = ("year", year) if is_year else ("month_of", month, year)
    found = [resolve(("nth_part", n, parts, whole), moment) for n in range(1, parts + 1)]
    cuts = [first_and_end_day(one) for one in found]
    assert (cuts[0][0], cuts[-1][1]) == first_and_end_day(resolve(whole, moment))
    assert all(one[1] == other[0] for one, other in pairwise(cuts))


@given(MOMENTS, UNITS, st.integers(1, 3), MONTHS, YEARS, st.integers(1, 28))
def test_units_before_a_date_end_before_it_and_units_after_it_start_after_it(
    moment, unit, n, month, year, day
):
    date = ("ymd", year, month, day)
    first, end = first_and_end_day(resolve(date, moment))
    before, after = (
        first_and_end_day(resolve(("beside", unit, date, sign), moment)) for sign in (-n, n)
    )
    length = timedelta(days=1 if unit == "day" else 7)
    assert timedelta() <= first - before[1] < length * n
    assert timedelta() <= after[0] - end < length * n


@given(MOMENTS, WEEKDAYS, st.integers(1, 3), MONTHS, YEARS, st.integers(1, 28))
def test_the_weekdays_before_and_after_a_date(moment, weekday, n, month, year, day):
    date = ("ymd", year, month, day)
    on = first_and_end_day(resolve(date, moment))[0]
    before, after = (
        first_and_end_day(resolve(("weekday_beside", weekday, date, sign), moment))[0]
        for sign in (-n, n)
    )
    assert before.weekday() == after.weekday() == weekday
    assert 7 * (n - 1) < (on - before).days <= 7 * n
    assert 7 * (n - 1) < (after - on).days <= 7 * n


@pytest.mark.parametrize(("n", "starts"), [(-1, "2027-06-16"), (0, None), (3, None), (-3, None)])
def test_a_half_is_the_first_or_the_last_one(n, starts):
    moment = Moment(datetime(2026, 11, 23, 10, tzinfo=UTC))
    found = resolve(("nth_part", n, 2, ("month_of", 6, 2027)), moment)
    assert (str(first_and_end_day(found)[0]) if found else None) == starts


@given(MOMENTS, st.integers(1, 40), YEARS, MONTHS)
def test_working_days_of_a_month_are_its_days_outside_the_weekend(moment, n, year, month):
    free = moment.conventions.weekend_days
    whole = resolve(("month_of", month, year), moment)
    begins, ends = first_and_end_day(whole)
    days = [begins + timedelta(days=number) for number in range((ends - begins).days)]
    working = [day for day in days if day.weekday() not in free]
    for rank in (n, -n):
        found = resolve(("nth_workday", rank, ("month_of", month, year)), moment)
        if n > len(working):
            assert found is None
        else:
            assert first_and_end_day(found)[0] == working[rank - (rank > 0)]


@given(MOMENTS, st.integers(1, 400))
def test_so_many_working_days_from_now_are_counted_one_by_one(moment, n):
    free, day, left = moment.conventions.weekend_days, moment.today, n
    while left:
        day += timedelta(days=1)
        left -= day.weekday() not in free
    found = resolve(("ahead", ("amount", n, "workday")), moment)
    assert first_and_end_day(found)[0] == day
