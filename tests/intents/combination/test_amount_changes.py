"""What is added to an amount or taken from it ("30 minutes longer", "10 less"), and what multiplies
one ("twice as long", "half of that")."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from anaphora import Engine, Mention, parse_model

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
    "nl": ("30 minuten langer", "15 minuten korter", "nog 2", "2 mensen meer", "3 mensen minder"),
    "pl": ("30 minut dłużej", "15 minut krócej", "jeszcze 2", "2 osoby więcej", "3 mniej"),
    "tr": (
        "30 dakika daha uzun",
        "15 dakika daha kısa",
        "2 kişi daha",
        "2 kişi daha fazla",
        "3 daha az",
    ),
    "ar": ("30 دقيقة أكثر", "15 دقيقة أقل", "زد 2", "2 أشخاص إضافيين", "3 أقل"),
    "he": ("30 דקות יותר", "15 דקות פחות", "עוד 2", "עוד 2 אנשים", "3 פחות"),
}

HOUR = {
    "ja": "1時間",
    "zh": "1小时",
    "ko": "1시간",
    "ru": "1 час",
    "uk": "1 годину",
    "nl": "1 uur",
    "pl": "1 godzinę",
    "tr": "1 saat",
    "ar": "ساعة واحدة",
    "he": "שעה אחת",
}


MULTIPLIED = {
    "en": ("twice as long", "half of that", "three times as long", "twice as many", "half of that"),
    "de": (
        "doppelt so lange",
        "die Hälfte davon",
        "dreimal so lange",
        "doppelt so viele",
        "die Hälfte davon",
    ),
    "fr": (
        "deux fois plus longtemps",
        "la moitié",
        "trois fois plus longtemps",
        "deux fois plus de personnes",
        "la moitié",
    ),
    "es": (
        "el doble de tiempo",
        "la mitad",
        "3 veces más tiempo",
        "el doble de personas",
        "la mitad de eso",
    ),
    "it": (
        "il doppio del tempo",
        "la metà",
        "tre volte più a lungo",
        "il doppio di persone",
        "la metà",
    ),
    "pt": (
        "o dobro do tempo",
        "metade disso",
        "3 vezes mais tempo",
        "o dobro de pessoas",
        "a metade",
    ),
    "ru": ("вдвое дольше", "вдвое меньше", "в 3 раза дольше", "вдвое больше людей", "половину"),
    "uk": ("вдвічі довше", "вдвічі менше", "у 3 рази довше", "вдвічі більше людей", "половину"),
    "zh": ("两倍的时间", "减半", "3倍的时间", "两倍的人", "减半"),
    "ja": ("2倍の時間", "その半分", "3倍の時間", "2倍の人数", "半分にして"),
    "ko": ("두 배로 길게", "절반으로", "3 배로 길게", "두 배의 인원", "절반으로"),
    "nl": (
        "twee keer zo lang",
        "de helft",
        "3 keer zo lang",
        "twee keer zo veel mensen",
        "de helft ervan",
    ),
    "pl": ("dwa razy dłużej", "połowę tego", "3 razy dłużej", "dwa razy więcej osób", "połowę"),
    "tr": ("iki kat uzun", "yarısı", "3 kat daha uzun", "iki kat fazla kişi", "yarısı"),
    "ar": ("ضعف المدة", "نصف ذلك", "ثلاثة أضعاف المدة", "ضعف عدد الأشخاص", "نصف ذلك"),
    "he": ("פי שניים זמן", "חצי מזה", "פי 3 זמן", "פי שניים אנשים", "חצי מזה"),
}
EACH_LANGUAGE = pytest.mark.parametrize(
    "language",
    [pytest.param(one, marks=() if one in ("en", "de") else pytest.mark.thorough) for one in SAID],
)


def digits(text):
    """A recognizer of a model's own: plain numbers, with a number in the metadata."""
    for found in re.finditer(
        r"\d+(?![\d:]| ?(?:min|hour|Stunde|час|годин|uur|分|小时|시간|분))", text
    ):
        yield Mention(*found.span(), found[0], {"value": int(found[0])})


