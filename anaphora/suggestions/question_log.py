"""Read logs of questions: a text file with one question per line, or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["InvalidLine", "LoggedQuestion", "read_log"]

_MATCHED = frozenset({"matched", "reset"})
_KEYS = ("question", "text")
_REPLY_KEYS = frozenset({"slots", "missing", "memory"})
_MOST_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class LoggedQuestion:
    """A question of a log; ``is_matched`` is True if the log says that an intent matched."""

    text: str
    is_matched: bool = False


@dataclass(frozen=True, slots=True)
class InvalidLine:
    """A line without a valid question: its number (from 1) and the problem."""

    number: int
    problem: str


def read_log(lines: Iterable[bytes | str]) -> Iterator[LoggedQuestion | InvalidLine]:
    """Parse a log. Empty lines and those that begin with ``#`` are skipped.

    A line that begins with ``{`` is a JSON object with the question under ``question`` or ``text``
    and, optionally, its ``status`` or the ``intent`` that answered it. Bytes that are not UTF-8 are
    replaced.
    """
    for number, line in enumerate(lines, 1):
        text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
        text = text.removeprefix("\ufeff").strip()
        if not text or text.startswith("#"):
            continue
        read = _from_json(text) if text.startswith("{") else LoggedQuestion(text)
        if isinstance(read, LoggedQuestion) and len(read.text) > _MOST_CHARACTERS:
            read = f"the question is longer than {_MOST_CHARACTERS:,} characters"
        yield InvalidLine(number, read) if isinstance(read, str) else read


def _from_json(text: str) -> LoggedQuestion | str:
    """Parse the question in a JSON object, or return a description of the problem."""
    try:
        item: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = f"{error.msg} at {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        return f"this is not JSON{f' ({reason})' if reason else ''}"
    if "question" not in item and item.keys() >= _REPLY_KEYS:
        return "a reply without its question: its 'text' is what the bot said; add a 'question'"
    question = next((item[key] for key in _KEYS if key in item), None)
    if not isinstance(question, str) or not question.strip():
        return "the object has no text under 'question' or 'text'"
    status, intent = item.get("status"), item.get("intent")
    matched = status in _MATCHED if isinstance(status, str) else bool(intent)
    return LoggedQuestion(question.strip(), matched)
