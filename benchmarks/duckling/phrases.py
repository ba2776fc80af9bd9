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
from datetime import datetime, timedelta, timezone
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
