"""What names something that does not exist: nothing remembered takes its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphora import Engine
from tests.support.dialogs import check_dialog

TABLES = """
    id: tables
    dialog_acts: true
    elements:
      - {id: book, synonyms: [book]}
      - {id: menu, synonyms: [menu]}
      - {id: when, recognizer: date}
    intents:
      - id: book
        slots: {book: book, when: {element: when, ask: When?}}
      - id: menu
        slots: {menu: menu, when: {element: when, optional: true}}
    responses: {book: "Booked for {{ when }}.", menu: "Fish. {{ when }}"}
    """


@pytest.mark.parametrize("day", ["November 31", "February 29 2027", "31.6.2027"])
def test_a_day_that_does_not_exist_is_asked_for_again(bot: Callable[..., Engine], day: str) -> None:
    engine = bot(TABLES)
    assert engine.ask("book May 3 2027").text == "Booked for 2027-05-03."
    assert engine.ask(f"book {day}").text == "When?"
    assert engine.ask("May 4 2027").text == "Booked for 2027-05-04."


def test_such_a_day_beside_an_answer_takes_the_place_of_the_one_said_before(
    bot: Callable[..., Engine],
) -> None:
    engine = bot(
        TABLES.replace("ask: When?}}", "ask: When?}, guests: {element: n, ask: How many?}}")
        .replace("elements:", "elements:\n      - {id: n, recognizer: number}")
        .replace("Booked for {{ when }}.", "{{ guests }} on {{ when }}.")
    )
    assert engine.ask("book May 3 2027").text == "How many?"
    assert engine.ask("two on November 31").text == "When?"
    assert engine.ask("May 4 2027").text == "2 on 2027-05-04."


def test_what_is_remembered_stays_for_the_next_question(bot: Callable[..., Engine]) -> None:
    check_dialog(
        bot(TABLES),
        """
        > book May 3 2027
        book when=2027-05-03
        > the menu on November 31
        menu
        remembers: menu, book, when=2027-05-03
        > the menu
        menu when=2027-05-03
        """,
    )


def test_the_explanation_says_what_hides_it(bot: Callable[..., Engine]) -> None:
    engine = bot(TABLES)
    engine.ask("book May 3 2027")
    explained = str(engine.ask("book November 31", explain=True).explanation)
    assert (
        "not offered: when=2027-05-03, because the sentence has another of group when" in explained
    )
