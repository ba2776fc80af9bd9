"""Pages of search results, and the rankings that they are cut from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from anaphora.ltm.retrieval.store import UserKey
from anaphora.storage.forks import fork_safe_lock

__all__ = ["ArchivePage", "ArchivePassage", "Candidate", "RankingCache"]

_MAX_RANKINGS = 64


@dataclass(frozen=True, slots=True)
class ArchivePassage:
    """A passage found by a search.

    ``heading`` is the title of its document and the headings above it ("Guide › Kyoto"), ``source``
    what identifies the document, ``position`` the place of the passage in it, from 1. It was
    inserted by or for ``owner``, ``at`` a time with a zone. A higher ``score`` is better.
    """

    text: str
    heading: str
    source: str
    position: int
    at: datetime
    score: float
    owner: UserKey


@dataclass(frozen=True, slots=True)
class ArchivePage:
    """One page of search results, best first. ``page`` counts from 1; there are ``pages`` with
    ``total`` passages. A page beyond the last has no passages."""

    passages: tuple[ArchivePassage, ...]
    page: int
    pages: int
    total: int


class Candidate(NamedTuple):
    """A passage by its ``owner`` and its ``id`` in the store, with its score."""

    owner: UserKey
    id: int
    score: float


class RankingCache:
    """The rankings of the last searches, so that the pages of one search fit together while vectors
    are still being computed. A ranking is valid as long as the numbers of passages are the same."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._rankings: OrderedDict[Hashable, tuple[Hashable, Sequence[Candidate]]] = OrderedDict()

    def get(self, search: Hashable, counts: Hashable) -> Sequence[Candidate] | None:
        """Return the ranking of a search if it is known and still valid."""
        with self._lock:
            known = self._rankings.get(search)
        return known[1] if known is not None and known[0] == counts else None

    def put(self, search: Hashable, counts: Hashable, ranking: Sequence[Candidate]) -> None:
        """Keep the ranking of a search, in place of the oldest."""
        with self._lock:
            self._rankings[search] = counts, ranking
            self._rankings.move_to_end(search)
            while len(self._rankings) > _MAX_RANKINGS:
                self._rankings.popitem(last=False)

    def clear(self) -> None:
        """Forget all rankings."""
        with self._lock:
            self._rankings.clear()
