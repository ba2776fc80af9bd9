"""The long-term memory of bots: all that was said is kept, compressed, and found again.

What is added is written ahead (:mod:`anaphora.ltm.journal`) and is safe then; one thread brings it
into the recall store, embeds it and compresses histories that have grown too large. Whoever adds
waits for nothing of that.
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
from anaphora.ltm.background import Background
from anaphora.ltm.chores import Chore, Compressing, Embedding, Expiring, ReindexTask
from anaphora.ltm.claim import Claim
from anaphora.ltm.counting import WORDS, Measure
from anaphora.ltm.embedders.embedder import Embedder
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.failures import Failures
from anaphora.ltm.history import History, HistorySettings
from anaphora.ltm.intake import Intake
from anaphora.ltm.journal import Journal
from anaphora.ltm.quarantine import QuarantinedItem
from anaphora.ltm.recall.search import How, Page, search
from anaphora.ltm.recall.store import Among, RecallStore, Whose
from anaphora.ltm.recall.urls import Place, recall_store_at
from anaphora.ltm.summarizers.apart import Apart
from anaphora.ltm.summarizers.extractive import Extractive
from anaphora.ltm.summarizers.summarizer import Summarizer
from anaphora.ltm.truncation import ExchangeLimits, truncate_exchange
from anaphora.stm.conversation import Key
from anaphora.storage.forks import follow_forks, fork_safe_lock

__all__ = ["LongTermMemory", "Status"]

_GRACE = 10.0  # seconds that what is under way has to end when the memory is closed
_BESIDE = 0.2  # seconds that a reader waits for what another thread is bringing into the store
_JOURNAL = "journal:"  # what ids of items begin with that are files beside the journal
_EVERYTHING = Among()
_SETTINGS = HistorySettings()
_LIMITS = ExchangeLimits()

_log = logging.getLogger(__name__)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Status:
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
    works in a process of its own, :class:`~anaphora.ltm.summarizers.apart.Apart`), ``embedder``
    vectors to search by meaning (None: by words alone); ``settings`` say how long a working
    history may be, in the unit of ``measure``; with a store that is given as such, those must be
    the store's. ``limits`` bound what is kept of one exchange; what is cut is marked as
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
        settings: HistorySettings = _SETTINGS,
        measure: Measure = WORDS,
        retention: timedelta | None = None,
        journal: Path | None = None,
        most_waiting: int = 100_000,
        limits: ExchangeLimits = _LIMITS,
        clock: Callable[[], datetime] = _utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        _check(summarizer, embedder, retention)
        self._apart = Apart(Extractive()) if summarizer == "extractive" else None
        place = _place(store, settings, measure, journal)
        self._store, self._leave = place.store, place.leave
        self._is_ours = isinstance(store, str)
        self._embedder = embedder
        try:
            # Several stores may be told the same folder, and must not take over from each other.
            files = Journal(place.journal_in(journal))
        except BaseException:
            if self._is_ours:
                self._store.close()
                self._leave()
            raise
        self._intake = Intake(self._store, files, most_waiting=most_waiting, clock=clock)
        self._keeping = Failures("keep what was said", clock)
        made = self._apart if isinstance(summarizer, str) else summarizer
        self._chores = _chores(self._store, made, embedder, settings, retention, clock, monotonic)
        # Erasing what is too old is done by each as its own settings say.
        self._claims = {
            name: Claim(files.folder / f"{name}.chore")
            for name in self._chores.keys() & {"index", "embed", "compress"}
        }
        self._closing = fork_safe_lock()
        self._closed = False
        self._limits, self._clock = limits, clock
        self._quarantined = 0
        self._begun = self._done = 0  # rounds of work
        self._background = Background(self._work)
        # For readers, who must not wait for a store that somebody else keeps locked.
        self._reading = Background(
            self._bring_in, name="anaphora-ltm-reading", gathered=0.0, looks_every=None
        )
        self._finalizer = finalize(self, _let_go, (self._background, self._reading), self._intake)
        follow_forks(self)
        with suppress(StoreError):  # whether there is a server shows when it is needed
            self._intake.advance(self._store.clock())
        self._background.wake()  # others may have left something to do

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
        return self._intake.latest

    def add(self, key: Key, exchange: Exchange) -> None:
        """Take an exchange of the conversation ``key``. It is safe when this returns, after some
        microseconds; what cannot be taken is logged and counted, and is no error. The exchanges of
        a conversation are kept in the order of their clocks; one without is the last."""
        self._intake.add(key, truncate_exchange(exchange, self._limits))
        self._background.wake()

    def latest(self, key: Key, limit: int) -> Sequence[Exchange]:
        """The last ``limit`` exchanges of a conversation, newest first.

        Raises :class:`StoreError` if they cannot be read, as all reading methods do.
        """
        self._catch_up()
        return self._store.latest(key, limit)

    def history(self, key: Key) -> History:
        """The working history of a conversation: summaries of what is old, and what was said
        since."""
        self._catch_up()
        history = self._store.history(key)
        said = tuple(one for one in history.exchanges if not one.is_silent)
        return replace(history, exchanges=said)

    def original(self, key: Key, summary: Summary) -> Sequence[Exchange]:
        """What a summary stands for, as it was said."""
        exchanges = self._store.exchanges(key, first=summary.first, last=summary.last)
        return [one for one in exchanges if not one.is_silent]

    def recall(
        self,
        whose: Whose,
        text: str = "",
        *,
        how: How | None = None,
        among: Among = _EVERYTHING,
        language: str | Sequence[str] | None = None,
        page: int = 1,
        size: int = 10,
        neighbours: int = 1,
        at: datetime | None = None,
    ) -> Page:
        """Look for what a user or the bot said: see :func:`anaphora.ltm.recall.search.search`."""
        self._catch_up()
        return search(
            self._store,
            whose,
            text,
            how=how,
            among=among,
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
        self._intake.move()
        self._intake.adopt()
        self._intake.quarantine.erase(user, tenant, model)
        self._intake.advance(max(clock, self._store.clock()))
        until = self._intake.latest if clock else self._intake.tick()
        return self._store.erase(Whose(user, tenant), model=model, clock=until)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was added before is kept, and embedded and compressed as far as
        that does not fail and is not done by another process; whether it is kept. False as well
        if it takes longer than ``timeout`` seconds."""
        added, begun = self._intake.added, self._begun
        self._background.wait(lambda: self._done > begun, timeout)
        return self._intake.moved >= added

    def status(self) -> Status:
        """How it is."""
        works = {"keep": self._keeping} | {
            name: chore.failures for name, chore in self._chores.items()
        }
        compressing = self._chores.get("compress")
        made = compressing if isinstance(compressing, Compressing) else None
        return Status(
            waiting=self._intake.waiting,
            kept=self._intake.kept,
            dropped=self._intake.dropped,
            summarized=made.summarized if made else 0,
            cut=made.cut if made else 0,
            failures={name: work.count for name, work in works.items() if work.count},
            last_failures={name: work.last for name, work in works.items() if work.last},
            retry_at={name: work.retry_at for name, work in works.items() if work.retry_at},
            quarantined=self._quarantined,
        )

    def quarantined(self, limit: int = 1_000) -> list[QuarantinedItem]:
        """At most ``limit`` of the items that could not be processed and were put aside."""
        items = [
            *(replace(item, id=f"{_JOURNAL}{item.id}") for item in self._intake.quarantine.items()),
            *self._store.quarantined(limit),
        ]
        return items[:limit]

    def release(self, id: str) -> bool:
        """Take an item out of quarantine, so that it is tried again. False if there is none of
        that id, or if it is still unreadable."""
        if not id.startswith(_JOURNAL):
            return self._store.release(id)
        return self._intake.release(id.removeprefix(_JOURNAL))

    def discard(self, id: str) -> bool:
        """Delete an item from the quarantine for good; False if there is none of that id. An
        exchange without a vector, and a history that was not compressed, stay as they are."""
        if not id.startswith(_JOURNAL):
            return self._store.discard(id)
        return self._intake.quarantine.drop(id.removeprefix(_JOURNAL))

    def ping(self) -> None:
        """Return if the store can be read and written; :class:`StoreError` if not."""
        self._store.ping()

    def close(self, grace: float = _GRACE) -> None:
        """Bring into the store what waits, as far as the store takes it within ``grace`` seconds
        (the rest stays in the journal, for the next process), and let go of both. Twice is
        once."""
        end = time.monotonic() + grace
        with self._closing:
            if self._closed:
                return
            self._closed = True
        ended = self._background.stop(0.0)
        self._reading.stop(0.0)
        if self._apart is not None:
            self._apart.close()
        ended = ended or self._background.stop(max(0.0, end - time.monotonic()))
        try:
            if self._intake.move(wait=max(0.0, end - time.monotonic())) and ended:
                self._intake.leave_nothing()
        except Exception as error:  # the store must be let go of
            _log.warning("what was said last waits in the journal", extra={"reason": str(error)})
        self._finalizer.detach()
        self._intake.close()
        for claim in self._claims.values():
            claim.leave()
        if self._is_ours:
            self._store.close()
            self._leave()

    def before_fork(self) -> None:
        self._intake.before_fork()

    def after_fork(self) -> None:
        self._intake.after_fork()

    def after_fork_in_child(self) -> None:
        """Go on with a journal and a thread of its own."""
        self._intake.after_fork_in_child()
        for claim in self._claims.values():
            claim.leave()
        self._background.begin_in_child()
        self._reading.begin_in_child()

    def _work(self) -> None:
        """One round: what waits is kept, then each chore has its turn until none has anything
        to do, and what comes meanwhile is kept between them."""
        self._begun += 1
        round = self._begun
        try:
            self._keep(adopt=True)
            mine = [name for name in self._chores if self._is_mine(name)]
            busy = bool(mine)
            while busy and not self._background.stopping:
                busy = sum(map(self._try, mine)) > 0
                self._keep(adopt=False)
            self._count_quarantined()
        finally:
            self._done = round

    def _count_quarantined(self) -> None:
        if not self._keeping.may_try:  # the store is away
            return
        try:
            in_store = self._store.count_quarantined()
        except StoreError as error:
            _log.info("the quarantine cannot be counted", extra={"reason": str(error)})
        else:
            self._quarantined = in_store + self._intake.quarantine.count()

    def _keep(self, *, adopt: bool) -> None:
        if not self._keeping.may_try:
            return
        try:
            self._intake.move()
            if adopt:
                self._intake.adopt()
                self._intake.advance(self._store.clock())
        except Exception as error:  # a store may be anybody's code
            self._keeping.failed(error)
        else:
            self._keeping.succeeded()

    def _is_mine(self, chore: str) -> bool:
        """Whether we are the one to do a chore that need not be done twice."""
        return chore not in self._claims or self._claims[chore].take()

    def _try(self, name: str) -> bool:
        """Do some of a chore, if it may be tried now; whether there was anything to do."""
        chore = self._chores[name]
        if not chore.failures.may_try or self._background.stopping:
            return False
        try:
            did = chore.do()
        except Exception as error:  # a summarizer may be anybody's code
            if not self._background.stopping:
                chore.failures.failed(error)
            return False
        chore.failures.succeeded()
        return did

    def _bring_in(self) -> None:
        """Try to, though it may have failed a moment ago: nobody waits for long."""
        try:
            self._intake.move()
        except Exception as error:  # a store may be anybody's code
            if self._keeping.may_try:
                self._keeping.failed(error)
        else:
            self._keeping.succeeded()

    def _catch_up(self) -> None:
        """Let readers find what was added before, unless the store does not take it in soon."""
        if self._intake.waiting:
            added = self._intake.added
            self._reading.wait(lambda: self._intake.moved >= added, _BESIDE)


