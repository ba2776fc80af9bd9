"""What is added to an amount, or taken from it: "30 minutes longer", "50 more", "10 less"."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

AT = datetime(2026, 11, 23, 9, tzinfo=UTC)
SAID = {
    "en": ("30 minutes longer", "15 minutes less", "another 2", "2 people more", "3 fewer"),
    "de": ("30 Minuten länger", "15 Minuten kürzer", "noch 2", "2 Leute mehr", "3 weniger"),
    "fr": ("30 minutes de plus", "15 minutes de moins", "encore 2", "2 en plus", "3 de moins"),
    "es": ("30 minutos más", "15 minutos menos", "añade 2", "2 personas más", "3 menos"),
    "it": ("30 minuti in più", "15 minuti in meno", "altri 2", "2 in più", "3 in meno"),
    "pt": ("mais 30 minutos", "15 minutos a menos", "mais 2", "2 a mais", "3 a menos"),
    "ru": ("на 30 минут дольше", "на 15 минут короче", "еще 2", "на 2 больше", "на 3 меньше"),
    "uk": ("на 30 хвилин довше", "на 15 хвилин коротше", "ще 2", "на 2 більше", "на 3 менше"),
    "zh": ("再加30分钟", "少15分钟", "再加2", "多2个", "少3个"),
    "ja": ("30分長く", "15分短く", "あと2", "2多く", "3少なく"),
    "ko": ("30분 더", "15분 짧게", "2 더", "2명 더", "3명 적게"),
}

HOUR = {"ja": "1時間", "zh": "1小时", "ko": "1시간", "ru": "1 час", "uk": "1 годину"}


@pytest.mark.parametrize(
    "language",
    [pytest.param(one, marks=() if one in ("en", "de") else pytest.mark.thorough) for one in SAID],
)
def test_what_is_more_or_less_changes_the_amount_that_was_said(language):
    engine = Engine(
        parse_model(f"""
        id: room
        language: {language}
        dialog_acts: true
        elements:
          - {{id: room, synonyms: [xroom]}}
          - {{id: length, recognizer: duration, id_synonym: false}}
          - {{id: people, recognizer: number, id_synonym: false}}
        intents:
          - id: book
            slots: {{room: room, length: {{ask: xlong}}, people: {{ask: xmany}}}}
            confirm: xok
            response: xdone
        """)
    )
    for text in ("xroom", HOUR.get(language, "60 min"), "4"):
        reply = engine.ask(text, at=AT)
    longer, shorter, another, more, fewer = SAID[language]
    lengths, counts = [], []
    for text in (longer, shorter):
        reply = engine.ask(text, at=AT)
        lengths.append(reply.slots["length"].entities[0].meta["seconds"] / 60)
    for text in (another, more, fewer):
        reply = engine.ask(text, at=AT)
        counts.append(reply.slots["people"].value)
    assert (lengths, counts) == ([90, 75], ["6", "8", "5"])


PAY = """
id: pay
dialog_acts: true
elements:
  - {id: pay, synonyms: [send]}
  - {id: payee, values: [Ann, Ben], id_synonym: false}
  - {id: sum, recognizer: money, config: {currency: EUR}, id_synonym: false}
  - {id: weight, recognizer: number, id_synonym: false}
  - {id: buy}
  - {id: flour}
intents:
  - {id: pay, slots: {pay: pay, payee: {ask: To whom?}, sum: {ask: How much?}}, confirm: OK?}
  - {id: buy, slots: {buy: buy, flour: flour, weight: {ask: How much?}}}
responses: {pay: Done., buy: Done.}
"""


def last_values(*said):
    engine = Engine(parse_model(PAY))
    replies = [engine.ask(text, at=AT) for text in said]
    return [
        slot.value
        for reply in replies
        for name, slot in reply.slots.items()
        if name in ("sum", "weight")
    ]


def test_a_bare_number_is_added_in_the_currency_of_the_amount():
    assert last_values("send Ann 100 euros", "50 more", "no, 20 less") == [
        "100 EUR",
        "150 EUR",
        "130 EUR",
    ]


def test_another_unit_of_the_same_kind_is_converted():
    assert last_values("buy 2 kg of flour", "500 g more") == ["2 kg", "2.5 kg"]


def test_what_cannot_be_added_leaves_the_amount_as_it_is():
    assert last_values("send Ann 100 euros", "20 dollars more", "500 less") == ["100 EUR"] * 3


def test_a_question_that_begins_anew_has_its_own_amount():
    assert last_values("send Ann 100 euros", "yes", "send 20 more") == [
        "100 EUR",
        "100 EUR",
        "20 EUR",
    ]


def test_a_range_is_shifted():
    assert last_values("buy 2 to 4 kg of flour", "1 more") == ["2..4 kg", "3..5 kg"]


@pytest.mark.parametrize(
    ("language", "table", "earlier"),
    [
        ("en", "a table for 4 tomorrow at 8 pm", "a half hour earlier"),
        ("de", "table für 4 morgen um 20 Uhr", "eine halbe Stunde früher"),
    ],
)
def test_half_an_hour_earlier_moves_a_time_and_is_no_number_of_people(language, table, earlier):
    engine = Engine(
        parse_model(f"""
        id: tables
        language: {language}
        dialog_acts: true
        entities: [date, number]
        elements: [{{id: book, synonyms: [table]}}]
        intents:
          - id: book
            slots: {{book: book, people: {{element: number}}, date: date}}
            confirm: OK?
            response: Done.
        """)
    )
    slots = [engine.ask(text, at=AT).slots for text in (table, earlier)][-1]
    assert (slots["people"].value, slots["date"].value) == ("4", "2026-11-24T19:30")
