"""Build the places other than cities: regions, countries and continents."""

from __future__ import annotations

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
    countries = [
        _country(cities, names, row)
        for code, row in read_json_table("countries").items()
        if code not in _DISSOLVED
    ]
    by_code = {country.id: country for country in countries}
    people = cities.region_populations()
    return [
        *countries,
        *(_region(cities, names, by_code[row.country], row, people) for row in load_regions()),
        *(_continent(code, row) for code, row in read_json_table("continents").items()),
    ]


def _country(cities: CityTable, names: CityNameIndex, row: dict[str, object]) -> Place:
    code, capital = str(row["iso"]), str(row["capital"])
    name = load_corrections().get(code, str(row["name"]).strip())
    seat = _find_seat(cities, names, code, capital)
    return Place(
        "country",
        name,
        code,
        continent=str(row["continentcode"]),
        country=code,
        country_name=name,
        capital=(seat.name if seat else capital) or None,
        latitude=seat.latitude if seat else None,
        longitude=seat.longitude if seat else None,
        population=int(str(row["population"])),
        timezone=seat.timezone if seat else None,
    )


def _region(
    cities: CityTable,
    names: CityNameIndex,
    country: Place,
    row: RegionRow,
    people: dict[tuple[str, str], int],
) -> Place:
    seat = _find_seat(cities, names, row.country, row.seat)
    return Place(
        "region",
        row.name,
        row.id,
        continent=country.continent,
        country=row.country,
        country_name=country.name,
        region=row.name,
        admin1=seat.admin1 if seat else None,
        capital=seat.name if seat else None,
        latitude=seat.latitude if seat else None,
        longitude=seat.longitude if seat else None,
        population=people.get((row.country, seat.admin1 or ""), 0) if seat else 0,
        timezone=seat.timezone if seat else None,
    )


def _continent(code: str, row: dict[str, object]) -> Place:
    return Place(
        "continent",
        str(row["name"]),
        str(row["geonameId"]),
        continent=code,
        latitude=float(str(row["lat"])),
        longitude=float(str(row["lng"])),
        population=int(str(row["population"])),
    )


def _find_seat(cities: CityTable, names: CityNameIndex, country: str, name: str) -> Place | None:
    """The largest city of that name in the country, preferably by its main name; or the city with
    that number."""
    if name.isdecimal():
        known = cities.find_number(int(name))
        return None if known is None else cities.place(known)
    found = [
        number
        for number, _ in names.places(normalize_name(name))
        if cities.country(number) == country
    ]
    best = max(
        found,
        key=lambda number: (cities.name(number) == name, cities.population(number)),
        default=None,
    )
    return None if best is None else cities.place(best)
