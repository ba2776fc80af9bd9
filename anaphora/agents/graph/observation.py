"""Facts of an answered exchange of an engine: what the user asked for, without any model.

An intent that matched with slots says:

- ``user —"weather: city"→ Kyoto`` for every value of a slot: the intent, a colon, the slot. So
  "which cities did she ask for?" is a query for the relations ``*: city``, and "what has Ann asked
  about Kyoto?" one for the facts with the object Kyoto;
- ``pizza —"order: drink"→ cola`` for every two values of one exchange, in the order of the slots.
  So what was ordered with the pizza are its neighbours.

A slot whose value the user excluded ("without onions") says ``order: without topping``. An intent
without values says ``user —"asked for"→ help``. Repetitions are counted, not added.

Names of entities are the values: dates as resolved ("2026-11-27T19:00"; a time of day that was
only "now" becomes its date). Numbers say little by themselves, and would connect what has nothing
in common, so they carry the name of their slot: "people: 2". An entity that has no value only says
which words the user chose ("What is the weather"), so it is no node, unless its text contains a
digit, a recognizer found it, or its element is among those whose text is their value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations, islice

import regex

from anaphora.agents.graph.facts import USER, NewFact
from anaphora.agents.graph.names import clean_name, name_key
from anaphora.core.utterance import Entity
from anaphora.ltm.exchange import Exchange

__all__ = ["Observation", "observe_exchange"]

MAX_VALUES = 8  # of an exchange; they make at most 36 facts
_USER_KIND, _INTENT_KIND, _DATE_KIND = "user", "intent", "date"
_DATE = regex.compile(r"\d{4}-\d\d(?:-\d\d)?(?:T[\d:]+)?(?:/\d{4}-\d\d(?:-\d\d)?(?:T[\d:]+)?)?")
_SECONDS = regex.compile(r"T\d\d:\d\d:\d\d")
_NUMBER = regex.compile(r"[\p{Sc}+\-−]?\s?\d[\d.,' ]*(?:\s?(?:\p{Sc}|%|[A-Z]{3}))?")


@dataclass(frozen=True, slots=True)
class Observation:
    """The facts of an exchange, and the names and kinds of the entities that it mentions."""

    facts: tuple[NewFact, ...] = ()
    mentions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Value:
    name: str
    kind: str
    relation: str


def observe_exchange(
    exchange: Exchange, *, text_elements: Collection[str] = frozenset()
) -> Observation:
    """Return what an exchange says; nothing if no intent matched. Only its first eight values
    count. The text of an element in ``text_elements`` is its value."""
    if exchange.status != "matched" or not exchange.intent:
        return Observation()
    values = list(islice(dict.fromkeys(_iter_values(exchange, text_elements)), MAX_VALUES))
    if not values:
        asked = NewFact(USER, "asked for", exchange.intent, None, _USER_KIND, _INTENT_KIND)
        return Observation((asked,))
    return Observation(
        (
            *(NewFact(USER, one.relation, one.name, None, _USER_KIND, one.kind) for one in values),
            *(
                NewFact(one.name, other.relation, other.name, None, one.kind, other.kind)
                for one, other in combinations(values, 2)
                if name_key(one.name) != name_key(other.name)
            ),
        ),
        tuple({name_key(one.name): (one.name, one.kind) for one in values}.values()),
    )


def _iter_values(exchange: Exchange, text_elements: Collection[str]) -> Iterator[_Value]:
    for slot, texts in exchange.slots.items():
        for text in texts:
            entity = _find_entity(exchange, slot, text)
            if entity is not None and not _has_value(entity, text_elements):
                continue
            kind = slot if entity is None else entity.element
            without = "without " if entity is not None and entity.negated else ""
            relation = f"{exchange.intent}: {without}{slot}"
            name = clean_name(text)
            if _DATE.fullmatch(name):
                yield _Value(_format_date(name), _DATE_KIND, relation)
            elif _NUMBER.fullmatch(name):
                yield _Value(f"{clean_name(slot)}: {name}", kind, relation)
            elif name and name_key(name) != USER:
                yield _Value(name, kind, relation)


def _find_entity(exchange: Exchange, slot: str, value: str) -> Entity | None:
    """Return the remembered entity that filled a slot; None if it is not remembered."""
    fitting = [entity for entity in exchange.memory if entity.value_or_text == value]
    return min(fitting, key=lambda entity: entity.element != slot, default=None)


def _has_value(entity: Entity, text_elements: Collection[str]) -> bool:
    return (
        entity.value is not None
        or not entity.is_from_phrase
        or entity.element in text_elements
        or any(map(str.isdigit, entity.text))
    )


def _format_date(date: str) -> str:
    """Return a date; a time that is given to the second is that of the question."""
    return date.partition("T")[0] if _SECONDS.search(date) else date
