"""Offers are accepted, declined, asked about, and go (rules 12 to 14)."""

from __future__ import annotations

import pytest

from anaphora import HandlerError
from tests.support.dialog_models import TRAINS, offer_trains
from tests.support.dialogs import check_dialog, check_ignored, describe_turn

COMET = "line=Comet, date=2026-01-06T07:00, money=30 EUR"
HERON = "line=Heron, date=2026-01-05T09:00, money=20 EUR"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("trains to Bonn", "yes"),
        ("trains to Bonn", "that works"),
        ("trains to Bonn", "great, thanks"),
        ("trains to Bonn", "buy it"),
        ("поезда в Бонн", "да"),
        ("поезда в Бонн", "подходит"),
        ("поезда в Бонн", "отлично, спасибо"),
        ("Züge nach Bonn", "ja"),
        ("Züge nach Bonn", "passt"),
        ("Züge nach Bonn", "gerne"),
        ("trenes a Bonn", "sí"),
        ("trenes a Bonn", "vale"),
        ("trenes a Bonn", "de acuerdo"),
    ],
)
def test_a_yes_goes_on_with_the_offer(trains, question, answer):
    engine = trains(at_once=1)
    assert describe_turn(engine, question)["offers"] == COMET
    turn = describe_turn(engine, answer)
    assert turn[""] == "buy? line=Comet, asks for seats"
    assert turn["remembers"].startswith("line=Comet*, date=2026-01-06T07:00*, money=30 EUR*")
    assert turn["offers"] == "nothing"


@pytest.mark.parametrize(
    ("question", "thanks", "answer"),
    [
        ("trains to Bonn", "thanks", "All right."),
        ("поезда в Бонн", "спасибо", "Хорошо."),
        ("Züge nach Bonn", "danke", "Gut."),
        ("trenes a Bonn", "gracias", "De acuerdo."),
    ],
)
def test_thanks_take_the_only_offer_without_going_on_with_it(trains, question, thanks, answer):
    check_dialog(
        trains(at_once=1),
        f"""
        > {question}
        find city=Bonn
        > {thanks}
        matched
        says: {answer}
        remembers: line=Comet*, date=2026-01-06T07:00*, money=30 EUR*, find, city=Bonn
        offers: nothing
        """,
    )


@pytest.mark.parametrize(
    ("question", "thanks"),
    [("trains to Bonn", "thanks"), ("поезда в Бонн", "спасибо"), ("Züge nach Bonn", "danke")],
)
def test_thanks_take_none_of_several(trains, question, thanks):
    check_ignored(trains(), question, thanks, "rejected")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("trains to Bonn", "no"),
        ("trains to Bonn", "something else"),
        ("trains to Bonn", "another one"),
        ("trains to Bonn", "not that one"),
        ("trains to Bonn", "not the Comet"),
        ("поезда в Бонн", "нет"),
        ("поезда в Бонн", "нет, другой"),
        ("поезда в Бонн", "не Комета"),
        ("Züge nach Bonn", "nein"),
        ("Züge nach Bonn", "nein, einen anderen"),
        ("trenes a Bonn", "no"),
        ("trenes a Bonn", "otro"),
    ],
)
def test_a_no_asks_for_the_next_offer(trains, question, answer):
    engine = trains(at_once=1)
    describe_turn(engine, question)
    turn = describe_turn(engine, answer)
    assert turn[""] == "find city=Bonn"
    assert turn["remembers"] == "find, city=Bonn"
    assert turn["offers"] == HERON
    assert f"it declines what was offered: {COMET}" in turn["notes"]


def test_what_was_declined_is_not_offered_again(trains):
    check_dialog(
        trains(at_once=1),
        """
        > trains to Bonn
        find city=Bonn
        says: Comet
        > no
        find city=Bonn
        says: Heron
        > something else
        find city=Bonn
        says: Swift
        > another one
        find city=Bonn
        says: None.
        offers: nothing
        > yes
        rejected
        remembers: find, city=Bonn
        """,
    )


@pytest.mark.parametrize(
    ("question", "about", "answer"),
    [
        ("trains to Bonn", "how long does it take?", "that works"),
        ("trains to Bonn", "how long?", "yes please"),
        ("поезда в Бонн", "сколько ехать?", "давай"),
        ("Züge nach Bonn", "wie lange dauert das?", "gerne"),
        ("trenes a Bonn", "¿cuánto tarda?", "vale"),
    ],
)
def test_questions_about_an_offer_leave_it_on_the_table(trains, question, about, answer):
    engine = trains(at_once=1)
    describe_turn(engine, question)
    turn = describe_turn(engine, about)
    assert turn[""] == "duration line=Comet"
    assert turn["remembers"] == "duration, find, city=Bonn"
    assert turn["offers"] == COMET
    assert describe_turn(engine, answer)[""] == "buy? line=Comet, asks for seats"


