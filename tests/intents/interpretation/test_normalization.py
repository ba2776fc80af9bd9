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


MEAL = """
id: meal
entities: [boolean]
dialog_acts: true
elements:
  - {id: book, synonyms: [book a flight]}
  - {id: town, id_synonym: false, values: [Rome, Oslo]}
  - {id: thanks}
intents:
  - id: book
    slots: {book: book, town: {ask: Where to?}, meal: {element: boolean, ask: A meal?}}
    response: "{{ town }} {{ meal }}"
  - {id: thanks, slots: {thanks: thanks}, response: You're welcome.}
fallback: Sorry?
"""


@pytest.mark.parametrize(
    "question",
    [
        "I'd like to book a flight to Rome",
        "okay, book a flight to Rome",
        "yes, I want to book a flight to Rome",
        "book a flight to Rome, please",
    ],
)
def test_courtesy_answers_no_question_that_the_bot_has_not_asked(question):
    engine = Engine(parse_model(MEAL))
    assert engine.ask(question).text == "A meal?"
    assert engine.ask("no").text == "Rome false"


def test_a_yes_or_a_no_changes_no_answer_once_it_is_given():
    engine = Engine(parse_model(MEAL))
    for text in ("book a flight", "okay, to Rome", "yes, please"):
        engine.ask(text)
    assert engine.ask("no").status == "rejected"
    assert engine.ask("okay").status == "rejected"
    assert engine.ask("no, to Oslo").text == "Oslo true"


def test_a_courteous_no_is_no_thanks():
    engine = Engine(parse_model(MEAL))
    engine.ask("book a flight to Rome")
    assert engine.ask("no, thanks").text == "Rome false"
    assert engine.ask("no thanks").text != "You're welcome."
    assert engine.ask("thanks").text == "You're welcome."


MOOD = """
id: mood
dialog_acts: true
elements:
  - {id: glad, synonyms: [great, perfect, feeling good]}
  - {id: bad, synonyms: [sad, not good, terrible day]}
intents:
  - {id: glad, slots: {glad: glad}, response: Carry on!}
  - {id: bad, slots: {bad: bad}, response: Cheer up!}
fallback: Sorry?
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("I'm great", "Carry on!"),
        ("I'm not great", "Sorry?"),
        ("not so perfect", "Sorry?"),
        ("I'm not feeling good", "Sorry?"),
        ("I'm not good", "Cheer up!"),
        ("I'm not sad", "Sorry?"),
        ("that was a terrible day", "Cheer up!"),
    ],
)
def test_a_word_of_praise_that_the_model_has_can_be_negated(question, answer):
    assert Engine(parse_model(MOOD)).ask(question).text == answer
