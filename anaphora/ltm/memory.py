"""Long-term memory of a bot: conversation history with compression and search.

An added exchange goes to the write-ahead journal (:mod:`anaphora.ltm.ingestion.journal`) and is
safe there. A background thread moves it to the recall store, embeds it and compresses histories
that have grown too large. Callers of :meth:`LongTermMemory.add` never wait for that.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, Self
from weakref import finalize

from anaphora.errors import AnaphoraError, StoreError
from anaphora.ltm.background.backoff import Backoff
from anaphora.ltm.background.process_lock import ProcessLock
from anaphora.ltm.background.tasks import (
    BackgroundTask,
    CompressTask,
    EmbedTask,
    ExpireTask,
    ReindexTask,
)
from anaphora.ltm.background.worker import BackgroundWorker
from anaphora.ltm.embedders.embedder import Embedder
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistorySettings
from anaphora.ltm.ingestion.ingestion_queue import IngestionQueue
from anaphora.ltm.ingestion.journal import Journal
from anaphora.ltm.ingestion.truncation import ExchangeLimits, truncate_exchange
from anaphora.ltm.retrieval.search import Page, SearchMode, search
from anaphora.ltm.retrieval.store import (
    NO_FILTER,
    QuarantinedItem,
    RecallStore,
    SearchFilter,
    UserKey,
)
from anaphora.ltm.retrieval.urls import OpenStore, open_recall_store
from anaphora.ltm.summarizers.extractive.summarizer import Extractive
from anaphora.ltm.summarizers.process_summarizer import ProcessSummarizer
from anaphora.ltm.summarizers.summarizer import Summarizer
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.forks import ForkAware, fork_safe_lock, register_fork_aware
from anaphora.storage.logical_clock import utc_now

__all__ = ["LongTermMemory", "MemoryStatus"]

_CLOSE_TIMEOUT = 10.0  # seconds granted to pending work when the memory is closed
_READ_WAIT = 0.2  # seconds a reader waits for pending exchanges to reach the store
_JOURNAL_PREFIX = "journal:"  # of the ids of quarantined items that are files of the journal
_DEFAULT_SETTINGS = HistorySettings()
_DEFAULT_LIMITS = ExchangeLimits()

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """Counters and failures of a long-term memory.

    ``waiting``, ``stored`` and ``dropped`` count exchanges of this process that are pending, stored
    and lost; ``summarized`` counts summaries, ``fallbacks`` those that are only the first words.
    For each task that has failed (``keep``, ``index``, ``embed``, ``compress``, ``expire``):
    ``failures`` counts, ``last_failures`` has the last reason, ``retry_at`` the time of the next
    attempt. ``quarantined`` counts the items in quarantine at the last check, including those of
    other processes."""

    waiting: int
    stored: int
    dropped: int
    summarized: int
    fallbacks: int
    failures: dict[str, int]
    last_failures: dict[str, str]
    retry_at: dict[str, datetime]
    quarantined: int = 0


class LongTermMemory(ForkAware):
    """Store exchanges in ``store`` by way of a write-ahead journal, summarize and search them.

    ``store`` is a recall store or its URL (``memory:``, ``sqlite:///memory.db``,
    ``postgresql://…``). The journal is a subfolder of ``journal``; by default it lies beside an
    SQLite file, else in the user's state folder.

    ``summarizer`` compresses old exchanges (None: no compression; the default runs in a separate
    process, see :class:`~anaphora.ltm.summarizers.process_summarizer.ProcessSummarizer`).
    ``embedder`` makes vectors for searches by meaning (None: text search only). ``settings`` limit
    the working history, in the unit of ``measure``; both must match a ``store`` that is passed as
    an object. ``limits`` bound the size of a stored exchange; truncated fields are recorded in
    ``truncated``. Exchanges older than ``retention`` are erased (None: never). At most
    ``max_waiting`` exchanges may be pending. ``clock`` returns the time with a zone, ``monotonic``
    seconds that never go back.

    All methods may be called from any thread, and the process may fork. Raises
    :class:`StoreError` if the store or the journal cannot be used.
    """

    def __init__(
        self,
        store: RecallStore | str = "memory:",
        *,
        summarizer: Summarizer | Literal["extractive"] | None = "extractive",
        embedder: Embedder | None = None,
        settings: HistorySettings = _DEFAULT_SETTINGS,
        measure: Measure = WORDS,
        retention: timedelta | None = None,
        journal: Path | None = None,
        max_waiting: int = 100_000,
        limits: ExchangeLimits = _DEFAULT_LIMITS,
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        _check_arguments(summarizer, embedder, retention)
        self._process_summarizer: ProcessSummarizer | None = None
        if isinstance(summarizer, str):
            summarizer = self._process_summarizer = ProcessSummarizer(Extractive())
        self.url = store if isinstance(store, str) else None
        opened = _open_store(store, settings, measure, journal)
        self.store, self._close_store = opened.store, opened.close
        self._embedder = embedder
        try:
            # Several stores may share the folder; each needs a journal of its own.
            own_journal = Journal(opened.journal_folder_in(journal))
        except BaseException:
            self._close_store()
            raise
        self._ingestion = IngestionQueue(
            self.store, own_journal, max_waiting=max_waiting, clock=clock
        )
        self._ingestion_backoff = Backoff("store exchanges", clock)
        self._tasks = _build_tasks(
            self.store, summarizer, embedder, settings, retention, clock, monotonic
        )
        # Every process expires by its own retention, so "expire" has no lock.
        # The suffix stays: processes of earlier versions may hold these locks.
        self._task_locks = {
            name: ProcessLock(own_journal.folder / f"{name}.chore")
            for name in self._tasks.keys() & {"index", "embed", "compress"}
        }
        self._close_lock = fork_safe_lock()
        self._closed = False
        self._limits, self._clock = limits, clock
        self._quarantined = 0
        self._rounds_started = self._rounds_finished = 0  # rounds of work
        self._worker = BackgroundWorker(self._run_round)
        # For readers, who must not wait for a store that another process keeps locked.
        self._catch_up_worker = BackgroundWorker(
            self._ingest, name="anaphora-ltm-reading", debounce=0.0, poll_interval=None
        )
        self._finalizer = finalize(
            self, _stop_and_close, (self._worker, self._catch_up_worker), self._ingestion
        )
        register_fork_aware(self)
        with suppress(StoreError):  # the server may be down; it is needed only later
            self._ingestion.advance(self.store.clock())
        self._worker.wake()  # other processes may have left work

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def clock(self) -> int:
        """The largest logical time seen so far, of exchanges and of erasures."""
        return self._ingestion.latest_clock

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Add an exchange to the conversation ``key``. It is safe when this returns, within
        microseconds. An exchange that cannot be added is logged and counted; nothing is raised.
        The exchanges of a conversation are ordered by their clocks; one without a clock comes
        last."""
        self._ingestion.add(key, truncate_exchange(exchange, self._limits))
        self._worker.wake()

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        """Return the last ``limit`` exchanges of a conversation, newest first.

        Raises :class:`StoreError` if they cannot be read, as all reading methods do.
        """
        self._wait_for_pending()
        return self.store.latest(key, limit)

    def history(self, key: ConversationKey) -> History:
        """Return the working history of a conversation: summaries of older exchanges, then the
        recent exchanges."""
        self._wait_for_pending()
        history = self.store.history(key)
        spoken = tuple(one for one in history.exchanges if not one.is_silent)
        return replace(history, exchanges=spoken)

    def original_exchanges(self, key: ConversationKey, summary: Summary) -> Sequence[Exchange]:
        """Return the exchanges that a summary replaced."""
        exchanges = self.store.exchanges(key, first=summary.first, last=summary.last)
        return [one for one in exchanges if not one.is_silent]

    def recall(
        self,
        user_key: UserKey,
        text: str = "",
        *,
        mode: SearchMode | None = None,
        filters: SearchFilter = NO_FILTER,
        language: str | Sequence[str] | None = None,
        page: int = 1,
        size: int = 10,
        neighbours: int = 1,
        at: datetime | None = None,
    ) -> Page:
        """Search the exchanges of a user: see
        :func:`anaphora.ltm.retrieval.search.search`."""
        self._wait_for_pending()
        return search(
            self.store,
            user_key,
            text,
            mode=mode,
            filters=filters,
            language=language,
            embedder=self._embedder,
            page=page,
            size=size,
            neighbours=neighbours,
            at=at or self._clock(),
        )

    def erase(
        self, user: str, *, tenant: str = "", model: str | None = None, clock: int = 0
    ) -> int:
        """Erase everything stored or pending of a user (with one model) up to the logical time
        ``clock``, by default up to now. Returns the number of erased exchanges.

        Raises :class:`StoreError` on failure; then nothing is guaranteed to be erased.
        """
        self._ingestion.move_to_store()
        self._ingestion.recover_orphans()
        self._ingestion.quarantine.erase(user, tenant, model)
        self._ingestion.advance(max(clock, self.store.clock()))
        until = self._ingestion.latest_clock if clock else self._ingestion.next_clock()
        return self.store.erase(UserKey(user, tenant), model=model, clock=until)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything added before is stored, and embedded and compressed unless that
        fails or another process does it. Returns whether it is stored; False also if it takes
        longer than ``timeout`` seconds."""
        added, begun = self._ingestion.added, self._rounds_started
        self._worker.wait(lambda: self._rounds_finished > begun, timeout)
        return self._ingestion.moved >= added

    def status(self) -> MemoryStatus:
        """Return the current counters and failures."""
        backoffs = {"keep": self._ingestion_backoff} | {
            name: task.backoff for name, task in self._tasks.items()
        }
        task = self._tasks.get("compress")
        compression = task if isinstance(task, CompressTask) else None
        return MemoryStatus(
            waiting=self._ingestion.waiting,
            stored=self._ingestion.stored,
            dropped=self._ingestion.dropped,
            summarized=compression.summary_count if compression else 0,
            fallbacks=compression.fallback_count if compression else 0,
            failures={
                name: one.failure_count for name, one in backoffs.items() if one.failure_count
            },
            last_failures={
                name: one.last_reason for name, one in backoffs.items() if one.last_reason
            },
            retry_at={name: one.retry_at for name, one in backoffs.items() if one.retry_at},
            quarantined=self._quarantined,
        )

    def quarantined(self, limit: int = 1_000) -> list[QuarantinedItem]:
        """Return at most ``limit`` of the items in quarantine."""
        items = [
            *(
                replace(item, id=f"{_JOURNAL_PREFIX}{item.id}")
                for item in self._ingestion.quarantine.items()
            ),
            *self.store.quarantined(limit),
        ]
        return items[:limit]

    def release(self, id: str) -> bool:
        """Take an item out of quarantine, to be processed again. Returns False if there is no
        such item or it is still unreadable."""
        if not id.startswith(_JOURNAL_PREFIX):
            return self.store.release(id)
        return self._ingestion.release(id.removeprefix(_JOURNAL_PREFIX))

    def discard(self, id: str) -> bool:
        """Delete an item from the quarantine for good. Returns False if there is no such item. An
        exchange without a vector and a history that was not compressed remain as they are."""
        if not id.startswith(_JOURNAL_PREFIX):
            return self.store.discard(id)
        return self._ingestion.quarantine.drop(id.removeprefix(_JOURNAL_PREFIX))

    def ping(self) -> None:
        """Check that the store can be read and written; raise :class:`StoreError` if not."""
        self.store.ping()

    def close(self, grace: float = _CLOSE_TIMEOUT) -> None:
        """Move pending exchanges to the store, as far as it accepts them within ``grace`` seconds
        (the rest stays in the journal for the next process), and release both. Further calls do
        nothing."""
        end = time.monotonic() + grace
        with self._close_lock:
            if self._closed:
                return
            self._closed = True
        ended = self._worker.stop(0.0)
        self._catch_up_worker.stop(0.0)
        if self._process_summarizer is not None:
            self._process_summarizer.close()
        ended = ended or self._worker.stop(max(0.0, end - time.monotonic()))
        try:
            if self._ingestion.move_to_store(wait=max(0.0, end - time.monotonic())) and ended:
                self._ingestion.delete_consumed_segments()
        except Exception as error:  # the store must be released in any case
            _log.warning("the last exchanges remain in the journal", extra={"reason": str(error)})
        self._finalizer.detach()
        self._ingestion.close()
        for lock in self._task_locks.values():
            lock.release()
        self._close_store()

    def after_fork_in_child(self) -> None:
        """Continue with threads of its own, and nothing pending."""
        self._ingestion.after_fork_in_child()
        for lock in self._task_locks.values():
            lock.release()
        self._worker.reset()
        self._catch_up_worker.reset()

    def _run_round(self) -> None:
        """Ingest pending exchanges, then run each task in turn until none has work left, ingesting
        again after each turn."""
        self._rounds_started += 1
        round = self._rounds_started
        try:
            self._ingest_pending(adopt=True)
            locks = self._task_locks
            own_tasks = [name for name in self._tasks if name not in locks or locks[name].acquire()]
            busy = bool(own_tasks)
            while busy and not self._worker.stopping:
                busy = sum(map(self._run_task, own_tasks)) > 0
                self._ingest_pending(adopt=False)
            self._count_quarantined()
        finally:
            self._rounds_finished = round

    def _count_quarantined(self) -> None:
        if not self._ingestion_backoff.can_try:  # the store is unavailable
            return
        try:
            in_store = self.store.count_quarantined()
        except StoreError as error:
            _log.info("the quarantine cannot be counted", extra={"reason": str(error)})
        else:
            self._quarantined = in_store + self._ingestion.quarantine.count()

    def _ingest_pending(self, *, adopt: bool) -> None:
        if self._ingestion_backoff.can_try:
            self._ingest(adopt=adopt)

    def _ingest(self, *, adopt: bool = False) -> None:
        """Ingest even during a back-off, as for readers: they wait only briefly."""
        try:
            self._ingestion.move_to_store()
            if adopt:
                self._ingestion.recover_orphans()
                self._ingestion.advance(self.store.clock())
        except Exception as error:  # a store may be third-party code
            if self._ingestion_backoff.can_try:
                self._ingestion_backoff.record_failure(error)
        else:
            self._ingestion_backoff.record_success()

    def _run_task(self, name: str) -> bool:
        """Run one batch of a task unless it is backing off; whether there was anything to do."""
        task = self._tasks[name]
        if not task.backoff.can_try or self._worker.stopping:
            return False
        try:
            worked = task.run()
        except Exception as error:  # a summarizer may be third-party code
            if not self._worker.stopping:
                task.backoff.record_failure(error)
            return False
        task.backoff.record_success()
        return worked

    def _wait_for_pending(self) -> None:
        """Let readers find pending exchanges, unless the store does not accept them soon."""
        if self._ingestion.waiting:
            added = self._ingestion.added
            self._catch_up_worker.wait(lambda: self._ingestion.moved >= added, _READ_WAIT)


def _check_arguments(summarizer: object, embedder: object, retention: object) -> None:
    """Raise :class:`AnaphoraError` for arguments that would only fail later, in the background."""
    if not (summarizer in (None, "extractive") or hasattr(summarizer, "summarize")):
        raise AnaphoraError(
            f"a summarizer is an object, such as Bart(), not {summarizer!r}; for the names used in "
            "settings see anaphora.ltm.factory"
        )
    if not (embedder is None or hasattr(embedder, "embed")):
        raise AnaphoraError(f"an embedder is an object, such as MiniLM(), not {embedder!r}")
    if not (retention is None or isinstance(retention, timedelta)):
        raise AnaphoraError(f"a retention is a timedelta(days=…), not {retention!r}")


def _open_store(
    store: RecallStore | str, settings: HistorySettings, measure: Measure, journal: Path | None
) -> OpenStore:
    if isinstance(store, str):
        return open_recall_store(store, settings=settings, measure=measure)
    if journal is None:
        raise AnaphoraError(
            "a long-term memory with this store needs a folder for its journal: "
            "LongTermMemory(store, journal=Path('journal'))"
        )
    return OpenStore(store, journal, lambda: None)


def _build_tasks(
    store: RecallStore,
    summarizer: Summarizer | None,
    embedder: Embedder | None,
    settings: HistorySettings,
    retention: timedelta | None,
    clock: Callable[[], datetime],
    monotonic: Callable[[], float],
) -> dict[str, BackgroundTask]:
    tasks: dict[str, BackgroundTask] = {}
    tasks["index"] = ReindexTask(store, Backoff("index exchanges", clock))
    if embedder is not None:
        tasks["embed"] = EmbedTask(store, embedder, Backoff("embed exchanges", clock))
    if summarizer is not None:
        tasks["compress"] = CompressTask(
            store, summarizer, settings, Backoff("summarize exchanges", clock)
        )
    if retention is not None:
        backoff = Backoff("erase expired exchanges", clock)
        tasks["expire"] = ExpireTask(store, retention, clock, monotonic, backoff)
    return tasks


def _stop_and_close(workers: Sequence[BackgroundWorker], ingestion: IngestionQueue) -> None:
    """Finalizer of a memory that was not closed: pending exchanges stay in the journal."""
    for each in workers:
        each.stop(0)
    ingestion.close()
