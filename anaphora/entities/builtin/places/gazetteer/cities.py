"""The cities of the gazetteer in columns: a few megabytes instead of a hundred."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anaphora.entities.builtin.places.gazetteer.geonames import CityRow, read_cities
from anaphora.entities.builtin.places.gazetteer.script_names import build_columns
from anaphora.entities.builtin.places.place import Place
from anaphora.entities.builtin.places.place_tables import load_corrections

__all__ = ["CityTable", "read_columns"]

_STRING_COLUMNS = ("countries", "regions", "zones")
_NUMBER_COLUMNS = {"ids": "I", "populations": "I", "latitudes": "d", "longitudes": "d"}


class CityTable:
    """The data of each city, by its number (from 0).

    It is made of plain data, see :func:`read_columns`: texts with a line for each city, numbers as
    the bytes of an array.
    """

    __slots__ = (
        "admin1", "countries", "ids", "latitudes", "longitudes", "names", "numbers", "populations",
        "zones",
    )  # fmt: skip

    populations: array[int]

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.names: list[str] = columns["names"].split("\n")
        self.countries, self.admin1, self.zones = (
            _StringColumn(*columns[name]) for name in _STRING_COLUMNS
        )
        self.ids, self.populations, self.latitudes, self.longitudes = (
            array(kind, columns[name]) for name, kind in _NUMBER_COLUMNS.items()
        )
        self.numbers = dict(zip(self.ids, range(len(self.ids)), strict=True))  # by id

    def __len__(self) -> int:
        return len(self.names)

    def place(self, number: int) -> Place:
        """The city, without the fields that come from its country and its region."""
        return Place(
            "city",
            self.names[number],
            str(self.ids[number]),
            country=self.countries[number],
            admin1=self.admin1[number] or None,
            latitude=self.latitudes[number],
            longitude=self.longitudes[number],
            population=self.populations[number],
            timezone=self.zones[number] or None,
        )

    def region_populations(self) -> dict[tuple[str, str], int]:
        """The population of the cities of each region, by country and GeoNames code."""
        people: dict[tuple[str, str], int] = {}
        for country, admin1, population in zip(
            self.countries, self.admin1, self.populations, strict=True
        ):
            people[country, admin1] = people.get((country, admin1), 0) + population
        return people


class _StringColumn:
    """A column of repeating texts, by the number of the city."""

    __slots__ = ("_texts", "_which")

    def __init__(self, texts: Sequence[str], which: bytes) -> None:
        self._texts = texts
        self._which = array("H", which)

    @staticmethod
    def to_columns(texts: Sequence[str]) -> tuple[list[str], bytes]:
        """The distinct texts, and the index of the text of each city."""
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        return list(places), array("H", map(places.__getitem__, texts)).tobytes()

    def __getitem__(self, number: int) -> str:
        return self._texts[self._which[number]]

    def __iter__(self) -> Iterator[str]:
        return map(self._texts.__getitem__, self._which)


def read_columns(size: int) -> dict[str, Any]:
    """Read the columns of the cities in the file of that size, and of their names.

    Raises ModelError if the package is missing.
    """
    cities: list[tuple[str, ...]] = []
    numbers: dict[str, array[Any]] = {name: array(kind) for name, kind in _NUMBER_COLUMNS.items()}
    main: list[tuple[int, str]] = []
    others: list[str] = []
    better = load_corrections()

    def keep(city: CityRow) -> None:
        # Apostrophes at the end transliterate letters of other alphabets.
        cleaned = city["name"].replace("’", "'").replace("‘", "'").rstrip("'")
        name = better.get(str(city["geonameid"])) or cleaned
        number = len(cities)
        cities.append((name, city["countrycode"], city["admin1code"], city["timezone"]))
        numbers["ids"].append(city["geonameid"])
        numbers["populations"].append(max(city["population"], 0))
        numbers["latitudes"].append(city["latitude"])
        numbers["longitudes"].append(city["longitude"])
        main.append((number, name))
        if name != city["name"]:
            main.append((number, city["name"]))
        others.append("\n".join(city["alternatenames"]))

    read_cities(size, keep)
    names, *repeated = zip(*cities, strict=True)
    return {
        "cities": {
            "names": "\n".join(names),
            **dict(zip(_STRING_COLUMNS, map(_StringColumn.to_columns, repeated), strict=True)),
            **{name: column.tobytes() for name, column in numbers.items()},
        },
        "spelled": build_columns(main, others),
    }
