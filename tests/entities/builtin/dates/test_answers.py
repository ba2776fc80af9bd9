"""Numbers and words that are dates only as the whole answer to a question about one."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import TokenizedText
from anaphora.models.loader import parse_model
from anaphora.models.schema.builtin_entities import resolve_options

AT = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)  # a Wednesday

MODEL = """
id: table
entities: [date, number]
elements:
  - {id: book, synonyms: [book a table]}
intents:
  - "intent=book term(act)~{# == 'book'} term(when)~{# == 'date'} term(guests)~{# == 'number'}?"
prompts:
  book: {when: When?}
responses:
  book: "{{ when }}"
"""


def read(text, language="en"):
    recognize = create_builtin("date", language, resolve_options("date", {}))
    return list(recognize(TokenizedText(text, [text], [0]), AT))


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "7", "2026-11-18T19:00"),
        ("en", "at 11, please", "2026-11-18T11:00"),
        ("en", "seven", "2026-11-18T19:00"),
        ("en", "7p", "2026-11-18T19:00"),
        ("en", "12/5", "2026-12-05"),
        ("en", "12 - 5", "2026-12-05"),
        ("en", "morning", "2026-11-18T06:00/2026-11-18T12:00"),
        ("en", "the 24", "2026-11-24"),
        ("en", "2027", "2027"),
        ("en", "2027 - 2029", "2027-01-01/2029-12-31"),
        ("en", "945", "2026-11-18T21:45"),
        ("de", "5.12.", "2026-12-05"),
        ("de", "der dritte vierte", "2027-04-03"),
        ("de", "20h", "2026-11-18T20:00"),
        ("de", "zwischen 8 und 10", "2026-11-18T20:00/2026-11-18T22:00"),
        ("de", "erst ab 14", "2026-11-18T14:00/.."),
        ("de", "nach 15", "2026-11-18T15:00/.."),
        ("de", "bis 16", "2026-11-18T10:30/2026-11-18T16:00"),
        ("nl", "vanaf 14", "2026-11-18T14:00/.."),
        ("nl", "pas na 15", "2026-11-18T15:00/.."),
        ("nl", "de vierentwintigste", "2026-11-24"),
        ("fr", "a partir de 14", "2026-11-18T14:00/.."),
        ("fr", "jusqu'a 16", "2026-11-18T10:30/2026-11-18T16:00"),
        ("es", "a las 7", "2026-11-18T19:00"),
        ("es", "el 24", "2026-11-24"),
        ("pt", "dia 24", "2026-11-24"),
        ("pt", "terça", "2026-11-24"),
        ("ru", "в 7", "2026-11-18T19:00"),
        ("ru", "вечер", "2026-11-18T18:00/2026-11-19T00:00"),
        ("uk", "о сьомій", "2026-11-18T19:00"),
        ("pl", "na 7", "2026-11-18T19:00"),
        ("pl", "siódma", "2026-11-18T19:00"),
        ("pl", "dwudziestego drugiego", "2026-11-22"),
        ("pl", "od 18 do 20", "2026-11-18T18:00/2026-11-18T20:00"),
    ],
)
def test_a_whole_answer_is_a_date(language, said, value):
    (found,) = read(said, language)
    assert found.value == value


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "I want 7"),
        ("en", "7 apples"),
        ("en", "the one"),
        ("en", "this one"),
        ("en", "31.5"),
        ("en", "25"),
        ("en", "good morning"),
        ("en", "room 101"),
        ("es", "compro 7"),
        ("ru", "мне 7"),
        ("zh", "十分感谢"),
        ("ja", "二つください"),
    ],
)
def test_in_a_longer_text_it_is_none(language, said):
    assert read(said, language) == []


def test_a_bare_hour_answers_the_question_for_a_time():
    engine = Engine(parse_model(MODEL))
    assert engine.ask("book a table", at=AT).prompt == "When?"
    assert engine.ask("7", at=AT).text == "2026-11-18T19:00"


def test_a_number_stays_a_number_where_no_date_is_missing():
    engine = Engine(parse_model(MODEL))
    engine.ask("book a table tomorrow", at=AT)
    reply = engine.ask("7", at=AT)
    assert reply.slots["guests"].value == "7"
    assert reply.slots["when"].value == "2026-11-19"


def read_duration(text, language):
    recognize = create_builtin("duration", language, resolve_options("duration", {}))
    return list(recognize(TokenizedText(text, [text], [0]), AT))


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("ru", "неделя", "P1W"),
        ("ru", "час, пожалуйста", "PT1H"),
        ("uk", "місяць", "P1M"),
        ("uk", "годину", "PT1H"),
        ("pl", "tydzień", "P1W"),
    ],
)
def test_a_unit_alone_answers_how_long(language, said, value):
    (found,) = read_duration(said, language)
    assert found.value == value
    assert found.fallback


@pytest.mark.parametrize(
    ("language", "said"),
    [("ru", "какой сегодня день"), ("ru", "неделя моды"), ("pl", "tydzień mody"), ("en", "week")],
)
def test_a_unit_in_a_longer_text_is_no_duration(language, said):
    assert read_duration(said, language) == []