def _check(summarizer: object, embedder: object, retention: object) -> None:
    """Raises :class:`AnaphoraError` for what could only fail later, in the background."""
    if not (summarizer in (None, "extractive") or hasattr(summarizer, "summarize")):
        raise AnaphoraError(
            f"a summarizer is an object, such as Bart(), not {summarizer!r}; "
            "anaphora.ltm.configure knows the names that settings have"
        )
    if not (embedder is None or hasattr(embedder, "embed")):
        raise AnaphoraError(f"an embedder is an object, such as MiniLM(), not {embedder!r}")
    if not (retention is None or isinstance(retention, timedelta)):
        raise AnaphoraError(f"a retention is a timedelta(days=…), not {retention!r}")


def _place(
    store: RecallStore | str, settings: HistorySettings, measure: Measure, journal: Path | None
) -> Place:
    if isinstance(store, str):
        return recall_store_at(store, settings=settings, measure=measure)
    if journal is None:
        raise AnaphoraError(
            "a long-term memory needs a folder for what waits for this store: "
            "LongTermMemory(store, journal=Path('journal'))"
        )
    return Place(store, journal, lambda: None)


def _chores(
    store: RecallStore,
    summarizer: Summarizer | None,
    embedder: Embedder | None,
    settings: HistorySettings,
    retention: timedelta | None,
    clock: Callable[[], datetime],
    monotonic: Callable[[], float],
) -> dict[str, Chore]:
    chores: dict[str, Chore] = {"index": ReindexTask(store, Failures("index what was said", clock))}
    if embedder is not None:
        chores["embed"] = Embedding(store, embedder, Failures("embed what was said", clock))
    if summarizer is not None:
        chores["compress"] = Compressing(
            store, summarizer, settings, Failures("summarize what was said", clock)
        )
    if retention is not None:
        failures = Failures("erase what is too old", clock)
        chores["expire"] = Expiring(store, retention, clock, monotonic, failures)
    return chores


def _let_go(background: Sequence[Background], intake: Intake) -> None:
    """At the end of a process that has not closed its memory: the journal has what waits."""
    for each in background:
        each.stop(0)
    intake.close()
