"""The combinations of slots with which the sentences of an intent are complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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
from anaphora.models.hassil.collection import ContextRule, SentenceBlock, SentenceCollection

__all__ = ["Combination", "find_combinations", "iter_references"]


@dataclass(frozen=True, slots=True)
class Combination:
    """Slots that a sentence of an intent fills.

    ``required`` are those that every form of the sentence names or takes from the context,
    ``optional`` those that some forms name. ``fixed`` are the values that the sentence itself
    gives. ``requires`` are its conditions on the context.
    """

    intent: str
    required: frozenset[str]
    optional: frozenset[str]
    fixed: Mapping[str, Any]
    requires: Mapping[str, ContextRule]
    response: str = ""

    @property
    def slots(self) -> frozenset[str]:
        """All slots that may be filled."""
        return frozenset(self.required | self.optional | self.fixed.keys())


def find_combinations(collection: SentenceCollection) -> tuple[Combination, ...]:
    """The distinct combinations of a collection, in the order of its sentences."""
    found: dict[tuple[object, ...], Combination] = {}
    for block in collection.blocks:
        rules = {**collection.rules, **block.rules}
        for required, optional in _block_slots(block, rules):
            from_context = frozenset(one.slot for one in block.requires.values() if one.slot)
            combination = Combination(
                block.intent,
                frozenset((required | from_context) - block.slots.keys()),
                optional - from_context - required,
                FrozenDict(block.slots),
                block.requires,
                block.response,
            )
            fixed = tuple((name, repr(value)) for name, value in block.slots.items())
            conditions = tuple((key, rule.values) for key, rule in block.requires.items())
            key = (
                block.intent,
                combination.required,
                combination.optional,
                fixed,
                repr(conditions),
            )
            found.setdefault(key, combination)
    return tuple(found.values())


def iter_references(
    expression: Expression, rules: Mapping[str, Expression]
) -> Iterator[ListReference]:
    """The references to lists in an expression and in the rules that it uses."""
    match expression:
        case ListReference():
            yield expression
        case RuleReference(rule):
            yield from iter_references(rules[rule], rules)
        case Sequence(items) | Alternative(items) | Permutation(items):
            for item in items:
                yield from iter_references(item, rules)


def _block_slots(
    block: SentenceBlock, rules: Mapping[str, Expression]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    seen = set()
    for sentence in block.sentences:
        every, some = _slots(sentence, rules)
        if (every, some) not in seen:
            seen.add((every, some))
            yield every, some - every


def _slots(
    expression: Expression, rules: Mapping[str, Expression]
) -> tuple[frozenset[str], frozenset[str]]:
    """The slots that every reading of an expression fills, and those that some fill."""
    nothing = frozenset[str]()
    match expression:
        case ListReference():
            slots = nothing if expression.capture else frozenset((expression.slot,))
            return slots, slots
        case RuleReference(rule):
            return _slots(rules[rule], rules)
        case Alternative(items):
            parts = [_slots(item, rules) for item in items]
            every = frozenset.intersection(*(part[0] for part in parts)) if parts else nothing
            return every, nothing.union(*(part[1] for part in parts))
        case Sequence(items) | Permutation(items):
            parts = [_slots(item, rules) for item in items]
            return (
                nothing.union(*(part[0] for part in parts)),
                nothing.union(*(part[1] for part in parts)),
            )
        case Text():
            return nothing, nothing
    raise TypeError(expression)  # pragma: no cover
