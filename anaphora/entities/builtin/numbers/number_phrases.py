"""The phrases around numbers in a language: comparisons, ranges, percent, suffixes, scales.

They come from ``languages/<code>/numbers.yaml``; the file of ``en`` documents the keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.language_region import region_of
from anaphora.entities.builtin.numbers.digits import DigitParser
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.builtin.numbers.roman import RomanContext, load_roman_context
from anaphora.entities.builtin.numbers.units import Unit, load_currencies, load_units
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code, create_normalizer

__all__ = ["TIMES", "Comparison", "NumberPhrases", "RangeConnector", "load_number_phrases"]

Comparison: TypeAlias = Literal["more", "least", "less", "most", "about", "not", "plain"]

_COMPARISON_SIGNS: dict[Comparison, list[str]] = {
    "more": [">"],
    "least": [">=", "≥", "=>"],
    "less": ["<"],
    "most": ["<=", "≤", "=<"],
    "about": ["~", "≈"],
    "not": ["!=", "≠"],
    "plain": ["="],
}
_WORD_LISTS = (
    *("ordinals", "hyphenated", "ordinal_dot", "clitics", "attaching", "particles"),
    *("rough", "rough_ones"),
    *("never_alone", "compared_endings", "case_endings", "uninflected_alone"),
    *("pronouns", "determiners", "definite", "dimensions", "links"),
)
_NUMBER_SIGNS = ("#", "№", "nº", "n°")
TIMES = frozenset({"x", "х", "×"})  # 2x espresso


@dataclass(frozen=True, slots=True)
class RangeConnector:
    """A phrase between the ends of a range, with the phrases that may open the range (an empty one,
    if none is needed) and those that close one without an opening (an empty one, if none is
    needed)."""

    openings: frozenset[str]
    closings: frozenset[str]


@dataclass(frozen=True, slots=True)
class NumberPhrases:
    """The phrases of a language, and its parser of numbers in digits."""

    digits: DigitParser
    minus: PhraseLookup[str]
    percent_behind: PhraseLookup[str]
    percent_before: PhraseLookup[str]
    comparisons_before: PhraseLookup[Comparison]
    comparisons_after: PhraseLookup[Comparison]
    range_openings: PhraseLookup[str]
    range_connectors: PhraseLookup[RangeConnector]
    range_closings: PhraseLookup[str]
    bound_connectors: PhraseLookup[str]
    below_zero: PhraseLookup[str]
    counters: PhraseLookup[str]
    labels: PhraseLookup[bool]
    currencies: PhraseLookup[str]
    of_words: PhraseLookup[str]
    sum_connectors: PhraseLookup[str]
    indefinite_articles: PhraseLookup[str]
    decimal_words: PhraseLookup[str]
    point_words: PhraseLookup[str]
    alone: PhraseLookup[int]
    tenths: PhraseLookup[bool]
    hundredths: frozenset[str]
    open_ends: frozenset[str]
    roman: RomanContext | None
    scales: Mapping[str, int]
    unit_words: Mapping[str, tuple[Fraction, Unit]]
    ordinals: frozenset[str]
    hyphenated: frozenset[str]
    ordinal_dot: frozenset[str]
    cardinals: frozenset[str]
    clitics: frozenset[str]
    attaching: frozenset[str]
    rough: frozenset[str]
    rough_ones: frozenset[str]
    never_alone: frozenset[str]
    compared_endings: frozenset[str]
    case_endings: frozenset[str]
    uninflected_alone: frozenset[str]
    pairs: Mapping[tuple[str, str], tuple[str, str]]
    particles: frozenset[str]
    pronouns: frozenset[str]
    determiners: frozenset[str]
    definite: frozenset[str]
    dimensions: frozenset[str]
    links: frozenset[str]
    has_bare_ones: bool
    has_bare_halves: bool
    has_years_in_halves: bool

    def skip_counter(self, atoms: Sequence[Atom], end: int, unit: Unit | None) -> int:
        """The end of the counter word behind a number without a unit (三個); ``end``, the end of
        the number, if there is none."""
        behind = self.counters.find_after(atoms, end) if unit is None else None
        return end if behind is None else behind[0]


@lru_cache(maxsize=32)
def load_number_phrases(language: str) -> NumberPhrases:
    """The phrases of a language; only digits and signs, if it has no table."""
    written = cached_table(base_code(language), "numbers")
    numerals = cached_table(base_code(language), "numerals")
    normalize = create_normalizer(language)
    decimal, groups = _separators(language, written)
    endings = written.get("endings", {})

    def texts(key: str) -> PhraseLookup[str]:
        return PhraseLookup(language, iter_phrases(written, key))

    def words(key: str) -> frozenset[str]:
        return frozenset(normalize(word) for word, _ in iter_phrases(written, key))

    percent = [("%", "%"), ("٪", "%"), *iter_phrases(written, "percent")]
    ranges = [(*one, "")[:3] for one in written.get("ranges", ())]  # the closing may be absent
    return NumberPhrases(
        digits=DigitParser(decimal, groups),
        minus=texts("minus"),
        percent_behind=PhraseLookup(language, percent),
        percent_before=texts("percent_before"),
        comparisons_before=PhraseLookup(
            language,
            (*_comparisons(_COMPARISON_SIGNS), *_comparisons(written.get("before", {}), endings)),
        ),
        comparisons_after=PhraseLookup(language, _comparisons(written.get("behind", {}), endings)),
        range_openings=PhraseLookup(language, [(opening, opening) for opening, _, _ in ranges]),
        range_connectors=PhraseLookup(language, _range_connectors(ranges)),
        range_closings=PhraseLookup(language, [(closing, closing) for _, _, closing in ranges]),
        bound_connectors=texts("joins"),
        below_zero=texts("below_zero"),
        counters=texts("counters"),
        labels=PhraseLookup(language, _labels(written)),
        currencies=PhraseLookup(language, _currencies(language)),
        of_words=texts("of"),
        sum_connectors=texts("sums"),
        indefinite_articles=texts("ones"),
        decimal_words=texts("decimal_words"),
        point_words=PhraseLookup(language, iter_phrases(numerals, "point")),
        alone=PhraseLookup(language, iter_phrases(written, "alone")),
        tenths=PhraseLookup(
            language,
            [
                (phrase, key == "tenths")
                for key in ("tenths", "no_tenths")
                for phrase, _ in iter_phrases(written, key)
            ],
        ),
        hundredths=words("hundredths"),
        open_ends=words("open_ends"),
        roman=load_roman_context(language),
        pairs=dict(_pairs(written)),
        scales={normalize(word): scale for word, scale in iter_phrases(written, "scales")},
        unit_words={
            normalize(word): _parse_amount(one) for word, one in iter_phrases(written, "amounts")
        },
        cardinals=words("cardinals") | TIMES,
        **{key: words(key) for key in _WORD_LISTS},
        has_bare_ones="" in written.get("ones", ()),
        has_bare_halves=bool(written.get("bare_halves")),
        has_years_in_halves=bool(written.get("years_in_halves")),
    )


def _pairs(written: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """The short forms of two numbers that are written as one word, with their usual forms."""
    for word, (first, second) in written.get("pairs", {}).items():
        short, _, other = word.partition("|")
        yield (short, other), (first, second)


def _labels(written: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The phrases that label the number behind them (#, "room"); False for longer phrases that are
    no labels."""
    yield from ((sign, True) for sign in _NUMBER_SIGNS)
    yield from ((phrase, True) for phrase, _ in iter_phrases(written, "labels"))
    yield from ((phrase, False) for phrase, _ in iter_phrases(written, "no_labels"))


