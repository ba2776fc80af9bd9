"""Names of places in the language of the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from anaphora.bots.climate.stations import Station, distance, load_stations
from anaphora.core.utterance import Entity
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code

__all__ = ["city_name", "local_name", "station_name"]

_SAME_PLACE_DISTANCE = 25.0  # km; a station of the same name within it is the same place
_LONGEST_SMALL = 2  # letters of a word that is not capitalized within a name («на», "am")
_LONGEST_ENDING, _MOST_FORMS = 4, 200
_SEPARATOR = re.compile(r"([\s-]+)")


def local_name(entity: Entity, language: str) -> str:
    """The name of the place in ``language`` if it is known, else in English.

    The user's word is the name if the gazetteer has it ("Wien"); an inflected word is reduced to
    the nominative first («в Урюпинске»). An English name that first means another place is followed
    by the region or the country.
    """
    code, facts = base_code(language), entity.meta
    if code != "en":
        known = (
            _country_name(facts, code)
            or (city_name(entity.value_or_text, facts, code) if code == "ru" else "")
            or _spoken_name(entity, code)
        )
        if known:
            return known
    return _english_name(entity)


def city_name(name: str, facts: Mapping[str, Any], language: str) -> str:
    """The name, in ``language``, of the city with that English name at the coordinates in
    ``facts``; '' if the climate table does not have it."""
    latitude, longitude = facts.get("latitude"), facts.get("longitude")
    if latitude is None or longitude is None:
        return ""
    for station in load_stations():
        if station.name == name and (
            distance(latitude, longitude, station.latitude, station.longitude)
            <= _SAME_PLACE_DISTANCE
        ):
            return station_name(station, language)
    return ""


def station_name(station: Station, language: str) -> str:
    """The name of the station in ``language``."""
    return station.name_ru if base_code(language) == "ru" else station.name


def _country_name(facts: Mapping[str, Any], code: str) -> str:
    """The name of a country from the tables of the gazetteer; '' for other places."""
    names = cached_table(code, "countries").get(facts.get("id", ""))
    return str(names[0] if isinstance(names, list) else names or "")


def _english_name(entity: Entity) -> str:
    from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer

    facts = entity.meta
    first = next(iter(Gazetteer.load().find(entity.value_or_text)), None)
    part_of = facts.get("region") or facts.get("country_name")
    if first is None or first.id == facts.get("id") or not part_of:
        return entity.value_or_text
    return f"{entity.value_or_text}, {part_of}"


def _spoken_name(entity: Entity, code: str) -> str:
    """The user's word in the nominative; '' if the gazetteer does not have it."""
    from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer

    gazetteer = Gazetteer.load()
    for name in islice(_nominative_candidates(entity.text, code), _MOST_FORMS):
        if any(place.id == entity.meta.get("id") for place in gazetteer.find(name, code)):
            return name
    return ""


def _nominative_candidates(text: str, code: str) -> Iterator[str]:
    """The user's word and, capitalized, the nominatives of which it may be an inflected form."""
    from anaphora.entities.builtin.places.place_tables import load_place_words

    if text[:1].isupper() or not text[:1].isalpha():
        yield text
    parts = _SEPARATOR.split(text.lower())
    endings = load_place_words(code).endings
    forms = [
        list(_ending_variants(part, endings)) if index % 2 == 0 else [part]
        for index, part in enumerate(parts)
    ]
    for words in product(*forms):
        yield "".join(
            word.capitalize() if len(word) > _LONGEST_SMALL or index == 0 else word
            for index, word in enumerate(words)
        )


def _ending_variants(word: str, endings: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield word
    for cut in range(min(_LONGEST_ENDING, len(word) - 2) + 1):
        stem = word[: len(word) - cut]
        for ending in endings.get(word[len(word) - cut :], ()):
            yield stem + ending
