"""Find what is an entity only behind other words: a unit behind a number, an hour behind a day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText

__all__ = ["find_completion"]


def find_completion(
    name: str,
    language: str,
    options: Mapping[str, Any],
    text: str,
    at: datetime,
    *,
    before: str = "",
    behind: str = "",
) -> Mention | None:
    """Find the mention of a built-in entity that begins with the words ``before`` and goes on with
    ``text``, at whose start its offsets count; None if there is none. With words ``behind``, it is
    all three."""
    recognizer = _get_recognizer(name, language, tuple(options.items()))
    whole = before + text + behind
    least = len(whole) if behind else len(before) + 1
    for one in recognizer(TokenizedText(whole, [whole], [0]), at):
        if one.start == 0 and one.end >= least and not (one.void or one.fallback):
            end = len(text) if behind else one.end - len(before)
            return replace(one, end=end)
    return None


@lru_cache(maxsize=64)
def _get_recognizer(name: str, language: str, options: tuple[tuple[str, Any], ...]) -> Recognizer:
    return create_builtin(name, language, dict(options))
