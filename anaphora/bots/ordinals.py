"""The place in a list that a text names: "the second one"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from anaphora.entities.cues.cue_words import load_cue_words

__all__ = ["find_ordinal", "select_by_ordinal"]

_Item = TypeVar("_Item")


def find_ordinal(text: str, language: str) -> int | None:
    """The place that a text names, from the end if it is negative; None if it names none, or more
    than one."""
    _, phrases = load_cue_words(language).read(text)
    places = {one.reading.number for one in phrases if one.reading.kind == "ordinal"}
    return places.pop() if len(places) == 1 else None


def select_by_ordinal(items: Sequence[_Item], place: int | None) -> list[_Item]:
    """The item at a place; empty without a place, and if the list is shorter."""
    if place is None or abs(place) > len(items):
        return []
    index = place - 1 if place > 0 else place + len(items)
    return [items[index]]
