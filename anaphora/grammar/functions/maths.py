"""Functions on numbers, as Java's ``Math`` has them.

A result that is no number is NaN (``sqrt(-1)``), one that is too large is infinite
(``exp(1000)``): both are fractions and no error. What must be an integer has to be one of 64
bits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.registry import function
from anaphora.grammar.operators import require_int64
from anaphora.grammar.values import describe_value

# Of the decimal digits of any script, as those of "is_num".
_INTEGER = re.compile(r"[+-]?\d{1,400}")
_DECIMAL = re.compile(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,4})?")


@function("maths", "abs", examples=("abs(-2) == 2",))
def absolute(number: int | float) -> int | float:
    """The number without its sign."""
    result: int | float = require_int64(abs(number), "'abs'")
    return result


@function("maths", examples=("square(-3) == 9",))
def square(number: int | float) -> int | float:
    """The number times itself."""
    result: int | float = require_int64(number * number, "'square'")
    return result


@function("maths", "round", examples=("round(2.5) == 3", "round(-2.5) == -2"))
def nearest(number: float) -> int:
    """The nearest integer; halves go up."""
    return _round_half_up("round", number)


@function("maths", examples=("floor(-1.5) == -2",))
def floor(number: float) -> float:
    """The largest whole number that is not larger, as a fraction."""
    return float(math.floor(number)) if math.isfinite(number) else float(number)


@function("maths", examples=("ceil(1.2) == 2",))
def ceil(number: float) -> float:
    """The smallest whole number that is not smaller, as a fraction."""
    return float(math.ceil(number)) if math.isfinite(number) else float(number)


@function("maths", examples=("rint(2.5) == 2",))
def rint(number: float) -> float:
    """The nearest whole number as a fraction; halves go to the even one."""
    return float(round(number)) if math.isfinite(number) else float(number)


@function("maths", examples=("signum(-0.3) == -1",))
def signum(number: float) -> float:
    """-1, 0 or 1 by the sign of the number, as a fraction."""
    return math.copysign(1.0, number) if number < 0 or number > 0 else float(number)


@function("maths", examples=("sqrt(9) == 3", "sqrt(-1) != sqrt(-1)"))
def sqrt(number: float) -> float:
    """The square root."""
    return _compute(math.sqrt, number)


@function("maths", examples=("cbrt(-27) == -3",))
def cbrt(number: float) -> float:
    """The cube root; that of a cube is exact."""
    root = _compute(math.cbrt, number)
    whole = round(root) if math.isfinite(root) else 0
    return float(whole) if whole and whole**3 == number else root


@function("maths", examples=("exp(0) == 1",))
def exp(number: float) -> float:
    """e to the power of the number."""
    return _compute(math.exp, number)


@function("maths", examples=("expm1(0) == 0",))
def expm1(number: float) -> float:
    """``exp(number) - 1``, exact also near 0."""
    return _compute(math.expm1, number)


@function("maths", examples=("log(1) == 0",))
def log(number: float) -> float:
    """The natural logarithm."""
    return -math.inf if number == 0 else _compute(math.log, number)


@function("maths", examples=("log10(1000) == 3",))
def log10(number: float) -> float:
    """The logarithm to the base 10."""
    return -math.inf if number == 0 else _compute(math.log10, number)


@function("maths", examples=("log1p(0) == 0",))
def log1p(number: float) -> float:
    """``log(1 + number)``, exact also near 0."""
    return -math.inf if number == -1 else _compute(math.log1p, number)


@function("maths", examples=("sin(0) == 0",))
def sin(angle: float) -> float:
    """The sine of an angle in radians."""
    return _compute(math.sin, angle)


@function("maths", examples=("cos(0) == 1",))
def cos(angle: float) -> float:
    """The cosine of an angle in radians."""
    return _compute(math.cos, angle)


@function("maths", examples=("tan(0) == 0",))
def tan(angle: float) -> float:
    """The tangent of an angle in radians."""
    return _compute(math.tan, angle)


@function("maths", examples=("asin(1) == pi / 2",))
def asin(number: float) -> float:
    """The angle in radians whose sine the number is."""
    return _compute(math.asin, number)


@function("maths", examples=("acos(1) == 0",))
def acos(number: float) -> float:
    """The angle in radians whose cosine the number is."""
    return _compute(math.acos, number)


@function("maths", examples=("atan(1) == pi / 4",))
def atan(number: float) -> float:
    """The angle in radians whose tangent the number is."""
    return _compute(math.atan, number)


@function("maths", examples=("atan2(1, 0) == pi / 2",))
def atan2(y: float, x: float) -> float:
    """The angle in radians of the point (x, y), from -pi to pi."""
    return _compute(math.atan2, y, x)


@function("maths", examples=("sinh(0) == 0",))
def sinh(number: float) -> float:
    """The hyperbolic sine."""
    return _compute(math.sinh, number)


@function("maths", examples=("cosh(0) == 1",))
def cosh(number: float) -> float:
    """The hyperbolic cosine."""
    return _compute(math.cosh, number)


@function("maths", examples=("tanh(0) == 0",))
def tanh(number: float) -> float:
    """The hyperbolic tangent."""
    return _compute(math.tanh, number)


@function("maths", examples=("degrees(pi) == 180",))
def degrees(radians: float) -> float:
    """An angle in radians as degrees."""
    return _compute(math.degrees, radians)


@function("maths", examples=("radians(180) == pi",))
def radians(degrees: float) -> float:
    """An angle in degrees as radians."""
    return _compute(math.radians, degrees)


@function("maths", examples=("hypot(3, 4) == 5",))
def hypot(x: float, y: float) -> float:
    """How far the point (x, y) is from (0, 0)."""
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
    """Some number from 0 up to 1, another one each time."""
    return context.question.random()


@function("maths", examples=("to_int(2.5) == 3", "to_int('-12') == -12", "to_int('٥') == 5"))
def to_int(value: float | str) -> int:
    """A number, or the number that a text spells, rounded to an integer; halves go up.

    A text is of decimal digits of any script, with a sign, a point and an exponent if need be,
    and of nothing else: no blanks, no ``_``.
    """
    if not isinstance(value, str):
        return _round_half_up("to_int", value)
    if _INTEGER.fullmatch(value):
        return int(require_int64(int(value), "'to_int'"))
    return _round_half_up("to_int", parse_number("to_int", value, "integer"))


@function("maths", examples=("to_double('1.5e2') == 150",))
def to_double(value: float | str) -> float:
    """A number as a fraction, or the number that a text spells, as ``to_int`` reads it."""
    return parse_number("to_double", value) if isinstance(value, str) else float(value)


def parse_number(name: str, text: str, what: str = "number") -> float:
    """The number that a text spells; raises EvaluationError, in the words of the function of
    that name, for a text that spells none."""
    if not _DECIMAL.fullmatch(text):
        raise EvaluationError(f"'{name}' finds no {what} in {describe_value(text)}")
    return float(text)


def _round_half_up(name: str, number: float) -> int:
    if isinstance(number, int):
        return number
    if not math.isfinite(number):
        raise EvaluationError(f"'{name}' has no integer for {describe_value(number)}")
    below = math.floor(number)  # not floor(number + 0.5): that sum is rounded itself
    return int(require_int64(below + (number - below >= 0.5), f"'{name}'"))


def _compute(compute: Callable[..., float], *numbers: Any) -> float:
    """What the function of Python's ``math`` gives, with NaN and infinity where it raises."""
    operands = [float(number) for number in numbers]
    try:
        return compute(*operands)
    except ValueError:
        return math.nan
    except OverflowError:
        # Only a hyperbolic sine and an odd power have the sign of what they are made from.
        odd = compute is math.sinh or (compute is math.pow and operands[1] % 2 == 1)
        return math.copysign(math.inf, operands[0]) if odd else math.inf
