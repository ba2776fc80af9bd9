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


class TestDependingValues:
    """A value that is refused because of another one stays for being combined."""

    MODEL = """
id: tables
language: [en, ru, de]
entities: [date]
dialog_acts: true
elements:
  - {id: table, synonyms: {en: [a table], ru: [столик], de: [einen Tisch]}}
  - id: guests
    values: {2: {en: [for two], ru: [на двоих], de: [für zwei]}, 3: {en: [for three]}}
  - id: room
    values: {cellar: {ru: [подвал], de: [Keller]}, hall: {ru: [зал], de: [Saal]}}
  - {id: menu, synonyms: {en: [the menu], ru: [меню], de: [Karte]}}
intents:
  - id: book
    slots:
      table: table
      room: {ask: Which room?}
      guests: {ask: How many?}
      date: {ask: When?, validate: {check: table_checks#is_open, text: Closed.}}
    confirm: "{{ room }} for {{ guests }}, {{ date | date('EEEE') }} {{ date | time('H:mm') }}?"
    response: "Booked: {{ room }}."
  - {id: menu, slots: {menu: menu}, response: Fish.}
"""

    @pytest.fixture(autouse=True)
    def _closed_days(self, monkeypatch):
        """The cellar is closed on Mondays."""

        def is_open(date, question):
            day = datetime.fromisoformat(date.meta["start"])
            room = question.slots.get("room")
            is_closed = room is not None and room.value == "cellar" and day.weekday() == 0
            return not is_closed or f"{question.language}: closed on Mondays"

        module = ModuleType("table_checks")
        module.is_open = is_open
        monkeypatch.setitem(sys.modules, "table_checks", module)

    def said(self, *questions, **options):
        text = options.pop("text", self.MODEL)
        return [one.text for one in talk(*questions, text=text, **options)]

    ASKED = "a table for two in the cellar on Monday at 7 pm"
    REFUSED = "en: closed on Mondays"

    @pytest.mark.parametrize(
        ("language", "asked", "answer", "question"),
        [
            ("en", ASKED, "on Tuesday", "cellar for 2, Tuesday 19:00?"),
            ("en", ASKED, "the hall", "hall for 2, Monday 19:00?"),
            (
                "ru",
                "столик на двоих в подвале в понедельник в 19:00",
                "во вторник",
                "cellar for 2, вторник 19:00?",
            ),
            (
                "ru",
                "столик на двоих в подвале в понедельник в 19:00",
                "тогда в зале",
                "hall for 2, понедельник 19:00?",
            ),
            (
                "de",
                "einen Tisch für zwei im Keller am Montag um 19 Uhr",
                "am Dienstag",
                "cellar for 2, Dienstag 19:00?",
            ),
            (
                "de",
                "einen Tisch für zwei im Keller am Montag um 19 Uhr",
                "dann im Saal",
                "hall for 2, Montag 19:00?",
            ),
        ],
    )
    def test_another_value_keeps_the_rest(self, language, asked, answer, question):
        refused, asked_again = self.said(asked, answer, language=language)
        assert refused == f"{language}: closed on Mondays"
        assert asked_again == question

    def test_whichever_value_is_named_last(self):
        *_, refused, asked = self.said("a table on Monday at 7 pm", "the cellar", "the hall")
        assert refused == self.REFUSED
        assert asked == "How many?"

    def test_a_remembered_value_is_checked_as_well(self):
        booked = ["a table for two in the hall on Monday at 7 pm", "yes"]
        *_, refused, asked = self.said(*booked, "a table in the cellar", "on Friday")
        assert refused == self.REFUSED
        assert asked == "cellar for 2, Friday 19:00?"

    @pytest.mark.parametrize("answer", ["what?", "yes", "for three"])
    def test_it_is_refused_until_it_changes(self, answer):
        _, again, asked = self.said(self.ASKED, answer, "on Tuesday")
        assert again == self.REFUSED
        assert asked.endswith("Tuesday 19:00?")

    def test_a_question_in_between_is_answered(self):
        _, between, asked = self.said(self.ASKED, "the menu", "on Tuesday")
        assert between == f"Fish. {self.REFUSED}"
        assert asked == "cellar for 2, Tuesday 19:00?"

    def test_a_no_drops_the_question(self):
        _, dropped, rejected = talk(self.ASKED, "no", "yes", text=self.MODEL)
        assert dropped.reason == "the offer was declined"
        assert rejected.status == "rejected"

    def test_a_correction_that_is_refused_replaces_the_value(self):
        asked = "a table for two in the cellar on Tuesday at 7 pm"
        *_, refused, again = self.said(asked, "no, on Monday", "the hall")
        assert refused == self.REFUSED
        assert again == "hall for 2, Monday 19:00?"

    def test_an_optional_value_may_be_left_out(self):
        text = self.MODEL.replace("date: {ask: When?,", "date: {optional: true,")
        text = text.replace(", {{ date | date('EEEE') }} {{ date | time('H:mm') }}", "")
        assert self.said(self.ASKED, "no", text=text)[-1] == "cellar for 2?"

    def test_a_check_that_needs_the_other_slots(self, monkeypatch):
        def is_open(date, question):
            return question.slots["room"].value == "hall" or "closed"

        monkeypatch.setattr(sys.modules["table_checks"], "is_open", is_open)
        assert self.said(self.ASKED, "the hall") == ["closed", "hall for 2, Monday 19:00?"]


