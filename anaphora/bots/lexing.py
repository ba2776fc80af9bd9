"""From a text to the tokens of arithmetic: numerals, and the words and signs of operators."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from anaphora.bots.tables import read_table
from anaphora.entities.atoms import Atom, atoms
from anaphora.entities.languages import base, normalizer
from anaphora.entities.numbers.numerals import Literal, Numeral, NumeralReader, numerals

__all__ = ["Run", "Symbol", "runs"]

_MOST_DIGITS = 30
_LARGEST_EXPONENT = 300
_GROUP = 3  # digits between separators of thousands
_BY_THEMSELVES = frozenset({"DOUBLE", "HALVE", "SQUARED", "CUBED", "ROOT"})


@dataclass(frozen=True, slots=True)
class Symbol:
    """A token of arithmetic with its place in the text (offsets, half open). ``spoken`` says
    that it is a word and no sign."""

    kind: str
    start: int
    end: int
    value: int | Fraction = 0
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text that consists of symbols alone. ``torn`` says that numbers before it are
    no part of any: of "5 km + 3" the "+ 3" is not what was meant."""

    symbols: tuple[Symbol, ...]
    torn: bool


def runs(text: str, language: str) -> Iterator[Run]:
    """The runs of ``text`` that may be expressions."""
    words = _words(base(language))
    found = atoms(text, normalizer(language))
    numbers = _numbers(text, found, words, numerals(base(language)))
    run: list[Symbol] = []
    torn = False
    at = 0
    while at < len(found):
        symbols, after = _symbols(found, at, words, numbers)
        run += symbols
        if not symbols or after == len(found):
            if len(run) > 1 or (run and run[0].kind in _BY_THEMSELVES):
                yield Run(tuple(run), torn)
            else:
                torn = torn or any(one.kind == "NUMBER" for one in run)
            torn = torn or (not symbols and found[at].kind == "digits")
            run = []
        at = after


def _symbols(
    found: Sequence[Atom], at: int, words: _Words, numbers: Mapping[int, tuple[int, int | Fraction]]
) -> tuple[list[Symbol], int]:
    """The symbols that begin with an atom, none if there is none, and the atom after them."""
    start = found[at].start
    if (times := words.folds.get(found[at].text)) and at + 1 in numbers:
        end = found[at].end
        return [Symbol("NUMBER", start, end, times), Symbol("TIMES", end, end)], at + 1
    if number := numbers.get(at):
        after, value = number
        return [Symbol("NUMBER", start, found[after - 1].end, value)], after
    if operator := words.at(found, at):
        kind, after = operator
        spoken = found[at].kind == "word"
        return [Symbol(kind, start, found[after - 1].end, spoken=spoken)], after
    return [], at + 1


def _numbers(
    text: str, found: Sequence[Atom], words: _Words, reader: NumeralReader
) -> dict[int, tuple[int, int | Fraction]]:
    """The numbers by their first atoms: the atom after each, and its value."""
    read = {}
    for one in reader.mixed(found, _literals(text, found, words.decimal)):
        if _counts(one, found, reader) and not _is_glued_to_words(one, found, words):
            # "a third of" is a numeral, but here its "of" is what is done with it.
            last = words.at(found, one.end - 1) if one.end > one.start + 1 else None
            read[one.start] = one.end - (last is not None and last[0] == "OF"), one.value
    return read


def _counts(one: Numeral, found: Sequence[Atom], reader: NumeralReader) -> bool:
    """Whether it is a number here: no ordinal, and none of the words that mostly mean something
    else, but for fractions ("half of 8")."""
    if one.ordinal:
        return False
    spoken = found[one.start].kind == "word"
    whole = isinstance(one.value, int) or one.value.denominator == 1
    return not (spoken and whole and reader.is_weak(found[one.start : one.end]))


def _is_glued_to_words(one: Numeral, found: Sequence[Atom], words: _Words) -> bool:
    """Whether it is but a piece of something: of "5km", "A4", "1.2.3"."""
    before, behind = one.start - 1, one.end
    if before >= 0 and found[one.start].glued and words.at(found, before) is None:
        piece = found[before].kind != "mark"
        if piece or (found[before].text in (".", ",") and found[before].glued):
            return True
    if behind == len(found) or not found[behind].glued or found[behind].kind == "mark":
        return False
    return words.at(found, behind) is None


