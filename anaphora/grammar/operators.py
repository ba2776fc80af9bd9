"""The operators of the intent language: evaluation and type inference.

Integers have 64 bits and division truncates towards zero, as in Java; overflow is an error. If
one side is a float, so is the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.values import (
    MAX_INT64,
    MIN_INT64,
    NUMERIC,
    Kind,
    Type,
    check_length,
    describe_value,
    is_equal,
    kind_of,
)

__all__ = [
    "BINARY_OPERATORS",
    "UNARY_OPERATORS",
    "binary_type",
    "require_boolean",
    "require_int64",
    "unary_type",
]

_PRINTABLE = NUMERIC | {Kind.TEXT, Kind.BOOLEAN}


@lru_cache(maxsize=4096)
def binary_type(operator: str, left: Type, right: Type) -> Type:
    """The type of ``left operator right``; empty if the operator does not accept these types."""
    results = (_result_kind(operator, one, other) for one in left for other in right)
    return frozenset(kind for kind in results if kind is not None)


def unary_type(operator: str, operand: Type) -> Type:
    """The type of ``operator operand``; empty if the operator does not accept this type."""
    return operand & ({Kind.BOOLEAN} if operator == "!" else NUMERIC)


def require_boolean(value: object, what: str) -> bool:
    """``value`` if it is a boolean; else raises EvaluationError that names ``what``."""
    if value is True or value is False:
        return value
    raise EvaluationError(f"{what} must be true or false, not {describe_value(value)}")


def require_int64(number: Any, what: str) -> Any:
    """``number`` if it is a float or fits 64 bits; else raises EvaluationError."""
    if isinstance(number, int) and not MIN_INT64 <= number <= MAX_INT64:
        raise EvaluationError(f"the result of {what} does not fit 64 bits")
    return number


def to_text(value: object) -> str:
    """Convert a text, number or boolean to a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _result_kind(operator: str, left: Kind, right: Kind) -> Kind | None:
    if operator in ("==", "!="):
        return Kind.BOOLEAN
    if operator in ("&&", "||"):
        return Kind.BOOLEAN if left is right is Kind.BOOLEAN else None
    numeric = left in NUMERIC and right in NUMERIC
    if operator in ("<", "<=", ">", ">="):
        return Kind.BOOLEAN if numeric or left is right is Kind.TEXT else None
    if numeric:
        return Kind.INTEGER if left is right is Kind.INTEGER else Kind.NUMBER
    if operator == "+":
        if left is right is Kind.LIST:
            return Kind.LIST
        if Kind.TEXT in (left, right) and {left, right} <= _PRINTABLE:
            return Kind.TEXT
    return None


def _add(left: Any, right: Any) -> Any:
    kind, other = kind_of(left), kind_of(right)
    result = _result_kind("+", kind, other)
    if result is Kind.TEXT:
        return check_length(to_text(left) + to_text(right))
    if result is Kind.LIST:
        return check_length((*left, *right))
    if result is None:
        raise _operand_error("+", left, right)
    return require_int64(left + right, "'+'")


def _arithmetic(
    operator: str,
    of_integers: Callable[[int, int], int],
    of_floats: Callable[[float, float], float],
) -> Callable[[Any, Any], Any]:
    def apply(left: Any, right: Any) -> Any:
        kind, other = kind_of(left), kind_of(right)
        if kind not in NUMERIC or other not in NUMERIC:
            raise _operand_error(operator, left, right)
        try:
            if kind is other is Kind.INTEGER:
                return require_int64(of_integers(left, right), f"'{operator}'")
            return of_floats(float(left), float(right))
        except ZeroDivisionError:
            raise EvaluationError(f"'{operator}' divides {describe_value(left)} by zero") from None
        except (OverflowError, ValueError):
            raise EvaluationError(
                f"'{operator}' has no result for {describe_value(left)} and {describe_value(right)}"
            ) from None

    return apply


def _comparison(operator: str, compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def apply(left: Any, right: Any) -> bool:
        if _result_kind(operator, kind_of(left), kind_of(right)) is None:
            raise EvaluationError(
                f"'{operator}' cannot compare {describe_value(left)} with {describe_value(right)}"
            )
        return compare(left, right)

    return apply


def _divide_floats(left: float, right: float) -> float:
    """Divide as IEEE 754 does: division by zero gives an infinity or NaN."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _divide_integers(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder_of_integers(left: int, right: int) -> int:
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _remainder_of_floats(left: float, right: float) -> float:
    return math.nan if right == 0 or math.isinf(left) else math.fmod(left, right)


def _negate(value: object) -> bool:
    return not require_boolean(value, "the operand of '!'")


def _minus(value: Any) -> Any:
    if kind_of(value) not in NUMERIC:
        raise EvaluationError(f"'-' needs a number, not {describe_value(value)}")
    return require_int64(-value, "'-'")


def _operand_error(operator: str, left: object, right: object) -> EvaluationError:
    return EvaluationError(
        f"'{operator}' cannot work with {describe_value(left)} and {describe_value(right)}"
    )


BINARY_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "==": is_equal,
        "!=": lambda left, right: not is_equal(left, right),
        "<": _comparison("<", lambda left, right: left < right),
        "<=": _comparison("<=", lambda left, right: left <= right),
        ">": _comparison(">", lambda left, right: left > right),
        ">=": _comparison(">=", lambda left, right: left >= right),
        "+": _add,
        "-": _arithmetic("-", lambda a, b: a - b, lambda a, b: a - b),
        "*": _arithmetic("*", lambda a, b: a * b, lambda a, b: a * b),
        "/": _arithmetic("/", _divide_integers, _divide_floats),
        "%": _arithmetic("%", _remainder_of_integers, _remainder_of_floats),
    }
)
"""The operators that evaluate both sides; the code generator handles ``&&`` and ``||``."""

UNARY_OPERATORS: Mapping[str, Callable[[Any], Any]] = MappingProxyType({"!": _negate, "-": _minus})
