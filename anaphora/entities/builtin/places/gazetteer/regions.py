"""Build the places other than cities: regions, countries and continents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from anaphora.entities.builtin.places.gazetteer.cities import CityTable
from anaphora.entities.builtin.places.gazetteer.geonames import read_json_table
from anaphora.entities.builtin.places.gazetteer.script_names import CityNameIndex
from anaphora.entities.builtin.places.name_normalization import normalize_name
from anaphora.entities.builtin.places.place import Place
from anaphora.entities.builtin.places.place_tables import RegionRow, load_corrections, load_regions

__all__ = ["build_larger_places"]

_DISSOLVED = ("CS", "AN")


def build_larger_places(cities: CityTable, names: CityNameIndex) -> list[Place]:
    """Build all regions, countries and continents; missing data comes from their capitals and
    cities.

    Raises ModelError if the package is missing.
    """
    find_seat = partial(_find_seat, cities, names)
    countries = [
        _country(row, find_seat(row["iso"], row["capital"]))
        for code, row in read_json_table("countries").items()
        if code not in _DISSOLVED
    ]
    by_code = {country.id: country for country in countries}
    people = cities.region_populations()
    return [
        *countries,
        *(
            _region(row, by_code[row.country], find_seat(row.country, row.seat), people)
            for row in load_regions()
        ),
        *(_continent(code, row) for code, row in read_json_table("continents").items()),
    ]


def _country(row: Mapping[str, Any], seat: Place) -> Place:
    code = row["iso"]
    name = load_corrections().get(code, row["name"].strip())
    return Place(
        "country",
        name,
        code,
        continent=row["continentcode"],
        country=code,
        country_name=name,
        capital=seat.name or row["capital"] or None,
        latitude=seat.latitude,
        longitude=seat.longitude,
        population=int(row["population"]),
        timezone=seat.timezone,
    )


def _region(
    row: RegionRow, country: Place, seat: Place, people: Mapping[tuple[str, str], int]
) -> Place:
    return Place(
        "region",
        row.name,
        row.id,
        continent=country.continent,
        country=row.country,
        country_name=country.name,
        region=row.name,
        admin1=seat.admin1,
        capital=seat.name or None,
        latitude=seat.latitude,
        longitude=seat.longitude,
        population=people.get((row.country, seat.admin1 or ""), 0) if seat.name else 0,
        timezone=seat.timezone,
    )


def _continent(code: str, row: Mapping[str, Any]) -> Place:
    return Place(
        "continent",
        row["name"],
        str(row["geonameId"]),
        continent=code,
        latitude=float(row["lat"]),
        longitude=float(row["lng"]),
        population=int(row["population"]),
    )


def _find_seat(cities: CityTable, names: CityNameIndex, country: str, name: str) -> Place:
    """The largest city of that name in the country, preferably by its main name; or the city with
    that number. An empty place if there is none."""
    if name.isdecimal():
        best = cities.numbers.get(int(name))
    else:
        best = max(
            (
                number
                for number, _ in names.places(normalize_name(name))
                if cities.countries[number] == country
            ),
            key=lambda number: (cities.names[number] == name, cities.populations[number]),
            default=None,
        )
    return Place("city", "", "") if best is None else cities.place(best)