def answer_room(language, *said, people="number"):
    """The lengths in minutes and the numbers of people after each of the ``said``, of a room for an
    hour and 4 people that is not yet confirmed."""
    engine = Engine(
        parse_model(f"""
        id: room
        language: {language}
        dialog_acts: true
        elements:
          - {{id: room, synonyms: [xroom]}}
          - {{id: length, recognizer: duration, id_synonym: false}}
          - {{id: people, recognizer: {people}, id_synonym: false}}
        intents:
          - id: book
            slots: {{room: room, length: {{ask: xlong}}, people: {{ask: xmany}}}}
            confirm: xok
            response: xdone
        """)
    )
    for text in ("xroom", HOUR.get(language, "60 min"), "4"):
        engine.ask(text, at=AT)
    slots = [engine.ask(text, at=AT).slots for text in said]
    lengths = [one["length"].entities[0].meta["seconds"] / 60 for one in slots]
    return list(zip(lengths, [one["people"].value for one in slots], strict=True))


@EACH_LANGUAGE
def test_what_is_more_or_less_changes_the_amount_that_was_said(language):
    rooms = answer_room(language, *SAID[language])
    assert rooms == [(90, "4"), (75, "4"), (75, "6"), (75, "8"), (75, "5")]


@EACH_LANGUAGE
def test_a_factor_multiplies_the_amount_that_was_said_last(language):
    rooms = answer_room(language, *MULTIPLIED[language])
    assert rooms == [(120, "4"), (60, "4"), (180, "4"), (180, "8"), (180, "4")]


DEGREES = {
    "en": ("2 degrees warmer", "make it 1 degree cooler"),
    "de": ("2 Grad wärmer", "1 Grad kälter"),
    "fr": ("2 degrés plus chaud", "1 degré plus froid"),
    "es": ("2 grados más caliente", "1 grado más frío"),
    "it": ("2 gradi più caldo", "1 grado più freddo"),
    "pt": ("2 graus mais quente", "1 grau mais frio"),
    "ru": ("на 2 градуса теплее", "на 1 градус холоднее"),
    "uk": ("на 2 градуси тепліше", "на 1 градус холодніше"),
    "ja": ("2度高く", "1度低く"),
    "ko": ("2도 더 따뜻하게", "1도 더 시원하게"),
}


@pytest.mark.parametrize("language", DEGREES)
def test_an_amount_before_a_comparative_is_a_difference(language):
    engine = Engine(
        parse_model(f"""
        id: heating
        language: {language}
        dialog_acts: true
        elements:
          - {{id: heating, synonyms: [xheat], id_synonym: false}}
          - {{id: level, recognizer: number, id_synonym: false}}
        intents:
          - {{id: heat, slots: {{heating: heating, level: level}}, response: xok}}
        """)
    )
    engine.ask("xheat 20 °C", at=AT)
    warmer, cooler = (engine.ask(text, at=AT).slots["level"].value for text in DEGREES[language])
    assert (warmer, cooler) == ("22 °C", "21 °C")


@EACH_LANGUAGE
def test_a_number_that_the_model_recognizes_itself_is_changed_like_others(language):
    said = (*SAID[language][2:], *MULTIPLIED[language][3:])
    rooms = answer_room(language, *said, people=f"{__name__}#digits")
    assert [number for _, number in rooms] == ["6", "8", "5", "10", "5"]


@pytest.mark.parametrize("said", ["half of that", "20 less"])
def test_a_whole_number_of_the_model_stays_whole_and_above_none(said):
    rooms = answer_room("en", "5", said, people=f"{__name__}#digits")
    assert rooms[-1] == (60, "5")


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


def test_an_amount_without_a_unit_gets_that_of_what_is_added():
    assert last_values("buy flour", "2", "3 kg more") == ["2", "5 kg"]


def test_degrees_are_those_of_the_temperature_that_was_said():
    assert last_values("buy flour", "20 °C", "2 degrees less", "half a degree more") == [
        "20 °C",
        "18 °C",
        "18.5 °C",
    ]


def test_what_cannot_be_added_leaves_the_amount_as_it_is():
    assert last_values("send Ann 100 euros", "20 dollars more", "500 less") == ["100 EUR"] * 3


def test_a_question_that_begins_anew_has_its_own_amount():
    assert last_values("send Ann 100 euros", "yes", "send 20 more") == [
        "100 EUR",
        "100 EUR",
        "20 EUR",
    ]


def test_a_factor_applies_to_what_was_sent_before():
    assert last_values("send Ann 100 euros", "yes", "send Ben twice as much") == [
        "100 EUR",
        "100 EUR",
        "200 EUR",
    ]


