"""Parse and evaluate arithmetic expressions in a text: "two hundred and five divided by five",
"2+2*2", «от ста отнять семь». The text is never run as code.

:func:`expressions` is a recognizer (see docs/entities.md) for the model ``calculator``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, reduce
from importlib.resources import files
from itertools import pairwise
from math import isqrt
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, v_args
from lark.exceptions import VisitError
from lark.lexer import Lexer

from anaphora.bots.calculator.lexer import Symbol, find_runs, is_spoken_share
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["CalculationError", "evaluate", "expressions", "format_number"]

_MAX_BITS = 4_096
_MAX_DIGITS = 10  # significant digits of a rounded number
_MAX_PLAIN_DIGITS = 15  # digits of a number that is shown unrounded
_CONTINUING = frozenset({"PLUS", "TIMES", "OVER", "POWER", "MOD", "SQUARED", "CUBED"})
_ALONE = frozenset(
    {"NUMBER", "LAST", "OPEN", "CLOSE", "PERCENT", "TO", "BY", "FROM", "OF", "OFF", "AND"}
)
_VERBS = frozenset({"DOUBLE", "TRIPLE", "HALVE"})
_MAX_RUN = 200  # symbols; no person asks for more
_SLACK = 3  # symbols at each end that may not belong to the expression ("is that 5 plus 3")


class CalculationError(Exception):
    """An expression without a value. ``kind`` is ``zero`` (division by zero), ``root`` (of a
    negative number), ``large`` (result too large) or ``last`` (there is no last result)."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class _Value:
    """A number or a percentage; a percentage is relative to what it is added to."""

    number: Fraction
    percent: bool = False


def expressions(text: str, language: str) -> list[Mention]:
    """Recognize the expressions in ``text``. The value is the result. In the metadata, ``open`` is
    True if the expression continues from the last result (then it has no value), ``problem`` says
    why it has no value."""
    found = []
    for symbols, parsed in _parse_expressions(text, language):
        meta: dict[str, Any] = {"open": False}
        value = None
        try:
            value = _format_plain(_evaluate_tree(parsed, None))
        except CalculationError as problem:
            meta = {"open": True} if problem.kind == "last" else meta | {"problem": problem.kind}
        found.append(Mention(symbols[0].start, symbols[-1].end, value, meta))
    return found


def evaluate(text: str, language: str, last: Fraction | None = None) -> Fraction:
    """Evaluate the first expression in ``text``; ``last`` is the last result.

    Raises :class:`CalculationError` if it has no value, ValueError if there is no expression.
    """
    for symbols, parsed in _parse_expressions(text, language):
        if last is None and [one.kind for one in symbols[:2]] == ["LAST", "MINUS"]:
            last = Fraction()  # "minus 5" as a first question
        return _evaluate_tree(parsed, last)
    raise ValueError("the text has no expression")


def _parse_expressions(text: str, language: str) -> Iterator[tuple[list[Symbol], Any]]:
    """The expressions with their trees, except those that would continue from the last result
    although numbers precede them that are part of no expression."""
    for run in find_runs(text, language):
        for symbols, parsed in _parse_run(run.symbols):
            if not (run.follows_number and _continues_last(parsed)):
                yield symbols, parsed


def _continues_last(parsed: Any) -> bool:
    """Whether the expression continues from the last result."""
    try:
        _evaluate_tree(parsed, None)
    except CalculationError as problem:
        return problem.kind == "last"
    return False


def _parse_run(run: Sequence[Symbol]) -> Iterator[tuple[list[Symbol], Any]]:
    """Parse the run as one expression or, failing that, as expressions separated by "and": "5 + 3
    and times 2"."""
    if len(run) > _MAX_RUN:
        return
    if tree := _parse_longest(run):
        yield tree
        return
    ands = [index for index, one in enumerate(run) if one.kind == "AND"]
    for begin, end in pairwise((-1, *ands, len(run))) if ands else ():
        if tree := _parse_longest(run[begin + 1 : end]):
            yield tree


def _format_plain(number: Fraction) -> str:
    return format_number(number, "en").removeprefix("≈ ").replace("−", "-")


