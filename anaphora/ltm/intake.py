"""The way of an exchange into the store: written ahead at once, moved there soon after."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from anaphora.errors import AnaphoraError, StoreError, Unkeepable
from anaphora.ltm import records
from anaphora.ltm.dates import can_find_dates, with_dates
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.journal import Damaged, Entries, Journal, Segment
from anaphora.ltm.quarantine import JournalQuarantine
from anaphora.ltm.recall.documents import exchange_terms, plain_terms
from anaphora.ltm.recall.store import Mark, New, RecallStore
from anaphora.ltm.recall.terms import DEFAULT_LANGUAGE, TERMS_VERSION, is_loaded
from anaphora.ltm.records import LaterFormat
from anaphora.stm.conversation import Key
from anaphora.storage.logical_clock import in_microseconds, tick

__all__ = ["Intake"]

_BATCH = 256  # exchanges that are moved in one transaction
_COMPLAINED_EVERY = 60.0  # seconds

_log = logging.getLogger(__name__)


class Intake:
    """Takes exchanges into ``journal`` and moves them to ``store``, each once.

    At most ``most_waiting`` exchanges wait to be moved (for a store that is down, say); further
    ones are dropped, counted and logged. ``clock`` tells the time with a zone. Any thread may call
    its methods.
    """

    def __init__(
        self,
        store: RecallStore,
        journal: Journal,
        *,
        most_waiting: int,
        clock: Callable[[], datetime],
    ) -> None:
        self._store, self._journal = store, journal
        self._most_waiting = most_waiting
        self._clock = clock
        self._latest = 0  # logical time of all that was taken or erased
        self._counting = threading.Lock()
        self._moving = threading.Lock()
        self._read: dict[str, int] = {}  # how far into each of our segments
        self._complained = -_COMPLAINED_EVERY
        self._moved = self._lost = 0
        self._in_doubt = False  # whether the store may have more of ours than we were told
        self.dropped = 0
        self.quarantine = JournalQuarantine(journal.folder)

    @property
    def waiting(self) -> int:
        """How many exchanges of this process are not in the store yet."""
        return self._journal.appended - self._moved

    @property
    def added(self) -> int:
        """How many exchanges of this process were taken."""
        return self._journal.appended

    @property
    def moved(self) -> int:
        """How many exchanges of this process don't wait any more: they are in the store, or were
        found to be such as no store can keep."""
        return self._moved

    @property
    def kept(self) -> int:
        """How many exchanges of this process are in the store."""
        return self._moved - self._lost

    def add(self, key: Key, exchange: Exchange) -> None:
        """Take an exchange; what cannot be taken is logged and counted, and is no error."""
        try:
            if self.waiting >= self._most_waiting:
                raise StoreError(
                    f"{self.waiting:,} exchanges wait to be kept: see why the store does not "
                    "take them"
                )
            if exchange.clock:
                self.advance(exchange.clock)
            else:
                exchange = replace(exchange, clock=self.tick())
            self._journal.append(records.dump(key, exchange))
        except (AnaphoraError, ValueError) as error:
            self._drop(error)

    @property
    def latest(self) -> int:
        """The largest logical time that is known."""
        return self._latest

    def advance(self, clock: int) -> None:
        """Learn of a logical time: those that are given from now on are later."""
        with self._counting:
            self._latest = max(self._latest, clock)

    def tick(self) -> int:
        """The next logical time."""
        now = in_microseconds(self._clock())
        with self._counting:
            self._latest = tick(now, self._latest)
            return self._latest

    def move(self, *, wait: float = -1) -> bool:
        """Bring all that waits into the store; False if another thread is at it and has not
        ended within ``wait`` seconds (-1: however long it takes).

        Raises :class:`StoreError` if the store does not take it.
        """
        if not self.waiting:
            return True
        if not self._moving.acquire(timeout=wait):
            return False
        try:
            in_doubt, self._in_doubt = self._in_doubt, True
            for segment in self._journal.segments():
                self._move_own(segment, self._store.marked(segment.name) if in_doubt else 0)
            self._in_doubt = False
        finally:
            self._moving.release()
        return True

    def adopt(self) -> int:
        """Bring what processes have left that are gone into the store; how many exchanges.

        Raises :class:`StoreError` if the store does not take it.
        """
        adopted = 0
        for segment in self._journal.orphans():
            position = self._store.marked(segment.name)
            try:
                for count, *_ in self._moves(segment, segment.entries(position)):
                    adopted += count
            except LaterFormat as error:
                _log.error("a journal is left alone", extra={"reason": str(error)})
            else:
                self._dispose(segment)
        return adopted

    def release(self, id: str) -> bool:
        """Take an entry out of quarantine, to be moved again; False if there is no such, or it
        is still unreadable."""
        entry = self.quarantine.entry(id)
        if entry is None:
            return False
        try:
            _read(entry)
        except (Unkeepable, LaterFormat):
            return False
        self._journal.append(entry)
        return self.quarantine.drop(id)

    def leave_nothing(self) -> None:
        """Delete the files of which the store has everything.

        Raises :class:`StoreError` if the store cannot be told.
        """
        for segment in self._journal.segments():
            if self._journal.finish(segment, self._read.get(segment.name, 0)):
                self._forget(segment)

    def close(self) -> None:
        """Let go of the journal: what could not be moved stays there for the next process."""
        self._journal.close()

    def before_fork(self) -> None:
        self._journal.before_fork()

    def after_fork(self) -> None:
        self._journal.after_fork()

    def after_fork_in_child(self) -> None:
        """Go on with nothing that waits: that is the parent's."""
        self._counting, self._moving = threading.Lock(), threading.Lock()
        self._read.clear()
        self._moved, self._lost, self._in_doubt = 0, 0, False
        self._journal.after_fork_in_child()

    def _move_own(self, segment: Segment, there: int) -> None:
        """Move what is in one of our segments, of which the store has all before ``there``."""
        end = self._journal.end(segment)
        begin = self._read.get(segment.name, 0)
        for count, lost, position in self._moves(segment, segment.entries(begin, end), there):
            self._journal.clear(segment, begin, position)
            self._read[segment.name] = begin = position
            with self._counting:
                self._moved += count
                self._lost += lost
        if end is None:
            self._journal.drop(segment)
            self._read.pop(segment.name, None)
            self._forget(segment)

    def _moves(
        self, segment: Segment, entries: Entries, there: int = 0
    ) -> Iterator[tuple[int, int, int]]:
        """Move the entries, batch by batch, but for those before ``there``: how many are moved,
        how many of these were dropped, and up to where."""
        pending = iter(entries)
        while batch := list(islice(pending, _BATCH)):
            new = [one for one in batch if one[1] > there]
            lost = 0
            try:
                if new:
                    lost = self._add(segment, new)
            except LaterFormat:
                raise
            except Unkeepable:
                lost = sum([self._add_or_drop(segment, one) for one in new])
            yield len(batch), lost, batch[-1][1]

    def _add(self, segment: Segment, batch: Sequence[tuple[bytes, int]]) -> int:
        """Add a batch; how many of it could not be read, and are dropped."""
        new: list[New] = []
        unreadable: list[Unkeepable] = []
        for entry, position in batch:
            try:
                new.append(_read(entry))
            except Unkeepable as error:
                self.quarantine.put(segment.name, position, entry, str(error))
                unreadable.append(error)
        self._store.add(new, mark=Mark(segment.name, batch[-1][1]))
        for problem in unreadable:
            self._drop(problem)
        return len(unreadable)

    def _add_or_drop(self, segment: Segment, one: tuple[bytes, int]) -> int:
        """Add one; 1 if it is dropped, else 0."""
        if one[1] <= self._store.marked(segment.name):  # a try before got so far
            return 0
        try:
            return self._add(segment, [one])
        except Unkeepable as error:
            self.quarantine.put(segment.name, one[1], one[0], str(error))
            self._store.add((), mark=Mark(segment.name, one[1]))
            self._drop(error)
            return 1

    def _dispose(self, segment: Segment) -> None:
        segment.delete()
        self._forget(segment)

    def _forget(self, segment: Segment) -> None:
        """Forget the mark, unless the file could not be deleted: it would be read again."""
        if not segment.path.exists():
            self._store.unmark(segment.name)

    def _drop(self, error: Exception) -> None:
        with self._counting:
            self.dropped += 1
            now = time.monotonic()
            if now - self._complained < _COMPLAINED_EVERY:
                return
            self._complained = now
        _log.error(
            "an exchange is not kept in the long-term memory",
            extra={"reason": str(error), "dropped": self.dropped},
        )


def _read(entry: bytes) -> New:
    """The exchange of an entry. Raises :class:`LaterFormat` for one that a later version can
    read, :class:`Unkeepable` for any other that cannot be read."""
    if isinstance(entry, Damaged):
        raise Unkeepable("an entry of the journal is damaged: its checksum does not match")
    try:
        key, exchange = records.load(entry)
        if exchange.is_silent:
            return New(key, exchange, (), TERMS_VERSION)
        language = exchange.language or DEFAULT_LANGUAGE
        if not (can_find_dates(language) and is_loaded(language)):
            # To load a language takes time: it is indexed by its words as they are written, and
            # the rest comes later.
            return New(key, exchange, plain_terms(exchange), 0)
        exchange = with_dates(exchange)
        return New(key, exchange, exchange_terms(exchange), TERMS_VERSION)
    except LaterFormat:
        raise
    except Exception as error:  # whatever it is, it must not hold up the others
        raise Unkeepable(f"an exchange of the journal cannot be read: {error}") from error
