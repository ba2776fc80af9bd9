"""Truncation of items that do not fit into a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from anaphora.core.utterance import Entity
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.prompt.escaping import find_cut_points
from anaphora.ltm.prompt.sections import PromptItem
from anaphora.ltm.retrieval.search import Passage

__all__ = ["item_variants", "truncate_item"]

_ELLIPSIS = " …"
_CutPoint: TypeAlias = tuple[int, int]  # characters kept of a question and of its answer
_T = TypeVar("_T", bound="PromptItem | str")


def item_variants(item: PromptItem) -> tuple[PromptItem, ...]:
    """Return ``item`` as a whole, and for a passage also without its neighbours."""
    if isinstance(item, Passage) and (item.before or item.after):
        return item, replace(item, before=(), after=())
    return (item,)


def truncate_item(item: _T, fits: Callable[[_T], bool]) -> _T | None:
    """Return the longest beginning of ``item`` that ``fits``: whole sentences, or if not even the
    first one fits, whole words followed by an ellipsis. None if nothing fits.

    An exchange loses its answer first, a passage its neighbours; entities are never truncated.
    """
    for places, mark in zip(_find_item_cut_points(item), ("", _ELLIPSIS), strict=True):
        longest, low, high = None, 0, len(places)
        while low < high:
            middle = (low + high) // 2
            version = _truncate_at(item, places[middle], mark)
            if fits(version):
                longest, low = version, middle + 1
            else:
                high = middle
        if longest is not None:
            return longest
    return None


def _find_item_cut_points(
    item: PromptItem | str,
) -> tuple[Sequence[_CutPoint], Sequence[_CutPoint]]:
    """Return the positions for cuts, shortest first: between sentences, and between words."""
    match item:
        case (str() as text) | Summary(text=text):
            return _find_exchange_cut_points(text, "")
        case (
            Exchange(question=question, answer=answer)
            | Passage(exchange=Exchange(question=question, answer=answer))
        ):
            return _find_exchange_cut_points(question, answer)
        case Entity():
            return (), ()


def _find_exchange_cut_points(
    question: str, answer: str
) -> tuple[Sequence[_CutPoint], Sequence[_CutPoint]]:
    whole = len(question)
    found = []
    for asked, answered in zip(find_cut_points(question), find_cut_points(answer), strict=True):
        places = [(place, 0) for place in asked]
        if answer:
            places += [(whole, 0), *((whole, place) for place in answered)]
        found.append(places)
    return found[0], found[1]


def _truncate_at(item: _T, place: _CutPoint, mark: str) -> _T:
    match item:
        case str() as text:
            return _truncate_text(text, place[0], mark)  # type: ignore[return-value]  # it is a text
        case Summary(text=text):
            return replace(item, text=_truncate_text(text, place[0], mark))
        case Exchange(question=question, answer=answer):
            asked, answered = place
            return replace(
                item,
                question=_truncate_text(question, asked, mark),
                answer=_truncate_text(answer, answered, mark) if answered else "",
            )
        case Passage(exchange=exchange):
            return replace(item, before=(), after=(), exchange=_truncate_at(exchange, place, mark))
        case _:
            return item


def _truncate_text(text: str, length: int, mark: str) -> str:
    return text[:length].rstrip() + mark if length < len(text) else text
