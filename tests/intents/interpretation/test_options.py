"""Answers by their place in the question of the bot: "the second one" after "Anna or Ben?"."""

from __future__ import annotations

import pytest

from anaphora import Engine, parse_model

MODEL = """
id: salon
language: [en, de]
entities: [number]
dialog_acts: true
elements:
  - {id: book, id_synonym: false, synonyms: {en: [book], de: [buche]}}
  - id: who
    id_synonym: false
    values: [Anna, Ben, Clara]
  - id: size
    id_synonym: false
    values: {short: {de: [kurz]}, long: {de: [lang]}}
intents:
  - id: book
    slots:
      book: book
      who: {ask: {en: "With Anna, Ben or Clara?", de: "Bei Anna, Ben oder Clara?"}}
      size: {ask: {en: "Short or long?", de: "Kurz oder lang?"}}
      count: {element: number, ask: {en: "How many?", de: "Wie viele?"}}
    response: "{{ count }} × {{ size }} with {{ who }}"
"""


@pytest.fixture
def engine():
    return Engine(parse_model(MODEL))


@pytest.mark.parametrize(
    ("answer", "who"),
    [
        ("the first one", "Anna"),
        ("the second one, please", "Ben"),
        ("I'll take the third", "Clara"),
        ("no, the last one", "Clara"),
        ("anyone", "Anna"),
        ("Clara, not the second one", "Clara"),
    ],
)
def test_an_option_is_chosen_by_its_place_in_the_question(engine, answer, who):
    engine.ask("book")
    reply = engine.ask(answer)
    assert reply.slots["who"].value == who
    assert reply.prompt == "Short or long?"
    assert "count" not in reply.slots or not reply.slots["count"].value


def test_it_is_so_in_other_languages(engine):
    engine.ask("buche", language="de")
    assert engine.ask("die zweite", language="de").slots["who"].value == "Ben"


def test_of_two_not_the_first_is_the_second(engine):
    engine.ask("book")
    engine.ask("Ben")
    assert engine.ask("not the first one").slots["size"].value == "long"


def test_a_place_goes_with_what_else_the_answer_says(engine):
    engine.ask("book")
    engine.ask("Ben")
    assert engine.ask("the last one, 4 of them").text == "4 × long with Ben"


def test_not_the_first_of_three_chooses_nothing(engine):
    engine.ask("book")
    reply = engine.ask("not the first one")
    assert reply.prompt == "With Anna, Ben or Clara?"


def test_where_the_question_names_no_options_there_are_none(engine):
    for answer in ("book", "Ben", "short"):
        reply = engine.ask(answer)
    assert reply.prompt == "How many?"
    assert engine.ask("2").text == "2 × short with Ben"


SURE = """
id: sure
entities: [boolean]
dialog_acts: true
elements: [{id: book}, {id: who, id_synonym: false, values: [Anna, Ben]}]
intents:
  - id: book
    slots: {book: book, insured: {element: boolean, ask: "Insured?"}, who: {ask: "With whom?"}}
    response: "{{ who }}, {{ insured }}."
"""


@pytest.mark.parametrize(("answer", "insured"), [("yes", "true"), ("no", "false")])
def test_a_yes_or_no_that_a_slot_asks_for_fills_it(answer, insured):
    engine = Engine(parse_model(SURE))
    engine.ask("book")
    reply = engine.ask(answer)
    assert (reply.prompt, reply.slots["insured"].value) == ("With whom?", insured)
