"""What a recall store is: the one contract of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from anaphora.ltm.counting import Measure
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history import History, Part
from anaphora.ltm.quarantine import QuarantinedItem
from anaphora.ltm.recall.terms import TERMS_VERSION
from anaphora.stm.conversation import Key

__all__ = [
    "MOST_ERASURES",
    "Among",
    "Document",
    "Mark",
    "New",
    "RecallStore",
    "Statistics",
    "TermUpdate",
    "Whose",
]


# Of so many erasures a store knows the clocks. Not by how old they are: a clock that is wrong once
# would make all others seem old, and let come back what waits in a journal.
MOST_ERASURES = 1_000_000


class Whose(NamedTuple):
    """A user of a tenant, whatever the model they talk to."""

    user: str
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class New:
    """An exchange of the conversation ``key`` that is to be kept, and the ``terms`` that it is
    to be found by (in their order, with repetitions), of a version of them."""

    key: Key
    exchange: Exchange
    terms: tuple[str, ...] = ()
    terms_version: int = TERMS_VERSION


@dataclass(frozen=True, slots=True)
class TermUpdate:
    """The terms by which the exchange of that ``id`` is to be found from now on."""

    id: int
    exchange: Exchange
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """How much of a journal is in the store: all before ``position``."""

    journal: str
    position: int


@dataclass(frozen=True, slots=True)
class Among:
    """Which exchanges of a user are looked at: those with ``model``; said at ``since`` or later
    and before ``until``; answered by ``intent``; with all the values of ``slots``."""

    model: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    intent: str | None = None
    slots: Mapping[str, str] = field(default_factory=dict)


class Document(NamedTuple):
    """What a search looks at: an exchange by its ``id`` in the store, the ``conversation`` it
    belongs to (a number), its place in it, and its terms."""

    id: int
    conversation: int
    number: int
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of all exchanges of a user: how many there are, how many terms they have on average, and
    in how many of them each of the terms stands that were asked for."""

    documents: int
    average_length: float
    frequency: Mapping[str, int]


