"""The tables of the places: what one who speaks a language, and no Python, can mend.

``languages/en.yaml`` holds for a language

- ``within`` and ``toward``: the prepositions before places ("in", "from"), and the words that
  say what the place is ("the city of");
- ``articles``: what may stand between a preposition and a name;
- ``joins`` and ``fillers``: what may stand between a place and the greater one that it lies in
  ("Paris in the state of Texas");
- ``endings``: how names are inflected: the ending of the name → those of its other cases;
- ``prefixes``: prepositions and articles that are written as one with the name;
- ``common`` and ``people``: words and given names that are names of places as well; ``phrases``
  are such ones of several words;
- ``nouns_in_capitals``: that all nouns begin with a capital letter;
- ``places``: further names by the id of what they name (a country's code, a region's, GeoNames'
  number of a city). A name of up to four capitals counts only in capitals, unless it is given in
  small letters as well.

``countries/en.yaml`` has the names of countries, from the Unicode CLDR; ``regions.yaml`` has
regions: by country and code the English name, the seat, and further names; ``corrections.yaml``
better English names than those of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from anaphora.entities.languages import base, stop_words
from anaphora.entities.places.spelling import fold, is_unspaced, key_of_name

__all__ = [
    "ENGLISH",
    "LanguageTable",
    "Names",
    "RegionRow",
    "corrections",
    "names_in",
    "regions",
    "table",
]

ENGLISH = "en"
_LONGEST_ABBREVIATION = 4
_WORDS = ("within", "toward", "articles", "joins", "fillers", "common", "people", "phrases")


@dataclass(frozen=True, slots=True)
class RegionRow:
    """A region as its table has it. ``seat`` is the name of a city or its number."""

    id: str
    country: str
    name: str
    seat: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """What is known of a language; all words are spelled as they are compared. ``endings`` goes
    from an ending to those that the name itself may have instead; ``stops`` are words that are
    hardly ever anything else."""

    within: frozenset[str] = frozenset()
    toward: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    joins: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=dict)
    common: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    phrases: frozenset[str] = frozenset()
    stops: frozenset[str] = frozenset()
    nouns_in_capitals: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """The names that the tables of a language add to those of cities. ``places`` goes from a name
    as it is compared to ids; ``capitals`` from one as it is written, where it must be written in
    capitals; ``beginnings`` are the words with which longer names begin; ``lengths`` tells how
    long those are that begin with two letters of a script without blanks."""

    places: Mapping[str, tuple[str, ...]]
    capitals: Mapping[str, tuple[str, ...]]
    beginnings: frozenset[str]
    lengths: Mapping[str, tuple[int, ...]]


@lru_cache(maxsize=64)
def table(language: str) -> LanguageTable:
    """The table of a language; an almost empty one where there is no file for it."""
    code = base(language)
    read = _read(f"languages/{code}.yaml")
    words = {
        name: frozenset(map(key_of_name, _listed(read.get(name, []))))
        for name in (
            "within",
            "toward",
            "articles",
            "joins",
            "fillers",
            "common",
            "people",
            "phrases",
        )
    }
    return LanguageTable(
        **words,
        nouns_in_capitals=bool(read.get("nouns_in_capitals")),
        endings=_turned_round(read.get("endings", {})),
        prefixes={fold(prefix): fold(rest) for prefix, rest in read.get("prefixes", {}).items()},
        stops=frozenset(map(fold, stop_words(code))),
    )


@lru_cache(maxsize=64)
def names_in(language: str) -> Names:
    """The names of countries, continents and regions in that language and in English, and the
    further names of places."""
    places: dict[str, list[str]] = {}
    capitals: dict[str, list[str]] = {}
    for name, id in _names(base(language)):
        short = name.isupper() and len(name) <= _LONGEST_ABBREVIATION
        known = capitals.setdefault(name, []) if short else places.setdefault(key_of_name(name), [])
        if id not in known:
            known.append(id)
    places.pop("", None)
    return Names(
        {name: tuple(ids) for name, ids in places.items()},
        {name: tuple(ids) for name, ids in capitals.items()},
        frozenset(_beginnings(places)),
        _lengths(places),
    )


@lru_cache(maxsize=1)
def regions() -> tuple[RegionRow, ...]:
    """All regions."""
    return tuple(
        RegionRow(f"{country}-{code}", country, row[0], str(row[1]), tuple(row[2:]))
        for country, rows in _read("regions.yaml").items()
        for code, row in rows.items()
    )


@lru_cache(maxsize=1)
def corrections() -> Mapping[str, str]:
    """Better English names, by id."""
    return {str(id): name for id, name in _read("corrections.yaml").items()}


def _listed(words: str | list[str]) -> list[str]:
    return words.split() if isinstance(words, str) else words


def _names(language: str) -> Iterator[tuple[str, str]]:
    """Each name in that language and in English with the id of its place."""
    for row in regions():
        for name in (row.name, *row.names):
            yield name, row.id
    for code in dict.fromkeys((language, ENGLISH)):
        for id, names in _read(f"countries/{code}.yaml").items():
            for name in names if isinstance(names, list) else [names]:
                yield name, id
        for id, names in _read(f"languages/{code}.yaml").get("places", {}).items():
            for name in names if isinstance(names, list) else [names]:
                yield name, str(id)


def _turned_round(endings: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    turned: dict[str, list[str]] = {}
    for ending, others in endings.items():
        for other in others:
            turned.setdefault(fold(other), []).append(fold(ending))
    return {ending: tuple(others) for ending, others in turned.items()}


def _beginnings(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        end = name.find(" ")
        while end >= 0:
            yield name[:end]
            end = name.find(" ", end + 1)


def _lengths(names: Iterable[str]) -> dict[str, tuple[int, ...]]:
    lengths: dict[str, set[int]] = {}
    for name in filter(is_unspaced, names):
        lengths.setdefault(name[:2], set()).add(len(name))
    return {two: tuple(sorted(known, reverse=True)) for two, known in lengths.items()}


@lru_cache(maxsize=64)
def _read(path: str) -> Mapping[str, Any]:
    file = files("anaphora.entities.places").joinpath(path)
    if not file.is_file():
        return {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    read: Mapping[str, Any] = yaml.load(file.read_text(encoding="utf-8"), loader) or {}
    return read
