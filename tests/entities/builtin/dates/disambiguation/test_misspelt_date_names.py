"""A misspelt weekday or month is one, unless it is another word or somebody's name."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine, load_model
from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)


def read(language, text):
    found = DateRecognizer(get_date_parser(language)).read(text, WEDNESDAY)
    return [mention.value for mention in found]


@pytest.mark.parametrize(
    ("language", "text", "date"),
    [
        ("en", "a table on teusday at 8 pm", "2026-11-24T20:00"),
        ("en", "Does Satruday at noon work?", "2026-11-21T12:00"),
        ("en", "the 3rd of Febuary", "2027-02-03"),
        ("en", "Wendesday", "2026-11-25"),
        ("de", "am Donerstag um 19 Uhr", "2026-11-19T19:00"),
        ("de", "im Oktobber", "2027-10"),
        ("fr", "le 4 septmbre", "2027-09-04"),
        ("it", "venedì sera", "2026-11-20T18:00/2026-11-21T00:00"),
        ("en", "tomorrw at 8 pm", "2026-11-19T20:00"),
        ("en", "the day before yesteday", "2026-11-16"),
        ("en", "this weeknd", "2026-11-21/2026-11-22"),
        ("de", "übermorgn um 19 Uhr", "2026-11-20T19:00"),
        ("de", "morgn", "2026-11-19"),
        ("fr", "demian à 20 h", "2026-11-19T20:00"),
        ("es", "mañna", "2026-11-19"),
        ("it", "dopodomni", "2026-11-20"),
        ("ru", "завтар в 20:00", "2026-11-19T20:00"),
        ("uk", "післязатра", "2026-11-20"),
        ("nl", "overmogen", "2026-11-20"),
    ],
)
def test_one_wrong_letter_is_forgiven(language, text, date):
    assert read(language, text) == [date]


def test_it_shares_its_week_and_time_as_other_weekdays_do():
    dates = ["2026-11-24T09:00", "2026-11-26T09:00"]
    assert read("en", "next week tuseday or Thursday at 9 am") == dates


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a chocolate sundae"),
        ("de", "die Montage der Küche"),
        ("it", "il raggio del cerchio"),
        ("en", "does Augusto know that?"),
        ("it", "Domenico canta bene"),
        ("en", "did Munday reply?"),
        ("fr", "je connais Javier"),
        ("en", "mnday"),
        ("de", "mit großen Gesten"),
        ("ru", "завтрак"),
        ("de", "alle Sorgen und das Morden"),
    ],
)
def test_other_words_names_and_short_words_are_no_dates(language, text):
    assert read(language, text) == []


def test_the_explanation_says_what_a_misspelt_day_is_read_as():
    reply = Engine(load_model("weather")).ask("weather in Rome tomorrw", at=WEDNESDAY, explain=True)
    assert "'tomorrw' is read as 'tomorrow'" in reply.explanation.notes
