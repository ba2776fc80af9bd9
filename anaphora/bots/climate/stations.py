"""The climate of well-known cities: averages of many years, month by month.

``climate.csv`` has for each city the mean high and low of each month in °C and the days with
rain or snow (of 1 mm and more), rounded, as the weather services publish them for 1991 to 2020
(where they do not, for the thirty years before).
"""

from __future__ import annotations

import csv
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from math import asin, cos, radians, sin, sqrt

import numpy as np
import numpy.typing as npt

__all__ = [
    "ClimateNormal",
    "Station",
    "climate_normal",
    "distance",
    "load_stations",
    "nearest_station",
]

_RADIUS = 6371.0  # of the earth, in km
_DAYS_OF_YEAR = 366


@dataclass(frozen=True, slots=True)
class Station:
    """A city with its averages from January to December: highs, lows, rainy days."""

    name: str
    name_ru: str
    country: str
    latitude: float
    longitude: float
    high: tuple[int, ...]
    low: tuple[int, ...]
    rain: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ClimateNormal:
    """What is usual: °C by day and by night, and the share of rainy days (0 to 1)."""

    high: float
    low: float
    rain: float


@cache
def load_stations() -> tuple[Station, ...]:
    """All of them, by name."""
    text = files(__package__).joinpath("climate.csv").read_text(encoding="utf-8")
    return tuple(
        Station(
            name=row["name"],
            name_ru=row["name_ru"],
            country=row["country"],
            latitude=float(row["latitude"]),
            longitude=float(row["longitude"]),
            high=_parse_months(row["high"]),
            low=_parse_months(row["low"]),
            rain=_parse_months(row["rain"]),
        )
        for row in csv.DictReader(text.splitlines())
    )


def nearest_station(latitude: float, longitude: float) -> tuple[Station, float]:
    """The station that is nearest to a point, and how many kilometres lie between."""
    station = load_stations()[
        int(np.argmax(_station_vectors() @ _unit_vector(latitude, longitude)))
    ]
    return station, distance(latitude, longitude, station.latitude, station.longitude)


def climate_normal(station: Station, first: date, last: date) -> ClimateNormal:
    """What is usual on the days from ``first`` to ``last``; of more than a year, a year's."""
    count = min((last - first).days + 1, _DAYS_OF_YEAR)
    months = [0] * 12
    for day in range(count):
        months[(first + timedelta(days=day)).month - 1] += 1
    shares = [rain / monthrange(2026, month)[1] for month, rain in enumerate(station.rain, start=1)]
    return ClimateNormal(
        *(
            sum(days * value for days, value in zip(months, values, strict=True)) / count
            for values in (station.high, station.low, shares)
        )
    )


def distance(latitude: float, longitude: float, latitude2: float, longitude2: float) -> float:
    """The kilometres between two points on the earth."""
    a, b = radians(latitude), radians(latitude2)
    across, along = sin((b - a) / 2), sin(radians(longitude2 - longitude) / 2)
    return 2 * _RADIUS * asin(min(1.0, sqrt(across**2 + cos(a) * cos(b) * along**2)))


@cache
def _station_vectors() -> npt.NDArray[np.float64]:
    """From the middle of the earth to each station: the nearest one lies least aside (to measure
    the way to all of them takes a hundred times as long)."""
    return np.array([_unit_vector(one.latitude, one.longitude) for one in load_stations()])


def _unit_vector(latitude: float, longitude: float) -> npt.NDArray[np.float64]:
    up, round_ = radians(latitude), radians(longitude)
    return np.array([cos(up) * cos(round_), cos(up) * sin(round_), sin(up)])


def _parse_months(text: str) -> tuple[int, ...]:
    return tuple(int(value) for value in text.split())
