"""The restaurant bot in conversations."""

from __future__ import annotations

import re

import pytest

from tests.bots.dialog import answer, answers


def names(text):
    """The restaurants of a numbered list, in its order."""
    lines = (line.split(". ", 1) for line in text.splitlines() if line[:1].isdigit())
    return [line.split(":")[0] for _, line in lines]


def test_a_table_is_found_booked_listed_and_cancelled():
    found, *rest = answers(
        "restaurant",
        "find an Italian restaurant",
        "the second one",
        "for three",
        "on Saturday",
        "at 8 pm",
        "no, for four",
        "yes",
        "my bookings",
        "cancel it",
        "my bookings",
    )
    assert names(found) == ["Lucia", "Bella Vita", "Forno"]
    assert rest == [
        "For how many people?",
        "On what day, and at what time?",
        "At what time?",
        "A table at Bella Vita for 3, Saturday 10 January at 20:00. Shall I book it?",
        "A table at Bella Vita for 4, Saturday 10 January at 20:00. Shall I book it?",
        "Booked: Bella Vita for 4, Sat 10 Jan, 20:00.",
        "Your bookings:\n1. Bella Vita for 4, Sat 10 Jan, 20:00",
        "Cancelled: Bella Vita for 4, Sat 10 Jan, 20:00.",
        "You have no bookings.",
    ]


@pytest.mark.parametrize(
    ("questions", "found"),
    [
        (["sushi in the harbour"], ["Kiku"]),
        (["Italian under 25 euros"], ["Forno", "Piccolo"]),
        (["find sushi", "something cheaper"], ["Umi"]),
        (["find sushi", "not Hanami"], ["Kiku", "Sakana", "Umi"]),
        (["find sushi", "not in the harbour"], ["Hanami", "Sakana", "Umi"]),
        (["somewhere cheap, but not by the station"], ["Bangkok Garden", "Green Leaf", "Jaipur"]),
        (["anything but Japanese"], ["Colette", "Lucia", "Tiflis"]),
        (["I'm starving", "not Japanese", "Japanese"], ["Hanami", "Kiku", "Sakana"]),
        (["ищу ресторан", "только не японский", "не в центре"], ["Lucia", "Nautilus", "Jaipur"]),
        (["find sushi", "something else"], ["Umi"]),
        (["find sushi", "no, Thai", "near the university"], ["Bangkok Garden"]),
        (["find a Thai place", "and on Tuesday?"], ["Lemongrass", "Bangkok Garden"]),
        (["something cheap by the station"], ["Khinkali House", "Masala", "Forno"]),
        (["где поесть грузинскую кухню?", "а в центре?"], ["Tiflis"]),
        (["японский ресторан", "что-нибудь подешевле"], ["Umi"]),
    ],
)
def test_what_is_found(questions, found):
    assert names(answer("restaurant", *questions)) == found


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        ("the last one", "Sakana"),
        ("the cheapest one", "Sakana"),
        ("the closest", "Sakana"),
        ("the best one", "Hanami"),
        ("Kiku please", "Kiku"),
        ("the one for 45 euros", "Kiku"),
    ],
)
def test_an_offer_is_chosen_in_many_ways(choice, name):
    said = answer("restaurant", "find sushi", choice, "for 2, Friday at 7 pm")
    assert said.startswith(f"A table at {name} for 2, Friday 9 January at 19:00")


def test_a_question_about_an_offer_leaves_it_on_the_table():
    said = answers(
        "restaurant", "sushi in the harbour", "is it far?", "the phone number?", "book it"
    )
    assert said[1:] == [
        "Kiku is 1.2 km from the centre.",
        "The phone number of Kiku is 555-0110.",
        "For how many people?",
    ]


def test_the_number_of_guests_is_limited():
    said = answers("restaurant", "book a table at Kiku", "for 20 people", "for 10")
    assert said[1:] == [
        "I book for one to twelve people. For how many?",
        "On what day, and at what time?",
    ]


