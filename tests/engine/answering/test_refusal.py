"""The bot refuses what a validator does not accept, and waits for something else."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from types import ModuleType

import pytest

from anaphora import Engine, parse_model
from anaphora.errors import HandlerError

MONDAY = datetime(2026, 11, 23, 15, tzinfo=UTC)

MODEL = """
id: table
language: [en, de]
elements:
  - {id: table, synonyms: {en: [table], de: [Tisch]}}
  - id: guests
    recognizer: number
    validate:
      check: "@n = meta_ent('value')  @n != null && @n <= 12"
      text: {en: "We have no table for {{ value }}.", de: "Für {{ value }} haben wir keinen."}
  - {id: room, values: [garden, cellar, hall]}
  - {id: day, values: [monday, sunday]}
intents:
  - id: book
    slots:
      table: table
      guests: {ask: "How many are you{{ ' on ' + day if day }}?"}
      day: {ask: Which day?}
      room:
        optional: true
        validate: {check: "ent_value() != 'cellar'", text: "The {{ value }} is closed."}
responses:
  book: "{{ guests }} on {{ day }}{{ ' in the ' + room if room }}"
"""


def talk(*questions, text=MODEL, **options):
    engine = Engine(parse_model(text))
    return [
        engine.ask(one, at=MONDAY + timedelta(minutes=number), **options)
        for number, one in enumerate(questions)
    ]


def test_it_says_why_and_takes_another_value():
    refused, answered = talk("a table for 20 on monday", "for 8")
    assert refused.status == "incomplete"
    assert refused.text == "We have no table for 20."
    assert refused.reason == "guests=20 is not accepted for guests"
    assert refused.missing == ("guests",)
    assert refused.slots["day"].value == "monday"
    assert "guests" not in refused.slots
    assert answered.text == "8 on monday"


def test_what_is_refused_is_not_remembered():
    (refused,) = talk("a table for 20 on monday")
    assert refused.memory == ()


def test_it_refuses_as_often_as_needed():
    replies = talk("a table for 20 on monday", "13", "what?", "12")
    assert [one.text for one in replies] == [
        "We have no table for 20.",
        "We have no table for 13.",
        "How many are you on monday?",
        "12 on monday",
    ]


def test_an_incomplete_question_is_refused_before_it_is_completed():
    refused, day, answered = talk("a table for 20", "for 8", "on monday")
    assert refused.text == "We have no table for 20."
    assert refused.missing == ("guests", "day")
    assert day.text == "Which day?"
    assert answered.text == "8 on monday"


def test_an_answer_to_a_prompt_is_refused():
    *_, refused, answered = talk("a table on monday", "20", "8")
    assert refused.text == "We have no table for 20."
    assert answered.text == "8 on monday"


def test_an_optional_value_without_a_prompt_is_refused_and_may_be_named_anew():
    refused, answered = talk("a table for 8 on monday in the cellar", "then the garden")
    assert refused.text == "The cellar is closed."
    assert refused.missing == ("room",)
    assert answered.text == "8 on monday in the garden"


def test_or_left_out():
    *_, answered = talk("a table for 8 on monday in the cellar", "no")
    assert answered.text == "8 on monday"


def test_a_sentence_that_is_no_answer_is_rejected_if_nothing_asks_for_the_value():
    *_, rejected, answered = talk(
        "a table for 8 on monday in the cellar", "elephants", "in the hall"
    )
    assert rejected.status == "rejected"
    assert answered.text == "8 on monday in the hall"


def test_all_that_is_refused_is_left_out():
    refused, answered = talk("a table for 20 on monday in the cellar", "8")
    assert refused.text == "We have no table for 20."
    assert refused.missing == ("guests", "room")
    assert answered.text == "8 on monday"


def test_a_value_is_refused_before_the_bot_asks_about_unused_words():
    text = MODEL + "unused: ask\n"
    refused, asked, answered = talk("a table for 20 on monday, vegan", "8", "yes", text=text)
    assert refused.text == "We have no table for 20."
    assert "vegan" in asked.text
    assert answered.text == "8 on monday"


def test_it_speaks_the_language_of_the_question():
    (refused,) = talk("ein Tisch für 20", language="de")
    assert refused.text == "Für 20 haben wir keinen."


def test_a_valid_value_stays_if_its_correction_is_refused():
    text = MODEL + "dialog_acts: true\n"
    _, refused, answered = talk("a table for 8 on monday", "no, for 20", "for 10", text=text)
    assert refused.text == "We have no table for 20."
    assert answered.text == "10 on monday"
    _, _, kept = talk("a table for 8", "for 20", "on sunday", text=text)
    assert kept.text == "8 on sunday"


def test_what_waits_for_a_yes_is_checked_before():
    text = MODEL + "confirm: {book: 'For {{ guests }}?'}\n"
    refused, asked, answered = talk("a table for 20 on monday", "8", "yes", text=text)
    assert refused.text == "We have no table for 20."
    assert asked.text == "For 8?"
    assert answered.text == "8 on monday"


def test_an_accepted_offer_is_checked_as_well():
    text = MODEL.replace("elements:\n", "elements:\n  - {id: find}\n").replace(
        "intents:\n",
        "offers: {find: {entities: {room: cellar}, then: book}}\n"
        "intents:\n  - {id: find, slots: {find: find}}\n",
    )
    _, refused = talk("find", "yes", text=text)
    assert refused.text == "The cellar is closed."
    assert [entity.element for entity in refused.memory] == ["find"]


class TestFunctions:
    @pytest.fixture
    def functions(self, monkeypatch):
        module = ModuleType("table_checks")
        monkeypatch.setitem(sys.modules, "table_checks", module)
        return module

    TEXT = MODEL.replace("\"ent_value() != 'cellar'\"", "table_checks#is_open")

    def test_a_function_may_say_why(self, functions):
        functions.is_open = lambda room: room.value == "hall" or f"No {{{room.value}}} today."
        refused, answered = talk(
            "a table for 8 on monday in the cellar", "the hall", text=self.TEXT
        )
        assert refused.text == "No {cellar} today."
        assert answered.text == "8 on monday in the hall"

    def test_its_failure_is_an_error_of_the_bot(self, functions):
        functions.is_open = lambda room: 1 / 0
        with pytest.raises(HandlerError, match=r"table_checks#is_open.*failed: ZeroDivisionError"):
            talk("a table for 8 on monday in the hall", text=self.TEXT)


def test_an_explanation_says_what_is_refused():
    engine = Engine(parse_model(MODEL))
    explanation = engine.explain("a table for 20 on monday")
    assert explanation.status == "incomplete"
    assert explanation.reason == "guests=20 is not accepted for guests"
