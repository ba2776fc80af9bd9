"""What is done in the background with what has been said: it is embedded, compressed, erased when
it is too old. Each chore does a little at a time and says whether there is more to do."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeAlias

from anaphora.errors import PermanentStoreError, StoreError, SummaryError
from anaphora.ltm.background.backoff import Backoff, describe_error
from anaphora.ltm.background.compression import apply_summaries, plan_segments
from anaphora.ltm.dates.mentions import add_dates
from anaphora.ltm.embedders.embedder import Embedder
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import History, HistorySettings
from anaphora.ltm.retrieval.indexing import embedding_text, exchange_terms
from anaphora.ltm.retrieval.store import RecallStore, TermUpdate
from anaphora.ltm.retrieval.terms import TERMS_VERSION
from anaphora.ltm.summarizers.first_words import FirstWords
from anaphora.ltm.summarizers.summarizer import Segment, Summarizer
from anaphora.stm.conversation import ConversationKey

__all__ = ["BackgroundTask", "CompressTask", "EmbedTask", "ExpireTask", "ReindexTask"]

_CONVERSATIONS_PER_BATCH = 16  # conversations that are compressed in one batch
_CANDIDATES = 256  # of which these are chosen
_SEGMENTS_PER_CONVERSATION = 4  # of one conversation in a batch
_EMBED_BATCH = 64  # that are embedded in one
_REINDEX_BATCH = 100  # that are indexed anew in one
_EXPIRE_BATCH = 1_000  # exchanges that are erased in one transaction
_EXPIRE_INTERVAL = 3_600.0  # seconds
_CLOCK_TOLERANCE = 60.0  # seconds between two readings of a clock, and by which they may differ

_PROBE_TEXT = "Good morning, how are you?"  # what no embedder and no summarizer refuses
_PROBE_TIME = datetime(2000, 1, 1, tzinfo=UTC)

_CompressionPlan: TypeAlias = tuple[ConversationKey, History, tuple[Segment, ...]]

_log = logging.getLogger(__name__)


class BackgroundTask(Protocol):
    """Something to be done now and then."""

    backoff: Backoff

    def run(self) -> bool:
        """Do some of it; whether there was anything to do."""
        ...


@dataclass(slots=True)
class EmbedTask:
    """Gives a vector to each exchange that has none. A text that the embedder refuses, while it
    embeds others, is put in quarantine."""

    store: RecallStore
    embedder: Embedder
    backoff: Backoff

    def run(self) -> bool:
        waiting = self.store.find_unembedded(self.embedder.name, _EMBED_BATCH)
        if not waiting:
            return False
        texts = [(id, embedding_text(said[-1], *said[:-1])) for id, said in waiting]
        try:
            self._embed(texts)
        except Exception as error:
            if _is_store_error(error) or not _probe_succeeds(self._probe):
                raise
            for one in texts:
                self._embed_or_quarantine(one)
        return True

    def _embed(self, texts: Sequence[tuple[int, str]]) -> None:
        vectors = self.embedder.embed([text for _, text in texts])
        self.store.put_vectors(self.embedder.name, [id for id, _ in texts], vectors)

    def _embed_or_quarantine(self, one: tuple[int, str]) -> None:
        try:
            self._embed([one])
        except Exception as error:
            if _is_store_error(error) or not _probe_succeeds(self._probe):  # it is not the text
                raise
            self.backoff.record_rejection(error)
            self.store.quarantine_embedding(self.embedder.name, one[0], describe_error(error))

    def _probe(self) -> None:
        self.embedder.embed([_PROBE_TEXT])
        self.store.ping()


@dataclass(slots=True)
class ReindexTask:
    """Indexes exchanges anew that are indexed by terms of an earlier version, or before anybody
    had looked for the dates in them: the newest first."""

    store: RecallStore
    backoff: Backoff

    def run(self) -> bool:
        found = self.store.find_outdated(TERMS_VERSION, _REINDEX_BATCH)
        if not found:
            return False
        exchanges = [(id, add_dates(exchange)) for id, exchange in found]
        self.store.reindex(
            TERMS_VERSION,
            [TermUpdate(id, one, exchange_terms(one)) for id, one in exchanges],
        )
        return True


@dataclass(slots=True)
class CompressTask:
    """Brings histories that are too large down to their low water.

    If a batch fails, each of its conversations is tried by itself. One that the summarizer
    refuses, while it summarizes others, is put in quarantine. A batch takes a few segments of
    each conversation, and begins with those that have waited longest, so that a long history
    does not delay the others.
    """

    store: RecallStore
    summarizer: Summarizer
    settings: HistorySettings
    backoff: Backoff
    summary_count: int = 0
    fallback_count: int = 0
    _incompressible: dict[ConversationKey, int] = field(default_factory=dict)
    _last_round: dict[ConversationKey, int] = field(default_factory=dict)
    _round: int = 0

    def run(self) -> bool:
        plans = self._plan_batch()
        if not plans:
            return False
        try:
            return self._compress(plans)
        except Exception as error:
            if _is_store_error(error) or not _probe_succeeds(self._probe):
                raise
        # Not any(), which would stop at the first.
        return sum([self._compress_or_quarantine(each) for each in plans]) > 0

    def _compress(self, plans: Sequence[_CompressionPlan]) -> bool:
        texts = self._summarize([segment for _, _, segments in plans for segment in segments])
        replaced = False
        for key, history, segments in plans:
            mine = [next(texts) for _ in segments]
            replaced |= self._store_summaries(key, history, segments, mine)
        return replaced

    def _compress_or_quarantine(self, one: _CompressionPlan) -> bool:
        try:
            return self._compress([one])
        except Exception as error:
            if _is_store_error(error) or not _probe_succeeds(
                self._probe
            ):  # it is not the conversation
                raise
            self.backoff.record_rejection(error)
            self.store.quarantine_compression(one[0], describe_error(error))
            return True

    def _probe(self) -> None:
        said = Exchange(_PROBE_TEXT, _PROBE_TEXT, _PROBE_TIME)
        if len(self.summarizer.summarize([Segment((said, said), 8)])) != 1:
            raise SummaryError(f"{self.summarizer.name} did not give one summary of one segment")
        self.store.ping()

    def _plan_batch(self) -> list[_CompressionPlan]:
        """What is to be summarized together."""
        plans: list[_CompressionPlan] = []
        while not plans:
            oversized = self.store.find_oversized(_CANDIDATES + len(self._incompressible))
            for known in (self._incompressible, self._last_round):
                for key in known.keys() - oversized.keys():
                    del known[key]
            new = [key for key, size in oversized.items() if self._incompressible.get(key) != size]
            if not new:
                break
            self._round += 1
            for key in sorted(new, key=lambda key: self._last_round.get(key, 0))[
                :_CONVERSATIONS_PER_BATCH
            ]:
                self._last_round[key] = self._round
                history = self.store.history(key)
                segments = plan_segments(history, self.settings, self.store.measure)[
                    :_SEGMENTS_PER_CONVERSATION
                ]
                if segments:
                    plans.append((key, history, segments))
                else:  # only what has to stay: not to be looked at before more is said
                    self._incompressible[key] = oversized[key]
        return plans

    def _summarize(self, segments: Sequence[Segment]) -> Iterator[tuple[str, str]]:
        """The summaries, each with the name of what made it."""
        name = self.summarizer.name
        texts = [text.strip() for text in self.summarizer.summarize(segments)]
        if len(texts) != len(segments):
            raise SummaryError(f"{name} gave {len(texts)} summaries of {len(segments)} segments")
        return iter(
            [self._ensure_shorter(*pair, name) for pair in zip(segments, texts, strict=True)]
        )

    def _ensure_shorter(self, segment: Segment, text: str, name: str) -> tuple[str, str]:
        """A summary that is none, or is not shorter, gives way to the first words; that of
        nothing is none."""
        measure = self.store.measure
        if not measure.total(segment.parts):
            return "", name
        if text and measure.count(text) < measure.total(segment.parts):
            return text, name
        self.fallback_count += 1
        _log.warning("a summary was not shorter than its text", extra={"summarizer": name})
        (text,) = self._fallback_summarizer.summarize([segment])
        return text, self._fallback_summarizer.name

    def _store_summaries(
        self,
        key: ConversationKey,
        history: History,
        segments: Sequence[Segment],
        made: Sequence[tuple[str, str]],
    ) -> bool:
        replaced, by = apply_summaries(
            history, segments, [text for text, _ in made], [name for _, name in made]
        )
        done = self.store.compress(key, replaced, by)
        self.summary_count += len(segments) if done else 0
        return done

    @property
    def _fallback_summarizer(self) -> FirstWords:
        return FirstWords()


@dataclass(slots=True)
class ExpireTask:
    """Erases what was said longer than ``retention`` ago.

    What is erased by a ``clock`` that is wrong for a moment would be gone for good: so two of its
    readings, a minute or more apart, must agree by the time that has passed between them on
    ``monotonic`` (seconds that never go back).
    """

    store: RecallStore
    retention: timedelta
    clock: Callable[[], datetime]
    monotonic: Callable[[], float]
    backoff: Backoff
    _next_run: float = -math.inf
    _last_reading: tuple[datetime, float] | None = None

    def run(self) -> bool:
        now, ticks = self.clock(), self.monotonic()
        if ticks < self._next_run or not self._is_clock_confirmed(now, ticks):
            return False
        if self.store.expire(now - self.retention, limit=_EXPIRE_BATCH) < _EXPIRE_BATCH:
            self._next_run = ticks + _EXPIRE_INTERVAL
        return True

    def _is_clock_confirmed(self, now: datetime, ticks: float) -> bool:
        if self._last_reading is not None:
            before, ticks_before = self._last_reading
            passed = ticks - ticks_before
            if abs((now - before).total_seconds() - passed) <= _CLOCK_TOLERANCE:
                return passed >= _CLOCK_TOLERANCE
        self._last_reading = now, ticks
        return False


def _is_store_error(error: Exception) -> bool:
    """Whether the store failed, which says nothing about what it was given."""
    return isinstance(error, StoreError) and not isinstance(error, PermanentStoreError)


def _probe_succeeds(probe: Callable[[], None]) -> bool:
    """Whether something works that has just failed: then what it was given is at fault."""
    try:
        probe()
    except Exception as error:
        _log.info("it fails whatever it is given", extra={"reason": describe_error(error)})
        return False
    return True