@pytest.mark.parametrize(
    ("questions", "refusal"),
    [
        (["a table at Kiku tonight at 8"], "Kiku is closed on that day (Mon 5 Jan)."),
        (["a table at Kiku", "for 2", "on Monday"], "Kiku is closed on that day (Mon 12 Jan)."),
        (["a table on Monday at 8 pm", "at Kiku"], "Kiku is closed on that day (Mon 12 Jan)."),
        (["a table at Green Leaf tomorrow at 10 pm"], "Green Leaf is open from 09:00 to 21:00."),
        (["столик в Кику в понедельник"], "Kiku в этот день не работает (пн, 12 янв)."),
    ],
)
def test_a_closed_restaurant_is_not_booked(questions, refusal):
    assert answer("restaurant", *questions).startswith(refusal)


@pytest.mark.parametrize(
    ("questions", "booking"),
    [
        (["on Tuesday"], "Booked: Kiku for 2, Tue 6 Jan, 19:00."),
        (["is it far?", "yes", "on Tuesday"], "Booked: Kiku for 2, Tue 6 Jan, 19:00."),
        (["book Umi"], "Booked: Umi for 2, Mon 12 Jan, 19:00."),
        (["for three", "no, at Lucia", "on Friday"], "Booked: Lucia for 3, Fri 9 Jan, 19:00."),
    ],
)
def test_another_day_or_place_keeps_the_rest(questions, booking):
    asked = "a table at Kiku for two on Monday at 7"
    assert answer("restaurant", asked, *questions, "yes") == booking


@pytest.mark.parametrize(
    ("choice", "booking"),
    [("во вторник", "Kiku, гостей: 2, вт, 6 янв"), ("тогда в Уми", "Umi, гостей: 2, пн, 12 янв")],
)
def test_another_day_or_place_keeps_the_rest_in_russian(choice, booking):
    asked = "столик в Кику на двоих в понедельник в 7"
    assert answer("restaurant", asked, choice, "да") == f"Забронировано: {booking}, 19:00."


def test_a_booking_is_changed_rather_than_doubled():
    said = answers(
        "restaurant", "a table at Kiku for 2 on Friday at 8 pm", "yes", "make it 9 pm", "yes"
    )
    assert said[-1] == (
        "Changed. Kiku for 2, Fri 9 Jan, 21:00 instead of Kiku for 2, Fri 9 Jan, 20:00."
    )


def test_one_of_several_bookings_is_cancelled():
    booked = ["a table at Kiku for 2 on Friday at 8 pm", "yes", "Umi for 4 on Saturday at 1 pm"]
    said = answers("restaurant", *booked, "book it", "yes", "my bookings", "cancel the second one")
    assert said[-1] == "Cancelled: Umi for 4, Sat 10 Jan, 13:00."


def test_what_waits_for_a_yes_is_cancelled_before_any_booking():
    booked = [
        "a table at Kiku for 2 on Friday at 8 pm",
        "yes",
        "a table at Umi for 2 tomorrow at 1 pm",
    ]
    said = answers("restaurant", *booked, "cancel it", "my bookings")
    assert said[-1] == "Your bookings:\n1. Kiku for 2, Fri 9 Jan, 20:00"


def test_small_talk():
    assert answers("restaurant", "Hello!", "thanks", "пока") == [
        "Hello! What would you like to eat?",
        "You're welcome!",
        "До свидания!",
    ]


def test_what_is_said_of_one_offer():
    said = answers("restaurant", "any Mexican places", "tell me more about the second one")
    assert said[1] == (
        "El Toro: Mexican, University, about €20 a head, 4.1 stars, 2.2 km from the centre, "
        "open from 12:00 to 00:00, every day."
    )


@pytest.mark.parametrize("question", ["what is the second one like?", "whats El Toro like"])
def test_what_one_is_like(question):
    said = answer("restaurant", "any Mexican places", question)
    assert said.startswith("El Toro: Mexican, University")


def test_a_question_about_one_of_several_is_over_when_others_are_found():
    asked = ["Italian", "how far is it?", "no, I meant Thai in the harbour", "the phone number?"]
    assert answer("restaurant", *asked) == "The phone number of Siam is 555-0130."


def test_whether_it_is_open_on_a_day():
    said = answers("restaurant", "sushi in the harbour", "is it open on Monday?", "and Tuesday?")
    assert said[1] == "No. Kiku is open from 12:00 to 23:00, closed on Mondays."


