"""The working history of a conversation, and its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from anaphora.ltm.exchange import Exchange, Summary

__all__ = ["History", "HistoryPart", "HistorySettings"]

HistoryPart: TypeAlias = Exchange | Summary


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """Limits of a working history, and how it is compressed.

    At most ``max_exchanges`` stay verbatim; the oldest leaves first but stays in the recall
    store. When the history exceeds ``max_size`` (in the unit of the memory's measure), its oldest
    exchanges are summarized, ``segment`` at a time, each segment to ``share`` of its size, until
    the history is at most ``low_water`` × ``max_size``. The last ``verbatim`` exchanges are never
    summarized.

    Raises ValueError for values out of range.
    """

    max_exchanges: int = 2_000
    max_size: int = 1_000
    low_water: float = 0.6
    segment: int = 5
    share: float = 0.2
    verbatim: int = 5

    def __post_init__(self) -> None:
        if min(self.max_exchanges, self.max_size, self.segment) < 1 or self.verbatim < 0:
            raise ValueError(
                "max_exchanges, max_size and segment must be at least 1, and verbatim at least 0"
            )
        if not (0 < self.low_water <= 1 and 0 < self.share < 1):
            raise ValueError("low_water must be in (0, 1], and share between 0 and 1")


@dataclass(frozen=True, slots=True)
class History:
    """A working history: ``summaries`` of older exchanges, then the verbatim ``exchanges``, both
    oldest first. ``size`` is W over both, in the memory's measure."""

    summaries: tuple[Summary, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    size: int = 0

    @property
    def parts(self) -> Iterator[HistoryPart]:
        """Summaries and exchanges, oldest first."""
        yield from self.summaries
        yield from self.exchanges
