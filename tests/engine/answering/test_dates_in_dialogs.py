"""Dates in dialogs: beside a duration, and relative to one that was said."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import pytest

from anaphora import Answer, Engine, Reply, parse_model

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


@cache
def engine(model: str) -> Engine:
    return Engine(parse_model(model))


def last_reply(model: str, *questions: str, language: str = "en") -> Reply:
    user = "/".join(questions)
    *_, reply = [
        engine(model).ask(text, user=user, at=MONDAY, language=language) for text in questions
    ]
    return reply


def talk(*questions: str, language: str = "en"):
    reply = last_reply(MODEL, *questions, language=language)
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
        ("en", "order two tomorrow at 8 pm", "and the next day?", "25"),
        ("en", "order two on Friday at 8 pm", "the following day", "28"),
        ("en", "order two tomorrow at 8 pm", "at the same time on Friday", "27"),
        ("ru", "закажи два завтра в 20:00", "на день позже", "25"),
        ("ru", "закажи два в пятницу в 20:00", "на следующий день", "28"),
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
    assert last_reply(TIMED, *questions, language=language).text == text


REPAIR = """
id: repair
language: [en, ru, de, fr, es, it, uk, zh]
entities: [date]
dialog_acts: true
elements:
  - id: repair
    id_synonym: false
    synonyms:
      en: [repair it]
      ru: [почини]
      de: [reparieren]
      fr: [réparer]
      es: [reparar]
      it: [riparare]
      uk: [полагодь]
      zh: [修理]
intents:
  - {id: repair, slots: {repair: repair, date: {ask: When?}}, confirm: "{{ slots.date.value }}?"}
"""
TABLE = """
id: table
language: [en, ru, de]
entities: [date, number]
dialog_acts: true
elements:
  - {id: table, synonyms: {en: [a table], ru: [столик], de: [Tisch]}}
intents:
  - id: table
    slots: {table: table, guests: {element: number, ask: How many?}, date: {ask: When?}}
    confirm: "{{ guests }}: {{ slots.date.value }}?"