def test_cheaper_than_the_price_that_was_asked_for():
    assert names(answer("restaurant", "sushi for 30 to 40 euros", "something cheaper")) == ["Umi"]


def test_nothing_is_open_then():
    said = answer("restaurant", "a French place tomorrow at noon by the river", "in the harbour")
    assert names(said) == ["Le Phare"]
    said = answer("restaurant", "Mexican by the river tomorrow at 8 pm")
    assert said == "None like that is open then. Try another time, kitchen or district."


BOOKED = ["a table at Tiflis for 2 on Friday at 7 pm", "yes"]


@pytest.mark.parametrize(
    ("change", "booking"),
    [
        ("move it to Saturday", "Tiflis for 2, Sat 10 Jan, 19:00"),
        ("change it to 5 people", "Tiflis for 5, Fri 9 Jan, 19:00"),
        ("перенеси на субботу", "Tiflis for 2, Sat 10 Jan, 19:00"),
    ],
)
def test_a_booking_is_moved(change, booking):
    said = answers("restaurant", *BOOKED, change, "yes", "my bookings")
    assert said[-1] == f"Your bookings:\n1. {booking}"


def test_a_booking_after_a_move_is_another_one():
    said = answers(
        "restaurant",
        *BOOKED,
        "move it to Saturday",
        "yes",
        "a table on Sunday",
        "yes",
        "my bookings",
    )
    assert said[-1] == (
        "Your bookings:\n1. Tiflis for 2, Sat 10 Jan, 19:00\n2. Tiflis for 2, Sun 11 Jan, 19:00"
    )


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("cancel Friday", "Umi for 3, Sat 10 Jan, 18:00"),
        ("cancel the Saturday one", "Tiflis for 2, Fri 9 Jan, 19:00"),
        ("cancel Umi", "Tiflis for 2, Fri 9 Jan, 19:00"),
    ],
)
def test_the_booking_of_a_day_is_cancelled(words, left):
    booked = [*BOOKED, "a table at Umi for 3 on Saturday at 6 pm", "yes"]
    assert answer("restaurant", *booked, words, "my bookings") == f"Your bookings:\n1. {left}"


def test_a_new_day_replaces_that_of_an_unfinished_booking():
    said = answer("restaurant", "book it", "for two at 9", "tomorrow", "Umi")
    assert said.startswith("A table at Umi for 2, Tuesday 6 January at 21:00")


def test_a_booking_begins_without_a_place():
    said = answers("restaurant", "забронируй столик", "Тифлис", "на 15 человек", "ладно, на 12")
    assert said == [
        "В каком ресторане?",
        "На сколько человек?",
        "Я бронирую столики на 1–12 гостей. На сколько человек?",
        "На какой день и на какое время?",
    ]


def test_something_cheaper_than_the_restaurant_that_is_booked():
    said = answer("restaurant", "a table at Kiku for 2 on Friday at 8", "too expensive")
    assert names(said) == ["Khinkali House", "Bangkok Garden", "Green Leaf"]


def test_a_factor_is_no_wish_for_another_price_than_the_offered_one():
    said = "thai food in the center"
    before, after = answers("restaurant", said, "half of that")
    assert "Lemongrass" in before
    assert "none like that" not in after


BOOKED_TWICE = (
    "a table at Kiku for 2 tomorrow at 8 pm",
    "yes",
    "a table at Forno for 4 on Saturday at 8 pm",
    "yes",
)


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["cancel the first one"], "Cancelled: Kiku for 2, Tue 6 Jan, 20:00."),
        (["find Thai", "cancel the first one"], "Cancelled: Kiku for 2, Tue 6 Jan, 20:00."),
        (["cancel the second one"], "Cancelled: Forno for 4, Sat 10 Jan, 20:00."),
        (["отмени первую"], "Отменено: Kiku, гостей: 2, вт, 6 янв, 20:00."),
    ],
)
def test_a_place_in_the_list_of_bookings_is_no_place_among_offers(questions, said):
    assert answer("restaurant", *BOOKED_TWICE, *questions) == said


