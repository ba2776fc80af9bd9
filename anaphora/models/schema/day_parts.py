"""The parts of a day and their hours, and how an option changes them."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["DAY_PARTS", "DAY_PARTS_BY_LANGUAGE", "parse_day_part", "parse_hours"]

DAY_PARTS: Mapping[str, tuple[int, int]] = {
    "dawn": (4, 8), "morning": (6, 12), "forenoon": (9, 12), "noon": (12, 14),
    "afternoon": (12, 18), "late afternoon": (15, 19), "evening": (18, 24),
    "long afternoon": (12, 20), "night": (21, 30), "wide night": (21, 30),
    "wide evening": (18, 24), "midnight": (23, 25),
    "small hours": (0, 5), "tonight": (18, 29), "day": (8, 20),
    "start of the day": (6, 10), "middle of the day": (11, 16), "end of the day": (16, 24),
    "after lunch": (13, 17), "after school": (15, 21), "after work": (17, 21),
    "after dinner": (20, 24), "after breakfast": (8, 11), "before breakfast": (6, 8),
    "before school": (6, 8), "before work": (6, 9), "before bed": (21, 24),
    "am": (0, 12), "pm": (12, 24),
}  # fmt: skip
"""The hours at which the parts of a day start and end; hours from 24 on are in the next day."""

DAY_PARTS_BY_LANGUAGE: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "fr": {"afternoon": (12, 19), "late afternoon": (17, 19), "end of the day": (17, 21)},
    "it": {"afternoon": (12, 19), "night": (24, 28)},
}
"""The parts whose hours are others where these languages are spoken; the Italian night follows an
evening that lasts until midnight."""

_PART = re.compile(r"\s*(?P<name>[a-z ]+?)\s+(?P<start>\d{1,2})\s*-\s*(?P<end>\d{1,2})\s*")
_HOURS = re.compile(r"\s*(\d{1,2})\s*-\s*(\d{1,2})\s*")
_LAST_HOUR = 36


def parse_day_part(text: str) -> tuple[str, tuple[int, int]]:
    """The name and the hours of a part of the day: ``morning 8-12``. Raises ValueError, with a
    message for users."""
    match = _PART.fullmatch(text)
    if match is None or match["name"] not in DAY_PARTS:
        raise ValueError(
            f"'{text}' is not a part of the day with its hours, such as 'morning 8-12'; "
            f"the parts are {', '.join(sorted(DAY_PARTS))}"
        )
    start, end = int(match["start"]), int(match["end"])
    if not start < end <= _LAST_HOUR or start >= 24:
        raise ValueError(
            f"'{text}': a part starts before 24 and ends after it starts, at {_LAST_HOUR} at "
            "the latest (12 in the next day)"
        )
    return match["name"], (start, end)


def parse_hours(text: str) -> tuple[int, int]:
    """The hours at which a range of a day starts and ends: ``8-20``. Raises ValueError, with a
    message for users."""
    match = _HOURS.fullmatch(text)
    if match is None or not int(match[1]) < int(match[2]) <= 24:
        raise ValueError(f"'{text}' is not a range of hours of a day, such as '8-20'")
    return int(match[1]), int(match[2])