def format_number(number: Fraction, language: str) -> str:
    """Format a number with up to fifteen digits; longer ones are rounded to ten and marked "≈"."""
    if number.denominator == 1 and len(str(abs(number.numerator))) <= _MAX_PLAIN_DIGITS:
        return str(number.numerator).replace("-", "−")
    with localcontext() as context:
        context.prec = _MAX_DIGITS
        rounded = Decimal(number.numerator) / Decimal(number.denominator)
        form = "f" if -_MAX_DIGITS < rounded.adjusted() < _MAX_PLAIN_DIGITS else "e"
        plain = format(rounded.normalize(), form)
    about = "" if Fraction(rounded) == number else "≈ "
    point = "," if language.startswith("ru") else "."
    return about + plain.replace(".", point).replace("-", "−")


def _parse_longest(run: Sequence[Symbol]) -> tuple[list[Symbol], Any] | None:
    """Parse the longest part of the run that is an expression; at most a few symbols at its ends
    may be skipped, and no numbers."""
    cuts = [(left, right) for left in range(_SLACK + 1) for right in range(_SLACK + 1)]
    for left, right in sorted(cuts, key=lambda cut: (sum(cut), cut[1])):
        end = len(run) - right
        if any(one.kind == "NUMBER" for one in (*run[:left], *run[end:])):
            continue
        symbols = _insert_implicit(run[left:end])
        if all(one.kind in _ALONE for one in symbols[1:]) and not _has_operation(symbols):
            continue
        try:
            return symbols, _parser().parse(symbols)
        except UnexpectedInput:
            continue
    return None


def _has_operation(symbols: Sequence[Symbol]) -> bool:
    """Whether an operation is applied to a number, unlike in "minus 5" and "10 percent"."""
    kinds = [one.kind for one in symbols]
    if kinds and kinds[0] in _VERBS:
        return True
    if "NUMBER" not in kinds and "LAST" not in kinds:
        return False
    return kinds[0] not in _ALONE | {"MINUS"} or "OFF" in kinds or "OF" in kinds


def _insert_implicit(run: Sequence[Symbol]) -> list[Symbol]:
    """Insert the implied last result before an operator, and resolve words that are ambiguous
    between "of" and "from"."""
    symbols = []
    is_subtraction = bool(run) and run[0].kind == "TAKE"
    for index, one in enumerate(run):
        kind = one.kind
        if kind == "OF_OR_FROM":
            kind = "FROM" if is_subtraction or index == 0 else "OF"
        symbols.append(replace(one, kind=kind))
    if symbols and (
        symbols[0].kind in _CONTINUING or (symbols[0].kind == "MINUS" and symbols[0].spoken)
    ):
        first = symbols[0]
        symbols.insert(0, Symbol("LAST", first.start, first.start))
    if symbols and is_spoken_share(symbols[0]):  # "half", «половина этого»
        end = symbols[0].end
        if len(symbols) == 1:
            symbols.append(Symbol("LAST", end, end))
        if symbols[1].kind == "LAST":
            symbols.insert(1, Symbol("OF", end, end))
    if [one.kind for one in symbols] == ["ROOT"]:
        symbols.append(Symbol("LAST", symbols[0].end, symbols[0].end))
    return symbols


def _evaluate_tree(parsed: Any, last: Fraction | None) -> Fraction:
    try:
        value: _Value = _Evaluation(last).transform(parsed)
    except VisitError as error:
        if isinstance(error.orig_exc, CalculationError):
            raise error.orig_exc from None
        raise
    return value.number


def _call_with_values(
    method: Callable[..., _Value], rule: str, children: list[Any], meta: object
) -> _Value:
    """Call the method of a rule with the values of its parts, without the words between them."""
    if rule == "number":
        return method(children[0])
    return method(*[child for child in children if isinstance(child, _Value)])


