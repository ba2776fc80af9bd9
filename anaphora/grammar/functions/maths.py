"""Functions on numbers, as in Java's ``Math``.

An undefined result is NaN (``sqrt(-1)``) and one that is too large is infinite (``exp(1000)``):
both are floats, not errors. Integer results must fit 64 bits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.registry import Function, function
from anaphora.grammar.operators import require_int64
from anaphora.grammar.values import describe_value


def _compute(compute: Callable[..., float], *numbers: Any) -> float:
    """Call a function of Python's ``math``; NaN or infinity where that raises."""
    operands = [float(number) for number in numbers]
    try:
        return compute(*operands)
    except ValueError:
        return math.nan
    except OverflowError:
        # Only a hyperbolic sine and an odd power keep the sign of the operand.
        odd = compute is math.sinh or (compute is math.pow and operands[1] % 2 == 1)
        return math.copysign(math.inf, operands[0]) if odd else math.inf


# Decimal digits of any script, as in "is_num".
_INTEGER = re.compile(r"[+-]?\d{1,400}")
_DECIMAL = re.compile(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,4})?")


@function("maths", "abs", examples=("abs(-2) == 2",))
def absolute(number: int | float) -> int | float:
    """The absolute value."""
    result: int | float = require_int64(abs(number), "'abs'")
    return result


@function("maths", examples=("square(-3) == 9",))
def square(number: int | float) -> int | float:
    """The square of the number."""
    result: int | float = require_int64(number * number, "'square'")
    return result


@function("maths", "round", examples=("round(2.5) == 3", "round(-2.5) == -2"))
def nearest(number: float) -> int:
    """The nearest integer; halves are rounded up."""
    return _round_half_up("round", number)


def _rounded(compute: Callable[[float], int]) -> Callable[[float], float]:
    """The whole number as a float, and NaN and infinities unchanged."""
    return lambda number: float(compute(number)) if math.isfinite(number) else number


def _sign(number: float) -> float:
    return math.copysign(1.0, number) if number < 0 or number > 0 else number


def _cube_root(number: float) -> float:
    """The root of a cube is exact."""
    root = math.cbrt(number)
    whole = round(root) if math.isfinite(root) else 0
    return float(whole) if whole and whole**3 == number else root


def _logarithm(compute: Callable[[float], float], pole: float) -> Callable[[float], float]:
    """The logarithm, which is minus infinity at its pole."""
    return lambda number: -math.inf if number == pole else compute(number)


_PARAMETERS = {
    "sin": "angle", "cos": "angle", "tan": "angle", "degrees": "radians", "radians": "degrees"
}  # fmt: skip


def _declare(name: str, compute: Callable[[float], float], doc: str, *examples: str) -> Function:
    @function("maths", name, examples=examples, doc=doc)
    def apply(number: float) -> float:
        return _compute(compute, number)

    parameter = replace(apply.parameters[0], name=_PARAMETERS.get(name, "number"))
    return replace(apply, parameters=(parameter,))


