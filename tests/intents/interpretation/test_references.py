"""Words that refer to what was said before (rule 17)."""

from __future__ import annotations

import pytest

from tests.support.dialog_models import PEOPLE, TRIPS, WEATHER
from tests.support.dialogs import check_dialog, describe_turn


@pytest.mark.parametrize(
    ("question", "follow_up", "word"),
    [
        ("weather in Oslo", "and the tide there?", "there"),
        ("погода в Осло", "а прилив там?", "там"),
        ("das Wetter in Oslo", "und die Flut dort?", "dort"),
        ("el tiempo en Oslo", "¿y la marea allí?", "allí"),
    ],
)
def test_a_place_is_meant(bot, question, follow_up, word):
    engine = bot(WEATHER)
    describe_turn(engine, question)
    turn = describe_turn(engine, follow_up)
    assert turn[""] == "tide city=Oslo"
    assert f"'{word}' stands for city=Oslo, 1 question ago" in turn["notes"]


def test_a_day_is_meant(bot):
    check_dialog(
        bot(WEATHER),
        """
        > weather in Oslo on Friday
        weather city=Oslo day=2026-01-09
        > and the tide that day in Riga?
        tide city=Riga day=2026-01-09
        notes: 'that day' stands for date=2026-01-09, 1 question ago
        """,
    )


def test_the_newest_is_meant(bot):
    check_dialog(
        bot(WEATHER),
        """
        > weather in Oslo
        weather city=Oslo
        > and in Riga?
        weather city=Riga
        > and tomorrow?
        weather city=Riga day=2026-01-06
        > the tide there
        tide city=Riga day=2026-01-06
        notes: 'there' stands for city=Riga, 2 questions ago
        """,
    )


def test_a_word_that_stands_for_nothing_completes_nothing(bot):
    check_dialog(
        bot(WEATHER),
        """
        > weather there
        rejected
        """,
    )


def test_what_the_bot_has_mentioned_is_meant(bot):
    check_dialog(
        bot(WEATHER + "mentions: {tide: {city: Turku}}\n"),
        """
        > the tide in Oslo
        tide city=Oslo
        > and the weather there?
        weather city=Turku
        notes: 'there' stands for city=Turku, 1 question ago
        """,
    )


@pytest.mark.parametrize(
    ("question", "follow_up", "word"),
    [
        ("call Anna", "write to her", "her"),
        ("позвони Анне", "напиши ей", "ей"),
        ("rufe Anna an", "schreib ihr", "ihr"),
        ("llama a Ana", "escribe a ella", "ella"),
    ],
)
def test_a_person_is_meant(bot, question, follow_up, word):
    check_dialog(
        bot(PEOPLE),
        f"""
        > {question}
        call whom=Anna
        > {follow_up}
        write whom=Anna
        notes: '{word}' stands for colleague=Anna, 1 question ago
        """,
    )


@pytest.mark.parametrize(
    ("question", "follow_up", "word"),
    [
        ("who sells tea?", "call him tomorrow", "him"),
        ("кто продаёт чай?", "позвони ему завтра", "ему"),
        ("wer verkauft Tee?", "rufe ihn morgen an", "ihn"),
        ("¿quién vende té?", "llama a él mañana", "él"),
    ],
)
def test_a_person_whom_the_bot_has_named_is_meant(bot, question, follow_up, word):
    check_dialog(
        bot(PEOPLE),
        f"""
        > {question}
        seller product=tea
        remembers: seller, product=tea, colleague=Boris*
        > {follow_up}
        call whom=Boris day=2026-01-06
        notes: '{word}' stands for colleague=Boris, 1 question ago
        """,
    )


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("call him", "Anna"),
        ("позвони ему", "Анне"),
        ("rufe ihn an", "Anna"),
        ("llama a él", "a Ana"),
    ],
)
def test_the_bot_asks_for_a_person_of_whom_nobody_has_spoken(bot, question, answer):
    check_dialog(
        bot(PEOPLE),
        f"""
        > {question}
        call?, asks for whom
        > {answer}
        call whom=Anna
        """,
    )


@pytest.mark.parametrize(
    ("question", "follow_up", "with_reference"),
    [
        ("a hotel in Oslo", "and the weather?", "and the weather there?"),
        ("отель в Осло", "а погода?", "а погода там?"),
        ("ein Hotel in Oslo", "und das Wetter?", "und das Wetter dort?"),
    ],
)
def test_a_slot_takes_what_the_user_said_and_a_word_means_what_the_bot_said_last(
    bot, question, follow_up, with_reference
):
    for text, place in ((follow_up, "Oslo"), (with_reference, "Huk")):
        check_dialog(
            bot(TRIPS),
            f"""
            > {question}
            hotel place=Oslo
            remembers: hotel, city=Oslo, beach=Huk*
            > {text}
            weather place={place}
            """,
        )


def test_what_the_user_said_later_ranks_before_what_the_bot_said(bot):
    check_dialog(
        bot(TRIPS),
        """
        > a hotel in Oslo
        hotel place=Oslo
        > weather in Riga
        weather place=Riga
        > and a hotel?
        hotel place=Riga
        > the weather?
        weather place=Riga
        """,
    )
