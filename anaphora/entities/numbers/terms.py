"""What the words of a language mean in a numeral, read from its table.

A :class:`Vocabulary` takes a text of atoms apart into slots: a word or phrase of the table each,
or a part of a compound word (*vier|und|zwanzig*), with the terms that it may stand for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import regex

from anaphora.entities.atoms import Atom, atoms
from anaphora.entities.languages import normalizer
from anaphora.entities.numbers.tables import inflected, table

__all__ = ["Role", "Slot", "Term", "Vocabulary", "is_hyphen", "vocabulary"]

Role = Literal[
    "add",  # a value of its own: five, twenty, двести
    "times",  # multiplies what stands before it: hundred, million
    "glue",  # binds what is added: two hundred AND five
    "fraction",  # a fraction that may stand alone: half
    "part",  # one that is counted: two THIRDS
    "plus",  # one that is added without any glue: zweiEINHALB
    "with",  # what binds a fraction: two AND a half, два С половиной
    "article",  # stands before what is counted once: A hundred
    "point",  # three POINT five
    "over",  # stands between a denominator and its numerator: 三分之二
    "ordinal",  # makes what follows or precedes it an ordinal: 第五, 五番目
]

_COUNTED: dict[str, Role] = {"fractions": "fraction", "parts": "part", "plus": "plus"}
_PLAIN: dict[str, Role] = {"with": "with", "articles": "article", "point": "point", "over": "over"}
HYPHENS = frozenset("-‐‑")
_LONGEST_COMPOUND = 150
_UNITS = (10**12, 10**9, 10**6, 1000, 100, 10)


@dataclass(frozen=True, slots=True)
class Term:
    """What a word may stand for. What is added after it must be smaller than ``room``; glue stands
    where the room is at least ``room`` and at most ``high``; ``behind``: an ordinal's word stands
    behind the number."""

    role: Role
    value: int | Fraction = 0
    room: int = 0
    ordinal: bool = False
    high: int | None = None
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A word, a phrase, or a part of a word (``inner``: it is not the first one), with its place
    among the atoms; ``literal`` says that it is written in digits."""

    start: int
    end: int
    terms: tuple[Term, ...]
    inner: bool = False
    literal: bool = False

    def term(self, role: Role) -> Term | None:
        """The term of that role, if it has one."""
        return next((term for term in self.terms if term.role == role), None)


@lru_cache(maxsize=32)
def vocabulary(language: str) -> Vocabulary:
    """The vocabulary of a language; an empty one where there is no table."""
    return Vocabulary(language, table("numerals", language))


