"""The protocol of recall stores, and the types of its methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, TypeAlias

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import History, HistoryPart
from anaphora.ltm.retrieval.terms import TERMS_VERSION
from anaphora.stm.conversation import ConversationKey

__all__ = [
    "MAX_ERASURES",
    "NO_FILTER",
    "Document",
    "JournalPosition",
    "NewExchange",
    "QuarantineKind",
    "QuarantinedItem",
    "RecallStore",
    "SearchFilter",
    "TermStatistics",
    "TermUpdate",
    "UserKey",
]


# Number of erasures whose clocks a store remembers. A limit by age would not do: a single wrong
# clock would make all others look old, and let erased exchanges return from a journal.
MAX_ERASURES = 1_000_000

QuarantineKind: TypeAlias = Literal["entry", "exchange", "summary", "embed", "compress"]


class UserKey(NamedTuple):
    """A user of a tenant, across all models."""

    user: str
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class NewExchange:
    """An exchange to store in the conversation ``key``, with its index ``terms`` (in order, with
    repetitions) and their version."""

    key: ConversationKey
    exchange: Exchange
    terms: tuple[str, ...] = ()
    terms_version: int = TERMS_VERSION


@dataclass(frozen=True, slots=True)
class TermUpdate:
    """New index terms of the exchange with that ``id``."""

    id: int
    exchange: Exchange
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JournalPosition:
    """The position up to which a journal has been delivered."""

    journal: str
    position: int


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """A filter of a search: exchanges with ``model``; at ``since`` or later and before ``until``;
    with ``intent``; with all these values of ``slots``."""

    model: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    intent: str | None = None
    slots: Mapping[str, str] = field(default_factory=dict)


NO_FILTER = SearchFilter()


class Document(NamedTuple):
    """An exchange as a search sees it: its ``id`` in the store, the number of its
    ``conversation``, its own number in it, and its terms."""

    id: int
    conversation: int
    number: int
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """Statistics of all exchanges of a user: their number, their average number of terms, and the
    document ``frequency`` of the requested terms."""

    documents: int
    average_length: float
    frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QuarantinedItem:
    """An item that was quarantined ``at`` a time for a ``reason``.

    An ``entry`` of the journal, an ``exchange`` or a ``summary`` is unreadable or cannot be stored
    and is kept unchanged. The embedder rejected an exchange to ``embed``; the summarizer rejected a
    conversation to ``compress``. ``key`` is the conversation, None if it is unknown.
    """

    id: str
    kind: QuarantineKind
    reason: str
    at: datetime
    key: ConversationKey | None = None


class RecallStore(Protocol):
    """A store of exchanges, of the summaries of working histories, and of vectors. Exchanges stay
    until they are erased or expire. Every method may be called from any thread.

    Methods raise :class:`StoreError` on failure; then nothing has changed.
    """

    # -- ingestion -----------------------------------------------------------------------------

    def add(self, new: Sequence[NewExchange], *, mark: JournalPosition | None = None) -> None:
        """Store exchanges and ``mark``, all or nothing.

        The exchanges of a conversation are numbered in the order of their clocks: a late one takes
        its place, and later ones move on by one; one without a clock comes last. Duplicates are
        ignored, and so is an exchange whose clock is not after that of an erasure of its user.

        If a working history exceeds its maximum number of exchanges, the oldest one leaves it (but
        stays in the store). A late exchange from before the verbatim part does not enter it.
        """

    def clock(self) -> int:
        """Return the largest clock of all exchanges and erasures; 0 if there are none."""

    def journal_position(self, journal: str) -> int:
        """Return the position up to which a journal has been delivered; 0 if unknown."""

    def forget_journal(self, journal: str) -> None:
        """Forget the position of a journal that was deleted."""

    # -- the working history -------------------------------------------------------------------

    def history(self, key: ConversationKey) -> History:
        """Return the working history of a conversation."""

    def find_oversized(self, limit: int) -> Mapping[ConversationKey, int]:
        """Return at most ``limit`` conversations whose history exceeds its maximum size, with the
        sizes."""

    def claim_oversized(self, keys: Sequence[ConversationKey]) -> Sequence[ConversationKey]:
        """Return those of the conversations that this store may compress now, because no other
        store has claimed them. A claim ends with :meth:`compress`, when the store is closed, and
        after some time."""

    def compress(
        self, key: ConversationKey, replaced: Sequence[HistoryPart], by: Sequence[Summary]
    ) -> bool:
        """Replace the parts ``replaced`` by the summaries ``by``. The parts must be the oldest
        summaries of the working history, its oldest exchanges, or both, in order; otherwise
        nothing happens and the result is False. Summaries in ``by`` that have an id are among the
        replaced ones and are kept. Replaced parts stay in the store."""

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: ConversationKey, *, first: int, last: int) -> Sequence[Exchange]:
        """Return the exchanges numbered ``first`` to ``last`` (inclusive), oldest first."""

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        """Return the last ``limit`` exchanges, newest first."""

    def fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        """Return the exchanges with these ids that belong to the user, and their conversations."""

    def list_ids(
        self, user_key: UserKey, filters: SearchFilter, *, skip: int, limit: int
    ) -> Sequence[int]:
        """Return the ids of exchanges with terms (the others are silent), newest first."""

    def count_by_model(self, user_key: UserKey) -> Mapping[str, int]:
        """Return the number of a user's exchanges with each model."""

    # -- searching -----------------------------------------------------------------------------

    def statistics(self, user_key: UserKey, terms: Sequence[str]) -> TermStatistics:
        """Return the statistics of a user's exchanges for BM25."""

    def find_matching(
        self, user_key: UserKey, terms: Sequence[str], filters: SearchFilter, limit: int
    ) -> Sequence[Document]:
        """Return at most ``limit`` exchanges with any of the terms, best first by the store's own
        ranking."""

    def with_neighbours(
        self, user_key: UserKey, documents: Sequence[Document], reach: int
    ) -> Sequence[Document]:
        """Return documents of a user and those up to ``reach`` places before and after them,
        without duplicates, by conversation and number."""

    def documents(self, user_key: UserKey, ids: Sequence[int]) -> Sequence[Document]:
        """Return the documents with these ids."""

    def find_nearest(
        self, user_key: UserKey, embedder: str, vector: Vectors, filters: SearchFilter, limit: int
    ) -> Sequence[tuple[int, float]]:
        """Return the ids of the exchanges with the vectors nearest to ``vector`` (of shape
        (dimension,) and length 1), nearest first, with the cosines."""

    def find_outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        """Return at most ``limit`` exchanges, with their ids, whose terms are of an earlier
        version. Those that this store returned lately may be left out by others."""

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        """Replace the terms of exchanges by those of this version, and drop their vectors, so that
        they are embedded anew; erased ones are skipped."""

    # -- vectors -------------------------------------------------------------------------------

    def find_unembedded(
        self, embedder: str, limit: int
    ) -> Sequence[tuple[int, Sequence[Exchange]]]:
        """Return at most ``limit`` exchanges without a vector of that embedder, oldest first: the
        id of each with the exchange, preceded by the one before it in its conversation if any.
        Those that this store returned lately may be left out by others."""

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        """Store the vectors, one row per id; ids erased meanwhile are skipped."""

    def put_token_vectors(self, embedder: str, ids: Sequence[int], packed: Sequence[bytes]) -> None:
        """Store packed vectors of tokens, one item per id; ids erased meanwhile are skipped. Their
        embedder has a name of its own, for :meth:`find_unembedded` as well."""

    def index_vectors(self, embedder: str) -> bool:
        """Build or drop an index of the vectors of one user if the store has such indexes and needs
        it; whether it did."""

    def token_vectors(
        self, user_key: UserKey, embedder: str, ids: Sequence[int]
    ) -> Mapping[int, bytes]:
        """Return the packed vectors of tokens of those of these exchanges that have them."""

    # -- erasure -------------------------------------------------------------------------------

    def erase(
        self, user_key: UserKey, *, model: str | frozenset[str] | None = None, clock: int = 0
    ) -> int:
        """Erase everything of a user (with one model, or several): exchanges, summaries, vectors
        and index data, from the files as well. From now on exchanges of the user with clocks up to
        ``clock``, or up to the largest erased one, are ignored. Returns the number of erased
        exchanges."""

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        """Erase at most ``limit`` of the exchanges before that time, and the summaries that cover
        only erased ones. Returns the number of erased exchanges."""

    # -- quarantine ----------------------------------------------------------------------------
    #
    # A store quarantines damaged rows by itself and continues without them. Erasure and expiry
    # also apply to the quarantine.

    def quarantine_embedding(self, embedder: str, id: int, reason: str) -> None:
        """Quarantine an exchange that the embedder rejects: it stays without a vector."""

    def quarantine_compression(self, key: ConversationKey, reason: str) -> None:
        """Quarantine a conversation that the summarizer rejects: it is no longer reported as
        oversized."""

    def quarantined(self, limit: int) -> Sequence[QuarantinedItem]:
        """Return at most ``limit`` items in quarantine, oldest first."""

    def count_quarantined(self) -> int:
        """Return the number of items in quarantine."""

    def release(self, id: str) -> bool:
        """Take an item out of quarantine, to be processed again. Returns False if there is no
        such item or it is still unreadable."""

    def discard(self, id: str) -> bool:
        """Delete an item from the quarantine for good, with its data; False if there is no such
        item. A rejected exchange or conversation is not tried again."""

    # -- maintenance ---------------------------------------------------------------------------

    @property
    def measure(self) -> Measure:
        """The unit of history sizes."""

    def ping(self) -> None:
        """Check that the store can be read and written; raise :class:`StoreError` if not."""

    def close(self) -> None:
        """Close files and connections."""
