"""An index that finds the intents which can match the available entities."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from typing import TypeAlias

from msgspec import Struct

from anaphora.core.utterance import Entity
from anaphora.grammar.idl.intent import EntitySelector, Intent, Term

__all__ = ["FillPlan", "IntentIndex", "entity_keys"]

_MAX_SIGNATURES = 10_000  # cached, until the cache is cleared
_MOST_PLANS = 50_000  # cached (some 10 MB), until the cache is cleared

_Signature: TypeAlias = tuple[str, frozenset[str], tuple[str, ...]]
"""The element, groups and ancestors of an entity: what determines its intents."""


def entity_keys(entity: Entity) -> Iterator[EntitySelector]:
    """Iterate over all keys by which a predicate can require ``entity``."""
    yield "element", entity.element
    for group in entity.groups:
        yield "group", group
    for ancestor in entity.ancestors:
        yield "ancestor", ancestor


def may_take(term: Term, entity: Entity) -> bool:
    """Whether a term may take ``entity``, as far as its element, groups and ancestors tell."""
    requires = term.predicate.requires
    return requires is None or not requires.isdisjoint(entity_keys(entity))


class FillPlan(Struct, frozen=True, gc=False):
    """How entities fill the intent at an index of the model: for each term the indexes of the
    entities that it takes. ``term_positions`` is None if that depends on more than their
    elements; then every term must be tested."""

    intent_index: int
    term_positions: tuple[tuple[int, ...], ...] | None


class IntentIndex:
    """Finds the few intents of a model that can match a question.

    An intent is indexed under the keys of one required term, the *anchor*: the term whose keys
    occur in the fewest other intents. Without an entity with such a key nothing fills the anchor,
    so the intent cannot match. Intents without a term with known keys are always candidates.
    Candidates that require another element, which no entity has, are left out, too.
    """

    def __init__(self, intents: Sequence[Intent]) -> None:
        self._intents_by_anchor: defaultdict[EntitySelector, list[int]] = defaultdict(list)
        self._unanchored: list[int] = []
        # The elements of each required term that tests nothing but the element.
        self._elements_by_intent = [
            tuple(
                elements
                for term in intent.terms
                if term.min and (elements := term.predicate.elements) is not None
            )
            for intent in intents
        ]
        # Caches: entities with equal signatures have the same candidates and plans.
        self._intents_by_signature: dict[_Signature, frozenset[int]] = {}
        self._plans: dict[tuple[tuple[_Signature, ...], range, int], tuple[FillPlan, ...]] = {}
        self._plan_budget = _MOST_PLANS
        self._intents = intents
        self._intents_by_key: defaultdict[EntitySelector | None, dict[int, list[int]]] = (
            defaultdict(dict)
        )
        frequency = Counter(
            key
            for intent in intents
            for term in intent.terms
            for key in term.predicate.requires or ()
        )
        for intent_index, intent in enumerate(intents):
            self._index_anchor(intent_index, intent, frequency)
            self._index_term_keys(intent_index, intent)

    def candidates(self, entities: Iterable[Entity]) -> list[int]:
        """Return the indexes of all intents whose terms these entities can fill."""
        found = set(self._unanchored)
        elements: set[str] = set()
        for entity in entities:
            elements.add(entity.element)
            kind = (entity.element, entity.groups, entity.ancestors)
            indexes = self._intents_by_signature.get(kind)
            found.update(self._find_anchored(entity, kind) if indexes is None else indexes)
        needed = self._elements_by_intent
        return [
            index for index in sorted(found) if not any(map(elements.isdisjoint, needed[index]))
        ]

    def plans(
        self, entities: Sequence[Entity], *, current: range, in_sentence: int
    ) -> tuple[FillPlan, ...]:
        """Return a plan for each of the :meth:`candidates`, except those known not to match.

        The first ``in_sentence`` entities belong to the sentence; those in the range ``current``
        are in the present utterance, the ones before it are pending. This is the fast path of
        matching: plans are cached by the signatures of the entities.
        """
        kinds = tuple([(one.element, one.groups, one.ancestors) for one in entities])
        key = kinds, current, in_sentence
        plans = self._plans.get(key)
        if plans is None:
            elements = [entity.element for entity in entities]
            made = [
                _build_plan(self._intents[index], index, elements, current, in_sentence)
                for index in self.candidates(entities)
            ]
            plans = tuple([plan for plan in made if plan is not None])
            self._plan_budget -= 1 + len(plans)
            if self._plan_budget < 0:
                self._plans.clear()
                self._plan_budget = _MOST_PLANS - 1 - len(plans)
            self._plans[key] = plans
        return plans

    def _find_anchored(self, entity: Entity, kind: _Signature) -> frozenset[int]:
        """Return the indexes of the intents whose anchor the entity fills."""
        anchored = self._intents_by_anchor
        if len(self._intents_by_signature) >= _MAX_SIGNATURES:
            self._intents_by_signature.clear()
        keys = [key for key in entity_keys(entity) if key in anchored]
        indexes = self._intents_by_signature[kind] = frozenset(
            [index for key in keys for index in anchored[key]]
        )
        return indexes

    def intents_by_required_terms(
        self, keys: Iterable[EntitySelector]
    ) -> Iterator[tuple[int, Iterator[int]]]:
        """Find the intents with a term that an entity with one of these keys could fill.

        Yields for each number of required terms, in ascending order, the indexes of the intents in
        the order of the model (one may occur several times in a row).
        """
        filed = [self._intents_by_key[key] for key in (*keys, None) if key in self._intents_by_key]
        for required in sorted({number for by_number in filed for number in by_number}):
            yield required, merge(*(by_number.get(required, ()) for by_number in filed))

    def _index_anchor(
        self, intent_index: int, intent: Intent, frequency: Counter[EntitySelector]
    ) -> None:
        required = [term for term in intent.terms if term.min > 0]
        keyed = [keys for term in required if (keys := term.predicate.requires) is not None]
        if keyed:
            anchor = min(keyed, key=lambda keys: sum(frequency[key] for key in keys))
        elif required or any(term.predicate.requires is None for term in intent.terms):
            self._unanchored.append(intent_index)
            return
        else:  # all terms are optional, but the sentence must still fill one of them
            anchor = _keys_of_terms(intent.terms)
        for key in anchor:
            self._intents_by_anchor[key].append(intent_index)

    def _index_term_keys(self, intent_index: int, intent: Intent) -> None:
        required = sum(term.min > 0 for term in intent.terms)
        unkeyed = any(term.predicate.requires is None for term in intent.terms)
        for key in (None,) if unkeyed else _keys_of_terms(intent.terms):
            self._intents_by_key[key].setdefault(required, []).append(intent_index)


def _build_plan(
    intent: Intent, intent_index: int, elements: Sequence[str], current: range, in_sentence: int
) -> FillPlan | None:
    """Plan how entities with these elements fill the intent; None if it cannot match."""
    wanted = [term.predicate.elements for term in intent.terms]
    if None in wanted:
        return FillPlan(intent_index, None)
    taken: set[int] = set()
    takes = []
    for term, known in zip(intent.terms, wanted, strict=True):
        assert known is not None
        available = range(len(elements) if term.conversational else in_sentence)
        fitting = [index for index in available if elements[index] in known and index not in taken]
        if len(fitting) < term.min:
            return None
        takes.append(tuple(fitting[: term.max]))
        taken.update(takes[-1])
    options = intent.options
    may_be_unused = options.unused_user_entities or options.unused_system_entities
    if not taken or not (may_be_unused or taken.issuperset(current)):
        return None
    return FillPlan(intent_index, tuple(takes))


def _keys_of_terms(terms: Iterable[Term]) -> frozenset[EntitySelector]:
    return frozenset(key for term in terms for key in term.predicate.requires or ())
