"""What the engine hands to a long-term memory, and a plain one in the memory of this process."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from anaphora.intents.reply import Reply
from anaphora.ltm.exchange import Exchange
from anaphora.models.utterance import Entity
from anaphora.stm.conversation import Key
from anaphora.storage.forks import fork_safe_lock

__all__ = ["ProcessMemory", "exchange_of", "forgetting"]


def exchange_of(
    text: str, reply: Reply, *, at: datetime, language: str, memory: tuple[Entity, ...]
) -> Exchange:
    """What was said and answered, and the ``memory`` that a next question would find. Of what
    was merely offered nothing is held to be understood."""
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
    )


def forgetting(at: datetime, left: Iterable[Entity] = ()) -> Exchange:
    """The mark that something was forgotten on purpose: a reset in which nobody said anything
    (neither question nor answer). No exchange before it may bring anything back; ``left`` is what
    was still remembered after it."""
    return Exchange("", "", at, status="reset", memory=tuple(left))


class ProcessMemory:
    """The last exchanges of each conversation, in the memory of this process: enough for sample
    dialogs. See :class:`~anaphora.intents.long_term.LongTerm` for the methods."""

    def __init__(self, most: int = 1_000) -> None:
        self._kept: defaultdict[Key, deque[Exchange]] = defaultdict(lambda: deque(maxlen=most))
        self._mutex = fork_safe_lock()

    def add(self, key: Key, exchange: Exchange) -> None:
        with self._mutex:
            kept = self._kept[key]
            number = kept[-1].number + 1 if kept else 1
            kept.append(replace(exchange, number=number))

    def latest(self, key: Key, limit: int) -> Sequence[Exchange]:
        with self._mutex:
            return list(self._kept.get(key, ()))[: -limit - 1 : -1]

    def erase(self, user: str, *, tenant: str = "", model: str | None = None) -> int:
        with self._mutex:
            gone = [
                key
                for key in self._kept
                if (key.user, key.tenant) == (user, tenant) and model in (None, key.model)
            ]
            return sum(len(self._kept.pop(key)) for key in gone)

    def close(self) -> None:
        pass
