"""The calculator in conversations."""

from __future__ import annotations

import pytest

from tests.bots.dialog import answers


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
