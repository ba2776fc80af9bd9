"""A day and its time may be said apart, with other words in between."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine
from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer
from anaphora.entities.recognizers.recognizer import TokenizedText

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)

MODEL = """
id: rooms
language: en
dialog_acts: true
entities: [date, number]
elements:
  - {id: book, synonyms: [book, need]}
  - {id: from, synonyms: [leaving, leave]}
  - {id: room, groups: [room], values: {Mars: [], Venus: []}}
intents:
  - "intent=book
      term(act)={# == 'book'} term(room)~{# == 'room'} term(date)~{# == 'date'}
      term(count)~{# == 'number'}?"
  - intent=trip term(act)={# == 'from'} term(dates)={# == 'date'}[2,2]
responses:
  book: "{{ room }} {{ date }} for {{ count }}"
  trip: "{{ dates | join(' and ') }}"
"""


def read(text, language="en"):
    recognizer = DateRecognizer(get_date_parser(language))
    found = recognizer(TokenizedText(text, [text], [0]), WEDNESDAY)
    return [one.value for one in found if not (one.fallback or one.void)]


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("en", "on Friday I want a haircut at 3pm", "2026-11-20T15:00"),
        ("en", "at 9 I need the room on Monday", "2026-11-23T09:00"),
        ("en", "a table for Friday, 4 people, 8pm", "2026-11-20T20:00"),
        ("en", "on Friday for me and Bob at 8 pm", "2026-11-20T20:00"),
        ("en", "tomorrow I work until 5", "2026-11-19T00:00/2026-11-19T17:00"),
        ("en", "on Friday, book the hall from 2 to 4", "2026-11-20T14:00/2026-11-20T16:00"),
        ("en", "on Friday evening I need it at 8", "2026-11-20T20:00"),
        ("en", "tomorrow I need it at 3 pm for two hours", "2026-11-19T15:00/2026-11-19T17:00"),
        ("de", "morgen hätte ich gern einen Termin um 15 Uhr", "2026-11-19T15:00"),
        ("fr", "demain je voudrais une table à 20h", "2026-11-19T20:00"),
        ("es", "el viernes quiero una mesa a las 8 de la tarde", "2026-11-20T20:00"),
        ("it", "venerdì vorrei un tavolo alle 20", "2026-11-20T20:00"),
        ("pt", "na sexta quero uma mesa às 20h", "2026-11-20T20:00"),
        ("nl", "vrijdag wil ik een tafel om 20 uur", "2026-11-20T20:00"),
        ("pl", "w piątek chcę stolik o 20", "2026-11-20T20:00"),
        ("ru", "в пятницу мне нужен столик на четверых к 8 вечера", "2026-11-20T20:00"),
        ("ru", "в 9 мне нужна переговорка в понедельник", "2026-11-23T09:00"),
        ("uk", "у п'ятницю мені потрібен столик о 20:00", "2026-11-20T20:00"),
        ("tr", "yarın toplantı odası lazım saat 15'te", "2026-11-19T15:00"),
        ("ar", "غدا أحتاج الغرفة في الساعة 15", "2026-11-19T15:00"),
        ("he", "מחר אני צריך חדר בשעה 15:00", "2026-11-19T15:00"),
        ("zh", "明天我需要会议室下午三点", "2026-11-19T15:00"),
        ("ja", "明日会議室を午後3時に予約", "2026-11-19T15:00"),
        ("ko", "내일 회의실 오후 3시에 예약", "2026-11-19T15:00"),
    ],
)
def test_a_day_and_a_time_of_one_sentence_are_one_date(language, text, value):
    assert read(text, language) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "on Friday or at 8",
        "Friday does not work, at 8 maybe",
        "at 8 instead of Friday",
        "remind me at 9 about Friday's party",
        "remind me at 9 of the party of Friday",
        "remind me in the morning that the dentist is on Friday",
        "I called yesterday, book a table at 8",
        "I called yesterday can you book a table at 8",
        "I don't work on Friday, call me at 8",
        "I’m not here on Friday so call me at 8",
        "Friday doesn't suit me. Maybe at 8",
    ],
)
def test_a_day_and_a_time_of_two_things_stay_apart(text):
    assert len(read(text)) == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I am free on Friday. Call me at 8", "2026-11-20T08:00"),
        ("Book it for tomorrow. At 3pm. For 5 people.", "2026-11-19T15:00"),
        ("could we come tomorrow? we'd be there at half past 6 pm", "2026-11-19T18:30"),
        ("around 3pm would be good. tomorrow if possible", "2026-11-19T15:00"),
    ],
)
def test_the_only_day_and_the_only_time_are_one_date_across_sentences(text, value):
    assert read(text) == [value]


def test_each_day_takes_the_time_of_its_own_clause():
    assert read("on Friday a massage at 3pm and on Saturday a haircut at 5pm") == [
        "2026-11-20T15:00",
        "2026-11-21T17:00",
    ]
    assert read("at 3pm a massage on Friday and at 5pm a haircut on Saturday") == [
        "2026-11-20T15:00",
        "2026-11-21T17:00",
    ]


def test_listed_times_share_the_day():
    assert read("on Friday I want a haircut at 3 pm, at 4 pm or at 5 pm") == [
        "2026-11-20T15:00",
        "2026-11-20T16:00",
        "2026-11-20T17:00",
    ]


def test_what_counts_people_is_no_day():
    assert read("4 people, 3pm") == ["2026-11-18T15:00"]


@pytest.fixture
def engine(tmp_path):
    path = tmp_path / "rooms.yaml"
    path.write_text(MODEL, encoding="utf-8")
    return Engine(str(path), clock=lambda: WEDNESDAY)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("on Friday book Mars at 3pm", "Mars 2026-11-20T15:00 for "),
        ("at 9 I need Mars on Monday", "Mars 2026-11-23T09:00 for "),
        ("I need Mars on Friday for 4 with a projector at 3pm", "Mars 2026-11-20T15:00 for 4"),
    ],
)
def test_the_time_counts_nothing_and_the_words_between_are_other_entities(engine, text, answer):
    assert engine.ask(text).text == answer


def test_an_intent_that_takes_two_dates_has_both(engine):
    assert engine.ask("leave on Friday with Ann at 3pm").text == "2026-11-20 and 2026-11-18T15:00"


def test_the_explanation_shows_both_parts(engine):
    date = engine.ask("on Friday book Mars at 3pm").slots["date"].entities[0]
    assert date.text == "Friday 3 pm"


def test_until_five_of_a_day_is_in_its_hours():
    assert read("tomorrow until 5") == ["2026-11-19T00:00/2026-11-19T17:00"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "am Freitag brauche ich den Saal für 3 Leute von 9 bis 11"),
        ("es", "el viernes necesito la sala de 9 a 11"),
        ("pl", "w piątek potrzebuję sali od 9 do 11"),
        ("ru", "в пятницу мне нужен зал с 9 до 11"),
        ("uk", "у п'ятницю мені потрібен зал з 9 до 11"),
        ("it", "venerdì mi serve la sala dalle 9 alle 11"),
    ],
)
def test_bare_hours_are_a_time_if_a_day_is_said_apart(language, text):
    assert read(text, language) == ["2026-11-20T09:00/2026-11-20T11:00"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "die Seiten von 9 bis 11"),
        ("de", "morgen kommen ab 18 Personen"),
        ("es", "el viernes con niños de 9 a 11 años"),
        ("ru", "скидка до 5"),
        ("ru", "завтра с 2 детьми"),
        ("pl", "od 9 do 11 osób w piątek"),
    ],
)
def test_bare_numbers_that_count_or_have_no_day_are_no_time(language, text):
    assert not any("T" in value for value in read(text, language))
