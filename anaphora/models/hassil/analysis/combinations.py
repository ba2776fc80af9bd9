"""The combinations of slots with which the sentences of an intent are complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from anaphora.frozen import FrozenDict
from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    ListReference,
    Permutation,
    RuleReference,
    Sequence,
    Text,
)
from anaphora.models.hassil.collection import ContextRule, SentenceCollection

__all__ = ["Combination", "ReferenceFinder", "find_combinations"]


class Combination(Struct, frozen=True, array_like=True):
    """Slots that a sentence of an intent fills.

    ``required`` are those that every form of the sentence names or takes from the context,
    ``optional`` those that some forms name. ``fixed`` are the values that the sentence itself
    gives. ``requires`` are its conditions on the context.
    """

    intent: str
    required: frozenset[str]
    optional: frozenset[str]
    fixed: FrozenDict
    requires: Mapping[str, ContextRule]
    response: str = ""

    @property
    def slots(self) -> frozenset[str]:
        """All slots that may be filled."""
        return frozenset(self.required | self.optional | self.fixed.keys())


def find_combinations(collection: SentenceCollection) -> tuple[Combination, ...]:
    """The distinct combinations of a collection, in the order of its sentences."""
    found: dict[tuple[object, ...], Combination] = {}
    shared = _SlotFinder(collection.rules)
    for block in collection.blocks:
        finder = _SlotFinder({**collection.rules, **block.rules}) if block.rules else shared
        from_context = frozenset(one.slot for one in block.requires.values() if one.slot)
        fixed = tuple((name, repr(value)) for name, value in block.slots.items())
        conditions = repr(tuple((key, rule.values) for key, rule in block.requires.items()))
        for every, some in dict.fromkeys(map(finder.find, block.sentences)):
            required = frozenset((every | from_context) - block.slots.keys())
            optional = some - every - from_context
            key = block.intent, required, optional, fixed, conditions
            if key not in found:
                found[key] = Combination(
                    block.intent,
                    required,
                    optional,
                    block.slots,
                    block.requires,
                    block.response,
                )
    return tuple(found.values())


class ReferenceFinder:
    """Finds the references to lists in expressions and in the ``rules`` that they use."""

    def __init__(self, rules: Mapping[str, Expression]) -> None:
        self._rules = rules
        self._known: dict[str, tuple[ListReference, ...]] = {}

    def find(self, expression: Expression) -> tuple[ListReference, ...]:
        """The references in an expression, one for each list and slot, in order."""
        found: dict[tuple[str, str, bool], ListReference] = {}
        for one in self._iterate(expression):
            found.setdefault((one.list, one.slot, one.capture), one)
        return tuple(found.values())

    def _iterate(self, expression: Expression) -> Iterator[ListReference]:
        match expression:
            case ListReference():
                yield expression
            case RuleReference(rule):
                if rule not in self._known:
                    self._known[rule] = self.find(self._rules[rule])
                yield from self._known[rule]
            case Sequence(items) | Alternative(items) | Permutation(items):
                for item in items:
                    yield from self._iterate(item)


_Slots: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""The slots that every reading of an expression fills, and those that some fill."""

_NO_SLOTS: _Slots = frozenset(), frozenset()


class _SlotFinder:
    """Finds the slots that expressions with ``rules`` fill."""

    def __init__(self, rules: Mapping[str, Expression]) -> None:
        self._rules = rules
        self._known: dict[str, _Slots] = {}

    def find(self, expression: Expression) -> _Slots:
        match expression:
            case Text():
                return _NO_SLOTS
            case ListReference():
                slots = frozenset[str]() if expression.capture else frozenset((expression.slot,))
                return slots, slots
            case RuleReference(rule):
                if rule not in self._known:
                    self._known[rule] = self.find(self._rules[rule])
                return self._known[rule]
            case Sequence(items) | Permutation(items) | Alternative(items):
                parts = [part for item in items if (part := self.find(item)) is not _NO_SLOTS]
                if not parts:
                    return _NO_SLOTS
                some = frozenset[str]().union(*(one[1] for one in parts))
                if not isinstance(expression, Alternative):
                    return frozenset[str]().union(*(one[0] for one in parts)), some
                if len(parts) < len(items):
                    return frozenset(), some
                return frozenset.intersection(*(one[0] for one in parts)), some
        raise TypeError(expression)  # pragma: no cover
