"""Load the tables of places: words and names of a language, regions, corrections.

``languages/<code>/place_names.yaml`` has the keys

- ``within`` and ``toward``: prepositions before places ("in", "from");
- ``titles``: words before a city ("the city of");
- ``articles``: words between a preposition and a name;
- ``joins`` and ``fillers``: words between a place and its container ("Paris in the state of
  Texas");
- ``endings``: the inflection of names: the ending of a name → the endings of its other cases;
- ``prefixes``: prepositions and articles that are attached to the name;
- ``common`` and ``people``: common words and given names that are also place names; ``phrases``:
  such phrases of several words;
- ``homonyms``: those of them that count in lower case too, because their city is well known,
between one of ``pointing`` (the most reliable prepositions) and the end of the clause, a stop word
or one of ``closing`` ("from split to", "in nice today");
- ``fixed``: phrases that only start with a place name ("peking duck", "paris hilton");
- ``places``: further names by the id of the place (the code of a country or a region, the GeoNames
  number of a city). A name of up to four capitals counts only in capitals, unless it is listed in
  lower case too. A name in this list loses its English meanings;
- ``called``: the names of cities in the language, by GeoNames number.

``countries.yaml`` beside it has the names of countries, ``exonyms.yaml`` those of some cities, both
from the Unicode CLDR. In this package ``regions.yaml`` has for each country and code of a region
the English name, the seat, and further names; ``corrections.yaml`` has better English names than
the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from spacy.about import __version__ as spacy_version

from anaphora.entities.builtin.places.name_normalization import (
    fold,
    name_lengths,
    normalize_name,
    word_prefixes,
)
from anaphora.entities.languages import TableName, cached_table, load_yaml
from anaphora.entities.words.function_words import load_stop_words
from anaphora.entities.words.normalization import base_code
from anaphora.storage.cache import Cache
from anaphora.storage.shipped_tables import table_parts

__all__ = [
    "ENGLISH",
    "PlaceNames",
    "PlaceWords",
    "RegionRow",
    "load_corrections",
    "load_display_names",
    "load_local_region_names",
    "load_place_names",
    "load_place_words",
    "load_regions",
]

ENGLISH = "en"
_Loaded = TypeVar("_Loaded", "PlaceWords", "PlaceNames")

_loaded: dict[tuple[type, str], Any] = {}
_MAX_LOADED = 128
_LONGEST_ABBREVIATION, _SHORTEST_WORD = 4, 2
_WORDS = (
    "within", "toward", "titles", "articles", "joins", "fillers",
    "common", "people", "phrases", "homonyms", "pointing", "closing",
)  # fmt: skip
_WITH_NAMES: tuple[TableName, ...] = ("countries", "exonyms")


@dataclass(frozen=True, slots=True)
class RegionRow:
    """A region in its table. ``seat`` is the name or the number of a city."""

    id: str
    country: str
    name: str
    seat: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlaceWords:
    """The words of a language, in normal form. ``endings`` maps an ending of a case to the endings
    that the name itself may have; ``stops`` are stop words."""

    within: frozenset[str]
    toward: frozenset[str]
    titles: frozenset[str]
    articles: frozenset[str]
    joins: frozenset[str]
    fillers: frozenset[str]
    endings: Mapping[str, tuple[str, ...]]
    prefixes: Mapping[str, str]
    common: frozenset[str]
    people: frozenset[str]
    phrases: frozenset[str]
    homonyms: frozenset[str]
    pointing: frozenset[str]
    closing: frozenset[str]
    stops: frozenset[str]
    nouns_in_capitals: bool


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """The names that the tables of a language add to those of cities.

    ``places`` maps normalized names to ids; ``capitals`` maps abbreviations, which must be written
    in capitals. ``listed`` are the names of the key ``places``, ``fixed`` the phrases that are no
    places, ``word_prefixes`` the words with which longer names start. ``lengths`` has the lengths
    of names in scripts without spaces by their first two letters.
    """

    places: Mapping[str, tuple[str, ...]]
    capitals: Mapping[str, tuple[str, ...]]
    listed: frozenset[str]
    fixed: frozenset[str]
    word_prefixes: frozenset[str]
    lengths: Mapping[str, tuple[int, ...]]


def load_place_words(language: str, cache: Cache | None = None) -> PlaceWords:
    """The words of a language; almost empty if it has no table. The first call reads them through
    its ``cache``."""
    return _load(PlaceWords, language, _read_words, cache)


def _read_words(code: str) -> PlaceWords:
    read = cached_table(code, "place_names")
    words = {name: frozenset(map(normalize_name, _to_list(read.get(name, [])))) for name in _WORDS}
    common, stops = words.pop("common"), frozenset(map(fold, load_stop_words(code)))
    if not any(map(str.isascii, common)):
        # In languages with other letters, words in Latin letters are English.
        common |= frozenset(
            map(normalize_name, _to_list(cached_table(ENGLISH, "place_names")["common"]))
        )
        stops |= frozenset(map(fold, load_stop_words(ENGLISH)))
    return PlaceWords(
        **words,
        common=common,
        nouns_in_capitals=bool(cached_table(code, "locale").get("nouns_in_capitals")),
        endings=_invert_endings(read.get("endings", {})),
        prefixes={fold(prefix): fold(rest) for prefix, rest in read.get("prefixes", {}).items()},
        stops=stops,
    )


def load_place_names(language: str, cache: Cache | None = None) -> PlaceNames:
    """The names of countries, continents and regions in a language and in English, and the further
    names of places. The first call reads them through its ``cache``."""
    return _load(PlaceNames, language, _read_names, cache)


def _read_names(code: str) -> PlaceNames:
    places: dict[str, list[str]] = {}
    capitals: dict[str, list[str]] = {}
    for name, id in _iter_names(code):
        short = name.isupper() and len(name) <= _LONGEST_ABBREVIATION
        known = (
            capitals.setdefault(name, []) if short else places.setdefault(normalize_name(name), [])
        )
        if id not in known:
            known.append(id)
    places.pop("", None)
    fixed = {
        normalize_name(phrase)
        for read in dict.fromkeys((code, ENGLISH))
        for phrase in cached_table(read, "place_names").get("fixed", ())
    }
    return PlaceNames(
        {name: tuple(ids) for name, ids in places.items()},
        {name: tuple(ids) for name, ids in capitals.items()},
        frozenset(
            normalize_name(name) for name, _ in _iter_listed_names(code, "place_names", "places")
        ),
        frozenset(fixed),
        frozenset(word_prefixes((*places, *fixed))),
        name_lengths(places),
    )


@lru_cache(maxsize=1)
def load_regions() -> tuple[RegionRow, ...]:
    """The regions of ``regions.yaml``."""
    return tuple(
        RegionRow(f"{country}-{code}", country, row[0], str(row[1]), tuple(row[2:]))
        for country, rows in load_yaml(__package__, "regions.yaml").items()
        for code, row in rows.items()
    )


@lru_cache(maxsize=1)
def load_local_region_names() -> Mapping[str, tuple[str, ...]]:
    """The names of regions in their own countries, by id."""
    return {row.id: row.names for row in load_regions()}


@lru_cache(maxsize=64)
def load_display_names(language: str) -> Mapping[str, str]:
    """The names of places in a language, by id, from its tables."""
    # Later entries replace earlier ones; regions have only further names.
    further = {
        id: name for name, id in reversed((*_iter_listed_names(language, "place_names", "places"),))
    }
    return {
        **{id: name for id, name in further.items() if "-" in id},
        **{
            id: name
            for table in _WITH_NAMES
            for name, id in reversed((*_iter_listed_names(language, table),))
        },
        **{id: name for name, id in _iter_listed_names(language, "place_names", "called")},
    }


@lru_cache(maxsize=1)
def load_corrections() -> Mapping[str, str]:
    """Better English names than those of the data, by id."""
    return {str(id): name for id, name in load_yaml(__package__, "corrections.yaml").items()}


def _load(
    kind: type[_Loaded], language: str, read: Callable[[str], _Loaded], cache: Cache | None
) -> _Loaded:
    """The data of a language, which the first call reads through the cache, if there is one."""
    code = base_code(language)
    if (loaded := _loaded.get((kind, code))) is not None:
        return loaded  # type: ignore[no-any-return]  # the key names its type
    kept = table_parts(cache, "places", code, spacy_version)  # stop words of spaCy are in it
    data = kept(kind.__name__.lower(), lambda: msgspec.to_builtins(read(code)))
    try:
        found = msgspec.convert(data, kind)
    except msgspec.MsgspecError:  # foreign data
        found = read(code)
    if len(_loaded) >= _MAX_LOADED:
        _loaded.clear()
    _loaded[kind, code] = found
    return found


def _to_list(words: str | list[str]) -> list[str]:
    return words.split() if isinstance(words, str) else words


def _iter_names(language: str) -> Iterator[tuple[str, str]]:
    """Each name in the language and in English, with the id of its place."""
    for row in load_regions():
        for name in (row.name, *row.names):
            yield name, row.id
    yield from (own := tuple(_iter_listed_names(language, "place_names", "places")))
    yield from _iter_listed_names(language, "place_names", "called")
    for table in _WITH_NAMES:
        yield from _iter_listed_names(language, table)
    if language == ENGLISH:
        return
    taken = {normalize_name(name) for name, _ in own}
    english = (
        *_iter_listed_names(ENGLISH, "countries"),
        *_iter_listed_names(ENGLISH, "place_names", "places"),
    )
    # Names of two lower-case letters are words in one of the languages.
    yield from (
        (name, id)
        for name, id in english
        if normalize_name(name) not in taken
        and not (name.islower() and len(name) <= _SHORTEST_WORD)
    )


def _iter_listed_names(language: str, table: TableName, *keys: str) -> Iterator[tuple[str, str]]:
    read = cached_table(language, table)
    for key in keys:
        read = read.get(key, {})
    for id, names in read.items():
        for name in names if isinstance(names, list) else [names]:
            yield name, str(id)


def _invert_endings(endings: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    inverted: dict[str, list[str]] = {}
    for ending, others in endings.items():
        for other in others:
            inverted.setdefault(fold(other), []).append(fold(ending))
    return {ending: tuple(others) for ending, others in inverted.items()}
