"""Arithmetic in words and in signs, and the bot that continues from the last result."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.bots.calculator.arithmetic import (
    CalculationError,
    evaluate,
    expressions,
    format_number,
)
from tests.bots.dialog import answers

ENGLISH = {
    "2+2*2": "6",
    "(2+2)*2": "8",
    "2 - 3 - 4": "−5",
    "-5 + 3": "−2",
    "2^3^2": "512",
    "2**10": "1024",
    "2 × 3 ÷ 4": "1.5",
    "2x3": "6",
    "1/3": "≈ 0.3333333333",
    "1/3 + 1/6": "0.5",
    "0.1 + 0.2": "0.3",
    "1,234.5 + 1": "1235.5",
    "50 + 10%": "55",
    "100 - 20%": "80",
    "10% of 50": "5",
    "√16": "4",
    "sqrt(2)": "≈ 1.414213562",
    "2³": "8",
    "4^(1/2)": "2",
    "10^20": "1e+20",
    "what is 5 plus 3": "8",
    "What's seven times eight?": "56",
    "two hundred and five divided by five": "41",
    "twenty-five times four, please": "100",
    "square root of 16": "4",
    "the square root of 16 plus 9": "13",
    "3 squared": "9",
    "two to the power of ten": "1024",
    "half of 8": "4",
    "two thirds of nine": "6",
    "subtract 3 from 10": "7",
    "add 3 to 4": "7",
    "multiply 3 by 4": "12",
    "divide 10 by 4": "2.5",
    "take 10 percent off 50": "45",
    "10 percent off 50": "45",
    "double 21": "42",
    "5 million plus 3": "5000003",
    "how much is it: 5 plus 3?": "8",
    "the sum of 3 and 4": "7",
    "add 1 and 2 and 3": "6",
    "the product of 6 and 7": "42",
    "difference between 3 and 10": "7",
    "10 mod 3": "1",
    "a third of 90": "30",
    "square 5": "25",
    "triple 5": "15",
    "take the square root of 16": "4",
    "1e3 + 1": "1001",
    "1e-3 + 1": "1.001",
    "½ + ¼": "0.75",
    "2½ * 2": "5",
    "1 000 000 + 1": "1000001",
    "5 + 3 - thanks": "8",
    "--5 + 1": "6",
    "-2^2": "−4",
    "((((1+2))*3)-4)/5": "1",
}
RUSSIAN = {
    "сколько будет два плюс два": "4",
    "двести пять разделить на пять": "41",
    "от ста отнять семь": "93",
    "к пяти прибавить три": "8",
    "вычти 3 из 10": "7",
    "умножь 3 на 4": "12",
    "раздели 10 на 4": "2,5",
    "корень из 16": "4",
    "пять в квадрате": "25",
    "2 в степени 10": "1024",
    "10 процентов от 50": "5",
    "дважды два": "4",
    "2,5 + 1,5": "4",
    "1.234,5 + 1": "1235,5",
    "1 000 000 + 1": "1000001",
    "пятью пять": "25",
    "шестью восемь": "48",
    "трижды четыре": "12",
    "2 + пятью пять": "27",
    "сумма 3 и 4": "7",
    "разница между 3 и 10": "7",
    "половина от 30": "15",
    "квадрат 5": "25",
}


@pytest.mark.parametrize(("text", "result"), ENGLISH.items())
def test_english(text, result):
    assert format_number(evaluate(text, "en"), "en") == result


@pytest.mark.parametrize(("text", "result"), RUSSIAN.items())
def test_russian(text, result):
    assert format_number(evaluate(text, "ru"), "ru") == result


@pytest.mark.parametrize(
    ("text", "language", "result"),
    [
        ("times 2", "en", 200),
        ("plus three times two", "en", 106),
        ("take 10 percent off", "en", 90),
        ("minus 5", "en", 95),
        ("divide it by 4", "en", 25),
        ("add another 5", "en", 105),
        ("halve it", "en", 50),
        ("what is that squared", "en", 10_000),
        ("* 3", "en", 300),
        ("-5 + 3", "en", -2),
        ("умножь на 2", "ru", 200),
        ("прибавь 5", "ru", 105),
        ("минус пять", "ru", 95),
        ("скидка 10 процентов", "ru", 90),
        ("раздели пополам", "ru", 50),
    ],
)
def test_continuing_from_a_hundred(text, language, result):
    assert evaluate(text, language, Fraction(100)) == result


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("5 / 0", "zero"),
        ("0 ^ -1", "zero"),
        ("sqrt(-4)", "root"),
        ("square root of -1", "root"),
        ("10 mod 0", "zero"),
        ("9**9**9", "large"),
        ("1e300 ^ 9", "large"),
        ("2 ^ (1/3)", "root"),
        ("9^9^9^9", "large"),
        ("10^999 * 10^999", "large"),
        ("times 2", "last"),
    ],
)
def test_an_expression_without_a_value_has_a_reason(text, kind):
    with pytest.raises(CalculationError) as raised:
        evaluate(text, "en")
    assert raised.value.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "it",
        "2 +",
        "3 * (4",
        "ten percent",
        "the 5 of them",
        "5 5",
        "Who is it?",
        "5 km + 3",
        "5 5 + 3",
        "A4 + 1",
        "the 5th + 1",
        "3.4.5 + 1",
        "1e400 + 1",
        "three and four",
    ],
)
def test_other_texts_have_no_expression(text):
    assert expressions(text, "en") == []
    with pytest.raises(ValueError, match="no expression"):
        evaluate(text, "en")


@given(st.text(), st.sampled_from(["en", "ru", "ja"]))
def test_any_text_can_be_read(text, language):
    for mention in expressions(text, language):
        assert 0 <= mention.start < mention.end <= len(text)


_numbers = st.integers(0, 999)


@given(_numbers, st.sampled_from("+-*"), _numbers, st.sampled_from("+-*"), _numbers)
def test_results_equal_those_of_python(a, first, b, second, c):
    assert evaluate(f"{a}{first}{b}{second}{c}", "en") == eval(f"{a}{first}{b}{second}{c}")


@pytest.mark.parametrize(
    "piece",
    ["(", "5+", "9", "5 ", "it ", "√", "minus ", "-", "5+3 foo ", "%", "5+3 and ", "1 000 ", "1e"],
)
def test_very_long_texts_are_fast(piece):
    text = (piece * 10_000)[:10_000]
    expressions(text, "en")  # tables are read once
    begin = time.process_time()
    expressions(text, "en")
    assert time.process_time() - begin < 10  # some 0.1 s; it must come to an end


def test_the_bot_keeps_the_result_for_the_next_question():
    said = answers(
        "calculator", "what is 5 plus 3", "times 2", "take 10 percent off", "раздели на 5"
    )
    assert said == ["8", "16", "14.4", "2,88"]


def test_a_problem_keeps_the_last_result():
    said = answers("calculator", "5 + 3", "divide it by 0", "times 2")
    assert said == ["8", "Nothing can be divided by zero.", "16"]


def test_continuing_needs_a_last_result():
    assert "no result yet" in answers("calculator", "double it")[0]


def test_operators_continue_from_the_last_result():
    said = answers("calculator", "3 + 1", "squared", "square root of that", "cubed", "square root")
    assert said == ["4", "16", "4", "64", "8"]
    assert answers("calculator", "5 + 4", "в квадрате", "корень")[1:] == ["81", "9"]


def test_the_second_expression_continues_from_the_first():
    assert answers("calculator", "5 plus 3 and times 2", "minus 1") == ["8; 16", "15"]
    said = answers("calculator", "2 + 2 and 3 / 0 and 1 + 1", "times 2")
    assert said == ["4; Nothing can be divided by zero.", "8"]
