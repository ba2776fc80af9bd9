"""The tables of the places: what one who speaks a language, and no Python, can mend.

``languages/<code>/place_names.yaml`` holds for a language

- ``within`` and ``toward``: the prepositions before places ("in", "from");
- ``titles``: the words that say that a city follows ("the city of");
- ``articles``: what may stand between a preposition and a name;
- ``joins`` and ``fillers``: what may stand between a place and the greater one that it lies in
  ("Paris in the state of Texas");
- ``endings``: how names are inflected: the ending of the name → those of its other cases;
- ``prefixes``: prepositions and articles that are written as one with the name;
- ``common`` and ``people``: words and given names that are names of places as well; ``phrases``
  are such ones of several words;
- ``homonyms``: those among them whose city one speaks of so often that they count in small
  letters, if they stand between one of ``pointing`` (the surest prepositions) and the end of
  what is said, a stop word or one of ``closing`` ("from split to", "in nice today");
- ``fixed``: what only begins with the name of a place ("peking duck", "paris hilton");
- ``places``: further names by the id of what they name (a country's code, a region's, GeoNames'
  number of a city). A name of up to four capitals counts only in capitals, unless it is given in
  small letters as well. A name that stands here has none of the meanings that it has in English;
- ``called``: what cities are called in the language, by GeoNames' number.

``countries.yaml`` beside it has the names of countries, ``exonyms.yaml`` those of some cities, both
from the Unicode CLDR. Here ``regions.yaml`` has regions: by country and code the English name, the
seat, and further names; ``corrections.yaml`` better English names than those of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

import msgspec
from spacy.about import __version__ as spacy_version

from anaphora.entities.builtin.places.name_normalization import (
    fold,
    name_lengths,
    normalize_name,
    word_prefixes,
)
from anaphora.entities.languages import TableName, cached_table, load_yaml
from anaphora.entities.words.normalization import base_code, load_stop_words
from anaphora.storage.cache import Cache, CachedParts, digest

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

_LONGEST_ABBREVIATION, _SHORTEST_WORD = 4, 2
_WORDS = (
    "within", "toward", "titles", "articles", "joins", "fillers",
    "common", "people", "phrases", "homonyms", "pointing", "closing",
)  # fmt: skip
_WITH_NAMES: tuple[TableName, ...] = ("countries", "exonyms")


@dataclass(frozen=True, slots=True)
class RegionRow:
    """A region as its table has it. ``seat`` is the name of a city or its number."""

    id: str
    country: str
    name: str
    seat: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlaceWords:
    """What is known of a language; all words are spelled as they are compared. ``endings`` goes
    from an ending to those that the name itself may have instead; ``stops`` are words that are
    hardly ever anything else."""

    within: frozenset[str] = frozenset()
    toward: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    joins: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=dict)
    common: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    phrases: frozenset[str] = frozenset()
    homonyms: frozenset[str] = frozenset()
    pointing: frozenset[str] = frozenset()
    closing: frozenset[str] = frozenset()
    stops: frozenset[str] = frozenset()
    nouns_in_capitals: bool = False


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """The names that the tables of a language add to those of cities. ``places`` goes from a name
    as it is compared to ids; ``capitals`` from one as it is written, where it must be written in
    capitals; ``listed`` are those that the language's own table adds; ``fixed`` are phrases that
    are none of a place; ``beginnings`` are the words with which longer names begin; ``lengths``
    tells how long those are that begin with two letters of a script without blanks."""

    places: Mapping[str, tuple[str, ...]]
    capitals: Mapping[str, tuple[str, ...]]
    listed: frozenset[str]
    fixed: frozenset[str]
    word_prefixes: frozenset[str]
    lengths: Mapping[str, tuple[int, ...]]


def load_place_words(language: str, cache: Cache | None = None) -> PlaceWords:
    """The table of a language; an almost empty one where there is no file for it. It is read once,
    through the ``cache`` that is given then."""
    return _load_once(_words_known, language, PlaceWords, _read_words, cache)


def _read_words(code: str) -> PlaceWords:
    read = cached_table(code, "place_names")
    words = {name: frozenset(map(normalize_name, _to_list(read.get(name, [])))) for name in _WORDS}
    common, stops = words.pop("common"), frozenset(map(fold, load_stop_words(code)))
    if not any(map(str.isascii, common)):
        # Words in Latin letters are English ones in languages that have other letters.
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
    """The names of countries, continents and regions in that language and in English, and the
    further names of places. They are read once, through the ``cache`` that is given then."""
    return _load_once(_names_known, language, PlaceNames, _read_names, cache)


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


_words_known: dict[str, PlaceWords] = {}
_names_known: dict[str, PlaceNames] = {}
_MOST_LANGUAGES = 64


@lru_cache(maxsize=1)
def load_regions() -> tuple[RegionRow, ...]:
    """All regions."""
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
    """What places are called in a language, by id, as far as its tables tell."""
    # The last one counts; of regions the further names are all there is.
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
    """Better English names, by id."""
    return {str(id): name for id, name in load_yaml(__package__, "corrections.yaml").items()}


def _load_once(
    known: dict[str, _Loaded],
    language: str,
    kind: type[_Loaded],
    read: Callable[[str], _Loaded],
    cache: Cache | None,
) -> _Loaded:
    """What is known of a language, else what is read of it, which is known from then on."""
    code = base_code(language)
    if (found := known.get(code)) is None:
        if len(known) >= _MOST_LANGUAGES:
            known.clear()
        found = known[code] = _load_through_cache(kind, code, read, cache)
    return found


def _load_through_cache(
    kind: type[_Loaded], code: str, read: Callable[[str], _Loaded], cache: Cache | None
) -> _Loaded:
    """What is read for a language, through the cache if there is one."""
    if cache is None:
        return read(code)
    kept = CachedParts(cache, "places", digest(code, spacy_version))  # whose stop words are in it
    data = kept(kind.__name__.lower(), lambda: msgspec.to_builtins(read(code)))
    try:
        return msgspec.convert(data, kind)
    except msgspec.MsgspecError:  # whoever wrote it, it was not us
        return read(code)


def _to_list(words: str | list[str]) -> list[str]:
    return words.split() if isinstance(words, str) else words


def _iter_names(language: str) -> Iterator[tuple[str, str]]:
    """Each name in that language and in English with the id of its place."""
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
    # Two small letters are a word in the one language or the other.
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
    turned: dict[str, list[str]] = {}
    for ending, others in endings.items():
        for other in others:
            turned.setdefault(fold(other), []).append(fold(ending))
    return {ending: tuple(others) for ending, others in turned.items()}
