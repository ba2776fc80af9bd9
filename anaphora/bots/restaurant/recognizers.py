"""Recognizers of the model ``restaurant`` (see docs/entities.md): what the restaurants of a list
are compared by besides their price."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["distances", "ratings"]

_DISTANCE = re.compile(r"\b(\d+(?:[.,]\d+)?) ?(?:km|kilomet(?:er|re)s?|км)\b", re.IGNORECASE)
_RATING = re.compile(r"\b(\d(?:[.,]\d)?) ?(?:stars?|звезды|звёзды|звезд|звёзд)\b", re.IGNORECASE)


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
