"""What the cues of a sentence are for its entities."""

from __future__ import annotations

import pytest

from anaphora import Engine, parse_model
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


SALON = """
id: salon
dialog_acts: true
entities: [date]
elements:
  - id: service
    values: {cut: [haircut], massage: []}
  - {id: stylist, values: [Anna, Dave]}
intents:
  - id: book
    slots:
      service: {ask: Which service?}
      stylist: {optional: true}
    response: "{{ service }} {{ stylist }}"
"""


@pytest.mark.parametrize(
    ("questions", "answer"),
    [
        (["a haircut with the stylist Anna"], "cut Anna"),
        (["a haircut", "stylist Anna"], "cut Anna"),
        (["a haircut with Dave", "no, the stylist is Anna"], "cut Anna"),
    ],
)
def test_the_name_of_an_element_beside_a_value_says_no_more(questions, answer):
    engine = Engine(parse_model(SALON))
    assert [engine.ask(text).text.strip() for text in questions][-1] == answer


@pytest.mark.parametrize("text", ["no stylist", "without a stylist", "forget the stylist"])
def test_the_denied_name_of_an_element_takes_back_its_value(text):
    engine = Engine(parse_model(SALON))
    engine.ask("a haircut with Dave")
    assert engine.ask(text).text.strip() == "cut"
    assert engine.ask("with Anna").text.strip() == "cut Anna"
