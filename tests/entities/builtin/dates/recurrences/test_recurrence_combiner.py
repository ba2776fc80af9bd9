"""What is said after a recurrence changes it: its time, its days, its beginning and its end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from anaphora import Engine, parse_model

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
MODEL = """
id: chores
language: [en, de, fr, es, it, ru]
dialog_acts: true
entities: [date, recurrence]
elements:
  - id: water
    synonyms:
      {en: [water], de: [giessen], fr: [arroser], es: [regar], it: [annaffiare], ru: [поливать]}
intents:
  - id: water
    slots: {water: water, when: {element: [date, recurrence], ask: When?}}
"""


def times_of(*questions: str, language: str = "en") -> list[str]:
    """The values of ``when`` after each question."""
    engine = Engine(parse_model(MODEL))
    replies = [
        engine.ask(text, at=MONDAY + number * timedelta(seconds=10), language=language)
        for number, text in enumerate(questions)
    ]
    return [str(reply.slots["when"].value) for reply in replies]


@pytest.mark.parametrize(
    ("first", "then", "rule"),
    [
        ("every Monday at 9", "actually at 8", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0"),
        ("every Monday at 7 pm", "no, at 8", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=20;BYMINUTE=0"),
        ("every Monday at 9", "8", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0"),
        ("every Monday at 9", "an hour later", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=10;BYMINUTE=0"),
        ("every Monday at 9", "in the evening", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=21;BYMINUTE=0"),
        ("every day", "from 10 to 12", "FREQ=DAILY;BYHOUR=10;BYMINUTE=0"),
        ("every Monday from 9 to 11", "no, 10 to 12",
         "FREQ=WEEKLY;BYDAY=MO;BYHOUR=10;BYMINUTE=0"),
        ("every Monday at 9", "on Tuesdays instead", "FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0"),
        ("every Monday at 9", "no, on Wednesday", "FREQ=WEEKLY;BYDAY=WE;BYHOUR=9;BYMINUTE=0"),
        ("every Monday at 9", "and on Wednesday too",
         "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0"),
        ("every Monday at 9", "and at 6 pm too", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9,18;BYMINUTE=0"),
        ("on the 1st of every month", "and on the 15th too", "FREQ=MONTHLY;BYMONTHDAY=1,15"),
        ("the first Monday of every month at 9", "no, on Friday",
         "FREQ=MONTHLY;BYDAY=1FR;BYHOUR=9;BYMINUTE=0"),
        ("every day except Sunday at 9", "on Sundays too",
         "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=9;BYMINUTE=0"),
        ("every other week at 9", "on Mondays",
         "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("every Monday at 9", "every other week",
         "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("every Monday at 9", "until June",
         "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;UNTIL=20260630T235959"),
        ("every Monday at 9 until June", "no, until May",
         "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;UNTIL=20260531T235959"),
        ("every 5th from March to June", "no, until August",
         "FREQ=MONTHLY;BYMONTHDAY=5;UNTIL=20260831T235959"),
        ("every Monday at 9", "just once", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;COUNT=1"),
        ("every Monday at 9 until June", "only three times",
         "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;COUNT=3"),
        ("every Monday at 9", "for two weeks",
         "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;UNTIL=20260118T235959"),
        ("every Monday and Friday at 9", "not on Friday",
         "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("every weekday at 9", "except Wednesdays",
         "FREQ=WEEKLY;BYDAY=MO,TU,TH,FR;BYHOUR=9;BYMINUTE=0"),
        ("every Monday at 9", "not in July",
         "FREQ=WEEKLY;BYMONTH=1,2,3,4,5,6,8,9,10,11,12;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
    ],
)  # fmt: skip
def test_the_recurrence_is_changed(first, then, rule):
    assert times_of(f"water {first}", then)[-1] == rule


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        ("de", ["giessen jeden Montag um 9", "eigentlich um 8", "und auch am Mittwoch",
                "nur einmal", "nicht montags", "für drei Wochen"]),
        ("fr", ["arroser tous les lundis à 9h", "plutôt à 8h", "et le mercredi aussi",
                "juste une fois", "sauf le lundi", "pendant trois semaines"]),
        ("es", ["regar todos los lunes a las 9", "mejor a las 8", "y los miércoles también",
                "una sola vez", "excepto los lunes", "durante tres semanas"]),
        ("it", ["annaffiare ogni lunedì alle 9", "anzi alle 8", "e anche il mercoledì",
                "solo una volta", "tranne il lunedì", "per tre settimane"]),
        ("ru", ["поливать каждый понедельник в 9", "лучше в 8", "и в среду тоже",
                "только один раз", "кроме понедельника", "на три недели"]),
    ],
)  # fmt: skip
def test_in_other_languages_too(language, questions):
    assert times_of(*questions, language=language) == [
        "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
        "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0",
        "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=8;BYMINUTE=0",
        "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=8;BYMINUTE=0;COUNT=1",
        "FREQ=WEEKLY;BYDAY=WE;BYHOUR=8;BYMINUTE=0;COUNT=1",
        "FREQ=WEEKLY;BYDAY=WE;BYHOUR=8;BYMINUTE=0;UNTIL=20260125T235959",
    ]


def test_a_date_of_its_own_replaces_the_recurrence_at_its_time():
    assert times_of("water every Monday at 9", "no, tomorrow", "no, every day") == [
        "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
        "2026-01-06T09:00",
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
    ]


def test_what_leaves_nothing_open_replaces_the_recurrence():
    (_, last) = times_of("water every Monday at 9 until June", "no, every day at 8")
    assert last == "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"


def test_a_model_keeps_a_changed_recurrence_in_a_store(tmp_path):
    store = f"sqlite:///{tmp_path / 'memory.db'}"
    Engine(parse_model(MODEL), store=store).ask("water every 5th at 9:30", at=MONDAY)
    reply = Engine(parse_model(MODEL), store=store).ask("no, at 10", at=MONDAY)
    assert reply.slots["when"].value == "FREQ=MONTHLY;BYMONTHDAY=5;BYHOUR=10;BYMINUTE=0"
