"""What corrects a change of a time or an amount takes the place of that change: "an hour later" and
then "no, two hours later"."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

AT = datetime(2026, 11, 23, 9, tzinfo=UTC)
# An hour later; no, two hours later; I meant half an hour earlier; no, 45 minutes; another hour
# later
TIMES = {
    "en": (
        "an hour later",
        "no, two hours later",
        "I meant half an hour earlier",
        "no, 45 minutes",
        "another hour later",
    ),
    "de": (
        "eine Stunde später",
        "nein, zwei Stunden später",
        "ich meinte eine halbe Stunde früher",
        "nein, 45 Minuten",
        "noch eine Stunde später",
    ),
    "fr": (
        "une heure plus tard",
        "non, deux heures plus tard",
        "je voulais dire une demi-heure plus tôt",
        "non, 45 minutes",
        "encore une heure plus tard",
    ),
    "es": (
        "una hora más tarde",
        "no, dos horas más tarde",
        "quería decir media hora antes",
        "no, 45 minutos",
        "otra hora más tarde",
    ),
    "it": (
        "un'ora più tardi",
        "no, due ore più tardi",
        "intendevo mezz'ora prima",
        "no, 45 minuti",
        "un'altra ora più tardi",
    ),
    "pt": (
        "uma hora mais tarde",
        "não, duas horas mais tarde",
        "quis dizer meia hora antes",
        "não, 45 minutos",
        "outra hora mais tarde",
    ),
    "ru": (
        "на час позже",
        "нет, на два часа позже",
        "я имел в виду на полчаса раньше",
        "нет, на 45 минут",
        "ещё на час позже",
    ),
    "uk": (
        "на годину пізніше",
        "ні, на дві години пізніше",
        "я мав на увазі на пів години раніше",
        "ні, 45 хвилин",
        "ще на годину пізніше",
    ),
    "zh": (
        "晚一个小时",
        "不，晚两个小时",
        "我是说早半个小时",
        "不，45分钟",
        "再晚一个小时",
    ),
    "ja": (
        "一時間遅く",
        "いいえ、二時間遅く",
        "30分早くのつもりでした",
        "いいえ、45分",
        "もう一時間遅く",
    ),
    "ko": (
        "한 시간 늦게",
        "아니요, 두 시간 늦게",
        "30분 일찍 말한 거예요",
        "아니요, 45분",
        "한 시간 더 늦게",
    ),
    "nl": (
        "een uur later",
        "nee, twee uur later",
        "ik bedoelde een half uur eerder",
        "nee, 45 minuten",
        "nog een uur later",
    ),
    "pl": (
        "godzinę później",
        "nie, dwie godziny później",
        "miałem na myśli pół godziny wcześniej",
        "nie, 45 minut",
        "jeszcze godzinę później",
    ),
    "tr": (
        "bir saat daha geç",
        "hayır, iki saat daha geç",
        "yarım saat daha erken demek istedim",
        "hayır, 45 dakika",
        "bir saat daha geç",
    ),
    "ar": (
        "بعد ذلك بساعة",
        "لا، بعد ذلك بساعتين",
        "قصدت قبل ذلك بنصف ساعة",
        "لا، 45 دقيقة",
        "بعد ذلك بساعة أخرى",
    ),
    "he": (
        "שעה מאוחר יותר",
        "לא, שעתיים מאוחר יותר",
        "התכוונתי חצי שעה מוקדם יותר",
        "לא, 45 דקות",
        "עוד שעה מאוחר יותר",
    ),
}
NOON = {
    "de": "morgen um 12 Uhr",
    "en": "tomorrow at noon",
    "es": "mañana a las 12:00",
    "fr": "demain à 12h",
    "it": "domani alle 12",
    "ja": "明日の12時",
    "ko": "내일 12시",
    "pt": "amanhã às 12h",
    "ru": "завтра в 12:00",
    "uk": "завтра о 12:00",
    "zh": "明天中午12点",
    "nl": "morgen om 12:00",
    "pl": "jutro o 12:00",
    "tr": "yarın 12:00",
    "ar": "غدا الساعة 12:00",
    "he": "מחר בשעה 12:00",
}
EACH_LANGUAGE = pytest.mark.parametrize(
    "language",
    [pytest.param(one, marks=() if one in ("en", "ru") else pytest.mark.thorough) for one in TIMES],
)
MEETING = """
id: meeting
language: {language}
dialog_acts: true
entities: [{entities}]
elements: [{{id: meet, synonyms: [xmeet]}}]
intents: [{{id: meet, slots: {{meet: meet, date: {{ask: When?}}}}, confirm: OK?}}]
responses: {{meet: Done.}}
"""


def answer_meeting(language, *said, entities="date"):
    """The times after each of the ``said``, of a meeting that is not yet confirmed."""
    engine = Engine(parse_model(MEETING.format(language=language, entities=entities)))
    replies = [engine.ask(text, at=AT) for text in ("xmeet", NOON[language], *said)]
    return [one.slots["date"].value[-5:] for one in replies[1:]]


@EACH_LANGUAGE
@pytest.mark.parametrize("entities", ["date", "date, duration"])
def test_a_correction_moves_a_time_from_where_it_was(language, entities):
    times = answer_meeting(language, *TIMES[language], entities=entities)
    assert times == ["12:00", "13:00", "14:00", "11:30", "11:15", "12:15"]


@pytest.mark.parametrize(
    ("said", "time"),
    [
        (("an hour later", "half an hour later"), "13:30"),
        (("an hour later", "make it half an hour earlier"), "12:30"),
        (("an hour later", "no, half an hour earlier"), "12:30"),
        (("an hour later", "no, another hour later"), "14:00"),
        (("an hour later", "sorry, an hour later"), "14:00"),
        (("an hour later", "no, at 3 pm"), "15:00"),
        (("an hour later", "an hour later", "no, two hours later"), "15:00"),
    ],
)
def test_what_corrects_no_move_moves_on_from_there(said, time):
    assert answer_meeting("en", *said)[-1] == time


SEND = """
id: pay
dialog_acts: true
elements:
  - {id: pay, synonyms: [send]}
  - {id: sum, recognizer: money, config: {currency: EUR}, id_synonym: false}
