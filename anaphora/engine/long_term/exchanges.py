"""The parts of the exchanges that the engine records, and a simple long-term memory in this
process."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter

from anaphora.core.utterance import Entity
from anaphora.intents.match import Candidate
from anaphora.ltm.exchange import DateMention, Exchange
from anaphora.models.domain import Model
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.forks import fork_safe_lock

__all__ = ["InProcessLongTerm", "build_reset_mark", "find_sentence_dates", "has_date_element"]

_DATE_ELEMENTS = ("date", "nlpcraft:date")  # the built-in elements


def has_date_element(model: Model) -> bool:
    """Whether dates are entities of the model."""
    return any(model.element(id) is not None for id in _DATE_ELEMENTS)


def find_sentence_dates(taken: Iterable[Candidate]) -> tuple[DateMention, ...]:
    """Return the dates of the sentence that an intent has ``taken``, with their values."""
    sentence = [one.entity for one in taken if one.source == "sentence"]
    return tuple([date for entity in sentence for date in _iter_dates(entity)])


def _iter_dates(entity: Entity) -> Iterator[DateMention]:
    if entity.element in _DATE_ELEMENTS and entity.value:
        yield DateMention(entity.start, entity.end, entity.value)
    for part in entity.parts:
        yield from _iter_dates(part)


def build_reset_mark(at: datetime, memory: Iterable[Entity] = (), *, clock: int) -> Exchange:
    """Build the mark that something was forgotten on purpose: an exchange without texts. No
    exchange with a smaller ``clock`` may restore anything; ``memory`` is what was still remembered
    afterwards."""
    return Exchange("", "", at, status="reset", memory=tuple(memory), clock=clock)


class InProcessLongTerm:
    """The exchanges of each conversation in the memory of this process, for sample dialogs. See
    :class:`~anaphora.engine.long_term.protocol.LongTerm` for the methods."""

    clock = 0

    def __init__(self) -> None:
        self._exchanges: defaultdict[ConversationKey, list[Exchange]] = defaultdict(list)
        self._mutex = fork_safe_lock()

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        with self._mutex:
            insort(self._exchanges[key], exchange, key=attrgetter("clock"))

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        with self._mutex:
            numbered = enumerate(self._exchanges.get(key, ()), 1)
            return [replace(one, number=number) for number, one in numbered][: -limit - 1 : -1]

    def erase(
        self, user: str, *, tenant: str = "", model: str | None = None, clock: int = 0
    ) -> int:
        with self._mutex:
            gone = [
                key
                for key in self._exchanges
                if (key.user, key.tenant) == (user, tenant) and model in (None, key.model)
            ]
            return sum(len(self._exchanges.pop(key)) for key in gone)

    def close(self) -> None:
        pass
