"""Take back the last change of a conversation: "undo that". An element recognizes the words, and
handlers remember their data before each change."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from anaphora.bots.tables import load_table
from anaphora.entities.builtin.phrasebook import Phrasebook
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.words.normalization import base_code

__all__ = ["data_before", "phrases", "remember", "take_back"]

_KEY = "undo"
_MAX_CHANGES = 10


def phrases(text: str, language: str) -> Iterator[Mention]:
    """Recognize what takes back the last change: "undo that", "mach das rückgängig"."""
    book = _load_phrases(base_code(language))
    atoms = book.atoms(text)
    for found in book.find(atoms) if atoms else ():
        yield Mention(atoms[found.start].start, atoms[found.end - 1].end, "undo")


def remember(data: dict[str, Any]) -> None:
    """Remember the ``data`` of a handler before it changes them: as a text each, which costs the
    next questions nothing to copy."""
    before = list(data.pop(_KEY, ()))
    data[_KEY] = [*before, json.dumps(data)][-_MAX_CHANGES:]


def take_back(data: dict[str, Any]) -> bool:
    """Put ``data`` back to what they were before the last change; False if there was none."""
    before = list(data.pop(_KEY, ()))
    if not before:
        return False
    last = before.pop()
    data.clear()
    data.update(json.loads(last), **{_KEY: before})
    return True


def data_before(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data before the last change; empty if there was none."""
    before: list[str] = data.get(_KEY, [])
    return json.loads(before[-1]) if before else {}


@lru_cache(maxsize=32)
def _load_phrases(code: str) -> Phrasebook:
    """The phrases of a language; none for a language without a table."""
    book = Phrasebook(code)
    book.add(load_table("texts/undo.yaml").get(code, ()), "undo")
    return book.finish()
