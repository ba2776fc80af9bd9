"""What other packages read in the same phrases, each in the kinds and languages that it supports.

Each gets the language, where it takes one. A value counts wherever it stands in the phrase, and
where a package is not exact it gets the benefit of the doubt: of a price the amount counts, with
any currency.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.util import find_spec
from math import isclose
from types import ModuleType
from typing import Any, Final
from unicodedata import normalize

from benchmarks.duckling.phrases import REFERENCE, Phrase

__all__ = ["INSTALL", "PEERS", "Peer"]

INSTALL: Final = "pip install 'anaphora[peers]'"
"""How to install the peers."""

_ORDINAL_SUFFIX: Final = r"[.°]|st|nd|rd|th|[eè]me|ème|ère|er|re|e|o|a|os|as"
_NUMBER: Final = re.compile(rf"(-?\d[\d,.]*)({_ORDINAL_SUFFIX})?(?!\w)")
_TEXT2NUM_LANGUAGES: Final = ("de", "en", "es", "fr", "it", "pt")
_UNIT_SECONDS: Final[Mapping[str, int]] = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_629_746,
    "year": 31_556_952,
}  # fmt: skip
_UNITS: Final = {"Quarter": 7_889_238} | {
    name.title(): seconds for name, seconds in _UNIT_SECONDS.items()
}
_TOLERANCE: Final = 2e-3  # of months and years


@dataclass(frozen=True, slots=True)
class Peer:
    """A package and how it reads a phrase; ``languages`` are those of each kind, None for all."""

    name: str
    module: str
    languages: Mapping[str, Collection[str] | None]
    is_right: Callable[[Phrase], bool]

    @property
    def is_installed(self) -> bool:
        """Whether the package can be imported."""
        return find_spec(self.module) is not None

    def reads(self, kind: str, language: str) -> bool:
        """Whether it supports phrases of that kind in a language."""
        if kind not in self.languages:
            return False
        known = self.languages[kind]
        return known is None or language in known


def _is_right_by_dateparser(phrase: Phrase) -> bool:
    """Whether dateparser, told the language, finds the start of a time. It has no intervals."""
    from dateparser.search import search_dates

    limit = phrase.expected[2 if phrase.expected[0] == "open" else 1]
    settings = {
        "RELATIVE_BASE": REFERENCE.replace(tzinfo=None),
        "PREFER_DATES_FROM": "future",
    }
    found = search_dates(phrase.text, languages=[phrase.language], settings=settings) or ()
    return any(at.replace(tzinfo=None) == datetime.fromisoformat(limit) for _, at in found)


def _is_right_by_quantulum(phrase: Phrase) -> bool:
    """Whether quantulum3 finds the number, the amount in whatever currency, or the duration; of
    several parts also their sum."""
    found = _load_quantulum().parse(phrase.text)
    expected, unit = phrase.expected[0], phrase.expected[-1]
    if phrase.kind == "Numeral":
        return any(isclose(one.value, expected) for one in found)
    if phrase.kind == "Duration":
        lengths = [
            one.value * _UNIT_SECONDS[one.unit.name]
            for one in found
            if one.unit.name in _UNIT_SECONDS
        ]
        seconds = expected * _UNITS[unit]
        return any(
            isclose(length, seconds, rel_tol=_TOLERANCE) for length in (*lengths, sum(lengths))
        )
    amounts = [
        one.value / (100 if one.unit.name == "cent" else 1)
        for one in found
        if one.unit.entity.name == "currency"
    ]
    amount = unit / 100 if expected == "Cent" else unit
    return any(isclose(one, amount) for one in (*amounts, sum(amounts)))


@lru_cache(maxsize=1)
def _load_quantulum() -> ModuleType:
    """Load quantulum3 without its classifier: the model of that depends on an old scikit-learn."""
    from quantulum3 import classifier, parser

    classifier.USE_CLF = False
    module: ModuleType = parser
    return module


def _is_right_by_price_parser(phrase: Phrase) -> bool:
    """Whether price-parser finds the amount, in whatever currency."""
    from price_parser import Price

    currency, expected = phrase.expected
    amount = Price.fromstring(phrase.text).amount_float
    if amount is None:
        return False
    return isclose(amount, expected) or (currency == "Cent" and isclose(amount * 100, expected))


def _is_right_by_text2num(phrase: Phrase) -> bool:
    """Whether text2num writes the number in digits: an ordinal with a suffix."""
    from text_to_num import alpha2digit

    written = normalize("NFKC", alpha2digit(phrase.text, phrase.language, 0))
    is_ordinal = phrase.kind == "Ordinal"
    return any(
        isclose(number, phrase.expected[0])
        for number, has_suffix in _find_numbers(written)
        if has_suffix or not is_ordinal
    )


def _find_numbers(text: str) -> Iterator[tuple[float, bool]]:
    """The numbers in digits, each in both readings of its marks, and whether it has the suffix of
    an ordinal."""
    for match in _NUMBER.finditer(text):
        digits = match[1].rstrip(".,")
        has_suffix = bool(match[2]) or digits != match[1]
        for mark in ".,":
            plain = digits.replace("," if mark == "." else ".", "").replace(mark, ".")
            if plain.count(".") <= 1:
                yield float(plain), has_suffix


_ENGLISH: Final = frozenset({"en"})
_ALL: Final[Any] = None

PEERS: Final = (
    Peer("dateparser", "dateparser", {"Time": _ALL}, _is_right_by_dateparser),
    Peer(
        "quantulum3",
        "quantulum3",
        dict.fromkeys(("Numeral", "AmountOfMoney", "Duration"), _ENGLISH),
        _is_right_by_quantulum,
    ),
    Peer("price-parser", "price_parser", {"AmountOfMoney": _ALL}, _is_right_by_price_parser),
    Peer(
        "text2num",
        "text_to_num",
        dict.fromkeys(("Numeral", "Ordinal"), _TEXT2NUM_LANGUAGES),
        _is_right_by_text2num,
    ),
)
"""The packages that are compared, in the order of their columns."""
