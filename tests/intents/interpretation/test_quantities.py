"""Orders in which things are counted (rules 16 and 21)."""

from __future__ import annotations

import pytest

from tests.support.dialog_models import BAR
from tests.support.dialogs import check_dialog, describe_turn

DIALOGS = {
    "English": """
        > I want two teas and a coffee
        says: /2 tea/1 coffee
        > and three coffees
        says: /2 tea/3 coffee
        > no, four teas
        says: /3 coffee/4 tea
        > make it five coffees
        says: /4 tea/5 coffee
        > no tea
        says: /5 coffee
        > two teas instead
        says: /2 tea
        """,
    "Russian": """
        > принесите два чая и кофе
        says: /2 tea/1 coffee
        > и три кофе
        says: /2 tea/3 coffee
        > нет, четыре чая
        says: /3 coffee/4 tea
        > без чая
        says: /3 coffee
        > только два чая
        says: /2 tea
        """,
    "German": """
        > ich möchte zwei Tee und einen Kaffee
        says: /2 tea/1 coffee
        > und drei Kaffee
        says: /2 tea/3 coffee
        > nein, vier Tee
        says: /3 coffee/4 tea
        > ohne Tee
        says: /3 coffee
        > nur zwei Tee
        says: /2 tea
        """,
}


@pytest.mark.parametrize("dialog", DIALOGS.values(), ids=list(DIALOGS))
def test_how_many_is_changed(bot, dialog):
    check_dialog(bot(BAR), dialog)


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        ("I'd like", "two teas and a coffee"),
        ("хочу", "два чая и кофе"),
        ("ich möchte", "zwei Tee und einen Kaffee"),
    ],
)
def test_an_answer_says_how_many(bot, order, answer):
    check_dialog(
        bot(BAR),
        f"""
        > {order}
        order?, asks for drinks
        > {answer}
        says: /2 tea/1 coffee
        """,
    )


@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize(
    ("order", "correction", "change"),
    [
        ("I want two teas", "no, three", "make it five"),
        ("I'd like a tea", "no, three", "sorry, five"),
        ("принесите два чая", "нет, три", "лучше пять"),
        ("ich möchte zwei Tee", "nein, drei", "lieber fünf"),
    ],
)
def test_a_number_alone_changes_how_many(bot, order, correction, change, confirmed):
    text = (
        "confirm: {order: '/{% for one in drinks %}{{ one.quantity or 1 }} {{ one }}{% endfor %}'}"
    )
    check_dialog(
        bot(BAR + text if confirmed else BAR),
        f"""
        > {order}
        > {correction}
        says: /3 tea
        > {change}
        says: /5 tea
        """,
    )


def test_a_number_alone_may_mean_either_of_two(bot):
    check_dialog(
        bot(BAR),
        """
        > I want two teas and a coffee
        says: /2 tea/1 coffee
        > no, three
        rejected
        """,
    )


def test_another_value_replaces_all(bot):
    check_dialog(
        bot(BAR),
        """
        > I want two teas
        says: /2 tea
        > no, three coffees
        says: /3 coffee
        """,
    )


def test_a_new_order_replaces_all(bot):
    check_dialog(
        bot(BAR),
        """
        > I want two teas and a coffee
        says: /2 tea/1 coffee
        > I want three teas
        says: /3 tea
        """,
    )


@pytest.mark.parametrize(
    ("order", "changes"),
    [
        (
            "I want three teas and a coffee",
            {
                "one more tea": "/1 coffee/4 tea",
                "and two more coffees": "/4 tea/3 coffee",
                "another coffee": "/4 tea/4 coffee",
                "remove one tea": "/3 tea/4 coffee",
                "not three teas but five": "/4 coffee/5 tea",
                "five coffees instead of four": "/5 tea/5 coffee",
                "just the tea": "/5 tea",
            },
        ),
        (
            "принесите три чая и кофе",
            {
                "ещё один чай": "/1 coffee/4 tea",
                "убери один чай": "/1 coffee/3 tea",
                "не три чая, а пять": "/1 coffee/5 tea",
                "только чай": "/5 tea",
            },
        ),
        (
            "ich möchte drei Tee und einen Kaffee",
            {
                "noch einen Tee": "/1 coffee/4 tea",
                "nicht vier Tee, sondern fünf": "/1 coffee/5 tea",
                "nur den Tee": "/5 tea",
            },
        ),
    ],
)
def test_quantities_add_up_and_what_is_not_named_stays(bot, order, changes):
    engine = bot(BAR)
    describe_turn(engine, order)
    assert {said: describe_turn(engine, said)["says"] for said in changes} == changes
