"""Entries of generative memories. They are kept in a conversation of their own of the long-term
memory, one by one; the state of the agent has only a bounded index of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from anaphora.agents.store.store import AgentKey
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.store import SearchFilter, UserKey
from anaphora.storage.logical_clock import from_microseconds, to_microseconds

__all__ = ["Entry", "EntryIndex", "EntryStore", "Pointer", "entries_model"]

_INSIGHT, _OBSERVATION = "insight", "observation"
_DEFAULT_IMPORTANCE = 5
_RECENT, _RELEVANT = 50, 100  # entries that compete for a place in the prompt
_MAX_ACCESSED, _MAX_IMPORTANT = 64, 32


class Pointer(Struct, frozen=True, array_like=True):
    """Where an entry is: its ``clock`` identifies it, ``number`` is its place in the conversation.
    ``value`` is the microsecond of its last access, or its importance."""

    clock: int
    number: int
    value: int


class EntryIndex(Struct, frozen=True, omit_defaults=True):
    """What the state of an agent keeps of a generative memory: the number of its entries, the
    importance and the turns since the last reflection, and where the last accessed and the most
    important entries are."""

    count: int = 0
    importance: int = 0
    turns: int = 0
    accessed: tuple[Pointer, ...] = ()
    important: tuple[Pointer, ...] = ()

    @classmethod
    def from_data(cls, data: Any) -> EntryIndex:
        return cls() if data is None else msgspec.convert(data, cls)

    def to_data(self) -> Any:
        return msgspec.to_builtins(self)

    def access(self, entries: Iterable[Entry], at: datetime) -> EntryIndex:
        """Return the index after a retrieval of entries."""
        now = to_microseconds(at)
        pointers = {one.clock: one for one in self.accessed}
        pointers |= {one.clock: Pointer(one.clock, one.number, now) for one in entries}
        latest = sorted(pointers.values(), key=lambda one: (one.value, one.clock))
        return replace(self, accessed=tuple(latest[-_MAX_ACCESSED:]))

    def add(self, entry: Entry) -> EntryIndex:
        """Return the index with a new entry."""
        pointer = Pointer(entry.clock, entry.number, entry.importance)
        others = [one for one in self.important if one.clock != entry.clock]
        best = sorted([*others, pointer], key=lambda one: (-one.value, -one.clock))
        return replace(self, count=self.count + 1, important=tuple(best[:_MAX_IMPORTANT]))

    def last_access(self, entry: Entry) -> datetime:
        """Return when an entry was last retrieved, or else made."""
        known = next((one.value for one in self.accessed if one.clock == entry.clock), None)
        return entry.at if known is None else max(entry.at, from_microseconds(known))


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory: what the user and the agent said, or an insight with the clocks of the entries that
    are its ``evidence``. ``clock`` identifies it, ``importance`` is from 1 to 10."""

    clock: int
    number: int
    at: datetime
    question: str
    answer: str
    importance: int
    is_insight: bool = False
    evidence: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The entry as one text."""
        return self.answer if self.is_insight else f"User: {self.question} Agent: {self.answer}"


def entries_model(agent: str, name: str) -> str:
    """Return the name of the conversation that holds the entries of a memory."""
    return f"{agent}/{name}"


@dataclass(frozen=True, slots=True)
class EntryStore:
    """The entries of the memory ``name`` of an agent with one user."""

    memory: LongTermMemory
    agent_key: AgentKey
    name: str

    @property
    def key(self) -> AgentKey:
        model = entries_model(self.agent_key.model, self.name)
        return self.agent_key._replace(model=model)

    def add(self, entry: Entry) -> None:
        """Add an entry."""
        slots: dict[str, tuple[str, ...]] = {"importance": (str(entry.importance),)}
        if entry.evidence:
            slots["evidence"] = tuple(map(str, entry.evidence))
        kind = _INSIGHT if entry.is_insight else _OBSERVATION
        self.memory.add(
            self.key,
            Exchange(
                entry.question, entry.answer, entry.at, intent=kind, slots=slots, clock=entry.clock
            ),
        )

    def latest(self, limit: int) -> list[Entry]:
        """Return the last entries, newest first."""
        return [_to_entry(one) for one in self.memory.latest(self.key, limit)]

    def candidates(
        self, index: EntryIndex, question: str, at: datetime
    ) -> list[tuple[Entry, float | None]]:
        """Return the entries that compete for a place in the prompt, newest first, with their
        relevance (None: not found): those that fit the question, and the latest, last accessed and
        most important ones."""
        found: dict[int, tuple[Entry, float | None]] = {}
        for one in [*self._at(index), *self.latest(_RECENT)]:
            found[one.clock] = one, None
        if question.strip():
            page = self.memory.recall(
                UserKey(self.key.user, self.key.tenant),
                question,
                filters=SearchFilter(model=self.key.model),
                size=_RELEVANT,
                neighbours=0,
                at=at,
            )
            for passage in page.passages:
                found[passage.exchange.clock] = _to_entry(passage.exchange), passage.score
        return [found[clock] for clock in sorted(found, reverse=True)]

    def _at(self, index: EntryIndex) -> list[Entry]:
        """Return the entries that the index points to; those that have moved are left out."""
        pointers = {one.number: one.clock for one in (*index.accessed, *index.important)}
        exchanges: list[Exchange] = []
        for first, last in _runs(sorted(pointers)):
            exchanges += self.memory.store.exchanges(self.key, first=first, last=last)
        return [_to_entry(one) for one in exchanges if pointers.get(one.number) == one.clock]


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of consecutive numbers."""
    groups = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    runs = [[number for _, number in group] for _, group in groups]
    return [(run[0], run[-1]) for run in runs]


def _to_entry(exchange: Exchange) -> Entry:
    (importance, *_) = exchange.slots.get("importance") or (str(_DEFAULT_IMPORTANCE),)
    return Entry(
        exchange.clock,
        exchange.number,
        exchange.at,
        exchange.question,
        exchange.answer,
        int(importance) if importance.isdigit() else _DEFAULT_IMPORTANCE,
        exchange.intent == _INSIGHT,
        tuple([int(one) for one in exchange.slots.get("evidence", ()) if one.isdigit()]),
    )
