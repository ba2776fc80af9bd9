"""What guests say right after a booking was made or cancelled."""

from __future__ import annotations

from datetime import timedelta

import pytest

from anaphora import Engine
from tests.bots.dialog import MONDAY, answers

TWO_TABLES = (
    "book a table at Kiku for 2 on Friday at 8 pm",
    "yes",
    "and the day after",
    "yes",
    "my bookings",
    "cancel the first one",
)
DVA_STOLIKA = (
    "столик в Кику на двоих в пятницу в 8 вечера",
    "да",
    "и на следующий день",
    "да",
    "мои брони",
    "отмени первую",
)


@pytest.mark.parametrize(
    ("said", "kept", "cancelled", "left"),
    [
        (
            (*TWO_TABLES, "no, I meant the second", "my bookings"),
            "All right, Kiku for 2, Fri 9 Jan, 20:00 stays. ",
            "Cancelled: Kiku for 2, Sat 10 Jan, 20:00.",
            "Your bookings:\n1. Kiku for 2, Fri 9 Jan, 20:00",
        ),
        (
            (*TWO_TABLES, "and the second one", "my bookings"),
            "",
            "Cancelled: Kiku for 2, Fri 9 Jan, 20:00; Kiku for 2, Sat 10 Jan, 20:00.",
            "You have no bookings.",
        ),
        (
            (*TWO_TABLES[:4], "cancel the last two", "my bookings"),
            "",
            "Cancelled: Kiku for 2, Fri 9 Jan, 20:00; Kiku for 2, Sat 10 Jan, 20:00.",
            "You have no bookings.",
        ),
        (
            (*DVA_STOLIKA, "нет, я имел в виду вторую", "мои брони"),
            "Хорошо, Kiku, гостей: 2, пт, 9 янв, 20:00 остаётся. ",
            "Отменено: Kiku, гостей: 2, сб, 10 янв, 20:00.",
            "Вы забронировали:\n1. Kiku, гостей: 2, пт, 9 янв, 20:00",
        ),
    ],
)
def test_another_place_of_the_list_corrects_a_cancellation(said, kept, cancelled, left):
    assert answers("restaurant", *said)[-2:] == [kept + cancelled, left]


@pytest.mark.parametrize(("question", "said"), [("forget it", "All right."), ("забудь", "Хорошо.")])
def test_who_forgets_it_keeps_the_bookings(question, said):
    forgotten, listed = answers("restaurant", *TWO_TABLES[:2], question, "my bookings")[-2:]
    assert forgotten == said
    assert "Kiku for 2" in listed


def test_after_a_no_a_correction_takes_the_dropped_booking_up_again():
    bot, at = Engine("restaurant"), MONDAY
    for question in (
        *("book a table at Kiku for 2 on Friday at 8 pm", "yes", "cancel it"),
        *("a table at Umi for 4 on Saturday at 1 pm", "no"),
    ):
        at += timedelta(seconds=10)
        bot.ask(question, at=at)
    reply = bot.ask("make it Sunday", at=at + timedelta(seconds=10))
    assert reply.text.startswith("A table at Umi for 4, Sunday 11 January at 13:00.")


@pytest.mark.parametrize(
    ("questions", "offered"),
    [
        (["find a japanese restaurant", "cheaper than 50"], ["Kiku", "Sakana", "Umi"]),
        (["find italian", "under 30"], ["Bella Vita", "Forno", "Piccolo"]),
        (["find italian", "more expensive than Forno"], ["Lucia", "Bella Vita", "Piccolo"]),
        (["find italian", "cheaper than Bella Vita"], ["Forno", "Piccolo"]),
        (["find italian", "closer than Piccolo"], ["Bella Vita"]),
        (["найди итальянский ресторан", "дешевле 30"], ["Bella Vita", "Forno", "Piccolo"]),
        (["найди итальянский ресторан", "дешевле, чем Белла Вита"], ["Forno", "Piccolo"]),
    ],
)
def test_a_limit_is_a_number_or_another_restaurant(questions, offered):
    _, *lines = answers("restaurant", *questions)[-1].splitlines()
    names = [line.partition(". ")[2].partition(":")[0] for line in lines[:-1]]
    assert sorted(names) == sorted(offered)


def test_a_restaurant_beside_than_may_still_be_booked():
    said = answers("restaurant", "book a table at Kiku for 2 rather than 4")[-1]
    assert said == "On what day, and at what time?"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (
            (*TWO_TABLES, "undo that"),
            "All right, as before. Your bookings:\n1. Kiku for 2, Fri 9 Jan, 20:00\n"
            "2. Kiku for 2, Sat 10 Jan, 20:00",
        ),
        ((*TWO_TABLES[:2], "undo"), "All right, as before. You have no bookings."),
        ((*TWO_TABLES[:2], "undo", "undo"), "There is nothing to undo."),
        ((*DVA_STOLIKA[:2], "верни как было"), "Хорошо, всё как было. У вас нет брони."),
    ],
)
def test_the_last_change_of_the_bookings_is_taken_back(said, answer):
    assert answers("restaurant", *said)[-1] == answer


BOOKED = ("book a table at Kiku for 2 on Friday at 8 pm", "yes")


@pytest.mark.parametrize(
    ("said", "time"),
    [
        (("undo", "move it to 9"), "21:00"),
        (("move it by an hour",), "21:00"),
        (("move it by an hour", "push it back 30 minutes"), "21:30"),
        (("move it by an hour earlier",), "19:00"),
        (("postpone it by half an hour", "yes", "an hour later"), "21:30"),
    ],
)
def test_a_booking_is_moved_to_a_time_or_by_a_duration(said, time):
    answer = answers("restaurant", *BOOKED, *said)[-1]
    assert answer == f"A table at Kiku for 2, Friday 9 January at {time}. Shall I book it?"
