"""The lights in conversations."""

from __future__ import annotations

import pytest

from tests.bots.dialog import answers

DIM = "dim the bedroom to 50 %"


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([DIM, "10 % less"], "The light is set to 40% in the bedroom."),
        ([DIM, "10 more"], "The light is set to 60% in the bedroom."),
        ([DIM, "half of that"], "The light is set to 25% in the bedroom."),
        ([DIM, "a third of that"], "The light is set to 17% in the bedroom."),
        ([DIM, "twice as much"], "The light is set to 100% in the bedroom."),
        ([DIM, "60 more"], "The light is set to 100% in the bedroom."),
        ([DIM, "20 more", "no, 30 more"], "The light is set to 80% in the bedroom."),
        ([DIM, "no, 80", "and the kitchen?"], "The light is set to 80% in the kitchen."),
        (
            ["baisse la lumière du salon à 50 %", "10 % de moins"],
            "La lumière est à 40\u00a0% dans le salon.",
        ),
        (
            ["baisse la lumière du salon à 50 %", "la moitié"],
            "La lumière est à 25\u00a0% dans le salon.",
        ),
        (["яркость в спальне 50%", "на 10 меньше"], "Свет в спальне теперь на 40\u00a0%."),
        (["яркость в спальне 50%", "в два раза меньше"], "Свет в спальне теперь на 25\u00a0%."),
    ],
)
def test_what_is_more_or_less_changes_the_brightness(questions, said):
    assert answers("lights", *questions)[-1] == said


def test_a_room_that_is_taken_back_is_asked_for():
    assert answers("lights", "lights off in the hall", "not the hall")[-1] == "In which room?"


def test_more_than_100_percent_is_no_brightness():
    assert answers("lights", "set the kitchen to 500%")[-1] == "How bright?"


def test_who_forgets_it_is_answered():
    assert answers("lights", "lights on in the hall", "forget it")[-1] == "All right."
