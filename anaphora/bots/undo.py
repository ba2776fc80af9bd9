"""Take back the last change of a conversation: "undo that". An element recognizes the words, and
handlers remember their data before each change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any

from anaphora.bots.tables import load_table
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.words.normalization import base_code
from anaphora.grammar.synonyms.expansion import SynonymExpander

__all__ = ["data_before", "phrases", "remember", "take_back"]

_KEY = "undo"
_MAX_CHANGES = 10


def phrases(text: str, language: str) -> Iterator[Mention]:
    """Recognize what takes back the last change: "undo that", "mach das rückgängig"."""
    pattern = _load_pattern(base_code(language))
    if pattern is not None:
        for found in pattern.finditer(text):
            yield Mention(*found.span(), "undo")


def remember(data: dict[str, Any]) -> None:
    """Remember the ``data`` of a handler before it changes them."""
    before = list(data.pop(_KEY, ()))
    data[_KEY] = [*before, deepcopy(data)][-_MAX_CHANGES:]


def take_back(data: dict[str, Any]) -> bool:
    """Put ``data`` back to what they were before the last change; False if there was none."""
    before = list(data.pop(_KEY, ()))
    if not before:
        return False
    last = before.pop()
    data.clear()
    data.update(last, **{_KEY: before})
    return True


def data_before(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data before the last change; empty if there was none."""
    before = data.get(_KEY)
    return before[-1] if before else {}


@lru_cache(maxsize=32)
def _load_pattern(code: str) -> re.Pattern[str] | None:
    """A pattern of all the words of a language; None for a language without a table."""
    synonyms = load_table("texts/undo.yaml").get(code, ())
    expander = SynonymExpander({})
    texts = {" ".join(map(str, words)) for one in synonyms for words in expander.expand(one)}
    if not texts:
        return None
    known = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{known})(?!\w)", re.IGNORECASE)
