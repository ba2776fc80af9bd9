"""Which of several offers is accepted: by name, place, value and comparison (rule 13)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Answer
from tests.support.dialogs import check_dialog, check_ignored, describe_turn

REMINDER = """
    id: reminder
    dialog_acts: true
    elements:
      - {id: remind, synonyms: [remind me]}
      - {id: when, recognizer: date}
    intents:
      - id: remind
        slots: {remind: remind, when: {element: when, ask: When?}}
    """
BEGIN = {
    "en": "trains to Bonn",
    "ru": "поезда в Бонн",
    "de": "Züge nach Bonn",
    "es": "trenes a Bonn",
}
SELECTIONS = [
    ("en", "the second one", "Heron"),
    ("en", "the last one please", "Swift"),
    ("en", "Comet", "Comet"),
    ("en", "the one at 7", "Comet"),
    ("en", "I'll take the one at 4 pm", "Swift"),
    ("en", "the one in the afternoon", "Swift"),
    ("en", "pm", "Swift"),
    ("en", "9", "Heron"),
    ("en", "the cheapest one", "Heron"),
    ("en", "the earliest", "Heron"),
    ("en", "yes, the first", "Comet"),
    ("ru", "второй", "Heron"),
    ("ru", "последний", "Swift"),
    ("ru", "Стриж", "Swift"),
    ("ru", "в 7 часов", "Comet"),
    ("ru", "тот, что днём", "Swift"),
    ("ru", "самый дешёвый", "Heron"),
    ("ru", "давайте первый", "Comet"),
    ("de", "den zweiten", "Heron"),
    ("de", "der letzte", "Swift"),
    ("de", "den um 9 Uhr", "Heron"),
    ("de", "am Nachmittag", "Swift"),
    ("de", "den billigsten", "Heron"),
    ("de", "den Mauersegler bitte", "Swift"),
    ("es", "el segundo", "Heron"),
    ("es", "por la tarde", "Swift"),
    ("es", "el más barato", "Heron"),
    ("es", "el último", "Swift"),
]


@pytest.mark.parametrize(("language", "answer", "line"), SELECTIONS)
def test_an_offer_is_accepted_by_what_tells_it_from_the_others(trains, language, answer, line):
    engine = trains()
    describe_turn(engine, BEGIN[language])
    turn = describe_turn(engine, answer)
    assert turn[""] == f"buy? line={line}, asks for seats"
    assert turn["offers"] == "nothing"
    assert turn["remembers"].startswith(f"line={line}*, date=")
    assert "it accepts what was offered: " in turn["notes"]


@pytest.mark.parametrize("answer", ["7 pm", "19:00", "in the evening"])
def test_a_time_that_leaves_nothing_open_names_no_other(trains, answer):
    check_ignored(trains(), "trains to Bonn", answer, "rejected")


def test_a_part_of_the_day_tells_two_readings_of_an_hour_apart(bot):
    engine = bot(REMINDER)

    @engine.on("remind")
    def remind(match, when):
        others = match.slots["when"].meta.get("alternatives", ())
        if not others:
            return f"I will remind you at {when}."
        readings = [{"when": when}, *({"when": one["value"]} for one in others)]
        return Answer("Which one?", offers=readings, then="remind")

    at = datetime(2026, 11, 21, 9, tzinfo=UTC)
    for hour, part, value in (
        ("at 7", "in the evening", "2026-11-22T19:00"),
        ("at 5", "in the evening", "2026-11-22T17:00"),
        ("at 5", "in the morning", "2026-11-22T05:00"),
        ("at 9", "at night please", "2026-11-22T21:00"),
        ("at 9", "a.m.", "2026-11-22T09:00"),
    ):
        engine.ask(f"remind me tomorrow {hour}", user=hour + part, at=at)
        reply = engine.ask(part, user=hour + part, at=at)
        assert reply.text == f"I will remind you at {value}."


def test_a_russian_pronoun_with_a_bare_hour_names_an_offer(trains):
    engine = trains()
    describe_turn(engine, BEGIN["ru"])
    assert describe_turn(engine, "тот, что в 9")[""] == "buy? line=Heron, asks for seats"


def test_a_yes_to_several_asks_which(trains):
    check_dialog(
        trains(),
        """
        > trains to Bonn
        find city=Bonn
        > yes
        incomplete
        says: Which one: Comet, Heron, Swift?
        notes: it may mean any of: line=Comet
        > the Heron
        buy? line=Heron, asks for seats
        """,
    )


def test_a_question_about_one_of_several_asks_which(trains):
    check_dialog(
        trains(),
        """
        > trains to Bonn
        find city=Bonn
        > how long does it take?
        duration?, asks for line
        says: Which one: Comet, Heron, Swift?
        remembers: find, city=Bonn
        > the second one
        duration line=Heron
        remembers: duration, line=Heron, find, city=Bonn
        > the first one
        buy? line=Comet, asks for seats
        offers: nothing
        """,
    )


def test_the_next_intent_is_asked_for_in_full(trains):
    check_dialog(
        trains(),
        """
        > trains to Bonn
        find city=Bonn
        > two tickets for the Heron, I'd like to buy them
        buy line=Heron seats=2
        offers: nothing
        """,
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("trains to Bonn", "7 is too early"),
        ("trains to Bonn", "is the second one quiet?"),
        ("поезда в Бонн", "а второй тихий?"),
    ],
)
def test_a_remark_about_an_offer_takes_none(trains, question, said):
    check_ignored(trains(), question, said, "rejected")


@pytest.mark.parametrize(
    ("question", "first", "second", "seats"),
    [
        ("trains to Bonn", "the first one", "actually the second one", "for two"),
        ("поезда в Бонн", "первый", "нет, второй", "два"),
        ("Züge nach Bonn", "den ersten", "doch den zweiten", "zwei"),
    ],
)
def test_another_offer_may_be_taken_while_the_bot_still_asks(
    trains, question, first, second, seats
):
    check_dialog(
        trains(),
        f"""
        > {question}
        find city=Bonn
        > {first}
        buy? line=Comet, asks for seats
        > {second}
        buy? line=Heron, asks for seats
        remembers: line=Heron*, date=2026-01-05T09:00*, money=20 EUR*, find, city=Bonn
        > {seats}
        buy line=Heron seats=2
        """,
    )


ANOTHER = [
    ("trains to Bonn", "the first one", "another one"),
    ("trains to Bonn", "the first one", "not the first"),
    ("поезда в Бонн", "первый", "нет, другой"),
    ("Züge nach Bonn", "den ersten", "doch einen anderen"),
    ("trenes a Bonn", "el primero", "mejor otro"),
]


@pytest.mark.parametrize(("question", "first", "another"), ANOTHER)
def test_another_one_of_two_is_the_one_that_is_left(trains, question, first, another):
    check_dialog(
        trains(at_once=2),
        f"""
        > {question}
        find city=Bonn
        > {first}
        buy? line=Comet, asks for seats
        > {another}
        buy? line=Heron, asks for seats
        remembers: line=Heron*, date=2026-01-05T09:00*, money=20 EUR*, find, city=Bonn
        """,
    )


@pytest.mark.parametrize(("question", "first", "another"), ANOTHER)
def test_another_one_of_three_is_offered_again(trains, question, first, another):
    check_dialog(
        trains(),
        f"""
        > {question}
        find city=Bonn
        > {first}
        buy? line=Comet, asks for seats
        > {another}
        find city=Bonn
        says: Heron or Swift
        remembers: find, city=Bonn
        """,
    )


@pytest.mark.parametrize(
    ("question", "comparison", "yes"),
    [
        ("trains to Bonn", "which is the cheapest?", "yes"),
        ("trains to Bonn", "which one is the earliest?", "yes"),
        ("поезда в Бонн", "какой самый дешёвый?", "да"),
        ("Züge nach Bonn", "welcher ist der billigste?", "ja"),
        ("trenes a Bonn", "¿cuál es el más barato?", "sí"),
    ],
)
def test_a_question_that_compares_takes_no_offer_before_a_yes(trains, question, comparison, yes):
    engine = trains()
    check_ignored(engine, question, comparison, "incomplete")
    check_dialog(
        engine,
        f"""
        > {comparison}
        incomplete
        says: Heron?
        > {yes}
        buy? line=Heron, asks for seats
        """,
    )


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("trains to Bonn", "the second train"),
        ("trains to Bonn", "the Heron to Bonn"),
        ("trains to Bonn", "the train at 9"),
        ("поезда в Бонн", "второй поезд"),
        ("поезда в Бонн", "Цапля в Бонн"),
        ("Züge nach Bonn", "den zweiten Zug"),
        ("Züge nach Bonn", "der Reiher nach Bonn"),
        ("trenes a Bonn", "el segundo tren"),
    ],
)
def test_an_offer_is_taken_with_the_words_of_the_search(trains, question, answer):
    check_dialog(
        trains(),
        f"""
        > {question}
        find city=Bonn
        > {answer}
        buy? line=Heron, asks for seats
        offers: nothing
        """,
    )


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("trains to Bonn", "how long is the second"),
        ("поезда в Бонн", "сколько ехать на втором"),
        ("Züge nach Bonn", "wie lange braucht der zweite"),
        ("trenes a Bonn", "cuánto tarda el segundo"),
    ],
)
def test_an_offer_is_not_taken_with_the_words_of_another_question(trains, question, about):
    engine = trains()
    offered = describe_turn(engine, question)
    turn = describe_turn(engine, about)
    assert turn[""] == "duration line=Heron"
    assert turn["offers"] == offered["offers"]


@pytest.mark.parametrize(
    ("question", "tomorrow", "today", "which"),
    [
        ("trains to Bonn", "the one tomorrow", "the one today", "Which one"),
        ("поезда в Бонн", "тот, что завтра", "тот, что сегодня", "Что именно"),
        ("Züge nach Bonn", "den von morgen", "den von heute", "Was meinen Sie"),
    ],
)
def test_an_offer_is_taken_by_its_day(trains, question, tomorrow, today, which):
    check_dialog(
        trains(),
        f"""
        > {question}
        find city=Bonn
        > {today}
        incomplete
        says: {which}: Heron, Swift?
        > {tomorrow}
        buy? line=Comet, asks for seats
        """,
    )