def _currencies(language: str) -> Iterator[tuple[str, str]]:
    """The names, signs and codes of currencies, each with itself as the meaning."""
    core = load_currencies()
    codes = core["codes"].split()
    names = [
        *iter_phrases(core, "signs"),
        *iter_phrases(core, "exact"),
        *iter_phrases(core, "everywhere"),
        *iter_phrases(cached_table(base_code(language), "money"), "names"),
    ]
    yield from ((phrase, phrase) for phrase in (*codes, *(str(name) for name, _ in names)))


def _parse_amount(written: str) -> tuple[Fraction, Unit]:
    """Parse a number and a unit: ``1/2 h``."""
    value, name = written.split()
    return Fraction(value), load_units().units[name]


def _separators(language: str, written: Mapping[str, Any]) -> tuple[str, str]:
    """The decimal mark and the group marks of a language, or of its region (``es-MX``)."""
    own = written.get("regions", {}).get(region_of(language), {})
    marks = {"decimal": ".", "groups": ",", **written, **own}
    return marks["decimal"], marks["groups"]


def _comparisons(
    written: Mapping[Comparison, Any], endings: Mapping[str, Any] = MappingProxyType({})
) -> Iterator[tuple[str, Comparison]]:
    yield from iter_phrases({"by": written, "endings": endings}, "by")


def _range_connectors(ranges: list[tuple[str, str, str]]) -> Iterator[tuple[str, RangeConnector]]:
    for phrase in dict.fromkeys(middle for _, middle, _ in ranges):
        own = [one for one in ranges if one[1] == phrase]
        openings = frozenset(opening for opening, _, _ in own)
        closings = frozenset(closing for opening, _, closing in own if not opening)
        yield phrase, RangeConnector(openings, closings)
