"""Dates joined by a conjunction: the later one takes what it leaves out from the one before it."""

from datetime import UTC, datetime

import pytest

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)


def read(language, text):
    found = DateRecognizer(get_date_parser(language)).read(text, WEDNESDAY)
    return [mention.value for mention in found]


@pytest.mark.parametrize(
    ("language", "text", "dates"),
    [
        ("en", "Tuesday or Thursday at 9", ["2026-11-24T09:00", "2026-11-19T09:00"]),
        ("en", "tomorrow at 3 pm and 4 pm", ["2026-11-19T15:00", "2026-11-19T16:00"]),
        ("de", "morgen um 14 Uhr oder 15 Uhr", ["2026-11-19T14:00", "2026-11-19T15:00"]),
        ("ja", "来週の火曜か木曜", ["2026-11-24", "2026-11-26"]),
        ("zh", "下周二或周四", ["2026-11-24", "2026-11-26"]),
        ("ko", "다음 주 화요일이나 목요일", ["2026-11-24", "2026-11-26"]),
    ],
)
def test_a_conjunction_carries_the_week_or_the_day_on(language, text, dates):
    assert read(language, text) == dates


def test_a_mark_of_a_list_joins_as_a_conjunction_does():
    assert read("ja", "来月の3日、10日、17日") == ["2026-12-03", "2026-12-10", "2026-12-17"]


def test_a_time_is_in_the_half_of_the_day_of_the_one_before_it_unless_it_is_earlier():
    assert read("ja", "明日の午後2時か3時") == ["2026-11-19T14:00", "2026-11-19T15:00"]
    assert read("ja", "明日の午前11時か1時") == ["2026-11-19T11:00", "2026-11-19T13:00"]


def test_other_words_between_two_dates_do_not_join_them():
    assert read("ja", "来週の火曜に行って木曜に帰る") == ["2026-11-24", "2026-11-19"]


def test_an_earlier_day_is_one_of_another_month():
    assert read("zh", "12月25号或5号") == ["2026-12-25", "2026-12-05"]


@pytest.mark.parametrize(
    ("language", "text", "dates"),
    [
        ("en", "next week Thursday or Friday at 7", ["2026-11-26T07:00", "2026-11-27T07:00"]),
        ("en", "at 7 pm on Thursday or Friday", ["2026-11-19T19:00", "2026-11-20T19:00"]),
        ("de", "am Montag oder am Freitag um 19 Uhr", ["2026-11-23T19:00", "2026-11-20T19:00"]),
        ("fr", "jeudi ou vendredi à 19h", ["2026-11-19T19:00", "2026-11-20T19:00"]),
    ],
)
def test_a_time_beside_one_of_two_days_is_that_of_both(language, text, dates):
    assert read(language, text) == dates


def test_the_time_behind_a_list_is_that_of_all_its_days():
    times = ["2026-11-23T09:00", "2026-11-24T09:00", "2026-11-25T09:00"]
    assert read("en", "Monday, Tuesday or Wednesday at 9 am") == times


def test_a_time_behind_a_comma_or_before_a_further_day_is_that_of_one_day():
    assert read("en", "Monday, Tuesday at 9") == ["2026-11-23", "2026-11-24T09:00"]
    assert read("en", "Monday at 5 pm or Tuesday") == ["2026-11-23T17:00", "2026-11-24"]


def test_a_part_of_the_day_is_that_of_the_day_before_it():
    found = read("en", "today or tomorrow morning")
    assert found == ["2026-11-18", "2026-11-19T06:00/2026-11-19T12:00"]