class Vocabulary:
    """The numerals of a language."""

    def __init__(self, language: str, written: Mapping[str, Any]) -> None:
        self._normalize = normalizer(language)
        self._fold = str.maketrans(written.get("fold", {})) if written.get("fold") else None
        self._never: set[tuple[str, ...]] = set()
        self._phrases: dict[tuple[str, ...], tuple[Term, ...]] = {}
        self.prefixes = tuple(written.get("prefixes", ()))
        self._joined = bool(written.get("apostrophes"))  # п'ять is one word
        self.inverted = bool(written.get("inverted"))
        self.positional = bool(written.get("positional"))
        self.short_tail = bool(written.get("short_tail"))
        self.ordinal_chain = bool(written.get("ordinal_chain"))
        self.weak = frozenset(self._key(word) for word in written.get("weak", ()))
        for phrase, term in _terms(written):
            self._add(phrase, term)
        for phrase in written.get("never", ()):
            self._never.add(self._key(phrase))
        self._heads: dict[str, int] = {}
        for key in (*self._phrases, *self._never):
            self._heads[key[0]] = max(len(key), self._heads.get(key[0], 1))
        self.heads = frozenset(key[0] for key in self._phrases)
        single = {key[0]: terms for key, terms in self._phrases.items() if len(key) == 1}
        self._single = single
        self._starts = frozenset(word[:2] for word in single)
        self.compounds = bool(written.get("compounds"))
        self.folds = self._fold is not None
        self._compound = _compound(single) if self.compounds else None

    def slots(self, found: Sequence[Atom]) -> list[Slot]:
        """What is known of the atoms, in their order; those that are unknown are left out."""
        slots: list[Slot] = []
        index, count = 0, len(found)
        heads, starts = self._heads, self._starts
        prefixes, fold, joined = self.prefixes, self._fold, self._joined
        while index < count:
            atom = found[index]
            if atom.kind == "digits":
                index += 1
                continue
            word, after = atom.text, index + 1
            if joined or fold is not None:
                word, after = self._word(found, index)
            if word in heads:
                after, terms = self._longest(found, index, heads[word])
                if terms:
                    slots.append(Slot(index, after, terms))
            elif self._compound is not None and word[:2] in starts:
                slots.extend(self._parts(word, index, after))
            elif prefixes and word.startswith(prefixes) and word[1:] in heads:
                after, terms = self._longest(found, index, heads[word[1:]], word[1:])
                glue = self._single.get(word[:1])
                if terms and glue:
                    slots.append(Slot(index, index + 1, glue))
                    slots.append(Slot(index, after, terms, inner=True))
            index = after
        return slots

    def is_weak(self, found: Sequence[Atom]) -> bool:
        """Whether these atoms are a word that is more often something else when it stands alone
        (*un*, the article)."""
        return tuple(self._folded(atom.text) for atom in found) in self.weak

    def _longest(
        self, found: Sequence[Atom], index: int, most: int, first: str | None = None
    ) -> tuple[int, tuple[Term, ...]]:
        """The end and the terms of the longest phrase of at most so many words that starts at an
        atom (with ``first`` in its place, if that is given); no terms where there is none, or one
        that is no numeral."""
        word, at = self._word(found, index)
        key: tuple[str, ...] = (first or word,)
        best = (at, () if key in self._never else self._phrases.get(key, ()))
        while at < len(found) and len(key) < most:
            if is_hyphen(found, at):
                at += 1
                continue
            if found[at].kind == "digits":
                break
            word, at = self._word(found, at)
            key = (*key, word)
            if key in self._never:
                best = (at, ())
            elif key in self._phrases:
                best = (at, self._phrases[key])
        return best

    def _word(self, found: Sequence[Atom], index: int) -> tuple[str, int]:
        """The word that starts at an atom, and the atom after it."""
        text, after = found[index].text, index + 1
        if self._joined and text.isalpha():
            while (
                after + 1 < len(found)
                and found[after].text == "'"
                and found[after].glued
                and found[after + 1].glued
                and found[after + 1].kind == "word"
            ):
                text, after = f"{text}'{found[after + 1].text}", after + 2
        return self._folded(text), after

    def _parts(self, word: str, index: int, after: int) -> Iterator[Slot]:
        if len(word) > _LONGEST_COMPOUND or self._compound is None:
            return
        match = self._compound.fullmatch(word)
        if match is None:
            return
        for number, part in enumerate(match.captures(1)):
            yield Slot(index, after, self._single[part], inner=number > 0)

    def _add(self, phrase: str, term: Term) -> None:
        plain = "".join(
            char for char in unicodedata.normalize("NFD", phrase) if not unicodedata.combining(char)
        )
        for spelling in {phrase, plain}:
            key = self._key(spelling)
            known = self._phrases.get(key, ())
            if term not in known:
                self._phrases[key] = (*known, term)

    def _key(self, phrase: str) -> tuple[str, ...]:
        found = [atom for atom in atoms(phrase, self._normalize) if atom.text not in HYPHENS]
        key, index = [], 0
        while index < len(found):
            word, index = self._word(found, index)
            key.append(word)
        return tuple(key)

    def _folded(self, word: str) -> str:
        return word if self._fold is None else word.translate(self._fold)


def is_hyphen(found: Sequence[Atom], index: int) -> bool:
    """Whether that atom is a hyphen between two words that touch it."""
    return (
        found[index].text in HYPHENS
        and found[index].glued
        and index + 1 < len(found)
        and found[index + 1].glued
    )


def _terms(written: Mapping[str, Any]) -> Iterator[tuple[str, Term]]:
    """The phrases of a table with what they stand for."""
    rooms = written.get("rooms", {})
    ordinal_rooms = {**rooms, **written.get("ordinal_rooms", {})}

    def forms(key: str) -> Iterator[tuple[int | Fraction, str]]:
        for value, listed in written.get(key, {}).items():
            number = value if isinstance(value, int) else Fraction(value)
            for form in listed if isinstance(listed, list) else [listed]:
                for phrase in inflected(str(form), written.get("endings", {})):
                    yield number, phrase

    for value, phrase in forms("values"):
        yield phrase, Term("add", value, _room(value, rooms))
    for value, phrase in forms("closed"):
        yield phrase, Term("add", value)
    for value, phrase in forms("multipliers"):
        yield phrase, Term("times", value)
    for value, phrase in forms("ordinals"):
        yield phrase, Term("add", value, _room(value, ordinal_rooms), ordinal=True)
    for value, phrase in forms("ordinal_multipliers"):
        yield phrase, Term("times", value, ordinal=True)
    for key, role in _COUNTED.items():
        for value, phrase in forms(key):
            yield phrase, Term(role, value)
    for phrase, (low, high) in written.get("glue", {}).items():
        yield phrase, Term("glue", room=low, high=high)
    for key, role in _PLAIN.items():
        for phrase in written.get(key, ()):
            yield phrase, Term(role)
    for key in ("ordinal_before", "ordinal_after"):
        for phrase in written.get(key, ()):
            yield phrase, Term("ordinal", ordinal=True, behind=key.endswith("after"))


def _room(value: int | Fraction, rooms: Mapping[int, int]) -> int:
    """Below what a value must be that is added to this one."""
    if isinstance(value, int) and value in rooms:
        return rooms[value]
    if value < 20 or isinstance(value, Fraction):
        return 0
    return next((unit for unit in _UNITS if value % unit == 0), 0)


def _compound(single: Mapping[str, object]) -> regex.Pattern[str]:
    longest_first = sorted(single, key=len, reverse=True)
    return regex.compile(f"(?:({'|'.join(map(regex.escape, longest_first))}))+")
