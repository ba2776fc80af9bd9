"""The calculator in conversations."""

from __future__ import annotations

import pytest

from tests.bots.dialog import answer, answers


@pytest.mark.parametrize(
    ("questions", "results"),
    [
        (["5 plus 3", "times 2", "no, times 3", "no, I meant minus 4"], ["8", "16", "24", "4"]),
        (["7 squared", "double it", "no, triple it", "plus 1"], ["49", "98", "147", "148"]),
        (["сколько будет 8 минус 3", "минус 4", "нет, минус 5"], ["5", "1", "0"]),
        (["7 squared", "no, 8 squared", "no, plus 2"], ["49", "64", "66"]),
    ],
)
def test_a_correction_continues_from_the_result_before(questions, results):
    assert answers("calculator", *questions) == results


@pytest.mark.parametrize(
    ("questions", "result"),
    [
        (["10 plus 6", "half"], "8"),
        (["10 plus 5", "a third of it"], "5"),
        (["10 плюс 6", "половина"], "8"),
        (["10 плюс 6", "половина этого"], "8"),
        (["10 плюс 5", "треть"], "5"),
        (["10 плюс 6", "вдвое больше"], "32"),
        (["10 плюс 6", "в два раза меньше"], "8"),
        (["10 плюс 6", "ещё 5"], "21"),
    ],
)
def test_a_share_of_the_last_result(questions, result):
    assert answer("calculator", *questions) == result


def test_half_an_hour_is_no_share_of_a_result():
    assert answer("calculator", "10 plus 6", "half an hour").startswith("I can only calculate")


@pytest.mark.parametrize(
    ("questions", "results"),
    [
        (["100 / 8", "no, by 4"], ["12.5", "25"]),
        (["5 plus 3", "times two", "no, three"], ["8", "16", "24"]),
        (["50 plus 50", "add ten percent", "no, 20 percent"], ["100", "110", "120"]),
        (["5 plus 3", "and 3 more", "no, 4 more"], ["8", "11", "12"]),
        (["5 plus 3", "and 3 more", "no, times 3"], ["8", "11", "24"]),
        (["5 plus 3", "another 5", "3 less"], ["8", "13", "10"]),
        (["сколько будет 8 плюс 8", "раздели на 4", "нет, на 2"], ["16", "4", "8"]),
        (["5 plus 3", "times two", "and plus 5", "the half of that"], ["8", "16", "21", "10.5"]),
        (["5 plus 5", "plus ten no twenty"], ["10", "30"]),
        (["5 plus 5", "times 3, I mean 4", "plus 1"], ["10", "40", "41"]),
        (["5 plus 5", "plus 10, no, times 4", "minus 1"], ["10", "40", "39"]),
        (["5 plus 5, no, 6"], ["11"]),
        (["пять плюс пять", "плюс десять, нет, двадцать"], ["10", "30"]),
    ],
)
def test_a_number_changes_the_last_calculation(questions, results):
    assert answers("calculator", *questions) == results


@pytest.mark.parametrize("question", ["no, 4", "and 3 more"])
def test_a_number_alone_is_no_calculation(question):
    assert answer("calculator", question).startswith("I can only calculate")


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["5 plus 3", "times 2", "undo that"], "All right, back to 8."),
        (["5 plus 3", "times 2", "undo", "plus 1"], "9"),
        (["5 plus 3", "undo"], "All right, no result is left."),
        (["5 plus 3", "divide it by zero", "undo"], "All right, no result is left."),
        (["undo"], "There is nothing to undo."),
        (["5 плюс 3", "умножь на 2", "отмени"], "Хорошо, снова 8."),
    ],
)
def test_the_last_result_is_taken_back(questions, said):
    assert answer("calculator", *questions) == said


@pytest.mark.parametrize(
    ("questions", "result"),
    [
        (["5 plus 3", "times 2", "again"], "32"),
        (["5 plus 3", "plus 2", "no, 3", "once more"], "14"),
        (["5 plus 3", "times 2", "again", "undo"], "All right, back to 16."),
        (["5 plus 3", "do it again"], "8"),
        (["пять плюс три", "умножь на 2", "ещё раз"], "32"),
    ],
)
def test_again_does_the_last_calculation_once_more(questions, result):
    assert answer("calculator", *questions) == result


def test_there_is_no_again_without_a_calculation():
    assert answer("calculator", "again").startswith("I can only calculate")
