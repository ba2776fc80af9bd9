"""Background tasks: embedding, reindexing, compression and expiry. Each call processes one batch
and returns whether it found any work."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeAlias, TypeVar

from anaphora.errors import PermanentStoreError, StoreError, SummaryError
from anaphora.ltm.background.backoff import Backoff, describe_error
from anaphora.ltm.background.compression import apply_summaries, plan_segments
from anaphora.ltm.dates.mentions import add_dates
from anaphora.ltm.embedders.embedder import Embedder, as_token_embedder
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import History, HistorySettings
from anaphora.ltm.retrieval.indexing import embedding_text, exchange_terms
from anaphora.ltm.retrieval.store import RecallStore, TermUpdate
from anaphora.ltm.retrieval.terms import TERMS_VERSION
from anaphora.ltm.retrieval.token_vectors import pack_tokens
from anaphora.ltm.summarizers.first_words import FirstWords
from anaphora.ltm.summarizers.summarizer import Segment, Summarizer
from anaphora.stm.conversation import ConversationKey

__all__ = [
    "BackgroundTask",
    "CompressTask",
    "EmbedTask",
    "ExpireTask",
    "ReindexTask",
    "embed_exchanges",
]

_CONVERSATIONS_PER_BATCH = 16  # compressed in one batch
_CANDIDATES = 256  # oversized conversations from which a batch is chosen
_SEGMENTS_PER_CONVERSATION = 4  # in one batch
_EMBED_BATCH = 64  # exchanges
_REINDEX_BATCH = 100  # exchanges
_EXPIRE_BATCH = 1_000  # exchanges erased in one transaction
_EXPIRE_INTERVAL = 3_600.0  # seconds
_CLOCK_TOLERANCE = 60.0  # seconds: minimum distance and maximum disagreement of two readings

_PROBE_TEXT = "Good morning, how are you?"  # every working embedder and summarizer accepts it
_PROBE_TIME = datetime(2000, 1, 1, tzinfo=UTC)

_Item = TypeVar("_Item")
_Unembedded: TypeAlias = tuple[int, Sequence[Exchange]]
_CompressionPlan: TypeAlias = tuple[ConversationKey, History, tuple[Segment, ...]]

_log = logging.getLogger(__name__)


class BackgroundTask(Protocol):
    """A task that is run in batches."""

    backoff: Backoff

    def run(self) -> bool:
        """Process one batch; whether there was anything to do."""


@dataclass(slots=True)
class EmbedTask:
    """Computes the missing vectors of exchanges, and those of their tokens if the embedder has
    them. A text that the embedder rejects while it accepts others is put in quarantine. ``text``
    returns the text to embed for an exchange and, if it is not the first of its conversation, the
    one before it."""

    store: RecallStore
    embedder: Embedder
    backoff: Backoff
    text: Callable[..., str] = embedding_text

    def run(self) -> bool:
        if waiting := self.store.find_unembedded(self.embedder.name, _EMBED_BATCH):
            return _process_or_quarantine(
                waiting, self._embed, self._probe, self._quarantine, self.backoff
            )
        tokens = as_token_embedder(self.embedder)
        # Of exchanges that were embedded without them.
        if tokens and (waiting := self.store.find_unembedded(tokens.token_name, _EMBED_BATCH)):
            return _process_or_quarantine(
                waiting, self._embed_tokens, self._probe, self._quarantine_tokens, self.backoff
            )
        return self.store.index_vectors(self.embedder.name)

    def _embed(self, waiting: Sequence[_Unembedded]) -> bool:
        embed_exchanges(
            self.store,
            self.embedder,
            [id for id, _ in waiting],
            [self.text(pair[-1], *pair[:-1]) for _, pair in waiting],
            [self.text(pair[-1]) for _, pair in waiting],
        )
        return True

    def _embed_tokens(self, waiting: Sequence[_Unembedded]) -> bool:
        tokens = as_token_embedder(self.embedder)
        assert tokens
        _, vectors = tokens.embed_with_tokens([self.text(pair[-1]) for _, pair in waiting])
        packed = list(map(pack_tokens, vectors))
        self.store.put_token_vectors(tokens.token_name, [id for id, _ in waiting], packed)
        return True

    def _quarantine(self, one: _Unembedded, reason: str) -> None:
        self.store.quarantine_embedding(self.embedder.name, one[0], reason)
        if tokens := as_token_embedder(self.embedder):  # one item, for both
            self.store.put_token_vectors(tokens.token_name, [one[0]], [b""])

    def _quarantine_tokens(self, one: _Unembedded, reason: str) -> None:
        tokens = as_token_embedder(self.embedder)
        assert tokens
        self.store.quarantine_embedding(tokens.token_name, one[0], reason)

    def _probe(self) -> None:
        tokens = as_token_embedder(self.embedder)
        (tokens.embed_with_tokens if tokens else self.embedder.embed)([_PROBE_TEXT])
        self.store.ping()


def embed_exchanges(
    store: RecallStore,
    embedder: Embedder,
    ids: Sequence[int],
    texts: Sequence[str],
    own_texts: Sequence[str],
) -> None:
    """Compute and store the vectors of the texts of exchanges, and those of the tokens of their
    ``own_texts``, which lack what was said before, if the embedder has them."""
    tokens = as_token_embedder(embedder)
    if tokens is None:
        store.put_vectors(embedder.name, ids, embedder.embed(texts))
        return
    places = {text: place for place, text in enumerate(dict.fromkeys([*texts, *own_texts]))}
    vectors, token_vectors = tokens.embed_with_tokens(list(places))
    store.put_vectors(embedder.name, ids, vectors[[places[text] for text in texts]])
    packed = [pack_tokens(token_vectors[places[text]]) for text in own_texts]
    store.put_token_vectors(tokens.token_name, ids, packed)


@dataclass(slots=True)
class ReindexTask:
    """Reindexes exchanges, newest first, whose terms are of an earlier version or lack the dates
    mentioned in them."""

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
    """Compresses histories that exceed their size limit. One that the summarizer rejects while it
    accepts others is put in quarantine.

    A batch takes a few segments of each conversation, starting with those that have waited longest,
    so that a long history does not delay the others.
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
        return _process_or_quarantine(
            plans, self._compress, self._probe, self._quarantine, self.backoff
        )

    def _compress(self, plans: Sequence[_CompressionPlan]) -> bool:
        texts = self._summarize([segment for _, _, segments in plans for segment in segments])
        replaced = False
        for key, history, segments in plans:
            own = [next(texts) for _ in segments]
            replaced |= self._store_summaries(key, history, segments, own)
        return replaced

    def _quarantine(self, one: _CompressionPlan, reason: str) -> None:
        self.store.quarantine_compression(one[0], reason)

    def _probe(self) -> None:
        probe = Exchange(_PROBE_TEXT, _PROBE_TEXT, _PROBE_TIME)
        if len(self.summarizer.summarize([Segment((probe, probe), 8)])) != 1:
            raise SummaryError(f"{self.summarizer.name} did not give one summary of one segment")
        self.store.ping()

    def _plan_batch(self) -> list[_CompressionPlan]:
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
            new.sort(key=lambda key: self._last_round.get(key, 0))
            for key in self.store.claim_oversized(new[:_CONVERSATIONS_PER_BATCH]):
                self._last_round[key] = self._round
                history = self.store.history(key)
                segments = plan_segments(history, self.settings, self.store.measure)[
                    :_SEGMENTS_PER_CONVERSATION
                ]
                if segments:
                    plans.append((key, history, segments))
                else:  # only verbatim exchanges: skip it until more are added
                    self._incompressible[key] = oversized[key]
        return plans

    def _summarize(self, segments: Sequence[Segment]) -> Iterator[tuple[str, str]]:
        """Summarize the segments; each text comes with the name of its summarizer."""
        name = self.summarizer.name
        texts = [text.strip() for text in self.summarizer.summarize(segments)]
        if len(texts) != len(segments):
            raise SummaryError(f"{name} gave {len(texts)} summaries of {len(segments)} segments")
        return iter(
            [self._ensure_shorter(*pair, name) for pair in zip(segments, texts, strict=True)]
        )

    def _ensure_shorter(self, segment: Segment, text: str, name: str) -> tuple[str, str]:
        """Replace a summary that is empty or not shorter than its segment by the first words; an
        empty segment has an empty summary."""
        measure = self.store.measure
        if not measure.total(segment.parts):
            return "", name
        if text and measure.count(text) < measure.total(segment.parts):
            return text, name
        self.fallback_count += 1
        _log.warning("a summary was not shorter than its text", extra={"summarizer": name})
        fallback = FirstWords()
        (text,) = fallback.summarize([segment])
        return text, fallback.name

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


