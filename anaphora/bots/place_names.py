"""What places are called in the language of the question."""

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

_SAME_PLACE_DISTANCE = 25.0  # km; a station of the same name within that is of the same place
_LONGEST_SMALL = 2  # letters of a word within a name that is not capitalised («на», "am")
_LONGEST_ENDING, _MOST_FORMS = 4, 200
_SEPARATOR = re.compile(r"([\s-]+)")


def local_name(entity: Entity, language: str) -> str:
    """What the place is called in ``language``, as far as that is known; else in English. One
    that is not the first of its name comes with its region or its country.

    What was said is its name where the gazetteer has it so ("Wien"); the case is undone where
    that gives such a name («в Урюпинске»).
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
    """What the climate table calls the city of that English name which lies where the ``facts``
    say; '' if it does not know it."""
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
    """The name of the station."""
    return station.name_ru if base_code(language) == "ru" else station.name


def _country_name(facts: Mapping[str, Any], code: str) -> str:
    """The name of a country as the gazetteer's own tables have it; '' for what is none."""
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
    """The name that was said, in its first case; '' if the gazetteer does not have it."""
    from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer

    gazetteer = Gazetteer.load()
    for name in islice(_nominative_candidates(entity.text, code), _MOST_FORMS):
        if any(place.id == entity.meta.get("id") for place in gazetteer.find(name, code)):
            return name
    return ""


def _nominative_candidates(text: str, code: str) -> Iterator[str]:
    """The name as it was said and, in capitals, those of which it may be a case."""
    from anaphora.entities.builtin.places.place_tables import load_place_words

    if text[:1].isupper() or not text[:1].isalpha():
        yield text
    parts = _SEPARATOR.split(text.lower())
    endings = load_place_words(code).endings
    forms = [
        list(_ending_variants(part, endings)) if index % 2 == 0 else [part]
        for index, part in enumerate(parts)
    ]
    for ways in product(*forms):
        yield "".join(
            word.capitalize() if len(word) > _LONGEST_SMALL or index == 0 else word
            for index, word in enumerate(ways)
        )


def _ending_variants(word: str, endings: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield word
    for cut in range(min(_LONGEST_ENDING, len(word) - 2) + 1):
        stem = word[: len(word) - cut]
        for ending in endings.get(word[len(word) - cut :], ()):
            yield stem + ending