_FUNCTIONS_OF_ONE_NUMBER: tuple[tuple[Any, ...], ...] = (
    ("floor", _rounded(math.floor),
     "The largest whole number that is not greater than the number, as a float.",
     "floor(-1.5) == -2"),
    ("ceil", _rounded(math.ceil),
     "The smallest whole number that is not less than the number, as a float.", "ceil(1.2) == 2"),
    ("rint", _rounded(round),
     "The nearest whole number, as a float; halves are rounded to the even one.", "rint(2.5) == 2"),
    ("signum", _sign, "The sign of the number: -1, 0 or 1, as a float.", "signum(-0.3) == -1"),
    ("sqrt", math.sqrt, "The square root.", "sqrt(9) == 3", "sqrt(-1) != sqrt(-1)"),
    ("cbrt", _cube_root, "The cube root; that of a cube is exact.", "cbrt(-27) == -3"),
    ("exp", math.exp, "e to the power of the number.", "exp(0) == 1"),
    ("expm1", math.expm1, "`exp(number) - 1`, exact near 0.", "expm1(0) == 0"),
    ("log", _logarithm(math.log, 0), "The natural logarithm.", "log(1) == 0"),
    ("log10", _logarithm(math.log10, 0), "The logarithm to base 10.", "log10(1000) == 3"),
    ("log1p", _logarithm(math.log1p, -1), "`log(1 + number)`, exact near 0.", "log1p(0) == 0"),
    ("sin", math.sin, "The sine of an angle in radians.", "sin(0) == 0"),
    ("cos", math.cos, "The cosine of an angle in radians.", "cos(0) == 1"),
    ("tan", math.tan, "The tangent of an angle in radians.", "tan(0) == 0"),
    ("asin", math.asin, "The angle in radians with that sine.", "asin(1) == pi / 2"),
    ("acos", math.acos, "The angle in radians with that cosine.", "acos(1) == 0"),
    ("atan", math.atan, "The angle in radians with that tangent.", "atan(1) == pi / 4"),
    ("sinh", math.sinh, "The hyperbolic sine.", "sinh(0) == 0"),
    ("cosh", math.cosh, "The hyperbolic cosine.", "cosh(0) == 1"),
    ("tanh", math.tanh, "The hyperbolic tangent.", "tanh(0) == 0"),
    ("degrees", math.degrees, "An angle in radians as degrees.", "degrees(pi) == 180"),
    ("radians", math.radians, "An angle in degrees as radians.", "radians(180) == pi"),
)  # fmt: skip
functions_of_one_number = tuple(_declare(*row) for row in _FUNCTIONS_OF_ONE_NUMBER)


@function("maths", examples=("atan2(1, 0) == pi / 2",))
def atan2(y: float, x: float) -> float:
    """The angle in radians of the point (x, y), from -pi to pi."""
    return _compute(math.atan2, y, x)


@function("maths", examples=("hypot(3, 4) == 5",))
def hypot(x: float, y: float) -> float:
    """The distance of the point (x, y) from (0, 0)."""
    return _compute(math.hypot, x, y)


@function("maths", "pow", examples=("pow(2, 10) == 1024",))
def power(base: float, exponent: float) -> float:
    """The base to the power of the exponent."""
    if exponent != exponent or (abs(base) == 1 and math.isinf(exponent)):
        return math.nan
    if base == 0 and exponent < 0:
        negative = math.copysign(1, base) < 0 and exponent % 2 == 1
        return -math.inf if negative else math.inf
    return _compute(math.pow, base, exponent)


@function("maths", examples=("floor(pi) == 3",))
def pi() -> float:
    """The number pi, 3.14159…"""
    return math.pi


@function("maths", examples=("round(euler * 1000) == 2718",))
def euler() -> float:
    """The number e, 2.71828…"""
    return math.e


@function("maths", examples=("rand < 1",))
def rand(context: EntityContext) -> float:
    """A random number, at least 0 and less than 1."""
    return context.question.random()


@function("maths", examples=("to_int(2.5) == 3", "to_int('-12') == -12", "to_int('٥') == 5"))
def to_int(value: float | str) -> int:
    """Round a number, or the number in a text, to an integer; halves are rounded up.

    A text has decimal digits of any script, optionally with a sign, a point and an exponent, and
    nothing else: no blanks, no ``_``.
    """
    if not isinstance(value, str):
        return _round_half_up("to_int", value)
    if _INTEGER.fullmatch(value):
        return int(require_int64(int(value), "'to_int'"))
    return _round_half_up("to_int", parse_number("to_int", value, "integer"))


@function("maths", examples=("to_double('1.5e2') == 150",))
def to_double(value: float | str) -> float:
    """Convert a number, or a text in the format of ``to_int``, to a float."""
    return parse_number("to_double", value) if isinstance(value, str) else float(value)


def parse_number(name: str, text: str, what: str = "number") -> float:
    """Parse the number in a text. Raises EvaluationError, in the name of the calling function, for
    any other text."""
    if not _DECIMAL.fullmatch(text):
        raise EvaluationError(f"'{name}' finds no {what} in {describe_value(text)}")
    return float(text)


def _round_half_up(name: str, number: float) -> int:
    if isinstance(number, int):
        return number
    if not math.isfinite(number):
        raise EvaluationError(f"'{name}' has no integer for {describe_value(number)}")
    below = math.floor(number)  # floor(number + 0.5) would round the sum itself
    return int(require_int64(below + (number - below >= 0.5), f"'{name}'"))
