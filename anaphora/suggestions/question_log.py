"""Logs of questions: a text with one on each line, or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["InvalidLine", "LoggedQuestion", "read_log"]

_MATCHED = frozenset({"matched", "reset"})
_KEYS = ("question", "text")
_OF_A_REPLY = frozenset({"slots", "missing", "memory"})
_MOST_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class LoggedQuestion:
    """A question of a log. ``matched`` says that the log tells so."""

    text: str
    is_matched: bool = False


@dataclass(frozen=True, slots=True)
class InvalidLine:
    """A line that holds no question, by its number (from 1), and why."""

    number: int
    problem: str


def read_log(lines: Iterable[bytes | str]) -> Iterator[LoggedQuestion | InvalidLine]:
    """The questions of a log. Empty lines and those that begin with ``#`` are left out.

    A line that begins with ``{`` is a JSON object with the question under ``question`` or
    ``text`` and perhaps its ``status`` or, without one, the ``intent`` that answered it. What is
    no UTF-8 is replaced.
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
    """The question in a JSON object, or what is wrong with it."""
    try:
        item: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = f"{error.msg} at {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        return f"this is no JSON{f' ({reason})' if reason else ''}"
    if "question" not in item and item.keys() >= _OF_A_REPLY:
        return "a reply without its question: its 'text' is what the bot said; add a 'question'"
    question = next((item[key] for key in _KEYS if key in item), None)
    if not isinstance(question, str) or not question.strip():
        return "the object has no text under 'question' or 'text'"
    status, intent = item.get("status"), item.get("intent")
    matched = status in _MATCHED if isinstance(status, str) else bool(intent)
    return LoggedQuestion(question.strip(), matched)