def test_a_number_beside_a_factor_is_the_new_amount():
    assert last_values("send Ann 100 euros", "no, 50", "double it", "no, half of that") == [
        "100 EUR",
        "50 EUR",
        "100 EUR",
        "50 EUR",
    ]


@pytest.mark.parametrize(
    ("length", "factor", "value"),
    [
        ("an hour", "half of that", "PT30M"),
        ("half an hour", "double it", "PT1H"),
        ("30 minutes", "three times as long", "PT90M"),
        ("1 hour and 50 minutes", "half of that", "PT55M"),
        ("2 nights", "twice as long", "P4D"),
    ],
)
def test_a_multiplied_length_is_in_the_unit_that_people_say(length, factor, value):
    engine = Engine(
        parse_model("""
        id: stay
        dialog_acts: true
        entities: [duration]
        elements: [{id: stay}]
        intents: [{id: stay, slots: {stay: stay, duration: {ask: How long?}}, confirm: OK?}]
        responses: {stay: Done.}
        """)
    )
    for text in ("stay", length, factor):
        reply = engine.ask(text, at=AT)
    assert reply.slots["duration"].value == value


def test_a_range_is_shifted():
    assert last_values("buy 2 to 4 kg of flour", "1 more") == ["2..4 kg", "3..5 kg"]


def test_a_range_is_multiplied():
    assert last_values("buy 2 to 4 kg of flour", "twice as much") == ["2..4 kg", "4..8 kg"]


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


ROOM = """
id: room
language: {language}
dialog_acts: true
entities: [number, date, duration]
elements: [{{id: room, synonyms: [{room}]}}]
intents:
  - "intent=book term(act)~{{# == 'room'}} term(when)~{{# == 'date'}}
     term(length)~{{# == 'duration'}}? term(seats)~{{# == 'number'}}?"
"""


@pytest.mark.parametrize(
    ("language", "room", "texts", "when"),
    [
        ("en", "a room", ("tomorrow 1pm to 3pm", "half an hour longer"), "13:00/15:30"),
        ("en", "a room", ("tomorrow 1pm to 3pm", "an hour less"), "13:00/14:00"),
        ("en", "a room", ("tomorrow 1pm to 3pm", "an hour longer", "no, two hours"), "13:00/17:00"),
        ("en", "a room", ("tomorrow 1pm to 3pm", "three hours less"), "13:00/15:00"),
        ("en", "a room", ("tomorrow 9pm to 11pm", "two hours longer"), "21:00/01:00"),
        ("de", "ein raum", ("morgen von 13 bis 15 Uhr", "30 Minuten länger"), "13:00/15:30"),
        ("ru", "комната", ("завтра с 13 до 15", "на 30 минут дольше"), "13:00/15:30"),
    ],
)
def test_a_range_of_times_gets_longer_or_shorter(language, room, texts, when):
    engine = Engine(parse_model(ROOM.format(language=language, room=room)))
    first, *others = texts
    reply = engine.ask(f"{room} {first}", at=AT)
    for text in others:
        reply = engine.ask(text, at=AT)
    value = reply.slots["when"].value
    assert "/".join(one.partition("T")[2] for one in value.split("/")) == when


def test_a_length_that_was_said_is_changed_rather_than_the_time():
    engine = Engine(parse_model(ROOM.format(language="en", room="a room")))
    for text in ("a room tomorrow at 1pm", "for two hours", "half an hour longer"):
        reply = engine.ask(text, at=AT)
    assert reply.slots["when"].value == "2026-11-24T13:00"
    assert reply.slots["length"].value == "PT2H30M"
    assert "seats" not in reply.slots  # though a number may have such a unit, too


def test_what_is_counted_may_be_an_element():
    engine = Engine(
        parse_model("""
            id: table
            dialog_acts: true
            entities: [number]
            elements: [{id: table}, {id: people, synonyms: [guests]}]
            intents:
              - "intent=book term(act)~{# == 'table'} term(seats)~{# == 'number'}
                 term(people)~{# == 'people'}?"
        """)
    )
    texts = "a table for 5 people", "2 people less", "4 guests more", "a table for 2 more"
    assert [engine.ask(text, at=AT).slots["seats"].value for text in texts] == ["5", "3", "7", "2"]
