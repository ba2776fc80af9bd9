"""Comparisons as Python's own operators, where the kinds of both sides allow it.

Where the kind of the left side is known only at run time and the right side is a literal,
generated code uses Python's operator for the expected kind, and the language's for all others.
"""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.values import NUMERIC, TEXT, Kind, Type

__all__ = ["EXPECTED_CLASSES", "expected_class", "native_operator"]

_DIRECTLY_COMPARABLE: Type = frozenset({Kind.TEXT, Kind.NULL, Kind.BOOLEAN})
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})

EXPECTED_CLASSES: Mapping[str, frozenset[type]] = {
    "texts": frozenset({str}),
    "numbers": frozenset({int, float}),
}
"""Python classes of the values for which a comparison takes the fast path."""


def native_operator(operator: str, left: Type, right: Type, *, with_null: bool) -> str | None:
    """Python's operator with the same result for all values of these kinds, or None.
    ``with_null``: one side is the literal null."""
    if operator not in _COMPARISONS:
        return None
    numbers = left <= NUMERIC and right <= NUMERIC
    if operator in ("==", "!="):
        if with_null:
            return "is" if operator == "==" else "is not"
        plain = left <= _DIRECTLY_COMPARABLE and right <= _DIRECTLY_COMPARABLE
        return operator if plain or numbers else None
    return operator if numbers or left == right == TEXT else None


def expected_class(operator: str, left: Type, right: Type) -> str | None:
    """The key in :data:`EXPECTED_CLASSES` of the most likely class of a left side that is
    compared with a literal; None where a fast path gains nothing."""
    if operator not in _COMPARISONS or left <= TEXT or left <= NUMERIC:
        return None
    if right == TEXT and Kind.TEXT in left:
        return "texts"
    return "numbers" if right <= NUMERIC and left & NUMERIC else None
