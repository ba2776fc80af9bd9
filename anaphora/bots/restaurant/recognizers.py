"""Recognizers of the model ``restaurant`` (see docs/entities.md): the number of guests, and what the
restaurants of a list are compared by besides their price."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.entities.builtin.atoms import get_atoms
from anaphora.entities.builtin.numbers.numerals.numeral_reader import (
    EmbeddedNumber,
    get_numeral_reader,
)
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.words.normalization import base_code

__all__ = ["distances", "guests", "ratings"]

_MOST = 999
# Numbers beside these words are times or prices.
_NOT_BEFORE = frozenset(
    "at by under over about than before after until till в к до за от около после".split()
)
_NOT_BEHIND = frozenset(
    "am pm o'clock a p euro euros eur dollars km star stars евро км час часа часов утра дня вечера "
    "ночи звезд звёзд".split()
)

_DISTANCE = re.compile(r"\b(\d+(?:[.,]\d+)?) ?(?:km|kilomet(?:er|re)s?|км)\b", re.IGNORECASE)
_RATING = re.compile(r"\b(\d(?:[.,]\d)?) ?(?:stars?|звезды|звёзды|звезд|звёзд)\b", re.IGNORECASE)


def guests(text: str, language: str) -> Iterator[Mention]:
    """Recognize whole numbers that may count guests: "for three", «на троих», "4 people"."""
    found = get_atoms(text, language)
    digits = {
        index: EmbeddedNumber(index + 1, int(atom.text))
        for index, atom in enumerate(found)
        if atom.kind == "digits" and len(atom.text) <= len(str(_MOST))
    }
    for number in get_numeral_reader(base_code(language)).find_mixed(found, digits):
        before = found[number.start - 1] if number.start else None
        behind = found[number.end] if number.end < len(found) else None
        if number.ordinal or number.value != int(number.value) or number.value > _MOST:
            continue
        if before and (
            before.text in _NOT_BEFORE or (before.kind == "mark" and before.text in "€$:.")
        ):
            continue
        if behind and (behind.text in _NOT_BEHIND or (behind.text in "€$:." and behind.glued)):
            continue
        start, end = found[number.start].start, found[number.end - 1].end
        value = int(number.value)
        yield Mention(start, end, str(value), {"value": value})


def distances(text: str) -> Iterator[Mention]:
    """Recognize distances in kilometres: "1.2 km"."""
    return _find(_DISTANCE, text)


def ratings(text: str) -> Iterator[Mention]:
    """Recognize ratings: "4.5 stars"."""
    return _find(_RATING, text)


def _find(pattern: re.Pattern[str], text: str) -> Iterator[Mention]:
    for match in pattern.finditer(text):
        value = match[1].replace(",", ".")
        yield Mention(*match.span(), value, {"value": float(value)})
