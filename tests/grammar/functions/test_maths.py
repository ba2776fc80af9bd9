"""Functions on numbers."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.errors import EvaluationError
from tests.grammar.functions.evaluation import (
    call,
    evaluate,
    evaluation_error,
    grammar_error,
    is_same,
)

INFINITE, NO_NUMBER = math.inf, math.nan
LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abs(-2)", 2),
        ("abs(-2.5)", 2.5),
        ("square(-3)", 9),
        ("square(1.5)", 2.25),
        ("round(2.5)", 3),
        ("round(-2.5)", -2),
        ("round(7)", 7),
        ("floor(-1.5)", -2.0),
        ("floor(2)", 2.0),
        ("ceil(1.2)", 2.0),
        ("ceil(-1.2)", -1.0),
        ("rint(2.5)", 2.0),
        ("rint(3.5)", 4.0),
        ("rint(-1.8)", -2.0),
        ("signum(-1.8)", -1.0),
        ("signum(0)", 0.0),
        ("signum(5)", 1.0),
        ("sqrt(4)", 2.0),
        ("cbrt(-8)", -2.0),
        ("exp(1)", math.e),
        ("expm1(0)", 0.0),
        ("log(1)", 0.0),
        ("log10(100)", 2.0),
        ("log1p(0)", 0.0),
        ("sin(0)", 0.0),
        ("cos(0)", 1.0),
        ("tan(0)", 0.0),
        ("asin(1)", math.pi / 2),
        ("acos(1)", 0.0),
        ("atan(1)", math.pi / 4),
        ("atan2(0, -1)", math.pi),
        ("sinh(1)", math.sinh(1)),
        ("cosh(0)", 1.0),
        ("tanh(1)", math.tanh(1)),
        ("degrees(pi)", 180.0),
        ("radians(180)", math.pi),
        ("hypot(3, 4)", 5.0),
        ("pow(2, 3)", 8.0),
        ("pow(4, -0.5)", 0.5),
        ("pi", math.pi),
        ("pi()", math.pi),
        ("euler", math.e),
        ("rand", 0.25),
        ("to_int(2.5)", 3),
        ("to_int(-2.5)", -2),
        ("to_int('-12')", -12),
        ("to_int('+7')", 7),
        ("to_int('1.8')", 2),
        ("to_int(7)", 7),
        ("to_int('9223372036854775807')", LARGEST),
        ("to_double('1.5e2')", 150.0),
        ("to_double('.5')", 0.5),
        ("to_double(2)", 2.0),
    ],
)
def test_a_number_becomes(text: str, expected: Any) -> None:
    assert is_same(evaluate(text), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqrt(-1)", NO_NUMBER),
        ("acos(8.1)", NO_NUMBER),
        ("asin(-2)", NO_NUMBER),
        ("log(-1)", NO_NUMBER),
        ("log10(-1)", NO_NUMBER),
        ("log1p(-2)", NO_NUMBER),
        ("pow(-1, 0.5)", NO_NUMBER),
        ("sin(exp(1000))", NO_NUMBER),
        ("signum(sqrt(-1))", NO_NUMBER),
        ("pow(1, sqrt(-1))", NO_NUMBER),
        ("pow(-1, exp(1000))", NO_NUMBER),
        ("log(0)", -INFINITE),
        ("log10(0)", -INFINITE),
        ("log1p(-1)", -INFINITE),
        ("exp(1000)", INFINITE),
        ("expm1(1000)", INFINITE),
        ("cosh(-1000)", INFINITE),
        ("sinh(1000)", INFINITE),
        ("sinh(-1000)", -INFINITE),
        ("pow(10, 400)", INFINITE),
        ("pow(-10, 400)", INFINITE),
        ("pow(-10, 401)", -INFINITE),
        ("pow(0, -1)", INFINITE),
        ("pow(-0.0, -1)", -INFINITE),
        ("pow(-0.0, -2)", INFINITE),
        ("floor(exp(1000))", INFINITE),
        ("ceil(log(0))", -INFINITE),
        ("rint(exp(1000))", INFINITE),
        ("abs(log(0))", INFINITE),
    ],
)
def test_what_java_calls_nan_or_infinite_is_so_here(text: str, expected: float) -> None:
    assert is_same(evaluate(text), expected)


def test_nan_equals_nothing() -> None:
    assert evaluate("acos(8.1) != acos(9.1)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("round(exp(1000))", "'round' has no integer for the number inf"),
        ("to_int(sqrt(-1))", "'to_int' has no integer for the number nan"),
        ("round(1e300)", "the result of 'round' does not fit 64 bits"),
        ("abs(-9223372036854775807 - 1)", "the result of 'abs' does not fit 64 bits"),
        ("square(9223372036854775807)", "the result of 'square' does not fit 64 bits"),
        ("to_int('1_0')", "'to_int' finds no integer in the text '1_0'"),
        ("to_int('')", "finds no integer in the text ''"),
        ("to_int('99999999999999999999')", "does not fit 64 bits"),
        ("to_int('1e999')", "has no integer for the number inf"),
        ("to_double('nan')", "'to_double' finds no number in the text 'nan'"),
        ("to_double(' 1')", "finds no number"),
        ("sqrt(meta_ent('name'))", "'sqrt' needs a number as its 1st argument, not the text 'x'"),
        ("abs(meta_ent('yes'))", "'abs' needs a number as its 1st argument, not true"),
        ("pow(2, meta_ent('none'))", "'pow' needs a number as its 2nd argument, not null"),
    ],
)
def test_what_has_no_result_is_an_error(text: str, message: str) -> None:
    assert message in evaluation_error(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sqrt('4')", "'sqrt' needs a number as its 1st argument, not a text"),
        ("abs(true)", "'abs' needs a number as its 1st argument, not a boolean"),
        ("pi(1)", "'pi' takes no arguments, not 1"),
        ("pow(2)", "'pow' takes 2 arguments, not 1"),
        ("hypot(1, 2, 3)", "'hypot' takes 2 arguments, not 3"),
        ("to_int(null)", "'to_int' needs a text or a number as its 1st argument, not null"),
    ],
)
def test_a_wrong_call_is_found_before_it_runs(text: str, message: str) -> None:
    assert message in grammar_error(text)


@given(st.floats(-1e15, 1e15))
def test_the_nearest_integer_is_never_more_than_a_half_away(number: float) -> None:
    nearest = call("round", number)
    assert type(nearest) is int
    assert -0.5 <= number - nearest < 0.5  # both are exact in this range, and so is the difference


@given(st.floats(), st.floats())
def test_every_fraction_has_a_result(one: float, other: float) -> None:
    for name in ("sqrt", "cbrt", "exp", "log", "log1p", "tan", "acos", "sinh", "rint", "signum"):
        assert type(call(name, one)) is float
    for name in ("pow", "hypot", "atan2"):
        assert type(call(name, one, other)) is float


def test_an_integer_next_to_a_half_is_not_rounded_up() -> None:
    assert call("round", 0.49999999999999994) == 0
    assert call("round", 4503599627370497.0) == 4503599627370497


@given(st.text(st.characters(categories=["Nd", "No", "Nl"]) | st.sampled_from("12_ +-.\n")))
def test_what_is_a_number_to_one_function_is_one_to_all(text: str) -> None:
    is_number = call("is_num", text)
    assert is_number == (bool(text) and all(map(str.isdecimal, text)))
    if is_number and len(text) < 19:
        assert call("to_int", text) == int(text)
        assert call("to_double", text) == float(text)
        assert call("is_alphanum", text)
        assert call("is_numspace", text)


@pytest.mark.parametrize("text", ["1_000", "nan", "inf", " 5", "5\n", "²", "", "0x1", "½"])
def test_what_is_no_number_is_none_to_any_function(text: str) -> None:
    assert not call("is_num", text)
    for name in ("to_int", "to_double"):
        with pytest.raises(EvaluationError):
            call(name, text)


def test_no_digit_of_an_integer_is_lost() -> None:
    assert evaluate("to_int('00000000000009007199254740993')") == 9007199254740993