@dataclass(slots=True)
class ExpireTask:
    """Erases exchanges older than ``retention``.

    A wrong ``clock`` would cause irrecoverable loss, so two of its readings at least a minute apart
    must agree with the time that passed on ``monotonic`` (seconds that never go back).
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


def _process_or_quarantine(
    items: Sequence[_Item],
    process: Callable[[Sequence[_Item]], bool],
    probe: Callable[[], None],
    quarantine: Callable[[_Item, str], None],
    backoff: Backoff,
) -> bool:
    """Process items; if that fails, each alone. One that fails while the store and the ``probe``
    work is put in quarantine. Returns whether anything was done."""
    try:
        return process(items)
    except Exception as error:
        if not _is_item_at_fault(error, probe):
            raise
    worked = False
    for item in items:
        try:
            worked |= process([item])
        except Exception as error:
            if not _is_item_at_fault(error, probe):
                raise
            backoff.record_rejection(error)
            quarantine(item, describe_error(error))
            worked = True
    return worked


def _is_item_at_fault(error: Exception, probe: Callable[[], None]) -> bool:
    if isinstance(error, StoreError) and not isinstance(error, PermanentStoreError):
        return False
    try:
        probe()
    except Exception as error:
        _log.info("the probe fails as well", extra={"reason": describe_error(error)})
        return False
    return True