class RecallStore(Protocol):
    """Keeps every exchange until it is erased or too old, the summaries of the working
    histories, and vectors. Every method may be called from any thread.

    Whatever cannot be read or kept raises :class:`StoreError`, and then nothing has changed.
    """

    # -- what is said --------------------------------------------------------------------------

    def add(self, new: Sequence[New], *, mark: Mark | None = None) -> None:
        """Keep exchanges, and ``mark``: all of it or nothing. The exchanges of a conversation are
        numbered in the order of their clocks: one that comes late takes its place, and the later
        ones move on by one; one without a clock comes last. One that is there already is not kept
        twice, and one whose clock is not after that of an erasure of its user is not kept. The
        oldest exchange leaves a working history that has become longer than the settings allow (it
        stays in the store); one that comes later than what was summarized, or has left, is not in
        the working history.
        """
        ...

    def clock(self) -> int:
        """The largest clock of all exchanges and erasures, 0 if there were none."""
        ...

    def marked(self, journal: str) -> int:
        """The position of the last mark of a journal, 0 if there is none."""
        ...

    def unmark(self, journal: str) -> None:
        """Forget the mark of a journal that is no more."""
        ...

    # -- the working history -------------------------------------------------------------------

    def history(self, key: Key) -> History:
        """The working history of a conversation."""
        ...

    def oversized(self, limit: int) -> Mapping[Key, int]:
        """At most ``limit`` conversations whose history is larger than the settings allow, and
        how large."""
        ...

    def compress(self, key: Key, replaced: Sequence[Part], by: Sequence[Summary]) -> bool:
        """Let the summaries ``by`` stand for the parts ``replaced``: the oldest summaries of the
        working history, its oldest exchanges, or both, in their order. Those of ``by`` that have
        an id are among the replaced ones, and stay as they are. Nothing happens, and the answer
        is False, if ``replaced`` is not the oldest any more. What is replaced is not lost."""
        ...

    def summary(self, key: Key, id: int) -> Summary | None:
        """The summary of that id, replaced or not."""
        ...

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: Key, *, first: int, last: int) -> Sequence[Exchange]:
        """The exchanges numbered ``first`` to ``last`` (included), oldest first."""
        ...

    def latest(self, key: Key, limit: int) -> Sequence[Exchange]:
        """The last ``limit`` exchanges, newest first."""
        ...

    def fetch(self, whose: Whose, ids: Sequence[int]) -> Mapping[int, tuple[Key, Exchange]]:
        """The exchanges of those ids that are ``whose``, and the conversations they belong to."""
        ...

    def listed(self, whose: Whose, among: Among, *, skip: int, limit: int) -> Sequence[int]:
        """The ids of exchanges that have terms (in the others nothing was said), newest first."""
        ...

    # -- searching -----------------------------------------------------------------------------

    def statistics(self, whose: Whose, terms: Sequence[str]) -> Statistics:
        """What BM25 needs to know of a user's exchanges."""
        ...

    def matching(
        self, whose: Whose, terms: Sequence[str], among: Among, limit: int
    ) -> Sequence[Document]:
        """At most ``limit`` exchanges that have one of the terms: those that the store's own
        ranking by these terms puts first."""
        ...

    def around(self, documents: Sequence[Document], reach: int) -> Sequence[Document]:
        """The documents and those up to ``reach`` places before and after each in its
        conversation, every one once, by conversation and number."""
        ...

    def documents(self, whose: Whose, ids: Sequence[int]) -> Sequence[Document]:
        """The documents of those ids."""
        ...

    def nearest(
        self, whose: Whose, embedder: str, vector: Vectors, among: Among, limit: int
    ) -> Sequence[tuple[int, float]]:
        """The ids of the exchanges whose vectors are nearest to ``vector`` (of shape (dimension,)
        and length 1), nearest first, with the cosines."""
        ...

    def outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        """At most ``limit`` exchanges, with their ids, that are indexed by the terms of an earlier
        version."""
        ...

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        """Index exchanges by the terms of this version; those that are gone meanwhile are passed
        over."""
        ...

    # -- vectors -------------------------------------------------------------------------------

    def unembedded(self, embedder: str, limit: int) -> Sequence[tuple[int, Sequence[Exchange]]]:
        """At most ``limit`` exchanges without a vector of that embedder, the oldest first: the id
        of each, and the one before it in its conversation, if there is one, with itself."""
        ...

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        """Keep the vectors (one row for each id); ids that are gone meanwhile are passed over."""
        ...

    # -- forgetting ----------------------------------------------------------------------------

    def erase(self, whose: Whose, *, model: str | None = None, clock: int = 0) -> int:
        """Erase everything of a user (with one model): exchanges, summaries, vectors and what
        searches are made of, so that the files don't hold it either. What has a clock up to
        ``clock``, or to the largest that was erased, is not kept any more. Returns how many
        exchanges were erased."""
        ...

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        """Erase at most ``limit`` of the exchanges said before that time, with the summaries that
        speak of them alone; how many there were."""
        ...

    def keys(self) -> Iterator[Key]:
        """The conversations, in no order."""
        ...

    # -- quarantine ----------------------------------------------------------------------------
    #
    # A store puts what it finds damaged in quarantine by itself, and goes on without it. What is
    # erased, or expires, leaves the quarantine, too.

    def refuse_embedding(self, embedder: str, id: int, reason: str) -> None:
        """Put an exchange in quarantine that the embedder refuses: it stays without a vector."""
        ...

    def refuse_compression(self, key: Key, reason: str) -> None:
        """Put a conversation in quarantine that the summarizer refuses: its history is not
        oversized any more."""
        ...

    def quarantined(self, limit: int) -> Sequence[QuarantinedItem]:
        """At most ``limit`` items in quarantine, oldest first."""
        ...

    def count_quarantined(self) -> int:
        """How many items are in quarantine."""
        ...

    def release(self, id: str) -> bool:
        """Take an item out of quarantine, so that it is tried again. False if there is none of
        that id, or if it is still unreadable."""
        ...

    def discard(self, id: str) -> bool:
        """Delete an item from the quarantine for good, with what was kept of it; False if there
        is none of that id. What was only refused is not tried again."""
        ...

    # -- the rest ------------------------------------------------------------------------------

    @property
    def measure(self) -> Measure:
        """What histories are measured in."""
        ...

    def ping(self) -> None:
        """Return if the store can be read and written; :class:`StoreError` if not."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
