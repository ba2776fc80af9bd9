"""Another question in the middle of a form, and back."""

from __future__ import annotations

import pytest

from tests.support.dialog_models import SALON
from tests.support.dialogs import check_dialog, texts_of


@pytest.mark.parametrize(
    ("question", "other", "prompt", "answer"),
    [
        (
            "an appointment for a haircut with Vera",
            "what are the opening hours?",
            "When?",
            "tomorrow",
        ),
        ("запишите меня на стрижку к Вере", "какие часы работы?", "Когда?", "завтра"),
        ("Termin: Haarschnitt bei Vera", "wie sind die Öffnungszeiten?", "Wann?", "morgen"),
        ("una cita, corte con Vera", "¿cuál es el horario?", "¿Cuándo?", "mañana"),
    ],
)
def test_the_bot_comes_back_to_what_it_asked(bot, question, other, prompt, answer):
    check_dialog(
        bot(SALON),
        f"""
        > {question}
        book? service=cut master=Vera, asks for day
        says: {prompt}
        > {other}
        hours
        says: Nine to five. {prompt}
        > {answer}
        book? service=cut master=Vera day=2026-01-06
        """,
    )


def test_the_bot_comes_back_to_an_optional_prompt_and_to_a_confirmation(bot):
    check_dialog(
        bot(SALON),
        """
        > an appointment for a haircut with Vera tomorrow
        book? service=cut master=Vera day=2026-01-06
        says: With a wash?
        > opening hours?
        hours
        says: Nine to five. With a wash?
        > no
        book? service=cut master=Vera day=2026-01-06
        says: cut, Vera, tomorrow?
        > opening hours?
        hours
        says: Nine to five. cut, Vera, tomorrow?
        > yes
        book service=cut master=Vera day=2026-01-06
        """,
    )


TABLES = """
id: tables
language: [en, de]
entities: [date, number]
dialog_acts: true
conversation: {timeout: 30m, depth: 8}
elements:
  - id: book
    synonyms: {en: ["{book|reserve} a table"], de: ["{buche|reserviere} einen Tisch"]}
  - {id: weather, synonyms: {en: ["{what is|what's} the weather"], de: ["wie wird das Wetter"]}}
  - {id: fare, synonyms: {en: [how much is a taxi], de: [was kostet ein Taxi]}}
  - {id: restaurant, values: [Kiku, Sora]}
  - {id: city, values: [Bonn, Jena]}
intents:
  - id: book
    slots:
      book: book
      restaurant: {ask: {en: "Where?", de: "Wo?"}}
      guests: {element: number, ask: {en: "For how many?", de: "Für wie viele?"}}
      date: {ask: {en: "When?", de: "Wann?"}}
    response: "{{ restaurant }} for {{ guests }}."
  - id: weather
    slots:
      weather: weather
      city: {ask: {en: "In which city?", de: "In welcher Stadt?"}}
      date: {optional: true}
    response: "Sun in {{ city }}."
  - id: fare
    slots: {fare: fare, city: {ask: {en: "Where to?", de: "Wohin?"}}}
    response: "Twenty."
"""


@pytest.mark.parametrize(
    ("question", "other", "answer", "prompts", "rest"),
    [
        (
            "book a table at Kiku",
            "what's the weather?",
            "Bonn",
            ["For how many?", "In which city?", "Sun in Bonn. For how many?", "When?"],
            ["three", "tomorrow"],
        ),
        (
            "buche einen Tisch im Kiku",
            "wie wird das Wetter?",
            "in Bonn",
            ["Für wie viele?", "In welcher Stadt?", "Sun in Bonn. Für wie viele?", "Wann?"],
            ["drei", "morgen"],
        ),
    ],
)
def test_the_bot_comes_back_after_a_question_that_needed_an_answer_itself(
    bot, question, other, answer, prompts, rest
):
    said = texts_of(bot(TABLES), question, other, answer, *rest)
    assert said == [*prompts, "Kiku for 3."]


@pytest.mark.parametrize(
    ("question", "other", "no", "prompt", "said"),
    [
        (
            "book a table",
            "what's the weather?",
            "never mind",
            "Where?",
            "All right, not that then.",
        ),
        ("buche einen Tisch", "wie wird das Wetter?", "vergiss es", "Wo?", "Gut, dann nicht."),
    ],
)
def test_never_mind_gives_up_the_question_in_between_and_then_the_first(
    bot, question, other, no, prompt, said
):
    texts = texts_of(bot(TABLES), question, other, no, no)
    assert texts[2:] == [f"{said} {prompt}", said]


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("book a table at Kiku for three", "what's the weather tomorrow?"),
        ("buche einen Tisch im Kiku, drei Gäste", "wie wird das Wetter morgen?"),
    ],
)
def test_the_day_of_another_question_is_no_answer(bot, question, other):
    engine = bot(TABLES)
    engine.ask(question)
    assert engine.ask(other).missing == ("city",)
    assert engine.ask("Jena").slots["date"].value == "2026-01-06"
    assert engine.conversation().pending.missing == ("date",)


@pytest.mark.parametrize(
    ("weather", "question", "other"),
    [
        ("what's the weather? Bonn", "book a table at Kiku for 3", "what's the weather tomorrow?"),
        (
            "wie wird das Wetter? Bonn",
            "reserviere einen Tisch im Kiku für 3",
            "wie wird das Wetter morgen?",
        ),
    ],
)
def test_nor_is_that_of_one_that_the_memory_completes(bot, weather, question, other):
    engine = bot(TABLES)
    texts_of(engine, *weather.split("? "), question)
    reply = engine.ask(other)
    assert (reply.intent, reply.slots["city"].value) == ("weather", "Bonn")
    assert engine.conversation().pending.missing == ("date",)


def test_an_answer_to_the_first_question_goes_on_with_that(bot):
    check_dialog(
        bot(TABLES),
        """
        > book a table at Kiku
        book? restaurant=Kiku, asks for guests, date
        > what's the weather?
        weather?, asks for city
        > for three
        book? restaurant=Kiku guests=3, asks for date
        says: When?
        """,
    )


def test_of_three_questions_the_oldest_is_dropped(bot):
    said = ["book a table", "what's the weather?", "how much is a taxi?", "Bonn", "Jena", "Kiku"]
    assert texts_of(bot(TABLES), *said)[2:5] == [
        "Where to?",
        "Twenty. In which city?",
        "Sun in Jena.",
    ]


def test_without_dialog_acts_the_other_question_drops_the_first(bot):
    engine = bot(TABLES.replace("dialog_acts: true", ""))
    assert texts_of(engine, "book a table", "what's the weather?", "Bonn")[2] == "Sun in Bonn."
    assert engine.conversation().pending is None


def test_a_question_in_between_does_not_make_the_first_wait_longer(bot, clock):
    engine = bot(TABLES)
    engine.ask("book a table")
    clock.pass_time(minutes=20)
    engine.ask("what's the weather?")
    clock.pass_time(minutes=20)
    assert engine.ask("Bonn").text == "Sun in Bonn."
