"""The names of named days in a language, compiled for look-up in atoms.

The table ``holidays.yaml`` of a language has under ``names`` the names of each day of
:mod:`.day_table`, in the macro language of synonyms; a word that ends in ``*`` may have any ending.
Names under ``ambiguous`` count only behind one of the words ``before_ambiguous``, or where they are
the whole text ("during Lent"). Words that are ``alike`` to another one stand for it in every name
(a national day like a world day). A first word may have one of the ``beginnings`` written before
it, a last one one of the ``endings`` behind it (Korean particles). Names are also found without
their accents, hyphens and apostrophes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.metadata import version

import msgspec

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.dates.named_days.official_days import find_official_names
from anaphora.entities.builtin.dates.named_days.table_cache import load_cached
from anaphora.entities.languages import ANY, load_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.grammar.synonyms.expansion import SynonymExpander
from anaphora.storage.forks import LazyProperty, fork_safe_lock

__all__ = [
    "DayNames",
    "NameFinder",
    "NameMatch",
    "load_day_names",
    "load_official_names",
]

NameMatch = tuple[int, int, tuple[str, ...]]
"""The atoms of a name, from one up to another, and its time expression."""

_APOSTROPHES = "’ʼ`´"
_NOT_LATIN = re.compile(r"[^\x00-\u024f\u1e00-\u1eff]")
_UNDIVIDED = str.maketrans("łđø", "ldo")  # letters with a mark that do not decompose
_OFFICIAL_SEPARATOR = "|"  # in the ids of official days
_MAX_TABLES = 64
_CACHED_WORDS = 20_000

_lock = fork_safe_lock()
_tables: dict[tuple[str, ...], DayNames] = {}


class DayNames(msgspec.Struct, frozen=True):
    """The names in a language. ``ids`` maps them, their atoms joined by blanks, to the days;
    ``lengths`` their first atoms to the numbers of atoms, longest first. ``prefixes`` are the words
    that may have any ending; they are written with a ``*`` in names. ``alike`` maps words to those
    that stand for them in names. ``beginnings`` and ``endings`` may be written together
    with a name."""

    ids: dict[str, str]
    lengths: dict[str, list[int]]
    prefixes: list[str]
    alike: dict[str, str]
    ambiguous: list[str]
    before_ambiguous: list[str]
    beginnings: list[str]
    endings: list[str]


def load_day_names(language: str) -> DayNames:
    """The names of a language, by its code. The first call compiles them (some 0.1 s), or loads
    them from the cache."""
    code = base_code(language)
    with _lock:
        return _load((code,), "names", lambda: _compile_language(code))


def load_official_names(countries: tuple[str, ...], language: str) -> DayNames:
    """The official names of the days of countries in a language and in their own ones; of countries
    that share a name the first counts. A name that the language has for a named day, too, brings
    all its synonyms."""
    key = (base_code(language), *countries)
    names = load_day_names(language)
    with _lock:
        return _load((*key, version("holidays")), "official", lambda: _compile_official(key, names))


def _load(key: tuple[str, ...], part: str, compile_table: Callable[[], DayNames]) -> DayNames:
    if key not in _tables:
        if len(_tables) >= _MAX_TABLES:
            _tables.clear()
        _tables[key] = load_cached(part, key, DayNames, compile_table)
    return _tables[key]


def _compile_official(key: tuple[str, ...], names: DayNames) -> DayNames:
    language, *countries = key
    named = [
        (text, _OFFICIAL_SEPARATOR.join((country, code, name)))
        for country in countries
        for text, code, name in find_official_names(country, language)
    ]
    official = _compile_names(language, named, prefixes=names.prefixes, alike=names.alike)
    ids = dict(official.ids)
    synonyms: dict[str, list[str]] = {}
    for name, id in names.ids.items():
        synonyms.setdefault(id, []).append(name)
    for name, own in official.ids.items():
        for synonym in synonyms.get(names.ids.get(name, ""), ()):
            ids.setdefault(synonym, own)
    return msgspec.structs.replace(official, ids=ids)


def _compile_language(code: str) -> DayNames:
    common = load_table(ANY, "holidays", as_text=True)
    own = {} if code == ANY else load_table(code, "holidays", as_text=True)
    expander = SynonymExpander({**common["macros"], **own.get("macros", {})})
    named: list[tuple[str, str]] = []
    ambiguous: list[str] = []
    alike: dict[str, str] = {}
    for table in (own, common):  # the own names of a language have precedence
        for id, texts in table.get("names", {}).items():
            for text in [texts] if isinstance(texts, str) else texts:
                named += [(phrase, id) for phrase in _expand(text, expander)]
        for text in table.get("ambiguous", ()):
            ambiguous += _expand(text, expander)
        for stands, words in table.get("alike", {}).items():
            alike |= dict.fromkeys(words, stands)
    return _compile_names(
        code,
        named,
        ambiguous=ambiguous,
        before_ambiguous=own.get("before_ambiguous", ()),
        alike=alike,
        beginnings=own.get("beginnings", ()),
        endings=own.get("endings", ()),
    )


def _compile_names(
    language: str,
    named: Iterable[tuple[str, str]],
    *,
    ambiguous: Iterable[str] = (),
    before_ambiguous: Iterable[str] = (),
    prefixes: Iterable[str] = (),
    alike: Mapping[str, str] | None = None,
    beginnings: Iterable[str] = (),
    endings: Iterable[str] = (),
) -> DayNames:
    """Compile pairs of a name and an id; of two ids for one name the first counts. ``prefixes``
    and ``alike`` are those of other names that will be looked up together with these."""
    split_words = _WordSplitter(language)
    split = [(split_words(spelling), id) for name, id in named for spelling in _spellings(name)]
    prefixes = {
        *prefixes,
        *(word[:-1] for words, _ in split for word in words if word.endswith("*")),
    }
    canonical = _Canonical(prefixes, alike or {})
    ids: dict[str, str] = {}
    lengths: dict[str, set[int]] = {}
    for words, id in split:
        written = [word if word.endswith("*") else canonical(word) for word in words]
        ids.setdefault(" ".join(written), id)
        lengths.setdefault(written[0], set()).add(len(written))
    return DayNames(
        ids,
        {word: sorted(counts, reverse=True) for word, counts in lengths.items()},
        sorted(prefixes),
        dict(alike or {}),
        [" ".join(map(canonical, split_words(name))) for name in ambiguous],
        [canonical(atom) for word in before_ambiguous for atom in split_words(word)],
        list(beginnings),
        list(endings),
    )


def _expand(text: str, expander: SynonymExpander) -> Iterator[str]:
    return (" ".join(map(str, phrase)) for phrase in expander.expand(text))


def _spellings(name: str) -> set[str]:
    """The ways to write a name: with and without its accents, hyphens and apostrophes."""
    found = {name}
    if not name.isascii() and not _NOT_LATIN.search(name):
        decomposed = unicodedata.normalize("NFD", name.translate(_UNDIVIDED))
        found.add("".join([char for char in decomposed if not unicodedata.combining(char)]))
    if "-" in name:
        found |= {one.replace("-", " ") for one in found}
    if "'" in name:
        found |= {one.replace("'", "") for one in found}
    return found


class _WordSplitter:
    """Splits names into their atoms, each with the ``*`` behind it."""

    def __init__(self, language: str) -> None:
        normalize = create_normalizer(language)
        self._split_cached = cache(lambda word: _split_word(word, normalize))  # words recur

    def __call__(self, name: str) -> list[str]:
        return [atom for word in name.split() for atom in self._split_cached(word)]


def _split_word(word: str, normalize: Callable[[str], str]) -> list[str]:
    atoms: list[str] = []
    for atom in split_atoms(word, normalize):
        if atom.text == "*" and atoms:
            atoms[-1] += "*"
        else:
            atoms.append(atom.text)
    return atoms


class _Canonical:
    """Replaces atoms by the prefixes with which they begin, or by words that stand for them, and
    other apostrophes by the plain one."""

    def __init__(self, prefixes: Iterable[str], alike: Mapping[str, str]) -> None:
        self._alike = {**dict.fromkeys(_APOSTROPHES, "'"), **alike}
        self._prefixes = frozenset(prefixes)
        self._lengths = sorted({len(prefix) for prefix in prefixes}, reverse=True)

    def __call__(self, text: str) -> str:
        for length in self._lengths:
            if text[:length] in self._prefixes:
                return f"{text[:length]}*"
        return self._alike.get(text, text)


class NameFinder:
    """Finds the names of days in the atoms of a text. Thread-safe."""

    def __init__(self, language: str, countries: tuple[str, ...] = ()) -> None:
        names = load_day_names(language)
        self._ids: Mapping[str, str] = names.ids
        self._lengths: Mapping[str, Sequence[int]] = names.lengths
        if countries:
            official = load_official_names(countries, language)
            self._ids = {**names.ids, **official.ids}
            self._lengths = {
                word: sorted({*names.lengths.get(word, ()), *official.lengths.get(word, ())})
                for word in {*names.lengths, *official.lengths}
            }
        self._ambiguous = frozenset(names.ambiguous)
        self._before_ambiguous = frozenset(names.before_ambiguous)
        canonical = _Canonical(names.prefixes, names.alike)
        self._canonical = lru_cache(maxsize=_CACHED_WORDS)(canonical)
        self._beginnings, self._endings = tuple(names.beginnings), tuple(names.endings)
        self._beginnings_of = lru_cache(maxsize=_CACHED_WORDS)(self._find_beginnings)

    def may_begin(self, text: str) -> bool:
        """Whether a name begins with that atom."""
        return bool(self._beginnings_of(self._canonical(text)))

    def has_word(self, text: str) -> bool:
        """Whether that atom is a word of a name."""
        return text in self._words

    @LazyProperty
    def _words(self) -> frozenset[str]:
        return frozenset(word for name in self._ids for word in name.split())

    def find(self, atoms: Sequence[Atom]) -> list[NameMatch]:
        """All names, overlapping ones, too, in the order of the text."""
        words = [self._canonical(atom.text) for atom in atoms]
        return [
            (start, start + length, _to_expression(id))
            for start, word in enumerate(words)
            for first, lengths in self._beginnings_of(word)
            for length in lengths
            if start + length <= len(words)
            and (name := self._find_name([first, *words[start + 1 : start + length]]))
            and (id := self._ids[name])
            and (name not in self._ambiguous or self._is_certain(words, start, length))
        ]

    def _find_beginnings(self, word: str) -> tuple[tuple[str, Sequence[int]], ...]:
        """The words that names begin with which a word may be, and how long these names are."""
        lengths = self._lengths
        return tuple([(one, lengths[one]) for one in self._first_words(word) if one in lengths])

    def _first_words(self, word: str) -> list[str]:
        """A word with and without what may be written before and behind it."""
        bare = [word[len(one) :] for one in self._beginnings if word.startswith(one)]
        return [word, *bare, *(one for word in (word, *bare) for one in self._bare_endings(word))]

    def _bare_endings(self, word: str) -> list[str]:
        return [word[: -len(one)] for one in self._endings if word.endswith(one)]

    def _find_name(self, words: list[str]) -> str:
        """The name that these words are, without an ending of the last one; '' if they are none."""
        *before, last = words
        for one in (last, *self._bare_endings(last)):
            if (name := " ".join((*before, one))) in self._ids:
                return name
        return ""

    def _is_certain(self, words: Sequence[str], start: int, length: int) -> bool:
        before = words[start - 1] if start else ""
        return length == len(words) or before in self._before_ambiguous


@lru_cache(maxsize=4096)
def _to_expression(id: str) -> tuple[str, ...]:
    if _OFFICIAL_SEPARATOR in id:
        return ("official_day", *id.split(_OFFICIAL_SEPARATOR))
    return ("named_day", id)