"""


def last_text(model: str, *questions: str, language: str = "en") -> str:
    reply = last_reply(model, *questions, language=language)
    assert not reply.unused
    return reply.text


@pytest.mark.parametrize(
    ("language", "questions", "value"),
    [
        ("en", ["repair it", "Friday at 8 pm", "not 8 pm but 9"], "2026-11-27T21:00"),
        ("en", ["repair it", "Friday at 8 pm", "not 8, 9"], "2026-11-27T21:00"),
        ("en", ["repair it", "Friday at 8 pm", "not this Friday, next Friday"], "2026-12-04T20:00"),
        ("en", ["repair it", "Friday at 8 pm", "not this Friday but the next"], "2026-12-04T20:00"),
        ("ru", ["почини", "в пятницу в 20:00", "не в 8, а в 9"], "2026-11-27T21:00"),
        ("ru", ["почини", "в пятницу в 8 вечера", "не в восемь, а в девять"], "2026-11-27T21:00"),
        (
            "ru",
            ["почини", "в пятницу в 20:00", "не в эту пятницу, а в следующую"],
            "2026-12-04T20:00",
        ),
        ("uk", ["полагодь", "у п'ятницю о 20:00", "не о 8, а о 9"], "2026-11-27T21:00"),
        (
            "de",
            ["reparieren", "Freitag um 20 Uhr", "nicht diesen Freitag, sondern den nächsten"],
            "2026-12-04T20:00",
        ),
        (
            "fr",
            ["réparer", "vendredi à 20h", "pas ce vendredi mais le prochain"],
            "2026-12-04T20:00",
        ),
        (
            "es",
            ["reparar", "el viernes a las 20:00", "no a las 8 sino a las 9"],
            "2026-11-27T21:00",
        ),
        ("it", ["riparare", "venerdì alle 20", "non alle 8 ma alle 9"], "2026-11-27T21:00"),
        ("zh", ["修理", "周五晚上8点", "不是这周五，是下周五"], "2026-12-04T20:00"),
    ],
)
def test_one_part_of_a_date_instead_of_another(language, questions, value):
    assert last_text(REPAIR, *questions, language=language) == f"{value}?"


@pytest.mark.parametrize(
    ("language", "questions", "text"),
    [
        ("en", ["a table for 2 on Friday at 8 pm", "not 8 pm but 9"], "2: 2026-11-27T21:00?"),
        ("en", ["a table for 2 on Friday at 8 pm", "not 2 but 3"], "3: 2026-11-27T20:00?"),
        ("ru", ["столик на двоих в пятницу в 20:00", "не в 8, а в 9"], "2: 2026-11-27T21:00?"),
        (
            "ru",
            ["столик на двоих в пятницу в 20:00", "не на двоих, а на троих"],
            "3: 2026-11-27T20:00?",
        ),
        ("de", ["Tisch für 2 am Freitag um 20 Uhr", "nicht 8, sondern 9"], "2: 2026-11-27T21:00?"),
    ],
)
def test_a_number_is_of_what_is_refused(language, questions, text):
    assert last_text(TABLE, *questions, language=language) == text


@pytest.mark.parametrize(
    ("language", "questions", "value"),
    [
        ("en", ["repair it", "Friday at 8 pm", "10 is fine"], "2026-11-27T22:00"),
        ("en", ["repair it", "Friday at 8 pm", "10 works for me"], "2026-11-27T22:00"),
        ("en", ["repair it", "Friday at 8 pm", "make it 10"], "2026-11-27T22:00"),
        ("en", ["repair it", "Friday at 8 pm", "Saturday is fine"], "2026-11-28T20:00"),
        ("ru", ["почини", "в пятницу в 20:00", "10 подойдёт"], "2026-11-27T22:00"),
        ("de", ["reparieren", "Freitag um 18 Uhr", "10 passt"], "2026-11-27T22:00"),
        ("de", ["reparieren", "Freitag um 18 Uhr", "nein, um zehn"], "2026-11-27T22:00"),
        ("es", ["reparar", "el viernes a las 20:00", "10 está bien"], "2026-11-27T22:00"),
    ],
)
def test_an_hour_that_suits_is_no_mere_yes(language, questions, value):
    assert last_text(REPAIR, *questions, language=language) == f"{value}?"


@pytest.mark.parametrize(
    ("language", "questions", "value"),
    [
        ("en", ["repair it", "next week", "at 8", "on Friday"], "2026-12-04T08:00"),
        ("en", ["repair it", "at 8", "next week", "on Friday"], "2026-12-04T08:00"),
        ("en", ["repair it", "Friday morning", "no, evening"], "2026-11-27T18:00/2026-11-28T00:00"),
        ("ru", ["почини", "на следующей неделе", "в 8", "в пятницу"], "2026-12-04T08:00"),
        ("ru", ["почини", "в мае", "пятого", "в полдень"], "2027-05-05T12:00"),
        ("ru", ["почини", "завтра в 8", "вечера"], "2026-11-24T20:00"),
        ("de", ["reparieren", "nächste Woche", "um 8", "am Freitag"], "2026-12-04T08:00"),
        ("de", ["reparieren", "morgen um 8", "abends"], "2026-11-24T20:00"),
    ],
)
def test_the_parts_of_a_date_one_after_the_other(language, questions, value):
    assert last_text(REPAIR, *questions, language=language) == f"{value}?"


@pytest.mark.parametrize(
    ("language", "refusal"),
    [
        ("en", "Friday does not work"),
        ("ru", "пятница не подходит"),
        ("de", "Freitag passt nicht"),
        ("de", "Freitag passt mir nicht"),
    ],
)
def test_a_day_that_does_not_suit_is_asked_for_again(language, refusal):
    first = {"en": "repair it", "ru": "почини", "de": "reparieren"}[language]
    day = {"en": "Friday at 8", "ru": "в пятницу в 8", "de": "Freitag um 8"}[language]
    assert last_text(REPAIR, first, day, refusal, language=language) == "When?"


MOVE = """
id: move
language: [en, ru, de]
entities: [date]
dialog_acts: true
elements:
  - {id: show, synonyms: {en: [show], ru: [покажи], de: [zeige]}}
  - {id: move, synonyms: {en: [move], ru: [перенеси], de: [verschiebe]}}
  - {id: name, values: {Kiku: [], Sora: []}}
