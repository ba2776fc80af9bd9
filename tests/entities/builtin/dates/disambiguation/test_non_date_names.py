"""A month that begins the name of a person is no date."""

from datetime import UTC, datetime

import pytest

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)


def read(language, text):
    found = DateRecognizer(get_date_parser(language)).read(text, WEDNESDAY)
    return [mention.value for mention in found]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "June May sent a letter"),
        ("en", "April Vandermolen moved in"),
        ("de", "August Lehmann wohnt hier"),
        ("de", "Frau Sonntag meldet sich"),
        ("fr", "Avril Lavigne joue de la guitare"),
        ("fr", "Mme Juillet habite ici"),
        ("es", "Julio Cortázar escribe"),
        ("es", "Domingo Gutiérrez canta"),
        ("es", "Rosa y Domingo han venido"),
        ("it", "ho visto Domenica Bianchi"),
        ("fr", "Robinson et Vendredi pêchent"),
        ("de", "Frau Sommer und Herr Abend sind da"),
        ("en", "Mrs. Winter came in"),
        ("en", "April told me so"),
        ("en", "June Baker sang"),
        ("en", "April Price promised it"),
        ("it", "chiama Marco Sabato per la riunione"),
        ("es", "llama a Pedro Domingo de la oficina"),
    ],
)
def test_a_full_name_or_a_title_is_no_date(language, text):
    assert read(language, text) == []


@pytest.mark.parametrize(
    ("language", "text", "dates"),
    [
        ("en", "remind me at 9 pm to call June", ["2026-11-18T21:00"]),
        ("en", "remind me to call june tomorrow", ["2026-11-19"]),
        ("en", "lunch with June tomorrow", ["2026-11-19"]),
        ("en", "talk to June about it", []),
        ("es", "llama a Julio mañana", ["2026-11-19"]),
        ("es", "cena con Julio el viernes", ["2026-11-20"]),
        ("de", "ruf August um 21 Uhr an", ["2026-11-18T21:00"]),
        ("fr", "appelle Avril demain", ["2026-11-19"]),
        ("en", "call June 5th", ["2027-06-05"]),
        ("en", "meet June or July", ["2027-06", "2027-07"]),
        ("en", "postpone the call to June", ["2027-06"]),
        ("en", "compare May with June", ["2027-06"]),
        ("en", "let's say June", ["2027-06"]),
        ("es", "aplaza la llamada a julio", ["2027-07"]),
    ],
)
def test_a_month_that_one_calls_or_meets_is_a_person(language, text, dates):
    assert read(language, text) == dates


@pytest.mark.parametrize(
    ("language", "text", "dates"),
    [
        ("en", "meet me in April, May suits me too", ["2027-04"]),
        ("en", "April Berlin hotels", ["2027-04"]),
        ("en", "next June Vandermolen is 80", ["2027-06"]),
        ("de", "August Termine vereinbaren", ["2027-08"]),
        ("es", "el 3 de Julio Cortázar lee", ["2027-07-03"]),
        ("es", "en Junio y Julio", ["2027-06", "2027-07"]),
        ("es", "Lunes y Martes", ["2026-11-23", "2026-11-24"]),
        ("it", "Domenica Marco viene a cena", ["2026-11-22"]),
        ("en", "April calls are cheap", ["2027-04"]),
        ("en", "in April told us nothing", ["2027-04"]),
    ],
)
def test_a_month_with_a_date_around_it_or_without_a_surname_is_one(language, text, dates):
    assert read(language, text) == dates
