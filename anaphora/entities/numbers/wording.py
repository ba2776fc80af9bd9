"""What stands around numbers in a language: comparisons, ranges, percent, suffixes, scales.

All of it comes from ``languages/<code>/numbers.yaml``; that of ``en`` says what the keys are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from anaphora.entities.atoms import Atom
from anaphora.entities.language_tables import cached_table
from anaphora.entities.languages import base, normalizer
from anaphora.entities.numbers.literals import DigitReader
from anaphora.entities.numbers.measures import Unit, measures
from anaphora.entities.numbers.phrases import Phrases, listed
from anaphora.entities.numbers.tables import common

__all__ = ["TIMES", "Comparison", "Middle", "Wording", "wording"]

Comparison: TypeAlias = Literal["more", "least", "less", "most", "about", "not", "plain"]

_MARKS: dict[Comparison, list[str]] = {
    "more": [">"],
    "least": [">=", "≥", "=>"],
    "less": ["<"],
    "most": ["<=", "≤", "=<"],
    "about": ["~", "≈"],
    "not": ["!=", "≠"],
    "plain": ["="],
}
_NUMBER_SIGNS = ("#", "№", "nº", "n°")
TIMES = frozenset({"x", "х", "×"})  # 2x espresso


@dataclass(frozen=True, slots=True)
class Middle:
    """What stands between the ends of a range: the phrases that may open it (an empty one, if it
    needs none), and those that may close it."""

    openings: frozenset[str]
    closings: frozenset[str]


@dataclass(frozen=True, slots=True)
class Wording:
    """The phrases of a language."""

    digits: DigitReader
    minus: Phrases[str]
    percent_behind: Phrases[str]
    percent_before: Phrases[str]
    before: Phrases[Comparison]
    behind: Phrases[Comparison]
    openings: Phrases[str]
    middles: Phrases[Middle]
    closings: Phrases[str]
    joins: Phrases[str]
    below_zero: Phrases[str]
    counters: Phrases[str]
    labels: Phrases[bool]
    currencies: Phrases[str]
    of: Phrases[str]
    sums: Phrases[str]
    ones: Phrases[str]
    scales: Mapping[str, int]
    amounts: Mapping[str, tuple[Fraction, Unit]]
    ordinals: frozenset[str]
    ordinal_dot: frozenset[str]
    cardinals: frozenset[str]
    clitics: frozenset[str]
    pronouns: frozenset[str]
    determiners: frozenset[str]
    definite: frozenset[str]
    has_bare_ones: bool
    has_years_in_halves: bool

    def after_counter(self, found: Sequence[Atom], end: int, unit: Unit | None) -> int:
        """Behind the word that counts what a number without a unit stands for (三個), if there is
        one; else ``end``, which is behind the number."""
        behind = self.counters.behind(found, end) if unit is None else None
        return end if behind is None else behind[0]


@lru_cache(maxsize=32)
def wording(language: str) -> Wording:
    """The phrases of a language; marks and digits alone where there is no table."""
    written = cached_table(base(language), "numbers")
    normalize = normalizer(language)
    decimal, groups = _separators(language, written)

    def texts(key: str) -> Phrases[str]:
        return Phrases(language, listed(written, key))

    def words(key: str) -> frozenset[str]:
        return frozenset(normalize(word) for word, _ in listed(written, key))

    percent = [("%", "%"), ("٪", "%"), *listed(written, "percent")]
    ranges = [_range(one) for one in written.get("ranges", ())]
    return Wording(
        digits=DigitReader(decimal, groups),
        minus=texts("minus"),
        percent_behind=Phrases(language, percent),
        percent_before=texts("percent_before"),
        before=Phrases(language, (*_comparisons(_MARKS), *_comparisons(written.get("before", {})))),
        behind=Phrases(language, _comparisons(written.get("behind", {}))),
        openings=Phrases(language, [(opening, opening) for opening, _, _ in ranges if opening]),
        middles=Phrases(language, _middles(ranges)),
        closings=Phrases(language, [(closing, closing) for _, _, closing in ranges if closing]),
        joins=texts("joins"),
        below_zero=texts("below_zero"),
        counters=texts("counters"),
        labels=Phrases(language, _labels(written)),
        currencies=Phrases(language, _currencies(language)),
        of=texts("of"),
        sums=texts("sums"),
        ones=texts("ones"),
        scales={normalize(word): scale for word, scale in listed(written, "scales")},
        amounts={normalize(word): _amount(one) for word, one in listed(written, "amounts")},
        ordinals=words("ordinals"),
        ordinal_dot=words("ordinal_dot"),
        cardinals=words("cardinals") | TIMES,
        clitics=words("clitics"),
        pronouns=words("pronouns"),
        determiners=words("determiners"),
        definite=words("definite"),
        has_bare_ones="" in written.get("ones", ()),
        has_years_in_halves=bool(written.get("years_in_halves")),
    )


def _labels(written: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The phrases before a number that say what it is the number of; False for longer ones that
    do not say so after all."""
    yield from ((sign, True) for sign in _NUMBER_SIGNS)
    yield from ((phrase, True) for phrase, _ in listed(written, "labels"))
    yield from ((phrase, False) for phrase, _ in listed(written, "no_labels"))


def _currencies(language: str) -> Iterator[tuple[str, str]]:
    """The names, signs and codes of currencies, each standing for itself."""
    core = common("currencies")
    codes = [*core["codes"].split(), *core["lower"].split()]
    names = [*listed(core, "signs"), *listed(cached_table(base(language), "money"), "names")]
    yield from ((phrase, phrase) for phrase in (*codes, *(str(name) for name, _ in names)))


def _amount(written: str) -> tuple[Fraction, Unit]:
    """What is written as a number and a unit: 1/2 h."""
    value, name = written.split()
    return Fraction(value), measures().units[name]


def _separators(language: str, written: Mapping[str, Any]) -> tuple[str, str]:
    """The decimal mark and the marks between groups, as they are in the country of the
    language, if one is named (``es-MX``)."""
    region = language.replace("_", "-").partition("-")[2].upper()
    own = written.get("regions", {}).get(region, {})
    marks = {"decimal": ".", "groups": ",", **written, **own}
    return marks["decimal"], marks["groups"]


def _comparisons(written: Mapping[Comparison, Any]) -> Iterator[tuple[str, Comparison]]:
    yield from listed({"by": written}, "by")


def _range(written: list[str]) -> tuple[str, str, str]:
    opening, middle, *closing = written
    return opening, middle, closing[0] if closing else ""


def _middles(ranges: list[tuple[str, str, str]]) -> Iterator[tuple[str, Middle]]:
    for phrase in dict.fromkeys(middle for _, middle, _ in ranges):
        of_it = [one for one in ranges if one[1] == phrase]
        openings = frozenset(opening for opening, _, _ in of_it)
        yield phrase, Middle(openings, frozenset(closing for *_, closing in of_it if closing))
