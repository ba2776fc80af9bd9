"""What the cues of a sentence are for its entities."""

from __future__ import annotations

import pytest

from tests.support.dialogs import check_dialog

SECOND = {
    "trains to Bonn": "the second one",
    "поезда в Бонн": "второй",
    "Züge nach Bonn": "den zweiten",
}


@pytest.mark.parametrize(
    ("question", "answer", "understood"),
    [
        ("trains to Bonn", "this one", "buy? line=Heron, asks for seats"),
        ("trains to Bonn", "another one", "find city=Bonn"),
        ("Züge nach Bonn", "diesen einen", "buy? line=Heron, asks for seats"),
        ("Züge nach Bonn", "einen anderen", "find city=Bonn"),
        ("trains to Bonn", "for one", "buy line=Heron seats=1"),
        ("поезда в Бонн", "один", "buy line=Heron seats=1"),
        ("Züge nach Bonn", "einen", "buy line=Heron seats=1"),
    ],
)
def test_one_is_a_number_unless_it_stands_for_a_noun(trains, question, answer, understood):
    check_dialog(
        trains(),
        f"""
        > {question}
        find city=Bonn
        > {SECOND[question]}
        buy? line=Heron, asks for seats
        > {answer}
        {understood}
        """,
    )
