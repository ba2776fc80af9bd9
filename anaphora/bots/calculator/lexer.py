"""Split a text into arithmetic symbols: numerals, and words and signs of operators."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from anaphora.bots.tables import load_table
from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.numbers.numerals.numeral_reader import (
    EmbeddedNumber,
    Numeral,
    NumeralReader,
    get_numeral_reader,
)
from anaphora.entities.words.normalization import base_code, create_normalizer

__all__ = ["Run", "Symbol", "find_runs", "find_symbols", "is_spoken_share"]

_MAX_DIGITS = 30
_MAX_EXPONENT = 300
_GROUP_SIZE = 3  # digits between separators of thousands
_STANDALONE_KINDS = frozenset({"DOUBLE", "HALVE", "SQUARED", "CUBED", "ROOT"})


@dataclass(frozen=True, slots=True)
class Symbol:
    """An arithmetic token with its half-open character span. ``spoken`` is True for a word, False
    for a sign."""

    kind: str
    start: int
    end: int
    value: int | Fraction = 0
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A maximal sequence of symbols. ``follows_number`` is True if numbers precede it that belong
    to no run: in "5 km + 3", "+ 3" is not an expression."""

    symbols: tuple[Symbol, ...]
    follows_number: bool


def find_runs(text: str, language: str) -> Iterator[Run]:
    """Find the runs of symbols that may be expressions."""
    found, words, numbers = _read(text, language)
    run: list[Symbol] = []
    follows_number = False
    at = 0
    while at < len(found):
        symbols, after = _read_symbols(found, at, words, numbers)
        run += symbols
        if not symbols or after == len(found):
            is_last = all(one.kind == "mark" for one in found[at + 1 :])
            is_share = bool(run) and is_last and is_spoken_share(run[0])
            if len(run) > 1 or is_share or (run and run[0].kind in _STANDALONE_KINDS):
                yield Run(tuple(run), follows_number)
            else:
                follows_number = follows_number or any(one.kind == "NUMBER" for one in run)
            follows_number = follows_number or (not symbols and found[at].kind == "digits")
            run = []
        at = after


def find_symbols(text: str, language: str) -> list[Symbol]:
    """All symbols in a text, whether or not they may be an expression."""
    found, words, numbers = _read(text, language)
    all_symbols: list[Symbol] = []
    at = 0
    while at < len(found):
        symbols, at = _read_symbols(found, at, words, numbers)
        all_symbols += symbols
    return all_symbols


def is_spoken_share(symbol: Symbol) -> bool:
    """Whether a symbol is a number such as "half" and "a third"."""
    return symbol.kind == "NUMBER" and symbol.spoken and 0 < symbol.value < 1


@lru_cache(maxsize=8)  # each recognizer of the model reads the same text
def _read(
    text: str, language: str
) -> tuple[Sequence[Atom], _OperatorTable, Mapping[int, tuple[int, int | Fraction]]]:
    """The atoms of a text, the operators of its language, and the numbers in it."""
    words = _load_operators(base_code(language))
    found = split_atoms(text, create_normalizer(language))
    reader = get_numeral_reader(base_code(language))
    return found, words, _find_numbers(text, found, words, reader)


def _read_symbols(
    found: Sequence[Atom],
    at: int,
    words: _OperatorTable,
    numbers: Mapping[int, tuple[int, int | Fraction]],
) -> tuple[list[Symbol], int]:
    """The symbols that begin at an atom, if any, and the index of the next atom."""
    start = found[at].start
    if (times := words.folds.get(found[at].text)) and at + 1 in numbers:
        end = found[at].end
        return [Symbol("NUMBER", start, end, times), Symbol("TIMES", end, end)], at + 1
    if number := numbers.get(at):
        after, value = number
        spoken = found[at].kind == "word"
        return [Symbol("NUMBER", start, found[after - 1].end, value, spoken)], after
    if operator := words.match(found, at):
        kind, after = operator
        spoken = found[at].kind == "word"
        return [Symbol(kind, start, found[after - 1].end, spoken=spoken)], after
    return [], at + 1


def _find_numbers(
    text: str, found: Sequence[Atom], words: _OperatorTable, reader: NumeralReader
) -> dict[int, tuple[int, int | Fraction]]:
    """The numbers by the index of their first atom: the index after the last one, and the value."""
    numbers = {}
    for one in reader.find_mixed(found, _find_literals(text, found, words.decimal)):
        if _is_number(one, found, reader) and not _is_part_of_word(one, found, words):
            # "a third of" is a numeral, but here its "of" is the operator.
            last = words.match(found, one.end - 1) if one.end > one.start + 1 else None
            numbers[one.start] = one.end - (last is not None and last[0] == "OF"), one.value
    return numbers


def _is_number(one: Numeral, found: Sequence[Atom], reader: NumeralReader) -> bool:
    """Whether the numeral is a number here: not an ordinal, and not a word that mostly has another
    meaning, except for fractions ("half of 8")."""
    if one.ordinal:
        return False
    spoken = found[one.start].kind == "word"
    whole = isinstance(one.value, int) or one.value.denominator == 1
    return not (spoken and whole and reader.is_weak(found[one.start : one.end]))