class TestRefusedCorrections:
    """A correction that is refused leaves the confirmation to which it was said."""

    MODEL = """
id: van
language: [en, ru, de]
entities: [number]
dialog_acts: true
elements:
  - id: move
    topic: true
    synonyms: {en: [book a van], ru: [закажи фургон], de: [buche einen Wagen]}
  - {id: town, values: {York: {ru: [Йорк]}, Hull: {ru: [Халл]}}}
  - {id: fee, synonyms: [the fee]}
  - id: movers
    recognizer: number
    validate: {check: "meta_ent('value') <= 5", text: "At most five, not {{ value }}."}
intents:
  - id: move
    slots: {move: move, town: {ask: Where to?}, movers: {ask: How many?}}
    confirm: "{{ town }}, {{ movers }}?"
    response: "Done: {{ town }}, {{ movers }}"
  - {id: fee, slots: {fee: fee}, response: "$5."}
"""

    @pytest.mark.parametrize(
        ("language", "asked", "correction", "yes"),
        [
            ("en", "book a van to York with 2", "make it 9", "yes"),
            ("ru", "закажи фургон, Йорк, 2", "нет, 9", "да"),
            ("de", "buche einen Wagen nach York mit 2", "nein, 9", "ja"),
        ],
    )
    def test_a_yes_asks_again(self, language, asked, correction, yes):
        replies = talk(asked, correction, yes, yes, text=self.MODEL, language=language)
        assert [one.text for one in replies] == [
            "York, 2?",
            "At most five, not 9.",
            "York, 2?",
            "Done: York, 2",
        ]

    @pytest.mark.parametrize(
        ("answers", "text"),
        [
            (["4"], "York, 4?"),
            (["okay, 4 then", "yes"], "Done: York, 4"),
            (["what?"], "York, 2?"),
            (["what?", "yes"], "Done: York, 2"),
            (["the fee"], "$5. York, 2?"),
            (["the fee", "yes"], "Done: York, 2"),
            (["Hull"], "Hull, 2?"),
        ],
    )
    def test_other_answers(self, answers, text):
        *_, last = talk("book a van to York with 2", "make it 9", *answers, text=self.MODEL)
        assert last.text == text

    def test_a_no_drops_it(self):
        _, _, dropped, rejected = talk(
            "book a van to York with 2", "make it 9", "no", "yes", text=self.MODEL
        )
        assert dropped.reason == "the offer was declined"
        assert rejected.status == "rejected"

    def test_it_gives_up_in_the_end(self):
        *_, last = talk("book a van to York with 2", "make it 9", *["hm"] * 5, text=self.MODEL)
        assert last.status == "rejected"


def test_an_explanation_says_what_is_refused():
    engine = Engine(parse_model(MODEL))
    explanation = engine.explain("a table for 20 on monday")
    assert explanation.status == "incomplete"
    assert explanation.reason == "guests=20 is not accepted for guests"


def test_a_function_sees_whether_an_answered_question_is_corrected(monkeypatch):
    seen = []

    def check(entity, question):
        seen.append(question.correction)
        return True

    module = ModuleType("correction_checks")
    module.check = check
    monkeypatch.setitem(sys.modules, "correction_checks", module)
    text = """
id: salon
dialog_acts: true
elements:
  - {id: service, id_synonym: false, values: [shave, haircut]}
intents:
  - id: book
    slots: {service: {validate: {check: correction_checks#check, text: No.}}}
    response: "{{ service }}"
"""
    talk("a shave", "no, a haircut", "and a shave", text=text)
    assert seen == [False, True, False]
