"""The time bot: local times and differences."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tests.bots.dialog import answer, answers

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["What time is it?"], "It is 10:00, Mon 5 Jan."),
        (["What time is it in Tokyo?"], "Tokyo: 18:00, Mon 5 Jan (+8 h)."),
        (["What time is it in Tokyo?", "and in London?"], "London: 09:00, Mon 5 Jan (−1 h)."),
        (["current time in Nepal"], "Nepal: 14:45, Mon 5 Jan (+4:45 h)."),
        (["what's the time in Paris"], "Paris: 10:00, Mon 5 Jan (as here)."),
        (
            ["What time is it in Tokyo?", "What time is it there when it is 5pm here?"],
            "Tokyo: 01:00, Tue 6 Jan, when it is 17:00, Mon 5 Jan here.",
        ),
        (["What time is it in Tokyo?", "and what time is it here?"], "It is 10:00, Mon 5 Jan."),
        (["what time is it in Africa?"], "I don't know the time zone of Africa."),
        (["Который час в Токио?"], "Токио: 18:00, пн, 5 янв (+8 ч)."),
        (["Wie spät ist es in Wien?"], "Wien: 10:00, Mo, 5. Jan (wie hier)."),
        (["Wie spät ist es?"], "Es ist 10:00, Mo, 5. Jan."),
        (["Который час в Нижнем Тагиле?"], "Нижний Тагил: 14:00, пн, 5 янв (+4 ч)."),
        (["Wie spät ist es in der Schweiz?"], "Schweiz: 10:00, Mo, 5. Jan (wie hier)."),
        (["What time is it in GMT?"], "UTC: 09:00, Mon 5 Jan (−1 h)."),
        (
            ["What time is it in the USA?"],
            "United States (Washington): 04:00, Mon 5 Jan (−6 h). "
            "Elsewhere there it is from 23:00, Sun 4 Jan to 04:00.",
        ),
        (
            ["Который час в России?"],
            "Россия (Москва): 12:00, пн, 5 янв (+2 ч). В других местах там от 11:00 до 21:00.",
        ),
    ],
)
def test_answers(questions, said):
    assert answer("time", *questions, zone=BERLIN).startswith(said)


def test_daylight_saving_follows_the_date():
    july = datetime(2026, 7, 5, 9, tzinfo=UTC)
    assert (
        answer("time", "what time is it in London?", at=july) == "London: 10:00, Sun 5 Jul (+1 h)."
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "what time is it in New York when it is noon in Tokyo?",
            "New York City: 22:00, Sun 4 Jan, when it is 12:00, Mon 5 Jan in Tokyo.",
        ),
        (
            "if it's 9am in Berlin what time is it in Tokyo?",
            "Tokyo: 17:00, Tue 6 Jan, when it is 09:00 in Berlin.",
        ),
        ("what time is it here when it's 5pm in Tokyo?", "It is 09:00, Mon 5 Jan, here when it is"),
        ("when it is 5pm here what time is it in Tokyo?", "Tokyo: 01:00, Tue 6 Jan, when it is"),
        ("at 5pm what time is it in Tokyo?", "Tokyo: 01:00, Tue 6 Jan, when it is 17:00, Mon 5"),
        ("what time is it in Tokyo at 5pm?", "Tokyo: 01:00, Tue 6 Jan, when it is 17:00, Mon 5"),
        (
            "сколько времени в Токио, когда в Москве полдень?",
            "Токио: 18:00, пн, 5 янв, когда Москва: 12:00.",
        ),
        (
            "Wie spät ist es in Rom, wenn es in Tokio 20 Uhr ist?",
            "Rom: 12:00, Mo, 5. Jan, wenn es in Tokio 20:00 ist.",
        ),
    ],
)
def test_the_given_time_may_be_in_another_place(question, said):
    assert answer("time", question, zone=BERLIN).startswith(said)


def test_the_given_time_applies_to_follow_ups_only():
    said = answers(
        "time",
        "what time is it in London when it is noon in Tokyo?",
        "and in Sydney?",
        "what time is it in Sydney?",
        "and in London?",
        zone=BERLIN,
    )
    assert said == [
        "London: 03:00, Mon 5 Jan, when it is 12:00 in Tokyo.",
        "Sydney: 14:00, Mon 5 Jan, when it is 12:00 in Tokyo.",
        "Sydney: 20:00, Mon 5 Jan (+10 h).",
        "London: 09:00, Mon 5 Jan (−1 h).",
    ]


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["time difference between London and Tokyo"], "Tokyo is 9 h ahead of London."),
        (["how far ahead is Kathmandu?"], "Kathmandu is 4:45 h ahead of you."),
        (["time difference to New York", "and Lima?"], "Lima is 6 h behind you."),
        (["time difference between Rome and Paris"], "Paris has the same time as Rome."),
        (["Какая разница во времени с Токио?"], "Токио: +8 ч (к вашему времени)."),
        (["Zeitunterschied zwischen Rom und Tokio"], "Tokio ist Rom 8 Std. voraus."),
        (["time difference to Antarctica"], "I don't know the time zone of Antarctica."),
    ],
)
def test_time_differences(questions, said):
    assert answer("time", *questions, zone=BERLIN).startswith(said)


def test_a_skipped_hour_is_the_one_after_the_gap():
    night = datetime(2026, 3, 28, 12, tzinfo=UTC)
    said = answer("time", "what time is it in UTC tomorrow at 2:30 am?", at=night, zone=BERLIN)
    assert said == "UTC: 01:30, Sun 29 Mar, when it is 03:30 here."


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["an hour later"], "Tokyo: 22:00, Mon 5 Jan, when it is 13:00 here."),
        (["an hour later", "no, two hours"], "Tokyo: 23:00, Mon 5 Jan, when it is 14:00 here."),
        (["no, at 1 pm"], "Tokyo: 22:00, Mon 5 Jan, when it is 13:00 here."),
        (["half an hour earlier", "and Seoul"], "Seoul: 20:30, Mon 5 Jan, when it is 11:30 here."),
    ],
)
def test_the_time_that_was_asked_about_is_moved_and_corrected(questions, said):
    asked = "what time is it in Tokyo when it is noon here"
    assert answer("time", asked, *questions) == said


@pytest.mark.parametrize(
    ("question", "correction", "clock"),
    [
        ("what time is it in Tokyo when it is 5 pm here?", "no, 6", "03:00"),
        ("wie spät ist es in Tokio, wenn es hier 17 Uhr ist?", "nein, 18", "03:00"),
        ("который час в Токио, когда здесь 5 вечера?", "нет, 6", "03:00"),
    ],
)
def test_a_bare_hour_corrects_a_time_without_a_day(question, correction, clock):
    assert clock in answer("time", question, correction)


def test_there_is_no_hour_25():
    said = answer("time", "what time is it in Tokyo when it is 5 pm here?", "no, 25")
    assert said.startswith("I only know")
