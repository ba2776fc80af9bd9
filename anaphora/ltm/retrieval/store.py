"""What a recall store is: the one contract of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import History, HistoryPart
from anaphora.ltm.ingestion.quarantine import QuarantinedItem
from anaphora.ltm.retrieval.terms import TERMS_VERSION
from anaphora.stm.conversation import ConversationKey

__all__ = [
    "MAX_ERASURES",
    "Document",
    "JournalPosition",
    "NewExchange",
    "RecallStore",
    "SearchFilter",
    "TermStatistics",
    "TermUpdate",
    "UserKey",
]


# Of so many erasures a store knows the clocks. Not by how old they are: a clock that is wrong once
# would make all others seem old, and let come back what waits in a journal.
MAX_ERASURES = 1_000_000


class UserKey(NamedTuple):
    """A user of a tenant, whatever the model they talk to."""

    user: str
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class NewExchange:
    """An exchange of the conversation ``key`` that is to be kept, and the ``terms`` that it is
    to be found by (in their order, with repetitions), of a version of them."""

    key: ConversationKey
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
class JournalPosition:
    """How much of a journal is in the store: all before ``position``."""

    journal: str
    position: int


@dataclass(frozen=True, slots=True)
class SearchFilter:
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
class TermStatistics:
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

    def add(self, new: Sequence[NewExchange], *, mark: JournalPosition | None = None) -> None:
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

    def journal_position(self, journal: str) -> int:
        """The position of the last mark of a journal, 0 if there is none."""
        ...

    def forget_journal(self, journal: str) -> None:
        """Forget the mark of a journal that is no more."""
        ...

    # -- the working history -------------------------------------------------------------------

    def history(self, key: ConversationKey) -> History:
        """The working history of a conversation."""
        ...

    def find_oversized(self, limit: int) -> Mapping[ConversationKey, int]:
        """At most ``limit`` conversations whose history is larger than the settings allow, and
        how large."""
        ...

    def compress(
        self, key: ConversationKey, replaced: Sequence[HistoryPart], by: Sequence[Summary]
    ) -> bool:
        """Let the summaries ``by`` stand for the parts ``replaced``: the oldest summaries of the
        working history, its oldest exchanges, or both, in their order. Those of ``by`` that have
        an id are among the replaced ones, and stay as they are. Nothing happens, and the answer
        is False, if ``replaced`` is not the oldest any more. What is replaced is not lost."""
        ...

    def summary(self, key: ConversationKey, id: int) -> Summary | None:
        """The summary of that id, replaced or not."""
        ...

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: ConversationKey, *, first: int, last: int) -> Sequence[Exchange]:
        """The exchanges numbered ``first`` to ``last`` (included), oldest first."""
        ...

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        """The last ``limit`` exchanges, newest first."""
        ...

    def fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        """The exchanges of those ids that are ``whose``, and the conversations they belong to."""
        ...

    def list_ids(
        self, user_key: UserKey, filters: SearchFilter, *, skip: int, limit: int
    ) -> Sequence[int]:
        """The ids of exchanges that have terms (in the others nothing was said), newest first."""
        ...

    # -- searching -----------------------------------------------------------------------------

    def statistics(self, user_key: UserKey, terms: Sequence[str]) -> TermStatistics:
        """What BM25 needs to know of a user's exchanges."""
        ...

    def find_matching(
        self, user_key: UserKey, terms: Sequence[str], filters: SearchFilter, limit: int
    ) -> Sequence[Document]:
        """At most ``limit`` exchanges that have one of the terms: those that the store's own
        ranking by these terms puts first."""
        ...

    def with_neighbours(self, documents: Sequence[Document], reach: int) -> Sequence[Document]:
        """The documents and those up to ``reach`` places before and after each in its
        conversation, every one once, by conversation and number."""
        ...

    def documents(self, user_key: UserKey, ids: Sequence[int]) -> Sequence[Document]:
        """The documents of those ids."""
        ...

    def find_nearest(
        self, user_key: UserKey, embedder: str, vector: Vectors, filters: SearchFilter, limit: int
    ) -> Sequence[tuple[int, float]]:
        """The ids of the exchanges whose vectors are nearest to ``vector`` (of shape (dimension,)
        and length 1), nearest first, with the cosines."""
        ...

    def find_outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        """At most ``limit`` exchanges, with their ids, that are indexed by the terms of an earlier
        version."""
        ...

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        """Index exchanges by the terms of this version; those that are gone meanwhile are passed
        over."""
        ...

    # -- vectors -------------------------------------------------------------------------------

    def find_unembedded(
        self, embedder: str, limit: int
    ) -> Sequence[tuple[int, Sequence[Exchange]]]:
        """At most ``limit`` exchanges without a vector of that embedder, the oldest first: the id
        of each, and the one before it in its conversation, if there is one, with itself."""
        ...

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        """Keep the vectors (one row for each id); ids that are gone meanwhile are passed over."""
        ...

    # -- forgetting ----------------------------------------------------------------------------

    def erase(self, user_key: UserKey, *, model: str | None = None, clock: int = 0) -> int:
        """Erase everything of a user (with one model): exchanges, summaries, vectors and what
        searches are made of, so that the files don't hold it either. What has a clock up to
        ``clock``, or to the largest that was erased, is not kept any more. Returns how many
        exchanges were erased."""
        ...

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        """Erase at most ``limit`` of the exchanges said before that time, with the summaries that
        speak of them alone; how many there were."""
        ...

    def keys(self) -> Iterator[ConversationKey]:
        """The conversations, in no order."""
        ...

    # -- quarantine ----------------------------------------------------------------------------
    #
    # A store puts what it finds damaged in quarantine by itself, and goes on without it. What is
    # erased, or expires, leaves the quarantine, too.

    def quarantine_embedding(self, embedder: str, id: int, reason: str) -> None:
        """Put an exchange in quarantine that the embedder refuses: it stays without a vector."""
        ...

    def quarantine_compression(self, key: ConversationKey, reason: str) -> None:
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
