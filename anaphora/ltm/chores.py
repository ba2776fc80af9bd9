"""What is done in the background with what has been said: it is embedded, compressed, erased when
it is too old. Each chore does a little at a time and says whether there is more to do."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeAlias

from anaphora.errors import StoreError, SummaryError, Unkeepable
from anaphora.ltm.compression import plan, settle
from anaphora.ltm.dates import with_dates
from anaphora.ltm.embedders.embedder import Embedder
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.failures import Failures, reason_of
from anaphora.ltm.history import History, HistorySettings
from anaphora.ltm.recall.documents import exchange_terms, meaning_text
from anaphora.ltm.recall.store import RecallStore, TermUpdate
from anaphora.ltm.recall.terms import TERMS_VERSION
from anaphora.ltm.summarizers.cut import WordCut
from anaphora.ltm.summarizers.summarizer import Segment, Summarizer
from anaphora.stm.conversation import Key

__all__ = ["Chore", "Compressing", "Embedding", "Expiring", "ReindexTask"]

_AT_ONCE = 16  # conversations that are compressed in one batch
_LOOKED_AT = 256  # of which these are chosen
_SEGMENTS = 4  # of one conversation in a batch
_TEXTS = 64  # that are embedded in one
_INDEXED = 100  # that are indexed anew in one
_TOO_MANY = 1_000  # exchanges that are erased in one transaction
_EXPIRED_EVERY = 3_600.0  # seconds
_AGREED = 60.0  # seconds between two readings of a clock, and by which they may differ

_PLAIN = "Good morning, how are you?"  # what no embedder and no summarizer refuses
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

_Plan: TypeAlias = tuple[Key, History, tuple[Segment, ...]]

_log = logging.getLogger(__name__)


class Chore(Protocol):
    """Something to be done now and then."""

    failures: Failures

    def do(self) -> bool:
        """Do some of it; whether there was anything to do."""
        ...


@dataclass(slots=True)
class Embedding:
    """Gives a vector to each exchange that has none. A text that the embedder refuses, while it
    embeds others, is put in quarantine."""

    store: RecallStore
    embedder: Embedder
    failures: Failures

    def do(self) -> bool:
        waiting = self.store.unembedded(self.embedder.name, _TEXTS)
        if not waiting:
            return False
        texts = [(id, meaning_text(said[-1], *said[:-1])) for id, said in waiting]
        try:
            self._embed(texts)
        except Exception as error:
            if _is_of_the_store(error) or not _works(self._probe):
                raise
            for one in texts:
                self._embed_or_refuse(one)
        return True

    def _embed(self, texts: Sequence[tuple[int, str]]) -> None:
        vectors = self.embedder.embed([text for _, text in texts])
        self.store.put_vectors(self.embedder.name, [id for id, _ in texts], vectors)

    def _embed_or_refuse(self, one: tuple[int, str]) -> None:
        try:
            self._embed([one])
        except Exception as error:
            if _is_of_the_store(error) or not _works(self._probe):  # it is not the text
                raise
            self.failures.refused(error)
            self.store.refuse_embedding(self.embedder.name, one[0], reason_of(error))

    def _probe(self) -> None:
        self.embedder.embed([_PLAIN])
        self.store.ping()


@dataclass(slots=True)
class ReindexTask:
    """Indexes exchanges anew that are indexed by terms of an earlier version, or before anybody
    had looked for the dates in them: the newest first."""

    store: RecallStore
    failures: Failures

    def do(self) -> bool:
        found = self.store.outdated(TERMS_VERSION, _INDEXED)
        if not found:
            return False
        exchanges = [(id, with_dates(exchange)) for id, exchange in found]
        self.store.reindex(
            TERMS_VERSION,
            [TermUpdate(id, one, exchange_terms(one)) for id, one in exchanges],
        )
        return True


@dataclass(slots=True)
class Compressing:
    """Brings histories that are too large down to their low water.

    If a batch fails, each of its conversations is tried by itself. One that the summarizer
    refuses, while it summarizes others, is put in quarantine. A batch takes a few segments of
    each conversation, and begins with those that have waited longest, so that a long history
    does not delay the others.
    """

    store: RecallStore
    summarizer: Summarizer
    settings: HistorySettings
    failures: Failures
    summarized: int = 0
    cut: int = 0
    _settled: dict[Key, int] = field(default_factory=dict)
    _served: dict[Key, int] = field(default_factory=dict)
    _round: int = 0

    def do(self) -> bool:
        plans = self._plans()
        if not plans:
            return False
        try:
            return self._compress(plans)
        except Exception as error:
            if _is_of_the_store(error) or not _works(self._probe):
                raise
        # Not any(), which would stop at the first.
        return sum([self._compress_or_refuse(each) for each in plans]) > 0

    def _compress(self, plans: Sequence[_Plan]) -> bool:
        texts = self._summarized([segment for _, _, segments in plans for segment in segments])
        replaced = False
        for key, history, segments in plans:
            mine = [next(texts) for _ in segments]
            replaced |= self._replace(key, history, segments, mine)
        return replaced

    def _compress_or_refuse(self, one: _Plan) -> bool:
        try:
            return self._compress([one])
        except Exception as error:
            if _is_of_the_store(error) or not _works(self._probe):  # it is not the conversation
                raise
            self.failures.refused(error)
            self.store.refuse_compression(one[0], reason_of(error))
            return True

    def _probe(self) -> None:
        said = Exchange(_PLAIN, _PLAIN, _LONG_AGO)
        if len(self.summarizer.summarize([Segment((said, said), 8)])) != 1:
            raise SummaryError(f"{self.summarizer.name} did not give one summary of one segment")
        self.store.ping()

    def _plans(self) -> list[_Plan]:
        """What is to be summarized together."""
        plans: list[_Plan] = []
        while not plans:
            oversized = self.store.oversized(_LOOKED_AT + len(self._settled))
            for known in (self._settled, self._served):
                for key in known.keys() - oversized.keys():
                    del known[key]
            new = [key for key, size in oversized.items() if self._settled.get(key) != size]
            if not new:
                break
            self._round += 1
            for key in sorted(new, key=lambda key: self._served.get(key, 0))[:_AT_ONCE]:
                self._served[key] = self._round
                history = self.store.history(key)
                segments = plan(history, self.settings, self.store.measure)[:_SEGMENTS]
                if segments:
                    plans.append((key, history, segments))
                else:  # only what has to stay: not to be looked at before more is said
                    self._settled[key] = oversized[key]
        return plans

    def _summarized(self, segments: Sequence[Segment]) -> Iterator[tuple[str, str]]:
        """The summaries, each with the name of what made it."""
        name = self.summarizer.name
        texts = [text.strip() for text in self.summarizer.summarize(segments)]
        if len(texts) != len(segments):
            raise SummaryError(f"{name} gave {len(texts)} summaries of {len(segments)} segments")
        return iter([self._checked(*pair, name) for pair in zip(segments, texts, strict=True)])

    def _checked(self, segment: Segment, text: str, name: str) -> tuple[str, str]:
        """A summary that is none, or is not shorter, gives way to the first words; that of
        nothing is none."""
        measure = self.store.measure
        if not measure.total(segment.parts):
            return "", name
        if text and measure.of(text) < measure.total(segment.parts):
            return text, name
        self.cut += 1
        _log.warning("a summary was not shorter than its text", extra={"summarizer": name})
        (text,) = self._shortest.summarize([segment])
        return text, self._shortest.name

    def _replace(
        self,
        key: Key,
        history: History,
        segments: Sequence[Segment],
        made: Sequence[tuple[str, str]],
    ) -> bool:
        replaced, by = settle(
            history, segments, [text for text, _ in made], [name for _, name in made]
        )
        done = self.store.compress(key, replaced, by)
        self.summarized += len(segments) if done else 0
        return done

    @property
    def _shortest(self) -> WordCut:
        return WordCut()


@dataclass(slots=True)
class Expiring:
    """Erases what was said longer than ``retention`` ago.

    What is erased by a ``clock`` that is wrong for a moment would be gone for good: so two of its
    readings, a minute or more apart, must agree by the time that has passed between them on
    ``monotonic`` (seconds that never go back).
    """

    store: RecallStore
    retention: timedelta
    clock: Callable[[], datetime]
    monotonic: Callable[[], float]
    failures: Failures
    _next: float = -math.inf
    _reading: tuple[datetime, float] | None = None

    def do(self) -> bool:
        now, ticks = self.clock(), self.monotonic()
        if ticks < self._next or not self._is_confirmed(now, ticks):
            return False
        if self.store.expire(now - self.retention, limit=_TOO_MANY) < _TOO_MANY:
            self._next = ticks + _EXPIRED_EVERY
        return True

    def _is_confirmed(self, now: datetime, ticks: float) -> bool:
        if self._reading is not None:
            before, ticks_before = self._reading
            passed = ticks - ticks_before
            if abs((now - before).total_seconds() - passed) <= _AGREED:
                return passed >= _AGREED
        self._reading = now, ticks
        return False


def _is_of_the_store(error: Exception) -> bool:
    """Whether the store failed, which says nothing about what it was given."""
    return isinstance(error, StoreError) and not isinstance(error, Unkeepable)


def _works(probe: Callable[[], None]) -> bool:
    """Whether something works that has just failed: then what it was given is at fault."""
    try:
        probe()
    except Exception as error:
        _log.info("it fails whatever it is given", extra={"reason": reason_of(error)})
        return False
    return True
