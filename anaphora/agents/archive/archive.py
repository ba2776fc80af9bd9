"""Archival memory of agents: passages in a recall store of their own.

An owner's passages are the exchanges of a user in that store, and the source of a passage is the
model of its conversation: a passage is an answer to the headings above it. So the archive has the
search, the background embedding, the quarantine and the erasure of the long-term memory.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self
from weakref import finalize

from anaphora.agents.archive.document import Document
from anaphora.agents.archive.loading import DocumentLoader, LoadProgress, make_passage, passage_text
from anaphora.agents.archive.pages import ArchivePage, ArchivePassage, Candidate, RankingCache
from anaphora.agents.archive.passages import Section, split_passages
from anaphora.agents.archive.query_embedder import QueryEmbedder
from anaphora.ltm.background.backoff import Backoff, describe_error
from anaphora.ltm.background.process_lock import ProcessLock
from anaphora.ltm.background.tasks import (
    BackgroundTask,
    EmbedTask,
    ReindexTask,
    embed_exchanges,
)
from anaphora.ltm.background.worker import BackgroundWorker
from anaphora.ltm.embedders.embedder import Embedder
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.search import SearchMode, rank
from anaphora.ltm.retrieval.store import RecallStore, SearchFilter, UserKey
from anaphora.ltm.retrieval.urls import OpenStore, open_recall_store
from anaphora.storage.forks import ForkAware, register_fork_aware
from anaphora.storage.logical_clock import utc_now

__all__ = ["Archive"]

# Passages embedded before an insert returns. The rest waits for the background thread.
_EMBEDDED_AT_ONCE = 16
_CLOSE_TIMEOUT = 10.0  # seconds for the batch that is being embedded
_TICK = timedelta(microseconds=1)
_NO_HISTORY = HistorySettings(max_exchanges=1 << 40)

_log = logging.getLogger(__name__)


class Archive(ForkAware):
    """An archive in ``store``: a recall store or its URL (``memory:``, ``sqlite:///archive.db``,
    ``postgresql://…?schema=archive``), which must not be that of a long-term memory.

    ``embedder`` makes the vectors for searches by meaning (None: search by words only). ``clock``
    returns the time with a zone. All methods may be called from any thread, and the process may
    fork. They raise :class:`~anaphora.errors.StoreError` if the store fails.
    """

    def __init__(
        self,
        store: RecallStore | str,
        *,
        embedder: Embedder | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._opened: OpenStore | None = None
        if isinstance(store, str):
            self._opened = open_recall_store(store, settings=_NO_HISTORY)
            store = self._opened.store
        self.store = store
        self._embedder, self._clock = embedder, clock
        self._rankings = RankingCache()
        self._tasks: list[BackgroundTask] = [ReindexTask(self.store, Backoff("index", clock))]
        if embedder is not None:
            backoff = Backoff("embed passages", clock)
            self._tasks.append(EmbedTask(self.store, embedder, backoff, passage_text))
        # Embedding is expensive, so one process of a machine does it.
        self._lock = ProcessLock(_lock_file(self._opened)) if self._opened else None
        self._rounds_started = self._rounds_finished = 0
        self._worker = BackgroundWorker(self._run_round, name="anaphora-archive")
        self._finalizer = finalize(self, self._worker.stop, 0.0)
        register_fork_aware(self)
        self._worker.wake()  # an earlier process may have left work

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def insert(
        self, owner: UserKey, text: str, *, source: str = "", at: datetime | None = None
    ) -> int:
        """Insert a text, after others of the same ``source``, and return the number of passages
        that it was split into. Every search finds it from now on. ``at`` is the time of the insert,
        with a zone (default: now).

        Raises ValueError for a text without words or a time without a zone.
        """
        at = at or self._clock()
        passages = list(split_passages([Section(text)]))
        if not passages or at.tzinfo is None:
            raise ValueError("an archive needs a text and a time with a zone")
        new = [make_passage(owner, source, passage, at=at) for passage in passages]
        self.store.add(new)
        self._rankings.clear()
        if len(new) <= _EMBEDDED_AT_ONCE:
            self._embed_inserted(owner, SearchFilter(source, at, at + _TICK), len(new))
        self._worker.wake()
        return len(new)

    def load(
        self,
        owner: UserKey,
        documents: Iterable[Document],
        *,
        on_progress: Callable[[LoadProgress], object] | None = None,
    ) -> int:
        """Insert documents, each in place of what its source had before, and return the number of
        new passages.

        Documents that have not changed are left as they are: if a load is interrupted, another one
        goes on. ``on_progress`` is called after each document. Searches by words find the passages
        at once, searches by meaning when they have been embedded in the background.
        """
        loader = DocumentLoader(self.store, owner, self._clock)
        try:
            for document in documents:
                loader.add(document)
                if on_progress is not None:
                    on_progress(loader.progress)
            loader.flush()
        finally:
            self._rankings.clear()
            self._worker.wake()
        return loader.progress.passages

    def search(
        self,
        owners: UserKey | Sequence[UserKey],
        query: str,
        *,
        page: int = 1,
        size: int = 5,
        mode: SearchMode | None = None,
    ) -> ArchivePage:
        """Search the passages of an owner, or of several together, as one collection.

        ``mode`` is that of :func:`anaphora.ltm.retrieval.search.search` (default: "hybrid" with an
        embedder, else "text"). A search ranks up to two hundred passages of each owner; ``total``
        is their number. The first page is always searched anew; the others follow the ranking of
        the first until passages are inserted or removed.

        Raises ValueError for an empty query, an unknown mode, or a page or size below 1;
        :class:`~anaphora.errors.AnaphoraError` if the embedder fails.
        """
        if not query.strip() or page < 1 or size < 1:
            raise ValueError(f"no such search: query={query!r}, page={page}, size={size}")
        owners = tuple(dict.fromkeys([owners] if isinstance(owners, UserKey) else owners))
        ranking = self._rank(owners, query, mode, page)
        shown = ranking[(page - 1) * size : page * size]
        return ArchivePage(self._fetch(shown), page, -(-len(ranking) // size), len(ranking))

    def count(self, owner: UserKey) -> int:
        """Return the number of passages, without counting them: it is kept with the owner."""
        return self.store.statistics(owner, ()).documents

    def sources(self, owner: UserKey) -> Mapping[str, int]:
        """Return the number of passages of each source."""
        return self.store.count_by_model(owner)

    def remove(self, owner: UserKey, source: str) -> int:
        """Erase the passages of a source, and return their number. See
        :meth:`anaphora.ltm.retrieval.store.RecallStore.erase`: the data is erased from an SQLite
        file as well, which takes as long as copying it."""
        return self._erase(owner, source)

    def erase(self, owner: UserKey) -> int:
        """Erase all passages of an owner like :meth:`remove`, and return their number."""
        return self._erase(owner, None)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything inserted before is embedded, unless that fails or another process
        does it. Returns False if it takes longer than ``timeout`` seconds."""
        started = self._rounds_started
        return self._worker.wait(lambda: self._rounds_finished > started, timeout)

    def close(self) -> None:
        """Stop the background thread, and close the store if it was opened here. Further calls do
        nothing."""
        self._worker.stop(_CLOSE_TIMEOUT)
        if self._lock is not None:
            self._lock.release()
        if self._opened is not None:
            self._opened.close()

    def after_fork_in_child(self) -> None:
        """Continue with a thread of its own."""
        if self._lock is not None:
            self._lock.release()
        self._worker.reset()

    def _rank(
        self, owners: tuple[UserKey, ...], query: str, mode: SearchMode | None, page: int
    ) -> Sequence[Candidate]:
        search, counts = (owners, query, mode), tuple(map(self.count, owners))
        if page > 1 and (known := self._rankings.get(search, counts)) is not None:
            return known
        embedder = QueryEmbedder(self._embedder) if self._embedder else None
        found = [
            Candidate(owner, id, score)
            for owner, count in zip(owners, counts, strict=True)
            if count
            for id, score in rank(
                self.store,
                owner,
                query,
                mode=mode,
                embedder=embedder,
                at=self._clock(),
                with_context=False,
                corpus=owners,
            ).items()
        ]
        ranking = sorted(found, key=lambda candidate: -candidate.score)  # stable: ties as ranked
        self._rankings.put(search, counts, ranking)
        return ranking

    def _fetch(self, candidates: Sequence[Candidate]) -> tuple[ArchivePassage, ...]:
        """Fetch passages; those that were erased meanwhile are left out."""
        found = {
            owner: self.store.fetch(owner, [one.id for one in candidates if one.owner == owner])
            for owner in {one.owner for one in candidates}
        }
        return tuple(
            ArchivePassage(
                exchange.answer,
                exchange.question,
                key.model,
                exchange.number,
                exchange.at,
                score,
                owner,
            )
            for owner, id, score in candidates
            if id in found[owner]
            for key, exchange in [found[owner][id]]
        )

    def _embed_inserted(self, owner: UserKey, inserted: SearchFilter, count: int) -> None:
        """Embed new passages now, so that a search by meaning finds them. If that fails, the
        background thread tries again."""
        if self._embedder is None:
            return
        try:
            ids = self.store.list_ids(owner, inserted, skip=0, limit=count)
            fetched = self.store.fetch(owner, ids)
            texts = [passage_text(exchange) for _, exchange in fetched.values()]
            embed_exchanges(self.store, self._embedder, list(fetched), texts, texts)
        except Exception as error:  # an embedder may be third-party code
            _log.warning("a passage is not embedded yet", extra={"reason": describe_error(error)})

    def _erase(self, owner: UserKey, source: str | None) -> int:
        try:
            return self.store.erase(owner, model=source)
        finally:
            self._rankings.clear()

    def _run_round(self) -> None:
        """Run the background tasks until none has work left."""
        self._rounds_started += 1
        number = self._rounds_started
        try:
            if self._lock is None or self._lock.acquire():
                while not self._worker.stopping and sum(map(_run, self._tasks)):
                    pass
        finally:
            self._rounds_finished = number


def _lock_file(opened: OpenStore) -> Path:
    folder = opened.journal_folder
    with suppress(OSError):  # then every process embeds
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / "embed.lock"


def _run(task: BackgroundTask) -> bool:
    """Run one batch of a task unless it is backing off; whether there was anything to do."""
    if not task.backoff.can_try:
        return False
    try:
        worked = task.run()
    except Exception as error:
        task.backoff.record_failure(error)
        return False
    task.backoff.record_success()
    return worked
