"""Which intents can match at all: looked up by what the entities at hand are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

from anaphora.grammar.intent import Intent, Key, Term
from anaphora.models.utterance import Entity

__all__ = ["IntentIndex", "keys_of"]

_MOST_KINDS = 10_000  # of entities whose intents are remembered, until all are forgotten


def keys_of(entity: Entity) -> Iterator[Key]:
    """Everything by which a predicate can require ``entity``."""
    yield "element", entity.element
    for group in entity.groups:
        yield "group", group
    for ancestor in entity.ancestors:
        yield "ancestor", ancestor


class IntentIndex:
    """Finds the few intents that a question can concern among the many of a model.

    An intent is filed under the keys of one required term, the *anchor*: the term whose keys
    the fewest other intents ask for. Without an entity of such a key nothing fills the anchor,
    so the intent cannot match. Intents without a term whose keys are known are always tried.
    Those that are found so and need another element that is not at hand are left out, too.
    """

    def __init__(self, intents: Sequence[Intent]) -> None:
        self._anchored: defaultdict[Key, list[int]] = defaultdict(list)
        self._always: list[int] = []
        # For each required term that asks for elements alone, these.
        self._needed = [tuple(_needed(intent)) for intent in intents]
        # What an entity lets match depends on its element alone: looked up once for all like it.
        self._kinds: dict[tuple[object, ...], tuple[int, ...]] = {}
        self._mentioned: defaultdict[Key | None, dict[int, list[int]]] = defaultdict(dict)
        frequency = Counter(
            key
            for intent in intents
            for term in intent.terms
            for key in term.predicate.requires or ()
        )
        for order, intent in enumerate(intents):
            self._file_anchor(order, intent, frequency)
            self._file_mentions(order, intent)

    def candidates(self, entities: Iterable[Entity]) -> list[int]:
        """The places in the model of all intents that can match when these entities are at
        hand."""
        found = set(self._always)
        kinds = self._kinds
        elements: set[str] = set()
        for entity in entities:
            elements.add(entity.element)
            kind = entity.element, entity.groups, entity.ancestors
            orders = kinds.get(kind)
            found.update(self._let(entity, kind) if orders is None else orders)
        needed = self._needed
        return [
            order for order in sorted(found) if not any(map(elements.isdisjoint, needed[order]))
        ]

    def _let(self, entity: Entity, kind: tuple[object, ...]) -> tuple[int, ...]:
        """The places of the intents whose anchor the entity fills."""
        anchored = self._anchored
        found = {order for key in keys_of(entity) if key in anchored for order in anchored[key]}
        if len(self._kinds) >= _MOST_KINDS:
            self._kinds.clear()
        orders = self._kinds[kind] = tuple(sorted(found))
        return orders

    def touched_by(self, keys: Iterable[Key]) -> Iterator[tuple[int, Iterator[int]]]:
        """The intents of which an entity with one of these keys could fill a term: for each
        number of required terms, fewest first, their places in the order of the model (an
        intent may come several times in a row)."""
        filed = [self._mentioned[key] for key in (*keys, None) if key in self._mentioned]
        for required in sorted({number for by_number in filed for number in by_number}):
            yield required, merge(*(by_number.get(required, ()) for by_number in filed))

    def _file_anchor(self, order: int, intent: Intent, frequency: Counter[Key]) -> None:
        required = [term for term in intent.terms if term.min > 0]
        keyed = [keys for term in required if (keys := term.predicate.requires) is not None]
        if keyed:
            anchor = min(keyed, key=lambda keys: sum(frequency[key] for key in keys))
        elif required or any(term.predicate.requires is None for term in intent.terms):
            self._always.append(order)
            return
        else:  # all terms are optional: one of them must still be filled from the sentence
            anchor = _all_keys(intent.terms)
        for key in anchor:
            self._anchored[key].append(order)

    def _file_mentions(self, order: int, intent: Intent) -> None:
        required = sum(term.min > 0 for term in intent.terms)
        unkeyed = any(term.predicate.requires is None for term in intent.terms)
        for key in (None,) if unkeyed else _all_keys(intent.terms):
            self._mentioned[key].setdefault(required, []).append(order)


def _needed(intent: Intent) -> Iterator[frozenset[str]]:
    for term in intent.terms:
        if term.min > 0 and term.predicate.elements is not None:
            yield term.predicate.elements


def _all_keys(terms: Iterable[Term]) -> frozenset[Key]:
    return frozenset(key for term in terms for key in term.predicate.requires or ())