def _literals(text: str, found: Sequence[Atom], decimal: str) -> dict[int, Literal]:
    """The numbers in digits, by their first atoms. Of point and comma the one that the language
    does not use for decimals separates thousands, where three digits follow; so does a blank."""
    read: dict[int, Literal] = {}
    at = 0
    while at < len(found):
        start = at
        if (part := _fraction(text, found[at])) is not None:
            at += 1
            read[start] = Literal(at, part)
            continue
        if found[at].kind != "digits":
            at += 1
            continue
        digits, fraction, exponent = found[at].text, "", 0
        at += 1
        grouped = len(digits) <= _GROUP
        while grouped and (more := _group(text, found, at, decimal)):
            digits += found[at + more - 1].text
            at += more
        if _continues(found, at) and (found[at].text == decimal or at == start + 1):
            fraction = found[at + 1].text
            at += 2
        if power := _exponent(found, at):
            exponent, at = power
        part = _fraction(text, found[at]) if at < len(found) and found[at].glued else None
        at += part is not None
        if len(digits) + len(fraction) <= _MOST_DIGITS and abs(exponent) <= _LARGEST_EXPONENT:
            value = Fraction(int(digits + fraction)) * Fraction(10) ** (exponent - len(fraction))
            read[start] = Literal(at, value + (part or 0))
    return read


def _group(text: str, found: Sequence[Atom], at: int, decimal: str) -> int:
    """How many atoms a separator and three digits behind it take; 0 if they are not there."""
    if _continues(found, at) and found[at].text != decimal and len(found[at + 1].text) == _GROUP:
        return 2
    if at == len(found) or found[at].kind != "digits" or len(found[at].text) != _GROUP:
        return 0
    gap = text[found[at - 1].end : found[at].start]
    return 1 if len(gap) == 1 and gap.isspace() else 0


def _exponent(found: Sequence[Atom], at: int) -> tuple[int, int] | None:
    """The exponent of "1e5" and "1e-5", and the atom after it."""
    if at >= len(found) or found[at].text != "e" or not found[at].glued:
        return None
    signed = at + 1 < len(found) and found[at + 1].text in ("-", "+") and found[at + 1].glued
    digits = at + 2 if signed else at + 1
    if digits >= len(found) or found[digits].kind != "digits" or not found[digits].glued:
        return None
    sign = -1 if signed and found[at + 1].text == "-" else 1
    # What has more digits is too large anyway, and int() takes its time for it.
    return sign * int(found[digits].text[:_MOST_DIGITS]), digits + 1


def _fraction(text: str, atom: Atom) -> Fraction | None:
    """What ½ is."""
    if atom.kind != "mark" or atom.end - atom.start != 1:
        return None
    value = unicodedata.numeric(text[atom.start], 0)
    return Fraction(value).limit_denominator(10) if value % 1 else None


def _continues(found: Sequence[Atom], at: int) -> bool:
    """Whether a separator with further digits stands there."""
    return (
        at + 1 < len(found)
        and found[at].text in (".", ",")
        and found[at].glued
        and found[at + 1].glued
        and found[at + 1].kind == "digits"
    )


class _Words:
    """The operators of one language by their first words. ``folds`` are words that multiply the
    number behind them."""

    def __init__(self, table: Mapping[str, Any], language: str) -> None:
        normalize = normalizer(language)
        self.decimal = str(table["decimal"])
        self.folds = {normalize(word): count for word, count in table.get("folds", {}).items()}
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for kind, phrases in table.items():
            if not kind.isupper():
                continue
            for phrase in phrases:
                words = tuple(atom.text for atom in atoms(phrase, normalize))
                self._phrases.setdefault(words[0], []).append((words, kind))
        for listed in self._phrases.values():
            listed.sort(key=lambda one: -len(one[0]))

    def at(self, found: Sequence[Atom], at: int) -> tuple[str, int] | None:
        """The longest operator that begins with this atom, and the atom after it."""
        for words, kind in self._phrases.get(found[at].text, ()):
            end = at + len(words)
            if tuple(atom.text for atom in found[at:end]) == words:
                return kind, end
        return None


@lru_cache(maxsize=16)
def _words(language: str) -> _Words:
    own = read_table(f"operators/{language}.yaml") or read_table("operators/en.yaml")
    signs = read_table("operators/signs.yaml")
    both = {kind: [*signs.get(kind, ()), *own.get(kind, ())] for kind in signs}
    return _Words({**own, **both}, language)
