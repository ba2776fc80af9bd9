"""Queue of exchanges: appended to the journal, then delivered to the store in batches."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from anaphora.errors import AnaphoraError, PermanentStoreError, StoreError
from anaphora.ltm.dates.mentions import add_dates, is_date_reader_loaded
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.ingestion import records
from anaphora.ltm.ingestion.journal import DamagedEntry, Journal, JournalSegment
from anaphora.ltm.ingestion.quarantine import JournalQuarantine
from anaphora.ltm.ingestion.records import NewerFormatError
from anaphora.ltm.retrieval.indexing import exchange_terms, provisional_terms
from anaphora.ltm.retrieval.store import JournalPosition, NewExchange, RecallStore
from anaphora.ltm.retrieval.terms import DEFAULT_LANGUAGE, TERMS_VERSION, is_analyzer_loaded
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.logical_clock import next_tick, to_microseconds

__all__ = ["IngestionQueue"]

_BATCH_SIZE = 256  # exchanges per transaction
_WARNING_INTERVAL = 60.0  # seconds

_log = logging.getLogger(__name__)


class IngestionQueue:
    """Appends exchanges to ``journal`` and moves each of them to ``store`` exactly once.

    At most ``max_waiting`` exchanges may be pending, for example while the store is down; further
    ones are dropped, counted and logged. ``clock`` returns the time with a zone. Any thread may
    call the methods.

    ``moved`` counts the exchanges of this process that are no longer pending: they are in the store
    or in quarantine. ``latest_clock`` is the largest logical time of an exchange or erasure.
    """

    def __init__(
        self,
        store: RecallStore,
        journal: Journal,
        *,
        max_waiting: int,
        clock: Callable[[], datetime],
    ) -> None:
        self._store, self._journal = store, journal
        self._max_waiting = max_waiting
        self._clock = clock
        self.latest_clock = 0
        self._counter_lock = threading.Lock()
        self._move_lock = threading.Lock()
        self._read_positions: dict[str, int] = {}  # in each segment of this process
        self._last_warning = -_WARNING_INTERVAL
        self.moved = self._quarantined = 0
        self._position_uncertain = False  # whether the store may have got further than we know
        self.dropped = 0
        self.quarantine = JournalQuarantine(journal.folder)

    @property
    def waiting(self) -> int:
        """The number of exchanges of this process that are not in the store yet."""
        return self._journal.appended - self.moved

    @property
    def added(self) -> int:
        """The number of exchanges that this process appended."""
        return self._journal.appended

    @property
    def stored(self) -> int:
        """The number of exchanges of this process that are in the store."""
        return self.moved - self._quarantined

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Append an exchange. On failure it is logged and counted; nothing is raised."""
        try:
            if self.waiting >= self._max_waiting:
                raise StoreError(
                    f"{self.waiting:,} exchanges are waiting to be stored: check why the store "
                    "does not accept them"
                )
            if exchange.clock:
                self.advance(exchange.clock)
            else:
                exchange = replace(exchange, clock=self.next_clock())
            self._journal.append(records.dump_record(key, exchange))
        except (AnaphoraError, ValueError) as error:
            self._record_dropped(error)

    def advance(self, clock: int) -> None:
        """Advance the logical clock at least to ``clock``."""
        with self._counter_lock:
            self.latest_clock = max(self.latest_clock, clock)

    def next_clock(self) -> int:
        """Return the next logical time."""
        now = to_microseconds(self._clock())
        with self._counter_lock:
            self.latest_clock = next_tick(now, self.latest_clock)
            return self.latest_clock

    def move_to_store(self, *, wait: float = -1) -> bool:
        """Move all pending exchanges to the store; False if another thread is doing so and does
        not finish within ``wait`` seconds (-1: no limit).

        Raises :class:`StoreError` if the store does not accept them.
        """
        if not self.waiting:
            return True
        if not self._move_lock.acquire(timeout=wait):
            return False
        try:
            in_doubt, self._position_uncertain = self._position_uncertain, True
            for segment in self._journal.segments():
                self._move_segment(
                    segment, self._store.journal_position(segment.name) if in_doubt else 0
                )
            self._position_uncertain = False
        finally:
            self._move_lock.release()
        return True

    def recover_orphans(self) -> int:
        """Move exchanges left by dead processes to the store, and return how many.

        Raises :class:`StoreError` if the store does not accept them.
        """
        adopted = 0
        for segment in self._journal.orphans():
            position = self._store.journal_position(segment.name)
            try:
                for count, *_ in self._move_batches(segment, segment.entries(position)):
                    adopted += count
            except NewerFormatError as error:
                _log.error("a journal is left alone", extra={"reason": str(error)})
            else:
                segment.delete()
                self._forget_position(segment)
        return adopted

    def release(self, id: str) -> bool:
        """Take an entry out of quarantine and append it again; False if there is no such entry or
        it is still unreadable."""
        entry = self.quarantine.entry(id)
        if entry is None:
            return False
        try:
            _parse_entry(entry)
        except (PermanentStoreError, NewerFormatError):
            return False
        self._journal.append(entry)
        return self.quarantine.drop(id)

    def delete_consumed_segments(self) -> None:
        """Delete the segments that the store has received completely.

        Raises :class:`StoreError` if the store cannot be updated.
        """
        for segment in self._journal.segments():
            if self._journal.drop(segment, self._read_positions.get(segment.name, 0)):
                self._forget_position(segment)

    def close(self) -> None:
        """Close the journal. What was not moved stays in it for the next process."""
        self._journal.close()

    def after_fork_in_child(self) -> None:
        """Start over with nothing pending: that belongs to the parent."""
        self._counter_lock, self._move_lock = threading.Lock(), threading.Lock()
        self._read_positions.clear()
        self.moved, self._quarantined, self._position_uncertain = 0, 0, False

    def _move_segment(self, segment: JournalSegment, stored_position: int) -> None:
        """Move the entries of a segment of this process after ``stored_position``."""
        end = self._journal.end(segment)
        begin = self._read_positions.get(segment.name, 0)
        for count, lost, position in self._move_batches(
            segment, segment.entries(begin, end), stored_position
        ):
            self._journal.clear(segment, begin, position)
            self._read_positions[segment.name] = begin = position
            with self._counter_lock:
                self.moved += count
                self._quarantined += lost
        if end is None:
            self._journal.drop(segment)
            self._read_positions.pop(segment.name, None)
            self._forget_position(segment)

    def _move_batches(
        self,
        segment: JournalSegment,
        entries: Iterator[tuple[bytes, int]],
        stored_position: int = 0,
    ) -> Iterator[tuple[int, int, int]]:
        """Move the entries after ``stored_position`` in batches. Yield for each batch how many
        entries were moved, how many of them went into quarantine, and the position reached."""
        while batch := list(islice(entries, _BATCH_SIZE)):
            new = [one for one in batch if one[1] > stored_position]
            lost = 0
            try:
                if new:
                    lost = self._store_batch(segment, new)
            except PermanentStoreError:
                lost = sum([self._store_or_quarantine(segment, one) for one in new])
            yield len(batch), lost, batch[-1][1]

    def _store_batch(self, segment: JournalSegment, batch: Sequence[tuple[bytes, int]]) -> int:
        """Store a batch; return how many of its entries were unreadable and quarantined."""
        new: list[NewExchange] = []
        unreadable: list[PermanentStoreError] = []
        for entry, position in batch:
            try:
                new.append(_parse_entry(entry))
            except PermanentStoreError as error:
                self.quarantine.put(segment.name, position, entry, str(error))
                unreadable.append(error)
        self._store.add(new, mark=JournalPosition(segment.name, batch[-1][1]))
        for problem in unreadable:
            self._record_dropped(problem)
        return len(unreadable)

    def _store_or_quarantine(self, segment: JournalSegment, one: tuple[bytes, int]) -> int:
        """Store one entry; return 1 if it was quarantined, else 0."""
        if one[1] <= self._store.journal_position(segment.name):  # stored by an earlier attempt
            return 0
        try:
            return self._store_batch(segment, [one])
        except PermanentStoreError as error:
            self.quarantine.put(segment.name, one[1], one[0], str(error))
            self._store.add((), mark=JournalPosition(segment.name, one[1]))
            self._record_dropped(error)
            return 1

    def _forget_position(self, segment: JournalSegment) -> None:
        """Forget the position, unless the file still exists: it would be read again."""
        if not segment.path.exists():
            self._store.forget_journal(segment.name)

    def _record_dropped(self, error: Exception) -> None:
        with self._counter_lock:
            self.dropped += 1
            now = time.monotonic()
            if now - self._last_warning < _WARNING_INTERVAL:
                return
            self._last_warning = now
        _log.error(
            "an exchange was not stored in the long-term memory",
            extra={"reason": str(error), "dropped": self.dropped},
        )


def _parse_entry(entry: bytes) -> NewExchange:
    """Parse an entry into an exchange with its terms. Raises :class:`NewerFormatError` for a later
    format, :class:`PermanentStoreError` for any other unreadable entry."""
    if isinstance(entry, DamagedEntry):
        raise PermanentStoreError("an entry of the journal is damaged: its checksum does not match")
    try:
        key, exchange = records.load_record(entry)
        if exchange.is_silent:
            return NewExchange(key, exchange, (), TERMS_VERSION)
        language = exchange.language or DEFAULT_LANGUAGE
        if not (is_date_reader_loaded(language) and is_analyzer_loaded(language)):
            # Loading a language takes time. The words as written serve as terms until the
            # exchange is reindexed.
            return NewExchange(key, exchange, provisional_terms(exchange), 0)
        exchange = add_dates(exchange)
        return NewExchange(key, exchange, exchange_terms(exchange), TERMS_VERSION)
    except NewerFormatError:
        raise
    except Exception as error:  # no entry may block the others
        raise PermanentStoreError(f"an exchange of the journal cannot be read: {error}") from error