class TestOffersGo:
    def test_when_others_are_made(self, trains):
        check_dialog(
            trains(),
            f"""
            > trains to Bonn
            find city=Bonn
            > not the Comet
            find city=Bonn
            offers: {HERON} | line=Swift, date=2026-01-05T16:00, money=45 EUR
            > the first
            buy? line=Heron, asks for seats
            """,
        )

    def test_when_nothing_of_them_is_wanted(self, trains):
        check_dialog(
            trains(),
            """
            > trains to Bonn
            find city=Bonn
            > forget it
            rejected
            says: All right, not that then.
            offers: nothing
            remembers: find, city=Bonn
            """,
        )

    def test_with_the_topic(self, trains):
        check_dialog(
            trains(at_once=1),
            """
            > trains to Bonn
            find city=Bonn
            > news
            news
            offers: nothing
            > yes
            rejected
            """,
        )

    def test_after_questions_that_have_nothing_to_do_with_them(self, trains):
        check_dialog(
            trains(at_once=1),
            f"""
            > trains to Bonn
            find city=Bonn
            > the office?
            office
            > the office?
            office
            offers: {COMET}
            > the office?
            office
            offers: nothing
            """,
        )

    def test_with_time(self, trains, clock):
        engine = trains(at_once=1)
        describe_turn(engine, "trains to Bonn")
        clock.pass_time(minutes=31)
        turn = describe_turn(engine, "yes")
        assert (turn[""], turn["remembers"], turn["offers"]) == ("rejected", "", "nothing")

    def test_with_the_memory(self, trains):
        engine = trains(at_once=1)
        describe_turn(engine, "trains to Bonn")
        engine.forget()
        assert engine.conversation().offers is None


def test_a_correction_is_no_answer_to_an_offer(trains):
    check_dialog(
        trains(at_once=1),
        f"""
        > trains to Bonn
        find city=Bonn
        > no, Jena
        find city=Jena
        offers: {COMET}
        notes: a correction: the last question is asked again
        """,
    )


def test_offers_need_a_model_that_reads_the_answers(bot):
    engine = offer_trains(bot(TRAINS.replace("dialog_acts: true", "dialog_acts: false")))
    with pytest.raises(HandlerError, match="it needs 'dialog_acts: true'"):
        engine.ask("trains to Bonn")


@pytest.mark.parametrize(
    ("search", "question", "correction"),
    [
        ("trains to Bonn", "how long is the Heron?", "no, the Comet"),
        ("поезда в Бонн", "сколько ехать на Цапле?", "нет, Комета"),
        ("Züge nach Bonn", "wie lange der Reiher?", "nein, ich meinte den Komet"),
    ],
)
def test_a_correction_after_a_question_about_an_offer_corrects_that_question(
    trains, search, question, correction
):
    engine = trains()
    describe_turn(engine, search)
    assert describe_turn(engine, question)[""] == "duration line=Heron"
    assert describe_turn(engine, correction)[""] == "duration line=Comet"


@pytest.mark.parametrize(
    ("find", "ask", "yes"),
    [
        ("trains to Bonn", "the Heron?", "yes"),
        ("trains to Bonn", "what about the second one?", "ok"),
        ("trains to Bonn", "how long does the Heron take?", "okay"),
        ("поезда в Бонн", "Цапля?", "да"),
        ("поезда в Бонн", "какой дешевле?", "беру"),
        ("Züge nach Bonn", "der zweite?", "ja"),
    ],
)
def test_a_yes_means_the_offer_that_was_asked_about(trains, find, ask, yes):
    engine = trains()
    describe_turn(engine, find)
    describe_turn(engine, ask)
    assert describe_turn(engine, yes)[""] == "buy? line=Heron, asks for seats"


def test_a_no_means_the_offer_that_was_asked_about(trains):
    check_dialog(
        trains(),
        """
        > trains to Bonn
        > the Heron?
        > no
        > the second one
        buy? line=Swift, asks for seats
        """,
    )


@pytest.mark.parametrize("answer", ["2", "(2)", "2, please", "No. 2"])
def test_a_bare_number_is_a_place_in_the_list(trains, answer):
    engine = trains()
    describe_turn(engine, "trains to Bonn")
    assert describe_turn(engine, answer)[""] == "buy? line=Heron, asks for seats"


def test_the_question_about_an_offer_goes_on_with_another(bot):
    whole = TRAINS.replace("intent=duration term={", "intent=duration term~{")
    assert whole != TRAINS
    check_dialog(
        offer_trains(bot(whole)),
        """
        > trains to Bonn
        > how long does the Heron take?
        duration line=Heron
        > and the third one?
        duration line=Swift
        > and the Comet?
        duration line=Comet
        > okay
        buy? line=Comet, asks for seats
        """,
    )


def test_a_number_of_any_length_is_no_place_in_the_list(trains):
    engine = trains()
    describe_turn(engine, "trains to Bonn")
    assert describe_turn(engine, "1" * 5_000)["offers"] != "nothing"
