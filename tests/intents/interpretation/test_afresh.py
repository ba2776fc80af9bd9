"""A new question of the same topic begins afresh (rule 22)."""

from __future__ import annotations

import pytest

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
