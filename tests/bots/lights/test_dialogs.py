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


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["half"], "The light is set to 25% in the bedroom."),
        (["half that"], "The light is set to 25% in the bedroom."),
        (["make it half as bright"], "The light is set to 25% in the bedroom."),
        (["half", "half"], "The light is set to 12% in the bedroom."),
        (["half", "and the kitchen?"], "The light is set to 25% in the kitchen."),
        (["to half"], "The light is set to half in the bedroom."),
        (["a bit more"], "The light is set to 60% in the bedroom."),
        (["a little less"], "The light is set to 40% in the bedroom."),
        (["brighter still"], "The light is set to 60% in the bedroom."),
        (["darker", "a bit more"], "The light is set to 30% in the bedroom."),
        (["less", "more"], "The light is set to 50% in the bedroom."),
        (["darker", "no, brighter"], "The light is set to 60% in the bedroom."),
        (["darker", "10 % less"], "The light is set to 30% in the bedroom."),
        (["turn it up a bit"], "The light is set to 60% in the bedroom."),
        (["turn it off", "brighter"], "The light is set to 10% in the bedroom."),
        (["good night", "brighter"], "The light is set to 10% in the bedroom."),
    ],
)
def test_changes_start_from_the_level_that_is_known(questions, said):
    assert answers("lights", DIM, *questions)[-1] == said


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (
            ["baisse la lumière du salon à 50 %", "un peu moins"],
            "La lumière est à 40\u00a0% dans le salon.",
        ),
        (
            ["baisse la lumière du salon à 50 %", "moitié moins fort"],
            "La lumière est à 25\u00a0% dans le salon.",
        ),
        (["яркость в спальне 50%", "чуть больше"], "Свет в спальне теперь на 60\u00a0%."),
        (["яркость в спальне 50%", "ещё ярче"], "Свет в спальне теперь на 60\u00a0%."),
        (["яркость в спальне 50%", "вдвое темнее"], "Свет в спальне теперь на 25\u00a0%."),
    ],
)
def test_so_they_do_in_other_languages(questions, said):
    assert answers("lights", *questions)[-1] == said


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["lights on in the hall", "brighter"], "It is brighter now in the hall."),
        (["lights on in the hall", "dim the hall a bit"], "It is darker now in the hall."),
        (["lights on in the hall", "half"], "The light is set to 50% in the hall."),
    ],
)
def test_nobody_knows_how_bright_a_light_is_that_was_switched_on(questions, said):
    assert answers("lights", *questions)[-1] == said


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([DIM, "80 %", "undo that"], "All right, as before."),
        ([DIM, "80 %", "undo that", "10 more"], "The light is set to 60% in the bedroom."),
        ([DIM, "turn it off", "undo", "brighter"], "The light is set to 60% in the bedroom."),
        ([DIM, "undo", "undo"], "There is nothing to undo."),
        (["allume le salon", "annule ça"], "D’accord, comme avant."),
        (["включи свет на кухне", "отмени"], "Хорошо, всё как было."),
    ],
)
def test_the_last_change_is_taken_back(questions, said):
    assert answers("lights", *questions)[-1] == said


@pytest.mark.parametrize("question", ["a bit brightr", "brihgter", "half as brigt"])
def test_a_misspelt_word_changes_no_language(question):
    assert answers("lights", "lights on in the hall", question)[-1].endswith("in the hall.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("turn the nursery on and the hall off", "One after the other"),
        ("allume la cuisine et éteins le couloir", "L’une après l’autre"),
        ("kitchen on, no, off", "The light is off in the kitchen."),
        ("turn the kitchen and the hall off", "The light is off in the kitchen, in the hall."),
    ],
)
def test_no_light_is_switched_the_wrong_way_by_two_commands_at_once(text, said):
    assert answers("lights", text)[-1].startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("c'est allumé dans la cuisine ?", "Je regarderais la lumière dans la cuisine."),
        ("свет на кухне включен?", "Я посмотрел бы, горит ли свет на кухне."),
    ],
)
def test_a_question_switches_no_light(text, said):
    assert answers("lights", text)[-1] == said


def test_the_room_behind_a_no_is_meant():
    said = answers("lights", "turn on the kitchen no the bedroom")[-1]
    assert said == "The light is on in the bedroom."


@pytest.mark.parametrize(
    ("question", "state"),
    [
        ("turn it on no off", "off"),
        ("turn it on, no, off", "off"),
        ("turn it off no on", "on"),
        ("turn on the lamp in the kitchen no off", "off"),
    ],
)
def test_a_no_between_on_and_off_corrects(question, state):
    said = answers("lights", "turn on the light in the kitchen", question)[-1]
    assert said == f"The light is {state} in the kitchen."