intents:
  - {id: show, slots: {show: show}}
  - id: move
    slots: {move: move, name: {ask: Which?}, date: {ask: When?}}
    confirm: "{{ name }}: {{ slots.date.value }}?"
"""


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "move the first one to 9 pm", "Kiku: 2026-11-27T21:00?"),
        ("en", "move the second one to 9 pm", "Sora: 2026-11-28T21:00?"),
        ("en", "move Kiku to 9 pm", "Kiku: 2026-11-27T21:00?"),
        ("ru", "перенеси вторую на 21:00", "Sora: 2026-11-28T21:00?"),
        ("de", "verschiebe die erste auf 21 Uhr", "Kiku: 2026-11-27T21:00?"),
    ],
)
def test_a_time_is_of_the_day_of_the_offer_that_is_named(language, question, text):
    engine = Engine(parse_model(MOVE))
    offers = [
        {"name": "Kiku", "date": datetime(2026, 11, 27, 18)},
        {"name": "Sora", "date": datetime(2026, 11, 28, 19)},
    ]
    engine.on("show")(lambda: Answer("Two.", offers=offers, then="move"))
    engine.ask({"en": "show", "ru": "покажи", "de": "zeige"}[language], at=MONDAY)
    assert engine.ask(question, at=MONDAY, language=language).text == text


ROOM = """
id: room
language: [en, de, fr, es, it, ru]
entities: [date, duration, number]
dialog_acts: true
elements:
  - id: room
    synonyms:
      en: [a room]
      de: [ein Zimmer]
      fr: [une chambre]
      es: [una habitación]
      it: [una camera]
      ru: [номер]
intents:
  - id: room
    slots: {room: room, date: {ask: When?}, duration: {ask: How long?}}
    confirm: "{{ slots.date.value }} {{ slots.duration.value }}?"
"""


@pytest.mark.parametrize(
    ("language", "questions", "text"),
    [
        ("en", ["a room on Friday for three nights", "no, two"], "2026-11-27 P2D?"),
        ("en", ["a room on Friday for three weeks", "no, 2"], "2026-11-27 P2W?"),
        ("en", ["a room on Friday", "for three nights", "no, two"], "2026-11-27 P2D?"),
        ("en", ["a room on Friday for two nights", "no, at 8"], "2026-11-27T08:00 P2D?"),
        ("de", ["ein Zimmer am Freitag für drei Nächte", "nein, zwei"], "2026-11-27 P2D?"),
        (
            "de",
            ["ein Zimmer am Freitag um 20 Uhr für drei Nächte", "nein, zwei"],
            "2026-11-27T20:00 P2D?",
        ),
        ("fr", ["une chambre vendredi pour trois nuits", "non, deux"], "2026-11-27 P2D?"),
        ("es", ["una habitación el viernes por tres noches", "no, dos"], "2026-11-27 P2D?"),
        ("it", ["una camera venerdì per tre notti", "no, due"], "2026-11-27 P2D?"),
        ("ru", ["номер в пятницу на три ночи", "нет, на две"], "2026-11-27 P2D?"),
    ],
)
def test_a_bare_number_takes_the_unit_of_what_it_corrects(language, questions, text):
    assert last_text(ROOM, *questions, language=language) == text
