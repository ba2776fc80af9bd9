"""Load annotated phrases of Duckling's corpora.

The data is a file of JSON lines: ``{"lang": "en", "kind": "Time", "phrase": …, "expect": […]}``.
What is expected of a kind:

- ``Time``: ``["at", START, GRAIN]``, ``["in", START, END, GRAIN]`` (half open) or
  ``["open", "After" or "Before", LIMIT]``, local times;
- ``Numeral`` and ``Ordinal``: ``[NUMBER]``;
- ``AmountOfMoney``: ``[CURRENCY, AMOUNT]``;
- ``Duration``: ``[NUMBER, UNIT]``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any

__all__ = ["KINDS", "REFERENCE", "DataError", "Phrase", "load_phrases"]

REFERENCE = datetime(2013, 2, 12, 4, 30, tzinfo=timezone(timedelta(hours=-2)))
"""The time at which the phrases are said, a Tuesday."""

KINDS = ("Time", "Numeral", "Ordinal", "AmountOfMoney", "Duration")


class DataError(Exception):
    """The data cannot be read."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase in a language, and what it means."""

    language: str
    kind: str
    text: str
    expected: tuple[Any, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether the expected time begins (and ends) where its grain does: a month on its first
        day, a year in January. Data that was converted between time zones may have months that
        begin on the 30th."""
        match self.expected:
            case ["at", str(start), str(grain)] if self.kind == "Time":
                limits = [start]
            case ["in", str(start), str(end), str(grain)] if self.kind == "Time":
                limits = [start, end]
            case _:
                return True
        return all(_begins(datetime.fromisoformat(limit), grain) for limit in limits)


def load_phrases(path: Path) -> list[Phrase]:
    """The phrases in a file. Raises DataError, with the line, if it is not such a file."""
    try:
        return list(_parse(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not encoded in UTF-8") from error


def _parse(text: str) -> Iterator[Phrase]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            phrase = Phrase(row["lang"], row["kind"], row["phrase"], tuple(row["expect"]))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"line {number}: not an annotated phrase ({error})") from error
        if phrase.kind not in KINDS:
            raise DataError(f"line {number}: unknown kind '{phrase.kind}'")
        yield phrase


def _begins(moment: datetime, grain: str) -> bool:
    """Whether a period of a grain of some length begins at a moment."""
    is_first = moment.day == 1 and moment.time() == time.min
    return {
        "Month": is_first,
        "Quarter": is_first and moment.month % 3 == 1,
        "Year": is_first and moment.month == 1,
    }.get(grain, True)
