"""What other packages read in the same phrases."""

from __future__ import annotations

from datetime import datetime

from dateparser.search import search_dates

from benchmarks.duckling.phrases import REFERENCE, Phrase

__all__ = ["is_right_by_dateparser"]


def is_right_by_dateparser(phrase: Phrase) -> bool:
    """Whether dateparser, told the language, finds the start of a time. It has no intervals."""
    limit = phrase.expected[2 if phrase.expected[0] == "open" else 1]
    settings = {
        "RELATIVE_BASE": REFERENCE.replace(tzinfo=None),
        "PREFER_DATES_FROM": "future",
    }
    found = search_dates(phrase.text, languages=[phrase.language], settings=settings) or ()
    return any(at.replace(tzinfo=None) == datetime.fromisoformat(limit) for _, at in found)
