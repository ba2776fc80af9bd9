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
