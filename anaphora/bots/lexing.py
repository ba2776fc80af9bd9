"""From a text to the tokens of arithmetic: numerals, and the words and signs of operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files

import yaml

from anaphora.entities.atoms import Atom, atoms
from anaphora.entities.languages import base, normalizer
from anaphora.entities.numbers.numerals import Literal, Numeral, NumeralReader, numerals

__all__ = ["Symbol", "runs"]

_MOST_DIGITS = 30
_BY_THEMSELVES = frozenset({"DOUBLE", "HALVE"})
_LANGUAGES = ("en", "ru")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A token of arithmetic with its place in the text (offsets, half open). ``spoken`` says
    that it is a word and no sign."""

    kind: str
    start: int
    end: int
    value: int | Fraction = 0
    spoken: bool = False


def runs(text: str, language: str) -> Iterator[list[Symbol]]:
    """The stretches of ``text`` that consist of symbols alone."""
    words = _words(base(language))
    found = atoms(text, normalizer(language))
    reader = numerals(base(language))
    mixed = reader.mixed(found, _literals(found, words.decimal))
    numbers = {one.start: one for one in mixed if _counts(one, found, reader)}
    run: list[Symbol] = []
    at = 0
    while at < len(found):
        symbol, after = None, at + 1
        if number := numbers.get(at):
            after = number.end
            symbol = Symbol("NUMBER", found[at].start, found[after - 1].end, number.value)
        elif operator := words.at(found, at):
            kind, after = operator
            spoken = found[at].kind == "word"
            symbol = Symbol(kind, found[at].start, found[after - 1].end, spoken=spoken)
        if symbol is not None:
            run.append(symbol)
        if symbol is None or after == len(found):
            if len(run) > 1 or (run and run[0].kind in _BY_THEMSELVES):
                yield run
            run = []
        at = after


def _counts(one: Numeral, found: Sequence[Atom], reader: NumeralReader) -> bool:
    """Whether it is a number here: no ordinal, and none of the words that mostly mean something
    else, but for fractions ("half of 8")."""
    if one.ordinal:
        return False
    spoken = found[one.start].kind == "word"
    whole = isinstance(one.value, int) or one.value.denominator == 1
    return not (spoken and whole and reader.is_weak(found[one.start : one.end]))


def _literals(found: Sequence[Atom], decimal: str) -> dict[int, Literal]:
    """The numbers in digits, by their first atoms. Of point and comma the one that the language
    does not use for decimals separates thousands, where three digits follow."""
    read: dict[int, Literal] = {}
    at = 0
    while at < len(found):
        if found[at].kind != "digits":
            at += 1
            continue
        start, digits, fraction = at, found[at].text, ""
        at += 1
        while _continues(found, at) and found[at].text != decimal and len(found[at + 1].text) == 3:
            digits += found[at + 1].text
            at += 2
        if _continues(found, at) and (found[at].text == decimal or at == start + 1):
            fraction = found[at + 1].text
            at += 2
        if len(digits) + len(fraction) <= _MOST_DIGITS:
            value = Fraction(int(digits + fraction), 10 ** len(fraction))
            read[start] = Literal(at, value)
    return read


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
    """The operators of one language by their first words."""

    def __init__(self, decimal: str, table: Mapping[str, Sequence[str]], language: str) -> None:
        self.decimal = decimal
        normalize = normalizer(language)
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for kind, phrases in table.items():
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
    table = dict(_table("signs"))
    own = dict(_table(language if language in _LANGUAGES else _LANGUAGES[0]))
    decimal = str(own.pop("decimal"))
    for kind, phrases in own.items():
        table[kind] = [*table.get(kind, ()), *phrases]
    return _Words(decimal, table, language)


def _table(name: str) -> Mapping[str, Sequence[str]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = files("anaphora.bots.operators").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    read: Mapping[str, Sequence[str]] = yaml.load(text, Loader=loader)
    return read
