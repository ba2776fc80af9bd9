"""Which of several offers is accepted: by name, place, value and comparison (rule 13)."""

from __future__ import annotations

import pytest

from tests.support.dialogs import check_dialog, describe_turn

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
    ("en", "the cheapest one", "Heron"),
    ("en", "the earliest", "Heron"),
    ("en", "yes, the first", "Comet"),
    ("ru", "второй", "Heron"),
    ("ru", "последний", "Swift"),
    ("ru", "Стриж", "Swift"),
    ("ru", "в 7 часов", "Comet"),
    ("ru", "самый дешёвый", "Heron"),
    ("ru", "давайте первый", "Comet"),
    ("de", "den zweiten", "Heron"),
    ("de", "der letzte", "Swift"),
    ("de", "den um 9 Uhr", "Heron"),
    ("de", "den billigsten", "Heron"),
    ("de", "den Mauersegler bitte", "Swift"),
    ("es", "el segundo", "Heron"),
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


@pytest.mark.xfail(strict=True, reason="'в 9' after a pronoun is not read as a time")
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
    engine = trains()
    describe_turn(engine, question)
    assert "line=" not in describe_turn(engine, said)["remembers"]


def test_another_offer_may_be_taken_while_the_bot_still_asks(trains):
    engine = trains()
    describe_turn(engine, "trains to Bonn")
    assert "line=Comet" in describe_turn(engine, "the first one")[""]
    assert "line=Heron" in describe_turn(engine, "actually the second one")[""]
    assert "line=Comet" not in describe_turn(engine, "for two")["remembers"]
