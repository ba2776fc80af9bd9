"""What tests of the knowledge graph say, and when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from anaphora.agents.graph.facts import Fact, NewFact
from anaphora.core.utterance import Entity
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.store import UserKey

ANN, BEN, ANN_ELSEWHERE = UserKey("ann"), UserKey("ben"), UserKey("ann", "acme")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    """A time some days after the beginning."""
    return BEGIN + timedelta(days=number)


def parse_facts(text: str) -> list[NewFact]:
    """Facts written as "Ann, lives in, Kyoto; Ann, knows, Bob"."""
    parts = [[part.strip() for part in fact.split(",")] for fact in text.split(";")]
    return [NewFact(*part) for part in parts]


def add(graph, text: str, at: float, owner: UserKey = ANN, **options) -> list[Fact]:
    """Add facts at a day."""
    return graph.add(owner, parse_facts(text), at=day(at), **options)


def texts(facts: Iterable[Fact]) -> list[str]:
    return [f"{fact.subject}, {fact.relation}, {fact.object}" for fact in facts]


def times(facts: Iterable[Fact]) -> list[tuple[str, float, float | None]]:
    """The object of each fact, and the days from and to which it holds, in this order."""
    rows = [
        (fact.object, number_of(fact.valid_at), fact.invalid_at and number_of(fact.invalid_at))
        for fact in facts
    ]
    return sorted(rows, key=lambda row: (row[1], row[2] or 9e9, row[0]))


def number_of(time: datetime) -> float:
    """The number of a day."""
    return (time - BEGIN) / timedelta(days=1)


def make_exchange(
    intent: str | None,
    slots: Mapping[str, Sequence[str]],
    *,
    at: float = 1,
    clock: int = 1,
    memory: Sequence[Entity] = (),
    **changes,
) -> Exchange:
    """An answered exchange at a day."""
    filled = {name: tuple(values) for name, values in slots.items()}
    defaults = {"question": "?", "answer": "!", "language": "en"}
    return Exchange(
        **(defaults | changes),
        at=day(at),
        intent=intent,
        slots=filled,
        clock=clock,
        memory=tuple(memory),
    )


def make_entity(element: str, value: str | None, text: str = "", **fields) -> Entity:
    return Entity(element, frozenset((element,)), text or value or "", value=value, **fields)