intents: [{id: pay, slots: {pay: pay, sum: {ask: How much?}}, confirm: OK?}]
responses: {pay: Done.}
"""


@pytest.mark.parametrize(
    ("said", "sums"),
    [
        (("50 more", "no, 20 more"), ["150 EUR", "120 EUR"]),
        (("50 more", "I meant 20 less"), ["150 EUR", "80 EUR"]),
        (("50 more", "no, 20 less"), ["150 EUR", "130 EUR"]),
        (("50 more", "20 more", "no, 30 more"), ["150 EUR", "170 EUR", "180 EUR"]),
        (("twice as much", "no, three times as much"), ["200 EUR", "300 EUR"]),
        (("twice as much", "no, 20 more"), ["200 EUR", "120 EUR"]),
    ],
)
def test_a_correction_changes_an_amount_as_it_was(said, sums):
    engine = Engine(parse_model(SEND))
    replies = [engine.ask(text, at=AT) for text in ("send 100 euros", *said)]
    assert [one.slots["sum"].value for one in replies[1:]] == sums


def test_the_explanation_says_what_has_been_moved():
    engine = Engine(parse_model(MEETING.format(language="en", entities="date")))
    for text in ("xmeet", NOON["en"], "an hour later"):
        engine.ask(text, at=AT)
    explanation = engine.ask("no, two hours later", at=AT, explain=True).explanation
    assert (
        "'two hours later' is combined with 'tomorrow at noon' (2026-11-24T12:00): "
        "date=2026-11-24T14:00" in str(explanation)
    )
