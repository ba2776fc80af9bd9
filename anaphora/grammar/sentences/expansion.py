"""Expand the parts of sentence templates that have no slots to the texts that they stand for."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.sentences.normalization import fold_case
from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    ListReference,
    Permutation,
    RuleReference,
    Sequence,
    Text,
)

__all__ = ["TextExpander", "join_texts"]


class TextExpander:
    """Expands expressions to at most ``limit`` texts, in lower case and with single blanks.

    ``rules`` are the expansion rules, none of which may contain itself. Each is expanded once. The
    expressions must live as long as the expander: it knows by their identity which have slots.
    """

    def __init__(self, rules: Mapping[str, Expression], limit: int) -> None:
        self._rules, self._limit = rules, limit
        self._known: dict[str, frozenset[str] | None] = {}
        self._slotted_rules: dict[str, bool] = {}
        self._slotted: dict[int, bool] = {}

    def expand(self, expression: Expression) -> frozenset[str] | None:
        """The texts of an expression; None if it has slots, or too many texts."""
        match expression:
            case Text(text):
                return frozenset((fold_case(text),))
            case ListReference():
                return None
            case RuleReference(rule):
                if rule not in self._known:
                    self._known[rule] = self.expand(self._rules[rule])
                return self._known[rule]
        if self._has_slots(expression):
            return None
        match expression:
            case Alternative(items):
                return self._either(items)
            case Sequence(items):
                whole: frozenset[str] | None = frozenset(("",))
                for item in items:
                    whole = join_texts(whole, self.expand(item), self._limit)
                    if whole is None:
                        return None
                return whole
            case Permutation(items):
                return self._permute(items)
        raise TypeError(expression)  # pragma: no cover

    def _has_slots(self, expression: Expression) -> bool:
        """Whether an expression refers to a list, so that nothing in it need be expanded."""
        match expression:
            case Text():
                return False
            case ListReference():
                return True
            case RuleReference(rule):
                found = self._slotted_rules.get(rule)
                if found is None:
                    found = self._slotted_rules[rule] = self._has_slots(self._rules[rule])
                return found
        found = self._slotted.get(id(expression))
        if found is None:
            found = self._slotted[id(expression)] = any(map(self._has_slots, expression.items))
        return found

    def _either(self, items: tuple[Expression, ...]) -> frozenset[str] | None:
        found: set[str] = set()
        for item in items:
            texts = self.expand(item)
            if texts is None or len(found := found | texts) > self._limit:
                return None
        return frozenset(found)

    def _permute(self, items: tuple[Expression, ...]) -> frozenset[str] | None:
        if not items:
            return frozenset(("",))
        found: set[str] = set()
        for index, item in enumerate(items):
            texts = self.expand(item)
            rest = self._permute((*items[:index], *items[index + 1 :]))
            if texts is None or rest is None or len(texts) * len(rest) > self._limit:
                return None
            found |= {_fold_blanks(f" {one} {other}") for one in texts for other in rest}
        return frozenset(found) if len(found) <= self._limit else None


def join_texts(
    left: frozenset[str] | None, right: frozenset[str] | None, limit: int
) -> frozenset[str] | None:
    """The texts of two neighbours; None if one has none, or if there are more than ``limit``."""
    if left is None or right is None or len(left) * len(right) > limit:
        return None
    return frozenset(_fold_blanks(one + other) for one in left for other in right)


def _fold_blanks(text: str) -> str:
    while "  " in text:
        text = text.replace("  ", " ")
    return text
