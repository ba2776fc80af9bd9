"""Words that refer to what was said before (rule 17)."""

from __future__ import annotations

import pytest

from tests.support.dialog_models import WEATHER
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
    engine = bot(WEATHER + "mentions: {tide: {city: Turku}}\n")
    check_dialog(
        engine,
        """
        > the tide in Oslo
        tide city=Oslo
        """,
    )
    assert "'there' stands for city=" in describe_turn(engine, "and the weather there?")["notes"]
