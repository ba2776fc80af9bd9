"""The working history of one conversation, and when and how it is compressed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from anaphora.ltm.exchange import Exchange, Summary

__all__ = ["History", "HistoryPart", "HistorySettings"]

HistoryPart: TypeAlias = Exchange | Summary


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """How long a working history may be, and how it is shortened.

    At most ``max_exchanges`` stay verbatim; the oldest leaves first (and stays in the recall
    store). When the history is larger than ``max_size`` (words, or tokens if the memory measures
    in them), its oldest exchanges are summarized, ``segment`` at a time, each segment to
    ``share`` of its size, until the history is not larger than ``low_water`` × ``max_size``.
    The last ``verbatim`` exchanges stay as they are.

    Raises ValueError for settings by which nothing could be shortened.
    """

    max_exchanges: int = 2_000
    max_size: int = 1_000
    low_water: float = 0.6
    segment: int = 5
    share: float = 0.2
    verbatim: int = 5

    def __post_init__(self) -> None:
        if min(self.max_exchanges, self.max_size, self.segment) < 1 or self.verbatim < 0:
            raise ValueError("sizes of a history are numbers from 1, verbatim is one from 0")
        if not (0 < self.low_water <= 1 and 0 < self.share < 1):
            raise ValueError("low_water and share are parts of a whole, greater than 0")


@dataclass(frozen=True, slots=True)
class History:
    """The working history: ``summaries`` of what is older, then the ``exchanges`` that are still
    verbatim, both oldest first; ``size`` is W over both, in the memory's measure."""

    summaries: tuple[Summary, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    size: int = 0

    @property
    def parts(self) -> Iterator[HistoryPart]:
        """Everything, oldest first."""
        yield from self.summaries
        yield from self.exchanges
