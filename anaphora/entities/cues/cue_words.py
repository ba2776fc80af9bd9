"""The cue phrases of a language: ``languages/<code>/cues.yaml`` and its tables of yes and no.

The file of ``en`` documents the keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import itemgetter
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from anaphora.entities.builtin.atoms import Atom, get_atoms, split_atoms
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.builtin.phrasebook import (
    COUNT,
    Phrasebook,
    RankedPhrase,
    Table,
    load_phrase_tables,
)
from anaphora.entities.cues.comparisons import expand_comparisons
from anaphora.entities.cues.cue import CueKind
from anaphora.entities.languages import languages_with, load_table
from anaphora.entities.words.lengthened import has_repeated_letter, shorten
from anaphora.entities.words.normalization import base_code
from anaphora.grammar.synonyms.expansion import SynonymExpander
from anaphora.storage.cache import Cache
from anaphora.storage.shipped_tables import table_parts

__all__ = ["CueWords", "PhraseMatch", "Reading", "load_cue_phrases", "load_cue_words"]

_WordClass: TypeAlias = Literal[
    "none",
    "take",
    "tail",
    "joiner",
    "contrast",
    "small",
    "one",
    "definite",
    "change",
    "or",
]
_Position: TypeAlias = Literal[
    "anywhere", "starting", "ending", "alone", "asked", "opening", "edge"
]
_Side: TypeAlias = Literal["", "noun", "before", "behind", "either", "around"]
_Meaning: TypeAlias = tuple[CueKind | _WordClass, str]

_POSITIONS: tuple[_Position, ...] = ("anywhere", "starting", "ending", "alone", "asked", "opening")
_SIDES: tuple[_Side, ...] = ("noun", "before", "behind", "either", "around")
_GAP = "..."
_MAX_LOADED = 64  # languages
_loaded: dict[str, _Phrases] = {}
_MULTIPLIED = {"any": "", "lengths": "length", "counts": "count"}  # by the keys of factors
_COUNTED = "#"  # the key of phrases with a count in them
# The ranks from which on the phrases that a model adds and those of the language are tried.
_ADDED, _OWN, _ADDED_LAST, _OWN_LAST = (number << 32 for number in range(4))
_MAX_DIGITS = 4  # of an ordinal
_LENGTHENED = frozenset({"accept", "decline", "social"})  # "yess", "nooo", "byeee"

# The sections of a table, in the order in which their phrases are tried, with what they mean.
_SECTIONS: Mapping[str, _Meaning] = {
    "indifferent": ("indifferent", ""),
    "none": ("none", ""),
    "thanks": ("social", "thanks"),
    "greeting": ("social", "greeting"),
    "farewell": ("social", "farewell"),
    "wellbeing": ("social", "wellbeing"),
    "cancel": ("cancel", ""),
    "decline": ("decline", ""),
    "accept": ("accept", ""),
    "other": ("other", ""),
    "maybe": ("add", "maybe"),
    "with": ("add", "with"),
    "add": ("add", ""),
    "remove": ("negate", "remove"),
    "negate": ("negate", ""),
    "take": ("take", ""),
    "instead_of": ("instead", "of"),
    "instead": ("instead", ""),
    "correct": ("correct", ""),
    "set": ("correct", "set"),
    "only": ("only", ""),
    "thing": ("reference", "thing"),
    "place": ("reference", "place"),
    "time": ("reference", "time"),
    "person": ("reference", "person"),
    "same": ("reference", "same"),
    "joiners": ("joiner", ""),
    "contrast": ("contrast", ""),
    "small": ("small", ""),
    "ones": ("one", ""),
    "definite": ("definite", ""),
    "or": ("or", ""),
    "increase": ("change", "more"),
    "decrease": ("change", "less"),
}
_ANSWERS: Mapping[str, CueKind] = {"yes": "accept", "no": "decline"}
_LAST_SECTIONS: Mapping[str, _Meaning] = {"filler": ("filler", "")}  # behind yes and no


@dataclass(frozen=True, slots=True)
class Reading:
    """A meaning of a phrase: a cue, or a class of words that the grammar needs.

    ``position`` is where in its clause the phrase has this meaning, ``side`` where what it negates
    or takes stands. ``left`` and ``right`` count the atoms of the phrase that are only its context.
    ``tail`` is the second part of a phrase in two parts. A ``command`` gives way to other cues; a
    phrase that ``opens`` a clause does not close one.
    """

    kind: CueKind | _WordClass
    value: str = ""
    number: int = 0
    position: _Position = "anywhere"
    side: _Side = ""
    left: int = 0
    right: int = 0
    tail: str = ""
    command: bool = False
    opens: bool = False


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """A phrase in a text with one of its readings; it has the atoms from ``start`` up to ``end``,
    the cue in it those from ``first`` up to ``last``."""

    start: int
    end: int
    first: int
    last: int
    reading: Reading


@dataclass(frozen=True, slots=True, eq=False)
class CueWords:
    """The compiled cue phrases of a language, for :func:`.cue_finder.find_cues`."""

    language: str
    book: Phrasebook

    def read(self, text: str) -> tuple[Sequence[Atom], tuple[PhraseMatch, ...]]:
        """The atoms of a text and every reading of every phrase in it, in no particular order."""
        return _read(text, self)


def load_cue_words(
    language: str, added: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> CueWords:
    """The cue phrases of a language, cached. ``added`` are further phrases by the sections of the
    table (``decline``, ``add``, ``thing`` …), in the synonym language."""
    key = tuple((section, tuple(phrases)) for section, phrases in sorted(added.items()))
    return _load(base_code(language), key)


@lru_cache(maxsize=64)
def _load(language: str, added: tuple[tuple[str, tuple[str, ...]], ...]) -> CueWords:
    own, further = load_cue_phrases(language), _Phrases()
    table = dict(added)
    further.rank = _ADDED
    further.add_sections(table, _SECTIONS)
    further.add_choices(table)
    further.rank = _ADDED_LAST
    further.add_sections(table, _LAST_SECTIONS)
    book = Phrasebook(language)
    for first in {**further.by_first, **own.by_first}:
        book.add_later(first, partial(_compile, first, further, own))
    return CueWords(language, book.finish())


def load_cue_phrases(language: str, cache: Cache | None = None) -> _Phrases:
    """The phrases of a language, which all models share. The first call takes those that are
    shipped or in a ``cache``, else it collects them from the tables of the language."""
    code = base_code(language)
    if code not in _loaded:
        if len(_loaded) >= _MAX_LOADED:
            _loaded.clear()
        kept = table_parts(cache, "cues", code)
        data = kept("phrases", lambda: msgspec.to_builtins(_collect(code)))
        try:
            _loaded[code] = msgspec.convert(data, _Phrases)
        except msgspec.MsgspecError:  # foreign data
            _loaded[code] = _collect(code)
    return _loaded[code]


def _collect(language: str) -> _Phrases:
    collected = _Phrases()
    tables = load_phrase_tables("cues", language)
    collected.rank = _OWN
    for table in tables:
        collected.prefixes += tuple(table.get("prefixes", ()))
        collected.plain_letters |= table.get("plain_letters", {})
        collected.add_sections(table, _SECTIONS)
        collected.add_choices(table)
    for table in load_phrase_tables("booleans", language):
        collected.add_answers(table)
    if language in languages_with("replies"):
        collected.add_plain_answers(load_table(language, "replies", as_text=True))
    collected.rank = _OWN_LAST
    for table in tables:
        collected.add_sections(table, _LAST_SECTIONS)
    return collected


def _compile(first: str, *collected: _Phrases) -> Iterator[RankedPhrase]:
    """The phrases that begin with an atom: their atoms, joined by blanks, with their readings."""
    entries = [entry for one in collected for entry in one.with_first(first)]
    by_phrase: dict[str, tuple[list[Reading], int]] = {}
    for phrase, reading, rank in sorted(entries, key=itemgetter(2)):
        # "that's" and "that 's" are the same phrase.
        words = " ".join([atom for piece in phrase.split() for atom in _split(piece)])
        readings, _ = by_phrase.setdefault(words, ([], rank))
        if reading not in readings:
            readings.append(reading)
    for words, (readings, rank) in by_phrase.items():
        yield words, tuple(readings), rank


class _Phrases(msgspec.Struct, forbid_unknown_fields=True):
    """Collects phrases by their first atoms, each with the number of its reading and a rank: those
    of low ranks are tried first."""

    readings: list[Reading] = msgspec.field(default_factory=list)
    by_first: dict[str, list[tuple[str, int, int]]] = msgspec.field(default_factory=dict)
    rank: int = 0
    """Of the last phrase."""
    plain_letters: dict[str, str] = msgspec.field(default_factory=dict)
    """Letters that people also type for others: "degil" for *değil*."""
    prefixes: tuple[str, ...] = ()
    """Words that are written as one with the word behind them (Arabic *wa-*, "and")."""

    def with_first(self, first: str) -> Iterator[tuple[str, Reading, int]]:
        """The phrases that begin with an atom, with their readings and ranks."""
        for phrase, number, rank in self.by_first.get(first, ()):
            yield phrase, self.readings[number], rank

    def add_sections(self, table: Table, sections: Mapping[str, _Meaning]) -> None:
        """Add the phrases of some sections of a table of cues."""
        expander = _expander(table)
        for section, (kind, value) in sections.items():
            content = table.get(section, ())
            for key, phrases in _by_key(content):
                position: _Position = next((one for one in _POSITIONS if one == key), "anywhere")
                side: _Side = next((one for one in _SIDES if one == key), "")
                self._add(phrases, Reading(kind, value, 0, position, side), expander)

    def add_choices(self, table: Table) -> None:
        """Add the ordinals, factors and comparisons of a table of cues."""
        expander = _expander(table)
        for number, phrases in table.get("ordinals", {}).items():
            self._add(phrases, Reading("ordinal", "", int(number)), expander)
        self._add(table.get("numbered", ()), Reading("ordinal"), expander)
        for kind, factors in table.get("factors", {}).items():
            for number, phrases in factors.items():
                count = 0 if number == _COUNTED else int(number)
                self._add(phrases, Reading("factor", _MULTIPLIED[kind], count), expander)
        for value, number, phrases in expand_comparisons(table.get("comparison", {})):
            self._add(phrases, Reading("comparison", value, number), expander)

    def add_answers(self, table: Table) -> None:
        """Add the phrases of a table of yes and no."""
        expander = _expander(table)
        self._add(table["no"].get("commands", ()), Reading("cancel", position="alone"), expander)
        self._add(table.get("neither", ()), Reading("none"), expander)
        for section, kind in _ANSWERS.items():
            for position in _POSITIONS:
                phrases = table[section].get(position, ())
                self._add(phrases, Reading(kind, position=position), expander)
        commands = table["yes"].get("commands", ())
        self._add(commands, Reading("accept", position="alone", command=True), expander)
        self._add(table.get("fillers", ()), Reading("filler", position="edge"), expander)
        opener = Reading("filler", position="edge", opens=True)
        self._add(table.get("openers", ()), opener, expander)

    def add_plain_answers(self, table: Table) -> None:
        """Add the words for yes and no beside the texts of a language without the other tables."""
        expander = _expander(table)
        for section, kind in _ANSWERS.items():
            self._add(table.get(section, ()), Reading(kind, position="alone"), expander)

    def _add(self, phrases: Iterable[str], reading: Reading, expander: SynonymExpander) -> None:
        for phrase in phrases:
            for words in expander.expand(phrase):
                self._add_plain(" ".join(map(str, words)), reading)

    def _add_plain(self, phrase: str, reading: Reading) -> None:
        if _GAP in phrase:
            head, _, tail = (part.strip() for part in phrase.partition(_GAP))
            self._append(head, replace(reading, tail=tail))
            self._append(tail, Reading("tail", tail))
        elif "(" in phrase:
            left, _, rest = phrase.partition("(")
            inner, _, right = rest.partition(")")
            in_context = replace(reading, left=len(_split(left)), right=len(_split(right)))
            self._append(f"{left} {inner} {right}", in_context)
        else:
            self._append(phrase, reading)

    def _append(self, phrase: str, reading: Reading) -> None:
        for written in dict.fromkeys((phrase, _type_plainly(phrase, self.plain_letters))):
            self._append_as_written(written, reading)

    def _append_as_written(self, phrase: str, reading: Reading) -> None:
        self.rank += 1
        if not self.readings or self.readings[-1] is not reading:
            self.readings.append(reading)
        first = next(filter(None, map(_first_atom, phrase.split())), "")
        self.by_first.setdefault(first, []).append((phrase, len(self.readings) - 1, self.rank))


def _type_plainly(phrase: str, plain_letters: Mapping[str, str]) -> str:
    """A phrase without the marks of its letters. Two letters without them are another word, as
    Polish *ja*, "I", for *ją*, "her"."""
    if not plain_letters:
        return phrase
    table = str.maketrans(dict(plain_letters))
    return re.sub(r"\w{3,}", lambda word: word[0].translate(table), phrase)


@lru_cache(maxsize=10_000)  # pieces recur
def _first_atom(piece: str) -> str:
    return next(iter(_split(piece)), "")


def _expander(table: Table) -> SynonymExpander:
    return SynonymExpander(table.get("macros", {}))


def _by_key(
    content: Mapping[str, Sequence[str]] | Sequence[str],
) -> Iterator[tuple[str, Sequence[str]]]:
    """The phrases of a section by position or side, which few sections have."""
    yield from content.items() if isinstance(content, Mapping) else [("anywhere", content)]


def _split(phrase: str) -> list[str]:
    """The atoms of a phrase, each with the star behind it."""
    words: list[str] = []
    for atom in split_atoms(phrase, str.casefold):
        if atom.text == "*" and atom.glued:
            words[-1] += "*"
        else:
            words.append(atom.text)
    return words


@lru_cache(maxsize=256)
def _read(text: str, words: CueWords) -> tuple[Sequence[Atom], tuple[PhraseMatch, ...]]:
    atoms: Sequence[Atom] = get_atoms(text, words.language)
    if has_repeated_letter(text):
        atoms = _shorten_answers(atoms, words.language)
    atoms = _split_prefixes(atoms, load_cue_phrases(words.language))
    counts, ordinals = _find_numbers(atoms, words.language)
    matches = [
        _match(item.start, item.end, reading)
        for item in words.book.read(atoms, counts)
        for reading in _readings_of(item)
    ]
    cardinals = {item.start for item in counts if item.meaning > 1}
    ordinals = [item for item in ordinals if item.end not in cardinals]  # "the first two"
    matches += [
        _match(item.start, item.end, Reading("ordinal", "", item.meaning)) for item in ordinals
    ]
    return atoms, tuple(matches)


def _shorten_answers(atoms: Sequence[Atom], language: str) -> Sequence[Atom]:
    """The atoms with the answers and courtesies that lengthened words are meant for: "nooo"."""
    begins, answers = load_cue_phrases(language).by_first, _load_answers(language)
    return [
        one if one.text in begins else one._replace(text=shorten(one.text, answers))
        for one in atoms
    ]


def _split_prefixes(atoms: Sequence[Atom], phrases: _Phrases) -> Sequence[Atom]:
    """The atoms with those cut that are a prefix and the first word of a phrase: Hebrew *u-vli*,
    "and without". A word that begins a phrase itself is none."""
    if not phrases.prefixes:
        return atoms
    return [part for one in atoms for part in _split_prefix(one, phrases)]


def _split_prefix(atom: Atom, phrases: _Phrases) -> Iterator[Atom]:
    text = atom.text
    for prefix in phrases.prefixes:
        rest = text.removeprefix(prefix)
        if rest != text and text not in phrases.by_first and rest in phrases.by_first:
            at = atom.start + len(prefix)
            yield atom._replace(text=prefix, end=at)
            yield Atom(rest, atom.kind, at, atom.end, glued=True)
            return
    yield atom


@lru_cache(maxsize=64)
def _load_answers(language: str) -> frozenset[str]:
    """The words that are an answer or a courtesy by themselves."""
    phrases = load_cue_phrases(language)
    return frozenset(
        first
        for first in phrases.by_first
        if any(
            reading.kind in _LENGTHENED and phrase == first
            for phrase, reading, _ in phrases.with_first(first)
        )
    )


def _match(start: int, end: int, reading: Reading) -> PhraseMatch:
    return PhraseMatch(start, end, start + reading.left, end - reading.right, reading)


def _readings_of(item: Item) -> Sequence[Reading]:
    """The readings of a phrase; a count in it is its number."""
    if isinstance(item.meaning[0], Reading):
        readings: Sequence[Reading] = item.meaning
        return readings
    readings, count = item.meaning
    return [replace(reading, number=count) for reading in readings]


def _find_numbers(atoms: Sequence[Atom], language: str) -> tuple[list[Item], list[Item]]:
    """The whole numbers from 1 on among the atoms, and the ordinals."""
    counts: list[Item] = []
    ordinals: list[Item] = []
    endings = load_number_phrases(language).ordinals
    for numeral in get_numeral_reader(language).find_in_words(atoms):
        if isinstance(numeral.value, int) and numeral.value > 0:
            item = Item(numeral.start, numeral.end, COUNT, numeral.value)
            (ordinals if numeral.ordinal else counts).append(item)
    for at, atom in enumerate(atoms):
        if atom.kind == "digits" and len(atom.text) <= _MAX_DIGITS and int(atom.text):
            end = _ordinal_end(atoms, at + 1, endings)
            if end:
                ordinals.append(Item(at, end, COUNT, int(atom.text)))
            else:
                counts.append(Item(at, at + 1, COUNT, int(atom.text)))
    return counts, ordinals


def _ordinal_end(atoms: Sequence[Atom], at: int, endings: frozenset[str]) -> int:
    """The end of the ending of an ordinal in digits (2nd, 2-й); 0 if there is none."""
    if at < len(atoms) and atoms[at].text == "-" and atoms[at].glued:
        at += 1
    is_ending = at < len(atoms) and atoms[at].glued and atoms[at].text in endings
    return at + 1 if is_ending else 0
