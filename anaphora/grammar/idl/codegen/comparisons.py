"""Comparisons as Python's own, where the kinds of their sides allow that.

Where the kind of the left side is known only at run time, and the right side is a literal,
Python's operator is taken for the kind that is expected, and the language's for all others.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from anaphora.grammar.idl.codegen import ast_nodes as py
from anaphora.grammar.values import Kind, Type

__all__ = ["EXPECTED_CLASSES", "expected_class", "native_operator", "with_fast_path"]

_TEXT: Type = frozenset({Kind.TEXT})
_NUMERIC: Type = frozenset({Kind.INTEGER, Kind.NUMBER})
_DIRECTLY_COMPARABLE: Type = frozenset({Kind.TEXT, Kind.NULL, Kind.BOOLEAN})

_OPERATORS: Mapping[str, Callable[[], ast.cmpop]] = {
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}

EXPECTED_CLASSES: Mapping[str, frozenset[type]] = {
    "texts": frozenset({str}),
    "numbers": frozenset({int, float}),
}
"""The Python classes of the values that the two sides of a fast path have."""


def native_operator(operator: str, left: Type, right: Type, *, with_null: bool) -> ast.cmpop | None:
    """Python's own operator, where it says the same as the language's for all values of these
    kinds. ``with_null`` says that one side is null itself."""
    make = _OPERATORS.get(operator)
    if make is None:
        return None
    numbers = left <= _NUMERIC and right <= _NUMERIC
    if operator in ("==", "!="):
        if with_null:
            return ast.Is() if operator == "==" else ast.IsNot()
        plain = left <= _DIRECTLY_COMPARABLE and right <= _DIRECTLY_COMPARABLE
        return make() if plain or numbers else None
    return make() if numbers or left == right == _TEXT else None


def expected_class(operator: str, left: Type, right: Type) -> str | None:
    """Which of :data:`EXPECTED_CLASSES` a left side of unknown kind most likely has when it is
    compared with a literal; None where there is nothing to gain."""
    if operator not in _OPERATORS or left <= _TEXT or left <= _NUMERIC:
        return None
    if right == _TEXT and Kind.TEXT in left:
        return "texts"
    return "numbers" if right <= _NUMERIC and left & _NUMERIC else None


def with_fast_path(
    operator: str, left: ast.expr, right: ast.expr, *, kind_of: str, classes: str, slow: ast.expr
) -> ast.expr:
    """``left operator right`` if the class of ``left`` is one of those, else ``slow``.

    ``left`` is a name; ``kind_of`` and ``classes`` are those of Python's ``type`` and of a set.
    """
    known = py.compare(py.call(py.name(kind_of), left), ast.In(), py.name(classes))
    fast = py.compare(left, _OPERATORS[operator](), right)
    return ast.IfExp(test=known, body=fast, orelse=slow, **py.POSITION)
