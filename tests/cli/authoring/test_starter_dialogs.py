"""Dialogs with the starters of ``anaphora new``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from anaphora import Engine, load_model
from anaphora.cli import app

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture
def talk(tmp_path):
    """Ask a new starter several questions, ten seconds apart; the texts of the replies."""

    def ask(kind: str, language: str, *questions: str) -> list[str]:
        arguments = ["new", "bot", "--kind", kind, "--language", language]
        CliRunner().invoke(app, [*arguments, "--directory", str(tmp_path)], catch_exceptions=False)
        folder = tmp_path if kind == "order" else tmp_path / "bot"
        engine = Engine(load_model(folder / "bot.yaml"))
        times = [MONDAY + timedelta(seconds=10) * number for number in range(len(questions))]
        return [engine.ask(text, at=at).text for text, at in zip(questions, times, strict=True)]

    return ask


@pytest.mark.parametrize(
    ("language", "questions", "booked"),
    [
        (
            "en",
            ["haircut on Friday at 3 pm", "yes", "and the day after", "yes", "what have I booked"],
            "haircut on Friday 9 January at 15:00; haircut on Saturday 10 January at 15:00",
        ),
        (
            "en",
            ["haircut on Friday at 3 pm", "yes", "an hour later", "yes", "what have I booked"],
            "haircut on Friday 9 January at 16:00",
        ),
        (
            "de",
            ["Haarschnitt am Freitag um 15 Uhr", "ja", "und am Tag danach", "ja", "meine Termine"],
            "Haarschnitt am Freitag, 9. Januar um 15:00 Uhr; "
            "Haarschnitt am Samstag, 10. Januar um 15:00 Uhr",
        ),
    ],
)
def test_and_the_day_after_is_another_appointment(talk, language, questions, booked):
    assert talk("booking", language, *questions)[-1] == booked


def test_an_hour_is_within_the_hours_of_the_shop(talk):
    said = ["shave on Saturday at 6 pm", "yes", "and a haircut on Monday", "10"]
    asked = talk("booking", "en", *said)[-1]
    assert asked == "Haircut, Monday 12 January at 10:00. Shall I book it?"


def test_after_a_no_a_correction_takes_the_dropped_appointment_up_again(talk):
    said = ["haircut on Friday at 3 pm", "yes", "cancel it", "shave tomorrow at 3", "no"]
    assert talk("booking", "en", *said, "make it 4")[-1] == (
        "Shave, Tuesday 6 January at 16:00. Shall I book it?"
    )


def test_a_place_in_a_list_is_no_level(talk):
    said = ["set the heating in the hall to 20", "the second one"]
    assert "2 °C" not in talk("home", "en", *said)[-1]


@pytest.mark.parametrize(
    ("language", "questions", "where"),
    [
        ("en", ["lights on in the kitchen", "and the hall"], "hall"),
        ("de", ["Licht an in der Küche", "und im Flur"], "Flur"),
        ("ru", ["Включи свет на кухне", "и в ванной"], "Ванная"),
    ],
)
def test_the_home_has_a_hall_and_a_bathroom(talk, language, questions, where):
    assert where in talk("home", language, *questions)[-1]


@pytest.mark.parametrize(
    ("language", "questions", "level"),
    [
        ("en", ["set the kitchen lamp to 50 percent", "half"], "at 25 %."),
        ("en", ["set the kitchen lamp to 50 percent", "half", "10% more"], "at 35 %."),
        ("en", ["set the kitchen lamp to 80 percent", "half", "no, a quarter"], "at 20 %."),
        ("en", ["turn on the light in the hall", "half"], "at 50 %."),
        ("en", ["set the hall light to 0 percent", "half"], "at 50 %."),
        ("de", ["stell das Licht in der Küche auf 50 Prozent", "halb"], "auf 25 %."),
        ("ru", ["поставь свет на кухне на 50 процентов", "половину"], "25 %."),
    ],
)
def test_a_part_is_one_of_the_level_of_the_light(talk, language, questions, level):
    assert talk("home", language, *questions)[-1].endswith(level)


TWO = {
    "en": [
        "haircut on Friday at 3 pm",
        "yes",
        "shave on Saturday at 10",
        "yes",
        "what have I booked",
    ],
    "de": [
        "Haarschnitt am Freitag um 15 Uhr",
        "ja",
        "Rasur am Samstag um 10",
        "ja",
        "meine Termine",
    ],
}


@pytest.mark.parametrize(
    ("language", "questions", "booked"),
    [
        (
            "en",
            ["cancel the first one", "no, I meant the second", "what have I booked"],
            "haircut on Friday 9 January at 15:00",
        ),
        (
            "en",
            ["cancel the first", "and the second", "what have I booked"],
            "You have no appointments.",
        ),
        (
            "en",
            ["cancel the first one", "undo that"],
            "All right, as before. haircut on Friday 9 January at 15:00; "
            "shave on Saturday 10 January at 10:00",
        ),
        ("en", ["undo", "undo", "undo"], "There is nothing to undo."),
        (
            "de",
            ["den ersten absagen", "nein, ich meinte den zweiten", "meine Termine"],
            "Haarschnitt am Freitag, 9. Januar um 15:00 Uhr",
        ),
        (
            "de",
            ["mach das rückgängig"],
            "In Ordnung, wie vorher. Haarschnitt am Freitag, 9. Januar um 15:00 Uhr",
        ),
    ],
)
def test_another_appointment_of_the_list_is_meant_or_the_change_is_taken_back(
    talk, language, questions, booked
):
    assert talk("booking", language, *TWO[language], *questions)[-1] == booked


@pytest.mark.parametrize(
    ("language", "questions", "said"),
    [
        ("en", ["set the kitchen lamp to 80 percent", "half", "half that"], "at 20 %."),
        ("en", ["set the kitchen lamp to 80 percent", "a bit more"], "at 90 %."),
        ("en", ["set the heating in the hall to 20", "a little less"], "at 19 °C."),
        ("en", ["set the kitchen lamp to 80 percent", "brighter still", "undo that"], "is 80 %."),
        ("en", ["undo"], "There is nothing to undo."),
        ("de", ["stell das Licht in der Küche auf 80 Prozent", "halb so hell"], "auf 40 %."),
        ("de", ["stell das Licht in der Küche auf 80 Prozent", "etwas mehr"], "auf 90 %."),
        (
            "de",
            ["Licht an in der Küche", "mach das rückgängig"],
            "In Ordnung, wie vorher. Küche: Licht ist aus.",
        ),
        ("ru", ["поставь свет на кухне на 80 процентов", "чуть больше"], "90 %."),
        (
            "en",
            ["lights on in the kitchen", "no, I meant the hall", "is the light on in the kitchen"],
            "is off.",
        ),
    ],
)
def test_the_home_changes_what_is_set_and_takes_it_back(talk, language, questions, said):
    assert talk("home", language, *questions)[-1].endswith(said)


@pytest.mark.parametrize(
    ("language", "said", "answer"),
    [
        ("en", "it's cold in the living room", "The heating in the living room is at 16 °C."),
        ("en", "the kitchen is too cold", "The heating in the kitchen is at 16 °C."),
        ("en", "I am freezing in the bathroom", "The heating in the bathroom is at 16 °C."),
        ("en", "the kitchen isn't warm enough", "The heating in the kitchen is at 16 °C."),
        ("en", "make it warm in the hall", "The heating in the hall is at 16 °C."),
        ("en", "it's warm in the kitchen", "The heating in the kitchen is at 14 °C."),
        ("en", "make the kitchen cold", "The heating in the kitchen is at 14 °C."),
        ("en", "it's dark in the hall", "The light in the hall is at 10 %."),
        ("de", "im Wohnzimmer ist es kalt", "Wohnzimmer: Heizung steht auf 16 °C."),
        ("de", "es ist zu dunkel im Flur", "Flur: Licht steht auf 10 %."),
        ("de", "mach es im Bad kalt", "Bad: Heizung steht auf 14 °C."),
        ("ru", "в спальне холодно", "Спальня, отопление: 16 °C."),
        ("ru", "темно в коридоре", "Прихожая, свет: 10 %."),
        ("ru", "сделай холодно в спальне", "Спальня, отопление: 14 °C."),
    ],
)
def test_how_it_is_in_a_room_asks_for_the_contrary_and_make_it_for_that(
    talk, language, said, answer
):
    assert talk("home", language, said) == [answer]


@pytest.mark.parametrize(
    ("language", "said", "answer"),
    [
        ("en", "is it cold in the kitchen?", "The heating in the kitchen is off."),
        ("en", "is the kitchen too dark?", "The light in the kitchen is off."),
        ("de", "ist es in der Küche kalt?", "Küche: Heizung ist aus."),
        ("ru", "холодно ли на кухне?", "Кухня, отопление: выключено."),
    ],
)
def test_whether_it_is_so_in_a_room_is_a_question(talk, language, said, answer):
    assert talk("home", language, said) == [answer]


@pytest.mark.parametrize(
    ("language", "first", "said", "unknown"),
    [
        ("en", "turn on the light in the kitchen", "turn the light off in the garage", "garage"),
        ("en", "turn on the light in the kitchen", "is the light on in the garage?", "garage"),
        (
            "en",
            "turn on the light in the kitchen",
            "turn on the lamp in the hall and the heating in the bathroom",
            "heating in the bathroom",
        ),
        ("de", "mach das Licht in der Küche an", "mach das Licht in der Garage aus", "Garage"),
        ("ru", "включи свет на кухне", "выключи свет в гараже", "гараже"),
    ],
)
def test_the_home_asks_about_what_it_does_not_understand(talk, language, first, said, unknown):
    done, asked = talk("home", language, first, said)
    assert f": {unknown}." in asked
    assert asked.endswith("?")
    assert done not in asked


def test_a_room_that_the_home_does_not_know_is_named_when_it_asks_for_one(talk):
    (asked,) = talk("home", "en", "turn on the light in the garage")
    assert asked == "I do not know: garage. In which room?"


def test_what_was_not_understood_does_not_come_back_after_another_command(talk):
    said = ["lights on in the kitchen", "turn on the light in the garage", "it's dark in the hall"]
    assert talk("home", "en", *said)[-1] == "The light in the hall is at 10 %."


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "switch the kitchen light off at 8 pm"),
        ("en", "switch the kitchen light off in 10 minutes"),
        ("en", "turn the light in the kitchen on for half an hour"),
        ("en", "set the heating in the bathroom to 22 tomorrow"),
        ("en", "make it warmer in the bathroom tonight"),
        ("de", "mach das Licht in der Küche um 20 Uhr aus"),
        ("ru", "выключи свет на кухне через 10 минут"),
    ],
)
def test_the_home_does_nothing_later(talk, language, said):
    assert talk("home", language, said) == [
        {
            "en": "I can only do that now, not later.",
            "de": "Das kann ich nur sofort, nicht später.",
            "ru": "Это я могу только сразу, не потом.",
        }[language]
    ]


def test_lights_out_and_now_switch_the_light(talk):
    said = ["lights out in the kitchen", "turn the light in the hall on now"]
    assert talk("home", "en", *said) == [
        "The light in the kitchen is off.",
        "The light in the hall is on.",
    ]


HAIRCUT = {
    "en": ["haircut on Friday at 3 pm", "yes"],
    "de": ["Haarschnitt am Freitag um 15 Uhr", "ja"],
    "ru": ["стрижка в пятницу в 15:00", "да"],
}


@pytest.mark.parametrize(
    ("language", "said", "answer"),
    [
        ("en", "do you do highlights?", "Yes. We do haircuts, coloring and shaves."),
        ("en", "do you offer manicures?", "We do haircuts, coloring and shaves."),
        ("en", "what services do you offer?", "We do haircuts, coloring and shaves."),
        ("de", "machen Sie auch Strähnen?", "Ja. Wir machen Haarschnitte, Färben und Rasuren."),
        ("ru", "вы делаете мелирование?", "Да. У нас стрижка, окрашивание и бритьё."),
        ("en", "and a shave", "You have an appointment then. When else?"),
        ("de", "und eine Rasur", "Da haben Sie schon einen Termin. Wann sonst?"),
        ("ru", "и бритьё", "На это время вы уже записаны. Когда ещё?"),
        ("en", "no, a shave", "Shave, Friday 9 January at 15:00. Shall I book it?"),
        ("en", "move it to Saturday", "Haircut, Saturday 10 January at 15:00. Shall I book it?"),
    ],
)
def test_no_two_appointments_are_at_the_same_time(talk, language, said, answer):
    assert talk("booking", language, *HAIRCUT[language], said)[-1] == answer


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "can you give me an appointment for a haircut?", "On what day, and at what time?"),
        ("en", "can you do a haircut on Friday?", "At what time?"),
        ("de", "Haben Sie am Freitag einen Termin für einen Haarschnitt?", "Um wie viel Uhr?"),
    ],
)
def test_who_wants_an_appointment_does_not_ask_what_the_shop_does(talk, language, said, asked):
    assert talk("booking", language, said) == [asked]


@pytest.mark.parametrize(
    ("said", "booked"),
    [
        ("at 4", "Shave, Friday 9 January at 16:00."),
        ("an hour later", "Shave, Friday 9 January at 16:00."),
    ],
)
def test_another_time_for_another_appointment_is_on_the_same_day(talk, said, booked):
    answer = talk("booking", "en", *HAIRCUT["en"], "and a shave", said)[-1]
    assert answer == f"{booked} Shall I book it?"


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", ["cancel it", "I want to book for tomorrow"], "A haircut, coloring or a shave?"),
        ("en", ["cancel the haircut", "I want to book for tomorrow"], "At what time?"),
        (
            "de",
            ["storniere den Termin", "ich will einen Termin morgen"],
            "Haarschnitt, Färben oder Rasur?",
        ),
    ],
)
def test_nothing_of_a_cancelled_appointment_is_remembered(talk, language, said, asked):
    assert talk("booking", language, *HAIRCUT[language], *said)[-1] == asked


@pytest.mark.parametrize(
    ("questions", "answer"),
    [
        (["coffee please"], "One coffee is on its way."),
        (["a small tea", "a water"], "One small water is on its way."),
        (
            ["a huge cup of coffee and a small water"],
            "I did not understand: small water. Shall I go on without it?",
        ),
        (["a large coffee and a small water", "yes"], "One large coffee is on its way."),
        (
            ["tea", "don't bring me a coffee"],
            "I did not understand: don't. Shall I go on without it?",
        ),
        (["bye"], "Goodbye!"),
    ],
)
def test_drinks_are_ordered_without_a_verb_and_none_is_passed_over(talk, questions, answer):
    assert talk("order", "en", *questions)[-1] == answer


def test_the_order_starter_has_no_note(tmp_path):
    CliRunner().invoke(app, ["new", "bot", "-d", str(tmp_path)])
    assert "Note" not in CliRunner().invoke(app, ["check", str(tmp_path / "bot.yaml")]).output


@pytest.mark.parametrize(
    ("language", "questions", "answer"),
    [
        ("en", ["When are you open in Paris?", "what about the other shop?"], "In London we"),
        ("en", ["When are you open in London?", "and the other one on Saturday?"], "In Paris we"),
        ("en", ["Where is the shop in Paris?", "the other one", "and the other?"], "12 rue"),
        ("en", ["Where is the other shop?"], "In Paris or in London?"),
        ("de", ["Wann haben Sie in Wien geöffnet?", "und der andere Laden?"], "In Berlin haben"),
        ("ru", ["Когда вы работаете в Казани?", "а другой магазин?"], "Москва"),
    ],
)
def test_the_other_shop_is_not_the_one_before(talk, language, questions, answer):
    assert talk("faq", language, *questions)[-1].startswith(answer)
