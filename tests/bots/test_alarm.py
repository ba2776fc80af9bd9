"""An alarm clock in a conversation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from anaphora import Engine
from tests.bots.talk import MONDAY, answer, answers

BERLIN = ZoneInfo("Europe/Berlin")


def test_alarms_are_set_listed_and_cancelled():
    assert answers(
        "alarm",
        "Set an alarm for tomorrow 6:30",
        "and one tomorrow at 7 am",
        "which alarms are set?",
        "cancel the one at 7",
        "how long till the alarm?",
        "cancel it",
        "my alarms",
    ) == [
        "Alarm set for Tue 6 Jan, 06:30 (in 21 h 30 min).",
        "Alarm set for Tue 6 Jan, 07:00 (in 22 h).",
        "Alarms: Tue 6 Jan, 06:30; Tue 6 Jan, 07:00.",
        "Cancelled: Tue 6 Jan, 07:00.",
        "21 h 30 min until the alarm at Tue 6 Jan, 06:30.",
        "Cancelled: Tue 6 Jan, 06:30.",
        "No alarm is set.",
    ]


@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("wake me in 20 minutes", "Mon 5 Jan, 09:20 (in 20 min)"),
        ("set a timer for 90 minutes", "Mon 5 Jan, 10:30 (in 1 h 30 min)"),
        ("wake me on Friday at 8 am", "Fri 9 Jan, 08:00 (in 3 d 23 h)"),
    ],
)
def test_times_and_lengths_of_time(question, when):
    assert answer("alarm", question) == f"Alarm set for {when}."


def test_the_hour_of_a_day_is_asked_for_and_is_on_that_day():
    said = answers("alarm", "wake me tomorrow", "at 11 am")
    assert said == ["At what time on Tue 6 Jan?", "Alarm set for Tue 6 Jan, 11:00 (in 1 d 2 h)."]


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["my alarms"], "No alarm is set."),
        (["cancel the alarm"], "No alarm is set."),
        (["how long till the alarm?"], "No alarm is set."),
        (["wake me in 20 minutes", "wake me in 20 minutes"], "There is one already"),
        (["wake me yesterday at 7 am"], "Sun 4 Jan, 07:00 is over."),
        (["wake me in 20 minutes", "wake me in 30 minutes", "cancel it"], "Which one? Mon 5 Jan"),
        (
            ["wake me in 20 minutes", "cancel the one at noon"],
            "No alarm is set for Mon 5 Jan, 12:00",
        ),
        (
            ["wake me in 20 minutes", "wake me in 30 minutes", "cancel all alarms"],
            "Cancelled: Mon 5 Jan, 09:20; Mon 5 Jan, 09:30.",
        ),
    ],
)
def test_what_cannot_be_done_is_told(questions, said):
    assert answer("alarm", *questions).startswith(said)


def test_an_alarm_that_is_over_is_gone():
    bot = Engine("alarm", clock=lambda: MONDAY)
    bot.ask("wake me in 20 minutes", at=MONDAY)
    assert "09:20" in bot.ask("my alarms", at=MONDAY + timedelta(minutes=19)).text
    assert bot.ask("my alarms", at=MONDAY + timedelta(minutes=20)).text == "No alarm is set."


def test_a_length_of_time_is_counted_though_the_clocks_are_put_forward():
    night = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)  # 1:30 in Berlin; at 2:00 it is 3:00
    said = answer("alarm", "set a timer for 60 minutes", at=night, zone=BERLIN)
    assert said == "Alarm set for Sun 29 Mar, 03:30 (in 1 h)."


def test_alarms_are_told_in_the_local_time_of_the_one_who_asks():
    bot = Engine("alarm", clock=lambda: MONDAY)
    bot.ask("wake me in 20 minutes", at=MONDAY)
    assert "10:20" in bot.ask("my alarms", at=MONDAY.astimezone(BERLIN)).text


def test_in_russian():
    assert answers("alarm", "разбуди меня завтра в 7 утра", "мои будильники", "отмени все") == [
        "Будильник: вт, 6 янв, 07:00 (через 22 ч).",
        "Будильники: вт, 6 янв, 07:00.",
        "Отменено: вт, 6 янв, 07:00.",
    ]
