"""How deep sentence templates are nested, with the rules that they use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    Permutation,
    RuleReference,
    Sequence,
)

__all__ = ["MAX_DEPTH", "NestingDepth"]

MAX_DEPTH: Final = 60
"""The deepest nesting: what reads templates calls itself for each level."""


class NestingDepth:
    """Measures expressions with ``rules``, none of which may contain itself."""

    def __init__(self, rules: Mapping[str, Expression]) -> None:
        self._rules = rules
        self._known: dict[str, int] = {}

    def of(self, expression: Expression) -> int:
        """The depth of an expression; more than ``MAX_DEPTH`` if it is too deep to measure."""
        return self._measure(expression, 0)

    def _measure(self, expression: Expression, level: int) -> int:
        if level > MAX_DEPTH:
            return 1
        match expression:
            case RuleReference(rule):
                if rule not in self._rules:
                    return 1
                if rule not in self._known:
                    self._known[rule] = self._measure(self._rules[rule], level + 1)
                return 1 + self._known[rule]
            case Sequence(items) | Alternative(items) | Permutation(items):
                return 1 + max((self._measure(item, level + 1) for item in items), default=0)
        return 1