def _is_part_of_word(one: Numeral, found: Sequence[Atom], words: _OperatorTable) -> bool:
    """Whether the numeral is part of a longer token: "5km", "A4", "1.2.3"."""
    before, behind = one.start - 1, one.end
    if before >= 0 and found[one.start].glued and words.match(found, before) is None:
        piece = found[before].kind != "mark"
        if piece or (found[before].text in (".", ",") and found[before].glued):
            return True
    if behind == len(found) or not found[behind].glued or found[behind].kind == "mark":
        return False
    return words.match(found, behind) is None


def _find_literals(text: str, found: Sequence[Atom], decimal: str) -> dict[int, EmbeddedNumber]:
    """The numbers in digits by the index of their first atom. Before three digits, a space and
    whichever of point and comma is not the decimal separator separate thousands."""
    literals: dict[int, EmbeddedNumber] = {}
    at = 0
    while at < len(found):
        start = at
        if (part := _parse_fraction(text, found[at])) is not None:
            at += 1
            literals[start] = EmbeddedNumber(at, part)
            continue
        if found[at].kind != "digits":
            at += 1
            continue
        digits, fraction, exponent = found[at].text, "", 0
        at += 1
        grouped = len(digits) <= _GROUP_SIZE
        while grouped and (more := _group_length(text, found, at, decimal)):
            digits += found[at + more - 1].text
            at += more
        if _is_separator(found, at) and (found[at].text == decimal or at == start + 1):
            fraction = found[at + 1].text
            at += 2
        if power := _read_exponent(found, at):
            exponent, at = power
        part = _parse_fraction(text, found[at]) if at < len(found) and found[at].glued else None
        at += part is not None
        if len(digits) + len(fraction) <= _MAX_DIGITS and abs(exponent) <= _MAX_EXPONENT:
            value = Fraction(int(digits + fraction)) * Fraction(10) ** (exponent - len(fraction))
            literals[start] = EmbeddedNumber(at, value + (part or 0))
    return literals


def _group_length(text: str, found: Sequence[Atom], at: int, decimal: str) -> int:
    """The number of atoms of a thousands separator and the three digits after it; 0 if there are
    none."""
    if _is_separator(found, at) and found[at].text != decimal:
        return 2 if len(found[at + 1].text) == _GROUP_SIZE else 0
    if at == len(found) or found[at].kind != "digits" or len(found[at].text) != _GROUP_SIZE:
        return 0
    gap = text[found[at - 1].end : found[at].start]
    return 1 if len(gap) == 1 and gap.isspace() else 0


def _read_exponent(found: Sequence[Atom], at: int) -> tuple[int, int] | None:
    """The exponent of "1e5" and "1e-5", and the index of the next atom."""
    if at >= len(found) or found[at].text != "e" or not found[at].glued:
        return None
    signed = at + 1 < len(found) and found[at + 1].text in ("-", "+") and found[at + 1].glued
    digits = at + 2 if signed else at + 1
    if digits >= len(found) or found[digits].kind != "digits" or not found[digits].glued:
        return None
    sign = -1 if signed and found[at + 1].text == "-" else 1
    # More digits are too large anyway, and int() is slow on them.
    return sign * int(found[digits].text[:_MAX_DIGITS]), digits + 1


def _parse_fraction(text: str, atom: Atom) -> Fraction | None:
    """The value of a fraction character such as ½."""
    if atom.kind != "mark" or atom.end - atom.start != 1:
        return None
    value = unicodedata.numeric(text[atom.start], 0)
    return Fraction(value).limit_denominator(10) if value % 1 else None


def _is_separator(found: Sequence[Atom], at: int) -> bool:
    """Whether there is a point or a comma followed by digits."""
    return (
        at + 1 < len(found)
        and found[at].text in (".", ",")
        and found[at].glued
        and found[at + 1].glued
        and found[at + 1].kind == "digits"
    )


class _OperatorTable:
    """The operators of a language by their first words. ``folds`` are words that multiply the
    number after them («дважды»)."""

    def __init__(self, table: Mapping[str, Any], language: str) -> None:
        normalize = create_normalizer(language)
        self.decimal = str(table["decimal"])
        self.folds = {normalize(word): count for word, count in table.get("folds", {}).items()}
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for kind, phrases in table.items():
            if not kind.isupper():
                continue
            for phrase in phrases:
                words = tuple(atom.text for atom in split_atoms(phrase, normalize))
                self._phrases.setdefault(words[0], []).append((words, kind))
        for listed in self._phrases.values():
            listed.sort(key=lambda one: -len(one[0]))

    def match(self, found: Sequence[Atom], at: int) -> tuple[str, int] | None:
        """The longest operator that begins at this atom, and the index of the next atom."""
        for words, kind in self._phrases.get(found[at].text, ()):
            end = at + len(words)
            if tuple(atom.text for atom in found[at:end]) == words:
                return kind, end
        return None


_FOLDER = "calculator/operators"


@lru_cache(maxsize=16)
def _load_operators(language: str) -> _OperatorTable:
    own = load_table(f"{_FOLDER}/{language}.yaml") or load_table(f"{_FOLDER}/en.yaml")
    signs = load_table(f"{_FOLDER}/signs.yaml")
    both = {kind: [*signs.get(kind, ()), *own.get(kind, ())] for kind in signs}
    return _OperatorTable({**own, **both}, language)
