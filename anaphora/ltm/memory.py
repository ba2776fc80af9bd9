"""The long-term memory of bots: all that was said is kept, compressed, and found again.

What is added is written ahead (:mod:`anaphora.ltm.ingestion.journal`) and is safe then; one thread
brings it into the recall store, embeds it and compresses histories that have grown too large.
Whoever adds waits for nothing of that.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
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
from anaphora.ltm.ingestion.quarantine import QuarantinedItem
from anaphora.ltm.ingestion.truncation import ExchangeLimits, truncate_exchange
from anaphora.ltm.retrieval.search import Page, SearchMode, search
from anaphora.ltm.retrieval.store import RecallStore, SearchFilter, UserKey
from anaphora.ltm.retrieval.urls import OpenStore, open_recall_store
from anaphora.ltm.summarizers.extractive.summarizer import Extractive
from anaphora.ltm.summarizers.process_summarizer import ProcessSummarizer
from anaphora.ltm.summarizers.summarizer import Summarizer
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.forks import fork_safe_lock, register_fork_aware

__all__ = ["LongTermMemory", "MemoryStatus"]

_CLOSE_TIMEOUT = 10.0  # seconds that what is under way has to end when the memory is closed
_READ_WAIT = 0.2  # seconds that a reader waits for what another thread is bringing into the store
_JOURNAL_PREFIX = "journal:"  # what ids of items begin with that are files beside the journal
_NO_FILTER = SearchFilter()
_DEFAULT_SETTINGS = HistorySettings()
_DEFAULT_LIMITS = ExchangeLimits()

_log = logging.getLogger(__name__)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """How a long-term memory is: how many exchanges of this process wait to be kept, are kept,
    were ``dropped``; how many summaries were made, and how many of them only cut (``cut``);
    for each kind of work that has failed (``keep``, ``index``, ``embed``, ``compress``,
    ``expire``) how often, the last reason, and when it is tried again; how many items are in
    quarantine (``quarantined``), those of other processes included, as of the last look."""

    waiting: int
    kept: int
    dropped: int
    summarized: int
    cut: int
    failures: dict[str, int]
    last_failures: dict[str, str]
    retry_at: dict[str, datetime]
    quarantined: int = 0


class LongTermMemory:
    """Keeps what was said in ``store`` (a recall store or the URL of one: ``memory:``,
    ``sqlite:///memory.db``, ``postgresql://…``), and what waits for it in the folder
    ``journal``, in a folder of its own there (beside an SQLite file, else in the user's state
    folder, if left out).

    ``summarizer`` makes summaries of what is old (None: nothing is compressed; the usual one
    works in a process of its own, a
    :class:`~anaphora.ltm.summarizers.process_summarizer.ProcessSummarizer`), ``embedder``
    vectors to search by meaning (None: by words alone); ``settings`` say how long a
    working history may be, in the unit of ``measure``; with a store that is given as such, those
    must be the store's. ``limits`` bound what is kept of one exchange; what is cut is marked as
    ``truncated``. What is older than ``retention`` is erased (None: never). ``clock`` tells the
    time with a zone, ``monotonic`` seconds that never go back.

    All methods may be called from any thread; a process may fork. Raises :class:`StoreError` if
    the store or the journal cannot be used.
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
        clock: Callable[[], datetime] = _utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        _check_arguments(summarizer, embedder, retention)
        self._process_summarizer = (
            ProcessSummarizer(Extractive()) if summarizer == "extractive" else None
        )
        place = _open_store(store, settings, measure, journal)
        self._store, self._release_files = place.store, place.release
        self._owns_store = isinstance(store, str)
        self._embedder = embedder
        try:
            # Several stores may be told the same folder, and must not take over from each other.
            files = Journal(place.journal_folder_in(journal))
        except BaseException:
            if self._owns_store:
                self._store.close()
                self._release_files()
            raise
        self._ingestion = IngestionQueue(self._store, files, max_waiting=max_waiting, clock=clock)
        self._ingestion_backoff = Backoff("keep what was said", clock)
        made = self._process_summarizer if isinstance(summarizer, str) else summarizer
        self._tasks = _build_tasks(
            self._store, made, embedder, settings, retention, clock, monotonic
        )
        # Erasing what is too old is done by each as its own settings say.
        self._task_locks = {
            name: ProcessLock(files.folder / f"{name}.chore")
            for name in self._tasks.keys() & {"index", "embed", "compress"}
        }
        self._close_lock = fork_safe_lock()
        self._closed = False
        self._limits, self._clock = limits, clock
        self._quarantined = 0
        self._rounds_started = self._rounds_finished = 0  # rounds of work
        self._worker = BackgroundWorker(self._run_round)
        # For readers, who must not wait for a store that somebody else keeps locked.
        self._catch_up_worker = BackgroundWorker(
            self._ingest_for_readers, name="anaphora-ltm-reading", debounce=0.0, poll_interval=None
        )
        self._finalizer = finalize(
            self, _stop_and_close, (self._worker, self._catch_up_worker), self._ingestion
        )
        register_fork_aware(self)
        with suppress(StoreError):  # whether there is a server shows when it is needed
            self._ingestion.advance(self._store.clock())
        self._worker.wake()  # others may have left something to do

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def store(self) -> RecallStore:
        """Where everything is kept."""
        return self._store

    @property
    def clock(self) -> int:
        """The largest logical time that this memory knows, of exchanges and of erasures."""
        return self._ingestion.latest_clock

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Take an exchange of the conversation ``key``. It is safe when this returns, after some
        microseconds; what cannot be taken is logged and counted, and is no error. The exchanges of
        a conversation are kept in the order of their clocks; one without is the last."""
        self._ingestion.add(key, truncate_exchange(exchange, self._limits))
        self._worker.wake()

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        """The last ``limit`` exchanges of a conversation, newest first.

        Raises :class:`StoreError` if they cannot be read, as all reading methods do.
        """
        self._wait_for_pending()
        return self._store.latest(key, limit)

    def history(self, key: ConversationKey) -> History:
        """The working history of a conversation: summaries of what is old, and what was said
        since."""
        self._wait_for_pending()
        history = self._store.history(key)
        said = tuple(one for one in history.exchanges if not one.is_silent)
        return replace(history, exchanges=said)

    def original_exchanges(self, key: ConversationKey, summary: Summary) -> Sequence[Exchange]:
        """What a summary stands for, as it was said."""
        exchanges = self._store.exchanges(key, first=summary.first, last=summary.last)
        return [one for one in exchanges if not one.is_silent]

    def recall(
        self,
        user_key: UserKey,
        text: str = "",
        *,
        mode: SearchMode | None = None,
        filters: SearchFilter = _NO_FILTER,
        language: str | Sequence[str] | None = None,
        page: int = 1,
        size: int = 10,
        neighbours: int = 1,
        at: datetime | None = None,
    ) -> Page:
        """Look for what a user or the bot said: see
        :func:`anaphora.ltm.retrieval.search.search`."""
        self._wait_for_pending()
        return search(
            self._store,
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
        """Erase all that is kept of a user (with one model), also what still waits to be kept,
        here or elsewhere, of what was said up to the logical time ``clock`` (up to now if left
        out); how many exchanges that were.

        Raises :class:`StoreError` if it cannot be done now: then nothing is sure to be erased.
        """
        self._ingestion.move_to_store()
        self._ingestion.recover_orphans()
        self._ingestion.quarantine.erase(user, tenant, model)
        self._ingestion.advance(max(clock, self._store.clock()))
        until = self._ingestion.latest_clock if clock else self._ingestion.next_clock()
        return self._store.erase(UserKey(user, tenant), model=model, clock=until)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was added before is kept, and embedded and compressed as far as
        that does not fail and is not done by another process; whether it is kept. False as well
        if it takes longer than ``timeout`` seconds."""
        added, begun = self._ingestion.added, self._rounds_started
        self._worker.wait(lambda: self._rounds_finished > begun, timeout)
        return self._ingestion.moved >= added

    def status(self) -> MemoryStatus:
        """How it is."""
        works = {"keep": self._ingestion_backoff} | {
            name: chore.backoff for name, chore in self._tasks.items()
        }
        compressing = self._tasks.get("compress")
        made = compressing if isinstance(compressing, CompressTask) else None
        return MemoryStatus(
            waiting=self._ingestion.waiting,
            kept=self._ingestion.stored,
            dropped=self._ingestion.dropped,
            summarized=made.summary_count if made else 0,
            cut=made.fallback_count if made else 0,
            failures={
                name: work.failure_count for name, work in works.items() if work.failure_count
            },
            last_failures={
                name: work.last_reason for name, work in works.items() if work.last_reason
            },
            retry_at={name: work.retry_at for name, work in works.items() if work.retry_at},
            quarantined=self._quarantined,
        )

    def quarantined(self, limit: int = 1_000) -> list[QuarantinedItem]:
        """At most ``limit`` of the items that could not be processed and were put aside."""
        items = [
            *(
                replace(item, id=f"{_JOURNAL_PREFIX}{item.id}")
                for item in self._ingestion.quarantine.items()
            ),
            *self._store.quarantined(limit),
        ]
        return items[:limit]

    def release(self, id: str) -> bool:
        """Take an item out of quarantine, so that it is tried again. False if there is none of
        that id, or if it is still unreadable."""
        if not id.startswith(_JOURNAL_PREFIX):
            return self._store.release(id)
        return self._ingestion.release(id.removeprefix(_JOURNAL_PREFIX))

    def discard(self, id: str) -> bool:
        """Delete an item from the quarantine for good; False if there is none of that id. An
        exchange without a vector, and a history that was not compressed, stay as they are."""
        if not id.startswith(_JOURNAL_PREFIX):
            return self._store.discard(id)
        return self._ingestion.quarantine.drop(id.removeprefix(_JOURNAL_PREFIX))

    def ping(self) -> None:
        """Return if the store can be read and written; :class:`StoreError` if not."""
        self._store.ping()

    def close(self, grace: float = _CLOSE_TIMEOUT) -> None:
        """Bring into the store what waits, as far as the store takes it within ``grace`` seconds
        (the rest stays in the journal, for the next process), and let go of both. Twice is
        once."""
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
        except Exception as error:  # the store must be let go of
            _log.warning("what was said last waits in the journal", extra={"reason": str(error)})
        self._finalizer.detach()
        self._ingestion.close()
        for claim in self._task_locks.values():
            claim.release()
        if self._owns_store:
            self._store.close()
            self._release_files()

    def before_fork(self) -> None:
        self._ingestion.before_fork()

    def after_fork(self) -> None:
        self._ingestion.after_fork()

    def after_fork_in_child(self) -> None:
        """Go on with a journal and a thread of its own."""
        self._ingestion.after_fork_in_child()
        for claim in self._task_locks.values():
            claim.release()
        self._worker.restart_in_child()
        self._catch_up_worker.restart_in_child()

    def _run_round(self) -> None:
        """One round: what waits is kept, then each chore has its turn until none has anything
        to do, and what comes meanwhile is kept between them."""
        self._rounds_started += 1
        round = self._rounds_started
        try:
            self._ingest_pending(adopt=True)
            mine = [name for name in self._tasks if self._owns_task(name)]
            busy = bool(mine)
            while busy and not self._worker.stopping:
                busy = sum(map(self._run_task, mine)) > 0
                self._ingest_pending(adopt=False)
            self._count_quarantined()
        finally:
            self._rounds_finished = round

    def _count_quarantined(self) -> None:
        if not self._ingestion_backoff.can_try:  # the store is away
            return
        try:
            in_store = self._store.count_quarantined()
        except StoreError as error:
            _log.info("the quarantine cannot be counted", extra={"reason": str(error)})
        else:
            self._quarantined = in_store + self._ingestion.quarantine.count()

    def _ingest_pending(self, *, adopt: bool) -> None:
        if not self._ingestion_backoff.can_try:
            return
        try:
            self._ingestion.move_to_store()
            if adopt:
                self._ingestion.recover_orphans()
                self._ingestion.advance(self._store.clock())
        except Exception as error:  # a store may be anybody's code
            self._ingestion_backoff.record_failure(error)
        else:
            self._ingestion_backoff.record_success()

    def _owns_task(self, name: str) -> bool:
        """Whether we are the one to do a chore that need not be done twice."""
        return name not in self._task_locks or self._task_locks[name].acquire()

    def _run_task(self, name: str) -> bool:
        """Do some of a chore, if it may be tried now; whether there was anything to do."""
        chore = self._tasks[name]
        if not chore.backoff.can_try or self._worker.stopping:
            return False
        try:
            did = chore.run()
        except Exception as error:  # a summarizer may be anybody's code
            if not self._worker.stopping:
                chore.backoff.record_failure(error)
            return False
        chore.backoff.record_success()
        return did

    def _ingest_for_readers(self) -> None:
        """Try to, though it may have failed a moment ago: nobody waits for long."""
        try:
            self._ingestion.move_to_store()
        except Exception as error:  # a store may be anybody's code
            if self._ingestion_backoff.can_try:
                self._ingestion_backoff.record_failure(error)
        else:
            self._ingestion_backoff.record_success()

    def _wait_for_pending(self) -> None:
        """Let readers find what was added before, unless the store does not take it in soon."""
        if self._ingestion.waiting:
            added = self._ingestion.added
            self._catch_up_worker.wait(lambda: self._ingestion.moved >= added, _READ_WAIT)


def _check_arguments(summarizer: object, embedder: object, retention: object) -> None:
    """Raises :class:`AnaphoraError` for what could only fail later, in the background."""
    if not (summarizer in (None, "extractive") or hasattr(summarizer, "summarize")):
        raise AnaphoraError(
            f"a summarizer is an object, such as Bart(), not {summarizer!r}; "
            "anaphora.ltm.factory knows the names that settings have"
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
            "a long-term memory needs a folder for what waits for this store: "
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
    chores: dict[str, BackgroundTask] = {
        "index": ReindexTask(store, Backoff("index what was said", clock))
    }
    if embedder is not None:
        chores["embed"] = EmbedTask(store, embedder, Backoff("embed what was said", clock))
    if summarizer is not None:
        chores["compress"] = CompressTask(
            store, summarizer, settings, Backoff("summarize what was said", clock)
        )
    if retention is not None:
        failures = Backoff("erase what is too old", clock)
        chores["expire"] = ExpireTask(store, retention, clock, monotonic, failures)
    return chores


def _stop_and_close(workers: Sequence[BackgroundWorker], ingestion: IngestionQueue) -> None:
    """At the end of a process that has not closed its memory: the journal has what waits."""
    for each in workers:
        each.stop(0)
    ingestion.close()
