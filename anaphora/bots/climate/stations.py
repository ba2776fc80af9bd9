"""Climate normals of well-known cities: thirty-year averages by month.

For each city, ``climate.csv`` has the mean high and low of each month in °C and the number of days
with rain or snow (1 mm or more), rounded, as published by the weather services for 1991 to 2020, or
else for the thirty years before.
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

_RADIUS = 6371.0  # km
_DAYS_OF_YEAR = 366


@dataclass(frozen=True, slots=True)
class Station:
    """A city with its monthly averages from January to December: high, low, rainy days."""

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
    """Mean daily high and low in °C, and the share of rainy days (0 to 1)."""

    high: float
    low: float
    rain: float


@cache
def load_stations() -> tuple[Station, ...]:
    """All stations, sorted by name."""
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
    """The station nearest to a point, and its distance in km."""
    station = load_stations()[
        int(np.argmax(_station_vectors() @ _unit_vector(latitude, longitude)))
    ]
    return station, distance(latitude, longitude, station.latitude, station.longitude)


def climate_normal(station: Station, first: date, last: date) -> ClimateNormal:
    """The averages for the days from ``first`` to ``last``, at most a year."""
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
    """The great-circle distance between two points in km (haversine formula)."""
    phi1, phi2 = radians(latitude), radians(latitude2)
    north, east = sin((phi2 - phi1) / 2), sin(radians(longitude2 - longitude) / 2)
    return 2 * _RADIUS * asin(min(1.0, sqrt(north**2 + cos(phi1) * cos(phi2) * east**2)))


@cache
def _station_vectors() -> npt.NDArray[np.float64]:
    """The unit vectors of all stations. The nearest one has the largest dot product, which is a
    hundred times faster to compute than the distances."""
    return np.array([_unit_vector(one.latitude, one.longitude) for one in load_stations()])


def _unit_vector(latitude: float, longitude: float) -> npt.NDArray[np.float64]:
    phi, theta = radians(latitude), radians(longitude)
    return np.array([cos(phi) * cos(theta), cos(phi) * sin(theta), sin(phi)])


def _parse_months(text: str) -> tuple[int, ...]:
    return tuple(int(value) for value in text.split())
