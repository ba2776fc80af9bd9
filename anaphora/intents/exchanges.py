"""What the engine hands to a long-term memory, and a plain one in the memory of this process."""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter

from anaphora.intents.match import Candidate
from anaphora.intents.reply import Reply
from anaphora.ltm.exchange import DateMention, Exchange
from anaphora.models.domain import Model
from anaphora.models.utterance import Entity
from anaphora.stm.conversation import Key
from anaphora.storage.forks import fork_safe_lock

__all__ = ["ProcessMemory", "exchange_of", "forgetting", "has_dates", "sentence_dates"]

_DATES = ("date", "nlpcraft:date")  # the built-in elements


def exchange_of(
    text: str,
    reply: Reply,
    *,
    at: datetime,
    language: str,
    memory: tuple[Entity, ...],
    clock: int,
    dates: tuple[DateMention, ...] | None = None,
) -> Exchange:
    """What was said and answered, the ``dates`` of the question (see :func:`sentence_dates`; None
    if it was not understood, or by a model that knows none), and the ``memory`` that a next
    question would find. Of what was merely offered nothing is held to be understood."""
    is_offer = reply.status == "incomplete" and not reply.missing
    slots = () if is_offer else reply.slots.items()
    return Exchange(
        text,
        reply.text,
        at,
        reply.status,
        None if is_offer else reply.intent,
        {name: tuple([taken.entity.said for taken in slot.taken]) for name, slot in slots},
        language,
        memory,
        clock=clock,
        question_dates=dates,
    )


def has_dates(model: Model) -> bool:
    """Whether dates are entities of the model."""
    return any(model.element(id) is not None for id in _DATES)


def sentence_dates(taken: Iterable[Candidate]) -> tuple[DateMention, ...]:
    """The dates in the sentence that an intent has ``taken``, with their values."""
    return tuple(
        [date for one in taken if one.source == "sentence" for date in _dates_in(one.entity)]
    )


def _dates_in(entity: Entity) -> Iterator[DateMention]:
    if entity.element in _DATES and entity.value:
        yield DateMention(entity.start, entity.end, entity.value)
    for part in entity.parts:
        yield from _dates_in(part)


def forgetting(at: datetime, left: Iterable[Entity] = (), *, clock: int) -> Exchange:
    """The mark that something was forgotten on purpose: a reset in which nobody said anything
    (neither question nor answer). No exchange with a smaller ``clock`` may bring anything back;
    ``left`` is what was still remembered after it."""
    return Exchange("", "", at, status="reset", memory=tuple(left), clock=clock)


_clock = attrgetter("clock")


class ProcessMemory:
    """The last exchanges of each conversation, in the memory of this process: enough for sample
    dialogs. See :class:`~anaphora.intents.long_term.LongTerm` for the methods."""

    def __init__(self, most: int = 1_000) -> None:
        self._most = most
        self._kept: defaultdict[Key, list[Exchange]] = defaultdict(list)
        self._gone: Counter[Key] = Counter()  # exchanges before those
        self._mutex = fork_safe_lock()

    @property
    def clock(self) -> int:
        return 0

    def add(self, key: Key, exchange: Exchange) -> None:
        with self._mutex:
            kept = self._kept[key]
            insort(kept, exchange, key=_clock)
            too_many = len(kept) - self._most
            if too_many > 0:
                del kept[:too_many]
                self._gone[key] += too_many

    def latest(self, key: Key, limit: int) -> Sequence[Exchange]:
        with self._mutex:
            numbered = enumerate(self._kept.get(key, ()), self._gone[key] + 1)
            return [replace(one, number=number) for number, one in numbered][: -limit - 1 : -1]

    def erase(
        self, user: str, *, tenant: str = "", model: str | None = None, clock: int = 0
    ) -> int:
        with self._mutex:
            gone = [
                key
                for key in self._kept
                if (key.user, key.tenant) == (user, tenant) and model in (None, key.model)
            ]
            return sum(len(self._kept.pop(key)) for key in gone)

    def close(self) -> None:
        pass
