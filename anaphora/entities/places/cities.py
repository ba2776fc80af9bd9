"""The cities of the gazetteer, in columns: a few megabytes instead of a hundred."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from sys import intern

from anaphora.entities.places.place import Place
from anaphora.entities.places.scripts import ScriptedNames
from anaphora.entities.places.source import City, read_cities
from anaphora.entities.places.tables import corrections

__all__ = ["Cities", "read"]


class Cities:
    """What is known of each city, by its number (from 0)."""

    __slots__ = (
        "_admin1", "_countries", "_ids", "_latitudes", "_longitudes", "_names", "_numbers",
        "_populations", "_zones",
    )  # fmt: skip

    def __init__(self) -> None:
        self._names: list[str] = []
        self._countries: list[str] = []
        self._admin1: list[str] = []
        self._zones: list[str] = []
        self._ids = array("I")
        self._populations = array("I")
        self._latitudes = array("d")
        self._longitudes = array("d")
        self._numbers: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._names)

    def add(self, city: City, name: str) -> int:
        """Takes it in under that name; returns its number."""
        number = len(self._names)
        self._names.append(name)
        self._countries.append(intern(city["countrycode"]))
        self._admin1.append(intern(city["admin1code"]))
        self._zones.append(intern(city["timezone"]))
        self._ids.append(city["geonameid"])
        self._populations.append(max(city["population"], 0))
        self._latitudes.append(city["latitude"])
        self._longitudes.append(city["longitude"])
        self._numbers[city["geonameid"]] = number
        return number

    def number(self, id: int) -> int | None:
        return self._numbers.get(id)

    def name(self, number: int) -> str:
        return self._names[number]

    def country(self, number: int) -> str:
        return self._countries[number]

    def countries(self) -> Sequence[str]:
        """The country of each city."""
        return self._countries

    def admin1(self, number: int) -> str:
        return self._admin1[number]

    def population(self, number: int) -> int:
        return self._populations[number]

    def place(self, number: int) -> Place:
        """The city by itself, without what its country and its region add."""
        return Place(
            "city",
            self._names[number],
            str(self._ids[number]),
            country=self._countries[number],
            admin1=self._admin1[number] or None,
            latitude=self._latitudes[number],
            longitude=self._longitudes[number],
            population=self._populations[number],
            timezone=self._zones[number] or None,
        )

    def regions(self) -> dict[tuple[str, str], int]:
        """How many people live in the cities of each region, by country and GeoNames' code."""
        people: dict[tuple[str, str], int] = {}
        for country, admin1, population in zip(
            self._countries, self._admin1, self._populations, strict=True
        ):
            people[country, admin1] = people.get((country, admin1), 0) + population
        return people


def read(size: int) -> tuple[Cities, ScriptedNames]:
    """The cities of the file for that size, and their names.

    Raises ModelError where the package is missing.
    """
    cities = Cities()
    main: list[tuple[int, str]] = []
    others: list[str] = []
    better = corrections()

    def keep(city: City) -> None:
        name = better.get(str(city["geonameid"])) or _plain(city["name"])
        number = cities.add(city, name)
        main.append((number, name))
        if name != city["name"]:
            main.append((number, city["name"]))
        others.append("\n".join(city["alternatenames"]))

    read_cities(size, keep)
    return cities, ScriptedNames(main, others, cities.countries())


def _plain(name: str) -> str:
    """The name without the signs that stand for letters of other alphabets."""
    return name.replace("’", "'").replace("‘", "'").rstrip("'")
