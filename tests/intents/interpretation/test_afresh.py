"""A new question of the same topic begins afresh (rule 22)."""

from __future__ import annotations

import pytest

from anaphora import Engine
from tests.support.dialog_models import ORDERS
from tests.support.dialogs import check_dialog


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a rye sandwich with egg", "another sandwich, white"),
        ("a rye sandwich with egg", "I want a white bagel"),
        ("ржаной бутерброд с яйцом", "белый бутерброд"),
        ("ein Brötchen, Roggen, mit Ei", "noch ein Brötchen, weiß"),
        ("un bocadillo de centeno con huevo", "un bocadillo blanco"),
    ],
)
def test_each_mention_of_a_fresh_element_starts_with_nothing(bot, first, second):
    check_dialog(
        bot(ORDERS),
        f"""
        > {first}
        order bread=rye fillings=egg
        > {second}
        order bread=white
        remembers: sandwich, bread=white
        """,
    )


def test_a_follow_up_goes_on(bot):
    check_dialog(
        bot(ORDERS),
        """
        > a rye sandwich with egg
        order bread=rye fillings=egg
        > make it white
        order bread=white fillings=egg
        """,
    )


def test_what_was_filled_before_is_recalled_by_the_same(bot):
    check_dialog(
        bot(ORDERS),
        """
        > a rye sandwich with egg
        order bread=rye fillings=egg
        > a white sandwich
        order bread=white
        > the same
        order bread=rye fillings=egg
        notes: 'the same' stands for
        """,
    )


ASKING = ORDERS.replace("fresh: true", "fresh: ask")
LANGUAGES = {
    "English": ("a rye sandwich with egg", "a sandwich with salmon", "yes", "no", "white"),
    "Russian": ("ржаной бутерброд с яйцом", "бутерброд, лосось", "да", "нет", "белый"),
    "German": ("ein Brötchen, Roggen, mit Ei", "ein Brötchen mit Lachs", "ja", "nein", "weiß"),
    "Spanish": ("un bocadillo de centeno con huevo", "bocadillo con salmón", "sí", "no", "blanco"),
}


def asked_whether_afresh(bot, first: str, second: str) -> Engine:
    engine = bot(ASKING)
    check_dialog(
        engine,
        f"""
        > {first}
        order bread=rye fillings=egg
        > {second}
        order? bread=rye fillings=salmon
        remembers: sandwich, bread=rye, filling=egg
        """,
    )
    assert engine.conversation().pending.afresh
    return engine


@pytest.mark.parametrize(
    ("first", "second", "yes", "no", "bread"), LANGUAGES.values(), ids=list(LANGUAGES)
)
class TestWhetherToBeginAfreshIsAsked:
    def test_and_a_yes_begins_with_nothing(self, bot, first, second, yes, no, bread):
        check_dialog(
            asked_whether_afresh(bot, first, second),
            f"""
            > {yes}
            order? fillings=salmon, asks for bread
            says: Which bread?
            > {bread}
            order bread=white fillings=salmon
            remembers: sandwich, bread=white, filling=salmon
            """,
        )

    def test_and_a_no_changes_the_last_question(self, bot, first, second, yes, no, bread):
        check_dialog(
            asked_whether_afresh(bot, first, second),
            f"""
            > {no}
            order bread=rye fillings=salmon
            > {bread}
            order bread=white fillings=salmon
            """,
        )


def test_what_was_set_aside_after_a_yes_is_recalled_by_the_same(bot):
    check_dialog(
        asked_whether_afresh(bot, *LANGUAGES["English"][:2]),
        """
        > yes
        order? fillings=salmon, asks for bread
        > the same
        order bread=rye fillings=salmon
        """,
    )


def test_the_bot_asks_again_if_the_answer_is_neither_yes_nor_no(bot):
    check_dialog(
        asked_whether_afresh(bot, *LANGUAGES["English"][:2]),
        """
        > hmm
        order? bread=rye fillings=salmon
        says: Shall I begin a new one?
        > stop
        rejected
        remembers: sandwich, bread=rye, filling=egg
        """,
    )


def test_nothing_is_asked_if_nothing_is_remembered(bot):
    check_dialog(
        bot(ASKING),
        """
        > a sandwich
        order?, asks for bread
        > white
        order bread=white
        """,
    )
