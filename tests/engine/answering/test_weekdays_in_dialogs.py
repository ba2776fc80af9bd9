"""A weekday after or before the date that was said: "the Friday after"."""

from datetime import UTC, datetime
from functools import cache

import pytest

from anaphora import Engine, parse_model

ASKED = datetime(2026, 11, 18, 10, tzinfo=UTC)
MODEL = """
id: bot
language: [en, de, fr, es, it, pt, ru, uk, nl, pl, tr, ja, ko, zh, ar, he]
dialog_acts: true
entities: [date]
elements:
  - id: book
    synonyms:
      en: [book]
      de: [buche]
      fr: [réserve]
      es: [reserva]
      it: [prenota]
      pt: [reserve]
      ru: [закажи]
      uk: [замов]
      nl: [boek]
      pl: [zamów]
      tr: [ayırt]
      ja: [予約]
      ko: [예약]
      zh: [预订]
      ar: [احجز]
      he: [הזמן]
intents:
  - {id: book, slots: {book: book, date: {ask: When?}}}
"""


@cache
def engine() -> Engine:
    return Engine(parse_model(MODEL))


@pytest.mark.parametrize(
    ("language", "first", "follow_up"),
    [
        ("en", "book March 10, 2027", "the Friday after"),
        ("en", "book March 10, 2027", "and the Friday following?"),
        ("de", "buche 10.3.2027", "am Freitag danach"),
        ("fr", "réserve le 10 mars 2027", "le vendredi d'après"),
        ("es", "reserva el 10 de marzo de 2027", "el viernes siguiente"),
        ("it", "prenota il 10 marzo 2027", "il venerdì dopo"),
        ("pt", "reserve 10 de março de 2027", "a sexta-feira seguinte"),
        ("ru", "закажи 10 марта 2027", "в пятницу после этого"),
        ("uk", "замов 10 березня 2027", "у п'ятницю після цього"),
        ("nl", "boek 10 maart 2027", "de vrijdag erna"),
        ("pl", "zamów 10 marca 2027", "w piątek potem"),
        ("tr", "10 Mart 2027 ayırt", "ondan sonraki cuma"),
        ("ja", "2027年3月10日 予約", "その次の金曜日は"),
        ("ko", "2027년 3월 10일 예약", "그 다음 금요일"),
        ("zh", "预订 2027年3月10日", "之后的星期五"),
        ("ar", "احجز 10 مارس 2027", "الجمعة التي تليها"),
        ("he", "הזמן 10 במרץ 2027", "יום שישי שאחריו"),
    ],
)
def test_a_weekday_after_is_after_the_date_that_was_said(language, first, follow_up):
    assert talk(first, follow_up, language=language) == "2027-03-12"


@pytest.mark.parametrize(
    ("questions", "value"),
    [
        (["book March 10, 2027", "the Monday before"], "2027-03-08"),
        (["book March 10, 2027 at 20:00", "the Friday after", "the Friday after that"],
         "2027-03-19T20:00"),
        (["book next week", "the Tuesday after"], "2026-12-01"),
        (["book next week", "the Tuesday after Christmas"], "2026-12-29"),
        (["book the Friday after"], "2026-11-20"),
    ],
)  # fmt: skip
def test_it_keeps_the_time_and_goes_on(questions, value):
    assert talk(*questions) == value


def talk(*questions: str, language: str = "en") -> str | None:
    user = "/".join(questions)
    for text in questions:
        reply = engine().ask(text, user=user, at=ASKED, language=language)
    return reply.slots["date"].value
