"""How long something lasts may be changed and corrected, and its time without that."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)

ROOMS = """
id: rooms
language: {language}
dialog_acts: true
entities: {entities}
elements: [{{id: book, synonyms: [book, buche]}}]
intents:
  - id: book
    slots: {{book: book, date: {{ask: When?}}}}
    response: "{{{{ date }}}}"
"""


def ask(language, entities, *questions):
    model = parse_model(ROOMS.format(language=language, entities=entities))
    engine = Engine(model, clock=lambda: WEDNESDAY)
    return [engine.ask(text).text for text in questions][-1]


@pytest.mark.parametrize("entities", ["[date]", "[date, number]", "[date, duration]"])
@pytest.mark.parametrize(
    ("language", "first", "then", "answer"),
    [
        (
            "en",
            "book tomorrow at 9 for two hours",
            "no, three",
            "2026-11-19T09:00/2026-11-19T12:00",
        ),
        (
            "en",
            "book tomorrow at 9 for two hours",
            "no, three hours",
            "2026-11-19T09:00/2026-11-19T12:00",
        ),
        ("en", "book tomorrow at 9 for two hours", "no, 10", "2026-11-19T10:00/2026-11-19T12:00"),
        ("en", "book tomorrow at 9 for two hours", "at 10", "2026-11-19T10:00/2026-11-19T12:00"),
        ("en", "book on Friday for three days", "no, four", "2026-11-20/2026-11-23"),
        (
            "de",
            "buche morgen um 9 für zwei Stunden",
            "nein, drei Stunden",
            "2026-11-19T09:00/2026-11-19T12:00",
        ),
    ],
)
def test_a_length_or_the_time_of_it_is_replaced(entities, language, first, then, answer):
    assert ask(language, entities, first, then) == answer


@pytest.mark.parametrize(
    ("language", "questions", "answer"),
    [
        ("en", ["book from Monday to Wednesday", "one day longer"], "2026-11-23/2026-11-26"),
        ("en", ["book from Monday to Wednesday", "a day shorter"], "2026-11-23/2026-11-24"),
        ("de", ["buche von Montag bis Mittwoch", "einen Tag länger"], "2026-11-23/2026-11-26"),
        (
            "en",
            ["book tomorrow from 2pm to 4pm", "an hour longer", "no, two"],
            "2026-11-19T14:00/2026-11-19T18:00",
        ),
        ("en", ["book tomorrow at 5 pm", "an hour later", "no, two"], "2026-11-19T19:00"),
        (
            "en",
            ["book tomorrow from 2pm to 4pm", "starting an hour earlier"],
            "2026-11-19T13:00/2026-11-19T15:00",
        ),
    ],
)
def test_a_range_is_longer_and_a_bare_number_corrects_by_how_much(language, questions, answer):
    assert ask(language, "[date, duration]", *questions) == answer


@pytest.mark.parametrize("entities", ["[date]", "[date, number]", "[date, duration]"])
@pytest.mark.parametrize(
    ("language", "first", "then"),
    [
        ("en", "book tomorrow at 9", "for two hours"),
        ("de", "buche morgen um 9", "für zwei Stunden"),
    ],
)
def test_a_time_gets_its_length_later(entities, language, first, then):
    assert ask(language, entities, first, then) == "2026-11-19T09:00/2026-11-19T11:00"
    corrected = ask(
        language, entities, first, then, {"en": "no, three", "de": "nein, drei"}[language]
    )
    assert corrected == "2026-11-19T09:00/2026-11-19T12:00"


def test_a_length_that_an_intent_takes_is_no_part_of_the_time():
    model = parse_model(
        ROOMS.format(language="en", entities="[date, duration]").replace(
            "date: {ask: When?}", "date: {ask: When?}, duration: {optional: true}"
        )
    )
    engine = Engine(model, clock=lambda: WEDNESDAY)
    engine.ask("book tomorrow at 9")
    slots = engine.ask("for two hours").slots
    assert slots["date"].value == "2026-11-19T09:00"
    assert slots["duration"].value == "PT2H"
