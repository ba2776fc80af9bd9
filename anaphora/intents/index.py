"""Which intents can match at all: looked up by what the entities at hand are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from typing import TypeAlias

from msgspec import Struct

from anaphora.core.utterance import Entity
from anaphora.grammar.idl.intent import EntitySelector, Intent, Term

__all__ = ["FillPlan", "IntentIndex", "entity_keys"]

_MAX_SIGNATURES = 10_000  # of entities whose intents are remembered, until all are forgotten
_MOST_PLANS = 50_000  # that are remembered (some 10 MB), until all are forgotten

_Signature: TypeAlias = tuple[str, frozenset[str], tuple[str, ...]]
"""All of an entity that says which intents it can concern."""


def _signature_of(entity: Entity) -> _Signature:
    return entity.element, entity.groups, entity.ancestors


def entity_keys(entity: Entity) -> Iterator[EntitySelector]:
    """Everything by which a predicate can require ``entity``."""
    yield "element", entity.element
    for group in entity.groups:
        yield "group", group
    for ancestor in entity.ancestors:
        yield "ancestor", ancestor


class FillPlan(Struct, frozen=True, gc=False):
    """The intent at the place ``order`` of the model, and for each of its terms the places of the
    entities that it takes; None where that does not depend on their elements alone."""

    order: int
    term_positions: tuple[tuple[int, ...], ...] | None


class IntentIndex:
    """Finds the few intents that a question can concern among the many of a model.

    An intent is filed under the keys of one required term, the *anchor*: the term whose keys
    the fewest other intents ask for. Without an entity of such a key nothing fills the anchor,
    so the intent cannot match. Intents without a term whose keys are known are always tried.
    Those that are found so and need another element that is not at hand are left out, too.
    """

    def __init__(self, intents: Sequence[Intent]) -> None:
        self._orders_by_anchor: defaultdict[EntitySelector, list[int]] = defaultdict(list)
        self._unanchored: list[int] = []
        # For each required term that asks for elements alone, these.
        self._elements_by_intent = [tuple(_required_elements(intent)) for intent in intents]
        # What entities let match depends on their elements: worked out once for all like them.
        self._orders_by_signature: dict[_Signature, frozenset[int]] = {}
        self._plans: dict[tuple[tuple[_Signature, ...], range, int], tuple[FillPlan, ...]] = {}
        self._plan_budget = _MOST_PLANS
        self._intents = intents
        self._orders_by_key: defaultdict[EntitySelector | None, dict[int, list[int]]] = defaultdict(
            dict
        )
        frequency = Counter(
            key
            for intent in intents
            for term in intent.terms
            for key in term.predicate.requires or ()
        )
        for order, intent in enumerate(intents):
            self._index_anchor(order, intent, frequency)
            self._index_term_keys(order, intent)

    def candidates(self, entities: Iterable[Entity]) -> list[int]:
        """The places in the model of all intents whose terms can be filled when these entities
        are at hand."""
        found = set(self._unanchored)
        elements: set[str] = set()
        for entity in entities:
            elements.add(entity.element)
            kind = _signature_of(entity)
            orders = self._orders_by_signature.get(kind)
            found.update(self._find_anchored(entity, kind) if orders is None else orders)
        needed = self._elements_by_intent
        return [
            order for order in sorted(found) if not any(map(elements.isdisjoint, needed[order]))
        ]

    def plans(
        self, entities: Sequence[Entity], *, current: range, in_sentence: int
    ) -> tuple[FillPlan, ...]:
        """A plan for each of the :meth:`candidates`, but for those that are known not to match.
        The entities ``in_sentence`` come first, among them those ``said`` now."""
        # As _kind_of, which would be called for every entity of every question.
        kinds = tuple([(one.element, one.groups, one.ancestors) for one in entities])
        key = kinds, current, in_sentence
        plans = self._plans.get(key)
        if plans is None:
            elements = [entity.element for entity in entities]
            made = [
                _build_plan(self._intents[order], order, elements, current, in_sentence)
                for order in self.candidates(entities)
            ]
            plans = tuple([plan for plan in made if plan is not None])
            self._plan_budget -= 1 + len(plans)
            if self._plan_budget < 0:
                self._plans.clear()
                self._plan_budget = _MOST_PLANS - 1 - len(plans)
            self._plans[key] = plans
        return plans

    def _find_anchored(self, entity: Entity, kind: _Signature) -> frozenset[int]:
        """The places of the intents whose anchor the entity fills."""
        anchored = self._orders_by_anchor
        if len(self._orders_by_signature) >= _MAX_SIGNATURES:
            self._orders_by_signature.clear()
        keys = [key for key in entity_keys(entity) if key in anchored]
        orders = self._orders_by_signature[kind] = frozenset(
            [order for key in keys for order in anchored[key]]
        )
        return orders

    def orders_by_required_terms(
        self, keys: Iterable[EntitySelector]
    ) -> Iterator[tuple[int, Iterator[int]]]:
        """The intents of which an entity with one of these keys could fill a term: for each
        number of required terms, fewest first, their places in the order of the model (an
        intent may come several times in a row)."""
        filed = [self._orders_by_key[key] for key in (*keys, None) if key in self._orders_by_key]
        for required in sorted({number for by_number in filed for number in by_number}):
            yield required, merge(*(by_number.get(required, ()) for by_number in filed))

    def _index_anchor(self, order: int, intent: Intent, frequency: Counter[EntitySelector]) -> None:
        required = [term for term in intent.terms if term.min > 0]
        keyed = [keys for term in required if (keys := term.predicate.requires) is not None]
        if keyed:
            anchor = min(keyed, key=lambda keys: sum(frequency[key] for key in keys))
        elif required or any(term.predicate.requires is None for term in intent.terms):
            self._unanchored.append(order)
            return
        else:  # all terms are optional: one of them must still be filled from the sentence
            anchor = _keys_of_terms(intent.terms)
        for key in anchor:
            self._orders_by_anchor[key].append(order)

    def _index_term_keys(self, order: int, intent: Intent) -> None:
        required = sum(term.min > 0 for term in intent.terms)
        unkeyed = any(term.predicate.requires is None for term in intent.terms)
        for key in (None,) if unkeyed else _keys_of_terms(intent.terms):
            self._orders_by_key[key].setdefault(required, []).append(order)


def _required_elements(intent: Intent) -> Iterator[frozenset[str]]:
    for term in intent.terms:
        if term.min > 0 and term.predicate.elements is not None:
            yield term.predicate.elements


def _build_plan(
    intent: Intent, order: int, elements: Sequence[str], current: range, in_sentence: int
) -> FillPlan | None:
    """How entities of these elements fill the intent; None if it cannot match them."""
    wanted = [term.predicate.elements for term in intent.terms]
    if None in wanted:
        return FillPlan(order, None)
    taken: set[int] = set()
    takes = []
    for term, known in zip(intent.terms, wanted, strict=True):
        assert known is not None
        at_hand = range(len(elements) if term.conversational else in_sentence)
        fitting = [place for place in at_hand if elements[place] in known and place not in taken]
        if len(fitting) < term.min:
            return None
        takes.append(tuple(fitting[: term.max]))
        taken.update(takes[-1])
    options = intent.options
    may_leave = options.unused_user_entities or options.unused_system_entities
    if not taken or not (may_leave or taken.issuperset(current)):
        return None
    return FillPlan(order, tuple(takes))


def _keys_of_terms(terms: Iterable[Term]) -> frozenset[EntitySelector]:
    return frozenset(key for term in terms for key in term.predicate.requires or ())
