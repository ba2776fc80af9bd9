"""Recognizers of the model ``restaurant`` (see docs/entities.md): the number of guests, and
what the restaurants of a list are compared by besides their price."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.bots.tables import load_language_table
from anaphora.entities.builtin.atoms import get_atoms
from anaphora.entities.builtin.numbers.numerals.numeral_reader import (
    EmbeddedNumber,
    get_numeral_reader,
)
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.words.normalization import base_code

__all__ = ["distances", "guests", "ratings"]

_DIGITS = 3
_DISTANCE = re.compile(r"\b(\d+(?:[.,]\d+)?) ?(?:km|kilomet(?:er|re)s?|км)\b", re.IGNORECASE)
_RATING = re.compile(r"\b(\d(?:[.,]\d)?) ?(?:stars?|звезды|звёзды|звезд|звёзд)\b", re.IGNORECASE)


def guests(text: str, language: str) -> Iterator[Mention]:
    """Recognize whole numbers that may count guests: "for three", «на троих», "4 people"."""
    words = load_language_table("restaurant/guests.yaml", language)
    found = get_atoms(text, language)
    digits = {
        index: EmbeddedNumber(index + 1, int(atom.text))
        for index, atom in enumerate(found)
        if atom.kind == "digits" and len(atom.text) <= _DIGITS
    }
    for number in get_numeral_reader(base_code(language)).find_mixed(found, digits):
        if number.ordinal or number.value != int(number.value):
            continue
        before = found[number.start - 1].text if number.start else ""
        behind = found[number.end].text if number.end < len(found) else ""
        if behind in words["people"]:
            before = ""
        if before in words["before"] or behind in words["behind"]:
            continue
        is_thing = not before and behind in words["one_for"]
        if found[number.start].text == "one" and (before not in words["one"] or is_thing):
            continue
        start, end = found[number.start].start, found[number.end - 1].end
        yield Mention(start, end, str(int(number.value)), {"value": int(number.value)})


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
