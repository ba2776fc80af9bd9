"""Score what the built-in entities find in a phrase.

- *right*: an entity has exactly the expected value; a time begins and, if it is an interval, ends
  exactly there.
- *whole*: one entity covers the phrase, apart from prepositions and articles at its ends.
- *fair*: such an entity begins on the expected day or, if a time of day is expected, at the
  expected minute. The conventions may differ: when a morning begins, how long "the end of the
  month" is, whether an interval of minutes includes the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from math import isclose
from typing import Any, TypeAlias

from anaphora.entities.builtin.atoms import split_atoms
from anaphora.entities.builtin.dates.grammar.date_grammar import load_grammar
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText
from anaphora.entities.words.normalization import create_normalizer
from anaphora.models.schema.builtin_entities import resolve_options
from benchmarks.duckling.phrases import REFERENCE, Phrase

__all__ = ["Reader", "Score"]

_ENTITIES: Mapping[str, str] = {
    "Time": "date", "Numeral": "number", "Ordinal": "number", "AmountOfMoney": "money",
    "Duration": "duration",
}  # fmt: skip
_CLOCK_GRAINS = ("Second", "Minute", "Hour", "NoGrain")
_UNIT_SECONDS: Mapping[str, int] = {
    "Second": 1, "Minute": 60, "Hour": 3600, "Day": 86_400, "Week": 604_800, "Month": 2_629_746,
    "Quarter": 7_889_238, "Year": 31_556_952,
}  # fmt: skip
_CURRENCIES: Mapping[str, tuple[str, ...]] = {
    "Dollar": ("USD",), "Pound": ("GBP",), "PTS": ("ESP",), "Riyal": ("SAR", "QAR", "YER", "OMR"),
    "Dinar": ("KWD", "IQD", "DZD"),
}  # fmt: skip

Options: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The options of the built-in entities, by the name of the entity."""


@dataclass(frozen=True, slots=True)
class Score:
    """What holds of the entities of a phrase, and their values for a report."""

    right: bool
    fair: bool
    whole: bool
    found: tuple[str, ...]


class Reader:
    """Reads phrases by the built-in entities, with their ``options``."""

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or {}
        self._create_cached = lru_cache(maxsize=256)(self._create)

    def score(self, phrase: Phrase) -> Score:
        """Read a phrase and score the result."""
        mentions = list(self.read(phrase))
        is_right, is_fair = _CHECKS[phrase.kind]
        whole = [one for one in mentions if _covers(phrase, one)]
        return Score(
            any(is_right(phrase.expected, one) for one in mentions),
            any(is_fair(phrase.expected, one) for one in whole),
            bool(whole),
            tuple([f"{phrase.text[one.start : one.end]} = {one.value}" for one in mentions]),
        )

    def read(self, phrase: Phrase) -> Iterator[Mention]:
        """The entities of the kind of the phrase."""
        recognize = self._create_cached(_ENTITIES[phrase.kind], phrase.language)
        for one in recognize(TokenizedText(phrase.text, [phrase.text], [0]), REFERENCE):
            if not one.void:
                yield one

    def _create(self, name: str, language: str) -> Recognizer:
        options = resolve_options(name, self._options.get(name, {}))
        return create_builtin(name, language, options)


def _covers(phrase: Phrase, mention: Mention) -> bool:
    """Whether an entity covers the phrase, apart from words that mean no date by themselves."""
    weak = load_grammar(phrase.language).weak
    outside = (phrase.text[: mention.start], phrase.text[mention.end :])
    atoms = [atom for text in outside for atom in split_atoms(text, _normalizer(phrase.language))]
    return all(atom.text in weak or atom.kind == "mark" for atom in atoms)


@lru_cache(maxsize=64)
def _normalizer(language: str) -> Callable[[str], str]:
    return create_normalizer(language)


def _is_right_time(expected: Sequence[Any], mention: Mention) -> bool:
    start, end = _ends(mention)
    match expected:
        case ["at", at, _]:
            return start == datetime.fromisoformat(at)
        case ["in", first, last, _]:
            return start == datetime.fromisoformat(first) and end == datetime.fromisoformat(last)
        case ["open", direction, limit]:
            return (start if direction == "After" else end) == datetime.fromisoformat(limit)
    raise ValueError(f"unknown expectation {expected!r}")


def _is_fair_time(expected: Sequence[Any], mention: Mention) -> bool:
    start, end = _ends(mention)
    is_before = expected[0] == "open" and expected[1] == "Before"
    limit = datetime.fromisoformat(expected[2 if expected[0] == "open" else 1])
    found = end if is_before else start
    if found is None:
        return False
    by_clock = expected[0] == "open" or expected[-1] in _CLOCK_GRAINS
    is_part_of_day = expected[0] == "in" and expected[-1] == "Hour"
    if mention.meta["grain"] in ("day", "week", "month", "year") or not by_clock or is_part_of_day:
        return found.date() == limit.date()
    return abs(found - limit) < timedelta(minutes=1)


def _ends(mention: Mention) -> tuple[datetime | None, datetime | None]:
    """The local times of the start and the end."""
    zone = REFERENCE.tzinfo
    start, end = (
        datetime.fromisoformat(mention.meta[key]).astimezone(zone).replace(tzinfo=None)
        if key in mention.meta
        else None
        for key in ("start", "end")
    )
    return start, end


def _is_number(expected: Sequence[Any], mention: Mention) -> bool:
    return bool(mention.meta.get("value") == expected[0])


def _is_ordinal(expected: Sequence[Any], mention: Mention) -> bool:
    return mention.meta.get("kind") == "ordinal" and _is_number(expected, mention)


def _is_money(expected: Sequence[Any], mention: Mention) -> bool:
    currency, amount = expected
    if "amount" not in mention.meta:
        return False
    found = mention.meta["amount"]
    if currency == "Cent":
        return isclose(found * 100, amount)
    known = _CURRENCIES.get(currency, (currency,))
    return isclose(found, amount) and (
        mention.meta.get("currency") in known or currency == "Unnamed"
    )


def _is_duration(expected: Sequence[Any], mention: Mention) -> bool:
    """Whether the lengths are equal, apart from the average length of months and years."""
    number, unit = expected
    found = mention.meta.get("seconds")
    return found is not None and isclose(found, number * _UNIT_SECONDS[unit], rel_tol=2e-3)


_Check: TypeAlias = Callable[[Sequence[Any], Mention], bool]

_CHECKS: Mapping[str, tuple[_Check, _Check]] = {
    "Time": (_is_right_time, _is_fair_time), "Numeral": (_is_number, _is_number),
    "Ordinal": (_is_ordinal, _is_ordinal), "AmountOfMoney": (_is_money, _is_money),
    "Duration": (_is_duration, _is_duration),
}  # fmt: skip