@v_args(wrapper=_call_with_values)
class _Evaluation(Transformer[Token, _Value]):
    """Compute a tree from the leaves up: one method per rule of the grammar."""

    def __init__(self, last: Fraction | None) -> None:
        super().__init__()
        self._last = last

    def number(self, token: Any) -> _Value:
        return _Value(Fraction(token.value))

    def last(self) -> _Value:
        if self._last is None:
            raise CalculationError("last")
        return _Value(self._last)

    def whole(self, value: _Value) -> _Value:
        return value

    inner = whole

    def plus(self, *values: _Value) -> _Value:
        return reduce(_sum, values)

    def minus(self, left: _Value, right: _Value) -> _Value:
        return _check_size(left.number - _share(right, left))

    def take_from(self, right: _Value, left: _Value) -> _Value:
        return self.minus(left, right)

    def add_to_last(self, value: _Value) -> _Value:
        return _sum(self.last(), value)

    def take_from_last(self, value: _Value) -> _Value:
        return self.minus(self.last(), value)

    def difference(self, left: _Value, right: _Value) -> _Value:
        value = self.minus(left, right)
        return replace(value, number=abs(value.number))

    def times(self, *values: _Value) -> _Value:
        return reduce(_product, values)

    share = times

    def over(self, left: _Value, right: _Value) -> _Value:
        return _check_size(left.number / _divisor(right))

    def remainder(self, left: _Value, right: _Value) -> _Value:
        return _check_size(left.number % _divisor(right))

    def double(self, *value: _Value) -> _Value:
        return self._scale(value, Fraction(2))

    def triple(self, *value: _Value) -> _Value:
        return self._scale(value, Fraction(3))

    def halve(self, *value: _Value) -> _Value:
        return self._scale(value, Fraction(1, 2))

    def _scale(self, values: Sequence[_Value], factor: Fraction) -> _Value:
        (value,) = values or (self.last(),)
        return _check_size(value.number * factor)

    def negative(self, value: _Value) -> _Value:
        return replace(value, number=-value.number)

    def percent(self, value: _Value) -> _Value:
        return _Value(value.number / 100, percent=True)

    def squared(self, value: _Value) -> _Value:
        return _power(value.number, Fraction(2))

    def cubed(self, value: _Value) -> _Value:
        return _power(value.number, Fraction(3))

    def power(self, left: _Value, right: _Value) -> _Value:
        return _power(left.number, right.number)

    def root(self, value: _Value) -> _Value:
        return _Value(_root(value.number))

    def root_of_negative(self, value: _Value) -> _Value:
        return _Value(_root(-value.number))


def _divisor(value: _Value) -> Fraction:
    if not value.number:
        raise CalculationError("zero")
    return value.number


def _sum(left: _Value, right: _Value) -> _Value:
    return _check_size(left.number + _share(right, left))


def _product(left: _Value, right: _Value) -> _Value:
    return _check_size(left.number * right.number)


def _share(value: _Value, of: _Value) -> Fraction:
    """The number to add or subtract; a percentage is relative to ``of``."""
    return value.number * of.number if value.percent and not of.percent else value.number


def _power(base: Fraction, exponent: Fraction) -> _Value:
    if exponent.denominator == 2:
        return _power(_root(base), Fraction(exponent.numerator))
    if exponent.denominator != 1:
        raise CalculationError("root")
    if not base and exponent < 0:
        raise CalculationError("zero")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base not in (0, 1, -1) and bits * abs(exponent.numerator) > _MAX_BITS:
        raise CalculationError("large")
    return _check_size(base ** (exponent.numerator if abs(base) != 1 else exponent.numerator % 2))


def _root(number: Fraction) -> Fraction:
    if number < 0:
        raise CalculationError("root")
    exact = Fraction(isqrt(number.numerator), isqrt(number.denominator))
    if exact * exact == number:
        return exact
    with localcontext() as context:
        context.prec = 3 * _MAX_DIGITS
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).sqrt())


def _check_size(number: Fraction) -> _Value:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MAX_BITS:
        raise CalculationError("large")
    return _Value(number)


class _SymbolLexer(Lexer):
    """Pass symbols on to the parser as tokens."""

    def __init__(self, conf: object) -> None:
        """lark passes its lexer configuration, which is not needed."""

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override] # symbols, not text
        for one in data:
            yield Token(one.kind, one.value)


@cache
def _parser() -> Lark:
    grammar = files(__package__).joinpath("arithmetic.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer=_SymbolLexer, maybe_placeholders=True)