def test_a_place_behind_the_last_booking_asks_which():
    asked, done = answers("restaurant", *BOOKED_TWICE, "cancel the third one", "the second one")[
        -2:
    ]
    assert asked.startswith("Which one shall I cancel? Your bookings:\n1. Kiku")
    assert done == "Cancelled: Forno for 4, Sat 10 Jan, 20:00."


def test_a_place_behind_the_only_offer_asks_whether_that_is_meant():
    said = answers("restaurant", "a thai restaurant in the old town", "the second one", "yes")
    assert said[1:] == ["Lemongrass?", "For how many people?"]


@pytest.mark.parametrize(
    ("table", "changes", "people"),
    [
        (
            "a table at Umi for four on Saturday at 1 pm",
            ["twice as many", "no, half of that", "2 less", "two more", "plus one", "double it"],
            [8, 4, 2, 4, 5, 10],
        ),
        (
            "столик в Уми на четверых в субботу в 13:00",
            [
                "вдвое больше",
                "нет, вдвое меньше",
                "на двоих меньше",
                "ещё двое",
                "плюс один",
                "удвой",
            ],
            [8, 4, 2, 4, 5, 10],
        ),
    ],
)
def test_the_number_of_guests_changes(table, changes, people):
    said = answers("restaurant", table, *changes)[1:]
    assert [int(re.search(r"(?:for|гостей:) (\d+)", text)[1]) for text in said] == people


@pytest.mark.parametrize(
    ("questions", "clock"),
    [
        (["an hour later", "no, two hours later"], "15:00"),
        (["an hour later", "no, three hours"], "16:00"),
        (["на час позже", "нет, на полтора часа позже"], "14:30"),
    ],
)
def test_a_correction_moves_the_booking_from_its_time(questions, clock):
    booked = ("a table at Umi for four on Saturday at 1 pm", "yes")
    assert f"{clock}. " in answer("restaurant", *booked, *questions)


@pytest.mark.parametrize(
    ("questions", "found"),
    [
        (["somewhere to eat", "no meat"], ["Green Leaf", "Radish"]),
        (["где поесть", "без мяса"], ["Green Leaf", "Radish"]),
        (["sushi in the harbour", "no Japanese"], ["Nautilus", "Siam", "Le Phare"]),
    ],
)
def test_what_is_not_wanted(questions, found):
    assert names(answer("restaurant", *questions)) == found


def test_no_fish_excludes_it_and_no_comma_fish_corrects():
    assert "Green Leaf, Radish" in answer("restaurant", "vegetarian", "no fish")
    assert names(answer("restaurant", "vegetarian", "no, fish")) == ["Nautilus", "Old Anchor"]


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "same day, 9", "Forno for 2, Tuesday 6 January at 21:00"),
        ("en", "the same day at 9", "Forno for 2, Tuesday 6 January at 21:00"),
        ("en", "same day, for 9", "Forno for 9, Tuesday 6 January at 20:00"),
        ("ru", "в тот же день, 9", "Forno, гостей: 2, вторник, 6 января, 21:00"),
        ("ru", "в тот же день, на троих", "Forno, гостей: 3, вторник, 6 января, 20:00"),
    ],
)
def test_a_number_beside_the_same_day_is_an_hour(language, said, asked):
    booked = {
        "en": ("book a table at forno tomorrow at 8 pm for 2", "yes"),
        "ru": ("столик в форно завтра в 8 вечера на двоих", "да"),
    }[language]
    assert asked in answers("restaurant", *booked, said)[-1]


def test_a_number_behind_for_is_one_of_guests_however_long_ago_it_was_said():
    *_, last = answers(
        "restaurant",
        "a table at Lucia for 2 on Saturday at 8",
        "yes",
        "how much is it",
        "book it for Sunday at 8",
        "for 3",
    )
    assert last == "A table at Lucia for 3, Sunday 11 January at 20:00. Shall I book it?"


def test_guests_are_corrected_without_a_comma():
    last = answers("restaurant", "a table at Lucia on Saturday at 8 for 3 no 4")[-1]
    assert last == "A table at Lucia for 4, Saturday 10 January at 20:00. Shall I book it?"
