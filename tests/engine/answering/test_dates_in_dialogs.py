"""Dates in dialogs: beside a duration, and relative to one that was said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)
MODEL = """
id: bot
language: [en, ru, de]
entities: [date, duration, number]
dialog_acts: true
elements:
  - {id: rent, synonyms: {en: [rent a car], ru: [нужна машина], de: [brauche ein Auto]}}
  - {id: meet, synonyms: {en: [meet], ru: [встреча], de: [Treffen]}}
  - {id: order, synonyms: {en: [order], ru: [закажи], de: [bestelle]}}
intents:
  - {id: rent, slots: {rent: rent, date: {ask: From when?}, duration: {ask: For how long?}}}
  - {id: meet, slots: {meet: meet, date: {ask: When?}}}
  - id: order
    slots: {order: order, seats: {element: number, ask: For how many?}, date: {ask: When?}}
    confirm: OK?
"""
ENGINE = Engine(parse_model(MODEL))


def talk(*questions: str, language: str = "en"):
    user = "/".join(questions)
    for text in questions:
        reply = ENGINE.ask(text, user=user, at=MONDAY, language=language)
    taken = ("seats", "date", "duration")
    return {name: slot.value for name, slot in reply.slots.items() if name in taken}


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        ("en", ["rent a car from Friday for 3 days"]),
        ("en", ["rent a car for 3 days from Friday"]),
        ("en", ["rent a car", "from Friday for 3 days"]),
        ("en", ["rent a car tomorrow for a week", "rent a car from Friday for 3 days"]),
        ("ru", ["нужна машина с пятницы на 3 дня"]),
        ("de", ["ich brauche ein Auto ab Freitag für 3 Tage"]),
    ],
)
def test_a_date_and_a_duration_fill_a_slot_each(language, questions):
    assert talk(*questions, language=language) == {"date": "2026-11-27", "duration": "P3D"}


def test_an_intent_without_a_duration_takes_the_whole_range():
    assert talk("meet from Friday for 3 days") == {"date": "2026-11-27/2026-11-29"}


def test_three_days_after_a_date_are_one_date():
    assert talk("meet three days after Friday") == {"date": "2026-11-30"}


@pytest.mark.parametrize(
    ("language", "first", "answer", "day"),
    [
        ("en", "order two tomorrow at 8 pm", "the day after", "25"),
        ("en", "order two tomorrow at 8 pm", "at the same time on Friday", "27"),
        ("ru", "закажи два завтра в 20:00", "на день позже", "25"),
        ("ru", "закажи два завтра в 20:00", "в то же время в пятницу", "27"),
        ("ru", "закажи два завтра в 20:00", "накануне", "23"),
        ("de", "bestelle zwei morgen um 20 Uhr", "am Tag danach", "25"),
        ("de", "bestelle zwei morgen um 20 Uhr", "am Freitag um die gleiche Zeit", "27"),
    ],
)
def test_another_day_keeps_the_time(language, first, answer, day):
    said = talk(first, answer, language=language)
    assert said == {"seats": "2", "date": f"2026-11-{day}T20:00"}


TIMED = """
id: timed
language: [en, ru, de]
entities: [date, number]
dialog_acts: true
elements:
  - {id: book, synonyms: {en: [book], ru: [запиши], de: [buche]}}
intents:
  - id: book
    slots:
      book: book
      guests: {element: number, ask: For how many?}
      date:
        where: meta_ent('grain') == 'hour' || meta_ent('grain') == 'minute'
        ask: "{% if day %}At what time?{% else %}When?{% endif %}"
      day: {element: date, optional: true}
    confirm: "{{ guests }}, {{ slots.date.value }}?"
"""


@pytest.mark.parametrize(
    ("language", "questions", "text"),
    [
        ("en", ["book two", "Friday"], "At what time?"),
        ("en", ["book two", "Friday", "at 10"], "2, 2026-11-27T10:00?"),
        ("en", ["book two", "Friday", "10"], "2, 2026-11-27T10:00?"),
        ("en", ["book two", "in the evening", "tomorrow", "8 pm"], "2, 2026-11-24T20:00?"),
        ("en", ["book two on Friday at 8 pm", "next week"], "At what time?"),
        ("en", ["book two on Friday at 8 pm", "next Friday"], "2, 2026-12-04T20:00?"),
        ("en", ["book two on the 12th at 8", "in May"], "2, 2027-05-12T08:00?"),
        ("ru", ["запиши двоих на пятницу", "в десять"], "2, 2026-11-27T10:00?"),
        ("ru", ["запиши двоих на пятницу в 20:00", "на следующей неделе"], "At what time?"),
        ("de", ["buche zwei am Freitag", "um 10"], "2, 2026-11-27T10:00?"),
    ],
)
def test_a_slot_that_takes_a_time_keeps_the_day(language, questions, text):
    engine = Engine(parse_model(TIMED))
    *_, reply = [engine.ask(one, at=MONDAY, language=language) for one in questions]
    assert reply.text == text
