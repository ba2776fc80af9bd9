"""The climate table, and look-ups in it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.bots.climate.stations import (
    Station,
    climate_normal,
    distance,
    load_stations,
    nearest_station,
)
from tests.support.gathered import Case, gathered

NAMES = [station.name for station in load_stations()]
STATIONS = [Case("all", station.name, (station,)) for station in load_stations()]


def station(name: str) -> Station:
    return next(one for one in load_stations() if one.name == name)


@gathered(STATIONS)
def test_every_station_is_plausible(one):
    assert len(one.high) == len(one.low) == len(one.rain) == 12
    assert all(2 <= high - low <= 20 for high, low in zip(one.high, one.low, strict=True))
    assert all(0 <= days <= 30 for days in one.rain)
    assert -45 <= min(one.low) <= max(one.high) <= 46
    assert -90 <= one.latitude <= 90
    assert -180 <= one.longitude <= 180
    assert one.name_ru
    assert len(one.country) == 2


@gathered(STATIONS)
def test_summer_is_in_july_in_the_north_and_in_january_in_the_south(one):
    january, july = one.high[0] + one.low[0], one.high[6] + one.low[6]
    if one.latitude > 25:
        assert july - january > 8
    elif one.latitude < -25:
        assert january - july > 8
    else:
        assert abs(july - january) <= 45


@gathered(STATIONS)
def test_consecutive_months_are_similar(one):
    for values, most in ((one.high, 20), (one.low, 20)):
        assert all(abs(values[month] - values[month - 1]) <= most for month in range(12))


def test_all_continents_are_covered_without_duplicates():
    assert len(NAMES) == len(set(NAMES)) >= 150
    countries = {one.country for one in load_stations()}
    assert {"JP", "RU", "DE", "US", "BR", "ZA", "AU", "IN", "EG", "IS"} <= countries


@pytest.mark.parametrize(
    ("latitude", "longitude", "name"),
    [
        (35.7, 139.7, "Tokyo"),
        (55.89, 37.43, "Moscow"),
        (-36.9, 174.8, "Auckland"),
        (0, 32, "Kampala"),
    ],
)
def test_the_nearest_station_is_found(latitude, longitude, name):
    assert nearest_station(latitude, longitude)[0].name == name


def test_known_distances():
    assert distance(55.76, 37.62, 59.94, 30.32) == pytest.approx(634, abs=5)
    assert distance(0, 179.5, 0, -179.5) == pytest.approx(111, abs=1)
    assert distance(90, 0, -90, 0) == pytest.approx(20_015, abs=5)


def test_averages_are_weighted_by_days():
    tokyo = station("Tokyo")
    january = climate_normal(tokyo, date(2026, 1, 1), date(2026, 1, 31))
    assert (january.high, january.low, january.rain) == (10, 1, pytest.approx(5 / 31))
    both = climate_normal(tokyo, date(2026, 3, 31), date(2026, 4, 1))
    assert both.high == (tokyo.high[2] + tokyo.high[3]) / 2


@given(st.sampled_from(load_stations()), st.dates(), st.dates())
def test_averages_lie_between_the_extremes(one, day, other):
    first, last = sorted((day, other))
    normal = climate_normal(one, first, last)
    assert min(one.high) <= normal.high + 1e-6
    assert normal.low <= max(one.low) + 1e-6
    assert 0 <= normal.rain <= 1.1
