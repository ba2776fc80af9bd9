"""The alarm bot in conversations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from anaphora import Engine, load_model
from tests.bots.dialog import MONDAY, answer, answers

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
        ("wake me on Friday at 8:30 am", "Fri 9 Jan, 08:30 (in 3 d 23 h)"),
        ("wake me in 5 seconds", "Mon 5 Jan, 09:00 (in 5 s)"),
        ("wake me before 11", "Mon 5 Jan, 11:00 (in 2 h)"),
        ("wake me in the morning", "Tue 6 Jan, 06:00 (in 21 h)"),
    ],
)
def test_times_and_lengths_of_time(question, when):
    assert answer("alarm", question) == f"Alarm set for {when}."


@pytest.mark.parametrize(
    ("questions", "alarms"),
    [
        (["wake me tomorrow at 7", "no, 9"], "Alarms: Tue 6 Jan, 09:00."),
        (["wake me tomorrow at 7 pm", "actually make it 8", "no, 9"], "Alarms: Tue 6 Jan, 21:00."),
        (["wake me on Friday at 7", "no, at noon"], "Alarms: Fri 9 Jan, 12:00."),
        (["remind me in half an hour", "make that an hour"], "Alarms: Mon 5 Jan, 10:00."),
        (["разбуди меня завтра в 19:00", "лучше в восемь"], "Будильники: вт, 6 янв, 20:00."),
        (["разбуди меня послезавтра в 7", "нет, в 9"], "Будильники: ср, 7 янв, 09:00."),
    ],
)
def test_a_correction_replaces_the_alarm_and_keeps_its_day(questions, alarms):
    shown = "какие будильники стоят" if alarms.startswith("Б") else "which alarms are set?"
    assert answers("alarm", *questions, shown)[-1] == alarms


def test_the_hour_of_a_day_is_asked_for():
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
            "No alarm is set for that time (noon). There are: Mon 5 Jan, 09:20.",
        ),
        (
            ["wake me in 20 minutes", "wake me in 30 minutes", "cancel all alarms"],
            "Cancelled: Mon 5 Jan, 09:20; Mon 5 Jan, 09:30.",
        ),
    ],
)
def test_impossible_requests_are_explained(questions, said):
    assert answer("alarm", *questions).startswith(said)


def test_a_past_alarm_is_removed():
    bot = Engine("alarm", clock=lambda: MONDAY)
    bot.ask("wake me in 20 minutes", at=MONDAY)
    assert "09:20" in bot.ask("my alarms", at=MONDAY + timedelta(minutes=19)).text
    assert bot.ask("my alarms", at=MONDAY + timedelta(minutes=20)).text == "No alarm is set."


def test_a_duration_is_elapsed_time_across_daylight_saving():
    night = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)  # 1:30 in Berlin; at 2:00 it is 3:00
    said = answer("alarm", "set a timer for 60 minutes", at=night, zone=BERLIN)
    assert said == "Alarm set for Sun 29 Mar, 03:30 (in 1 h)."


def test_alarms_are_shown_in_the_users_local_time():
    bot = Engine("alarm", clock=lambda: MONDAY)
    bot.ask("wake me in 20 minutes", at=MONDAY)
    assert "10:20" in bot.ask("my alarms", at=MONDAY.astimezone(BERLIN)).text


def test_in_russian():
    assert answers("alarm", "разбуди меня завтра в 7 утра", "мои будильники", "отмени все") == [
        "Будильник: вт, 6 янв, 07:00 (через 22 ч).",
        "Будильники: вт, 6 янв, 07:00.",
        "Отменено: вт, 6 янв, 07:00.",
    ]


@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("разбуди меня в 7", "пн, 5 янв, 19:00"),
        ("разбуди в семь", "пн, 5 янв, 19:00"),
        ("поставь будильник на 10", "пн, 5 янв, 10:00"),
        ("разбуди меня в 7 и в 8", "пн, 5 янв, 19:00; пн, 5 янв, 20:00"),
        ("разбуди меня к 12, пожалуйста", "пн, 5 янв, 12:00"),
    ],
)
def test_a_bare_number_is_an_hour_in_the_context_of_alarms(question, when):
    assert when in answer("alarm", question)


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["wake me tomorrow", "8"], "Alarm set for Tue 6 Jan, 08:00"),
        (["wake me tomorrow", "at 7"], "Alarm set for Tue 6 Jan, 07:00"),
        (["wake me tomorrow", "at 7 pm"], "Alarm set for Tue 6 Jan, 19:00"),
        (["wake me tomorrow", "half past six"], "Alarm set for Tue 6 Jan"),
        (["wake me tomorrow", "in 20 minutes"], "Alarm set for Mon 5 Jan, 09:20"),
        (["wake me tomorrow", "remind me at 5 pm"], "Alarm set for Mon 5 Jan, 17:00"),
        (["wake me tomorrow", "my alarms", "wake me at 10"], "Alarm set for Mon 5 Jan, 10:00"),
        (["wake me tomorrow", "never mind", "and at 10"], "Alarm set for Mon 5 Jan, 10:00"),
        (["wake me yesterday"], "Sun 4 Jan is over."),
    ],
)
def test_the_requested_day_applies_only_to_the_answer(questions, said):
    assert answer("alarm", *questions).startswith(said)


@pytest.mark.parametrize(
    ("question", "repeat"),
    [
        ("wake me every day at 7", "every day"),
        ("every monday at 7", "every monday"),
        ("set an alarm for weekdays at 7", "weekdays"),
        ("wake me daily at 7", "daily"),
        ("set an alarm for Mondays", "Mondays"),
        ("буди меня по будням в 7", "по будням"),
        ("каждый день в 7", "каждый день"),
    ],
)
def test_repeated_alarms_are_declined(question, repeat):
    declined, listed = answers("alarm", question, "my alarms")
    assert repeat in declined
    assert declined.startswith(("I ring only once", "Я звоню только один раз"))
    assert listed in ("No alarm is set.", "Ни одного будильника нет.")


@pytest.mark.parametrize(
    ("question", "yes", "set_for"),
    [
        ("wake me from Thursday to Friday at 6 am", "yes", "Alarm set for Thu 8 Jan, 06:00"),
        ("weck mich Mittwoch bis Samstag um halb acht", "ja", "Wecker gestellt: Mi, 7. Jan, 07:30"),
    ],
)
def test_of_several_days_the_first_is_offered(question, yes, set_for):
    offered, done = answers("alarm", question, yes)
    assert offered.startswith(("I ring only once", "Ich klingle nur einmal"))
    assert done.startswith(set_for)


def test_a_weekday_is_not_a_repetition():
    assert answer("alarm", "wake me on Monday at 7 am").startswith("Alarm set for Mon 12 Jan")


def test_after_a_cancellation_a_time_sets_an_alarm_again():
    said = answers("alarm", "wake me at 7 am", "cancel it", "and at 8 am")
    assert said[-1].startswith("Alarm set for Tue 6 Jan, 08:00")


@pytest.mark.parametrize("which", ["at 8 am", "8", "the one at 8"])
def test_a_time_answers_which_alarm(which):
    said = answers("alarm", "wake me at 7 am and at 8 am", "cancel the alarm", which)
    assert said[1:] == [
        "Which one? Tue 6 Jan, 07:00; Tue 6 Jan, 08:00.",
        "Cancelled: Tue 6 Jan, 08:00.",
    ]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("cancel the 8 o'clock alarm", "Cancelled: Tue 6 Jan, 08:00."),
        ("cancel the one on Friday", "Cancelled: Fri 9 Jan, 08:30."),
        ("cancel the one at 9", "No alarm is set for that time"),
        ("cancel everything", "Cancelled: Tue 6 Jan, 08:00; Fri 9 Jan, 08:30."),
        ("move the one at 8 to 9 am", "Moved from Tue 6 Jan, 08:00 to Tue 6 Jan, 09:00."),
        ("change the 8 o'clock alarm to 9", "Moved from Tue 6 Jan, 08:00 to Tue 6 Jan, 09:00."),
        ("move it to 10", "Say which one is to be moved"),
        ("move the one at 8 to yesterday at 7 am", "Sun 4 Jan, 07:00 is over."),
        ("move the one at 8 to Friday", "Moved from Tue 6 Jan, 08:00 to Fri 9 Jan, 08:00"),
        ("how many alarms are set?", "Alarms: Tue 6 Jan, 08:00; Fri 9 Jan, 08:30."),
        ("list", "Alarms: Tue 6 Jan, 08:00; Fri 9 Jan, 08:30."),
        ("when is my next alarm?", "23 h until the alarm at Tue 6 Jan, 08:00."),
    ],
)
def test_many_phrasings_are_understood(question, said):
    asked = ("wake me at 8 am and on Friday at 8:30 am", question)
    assert answer("alarm", *asked).startswith(said)


@pytest.mark.parametrize(
    ("to", "time"),
    [
        ("move it to 8", "Fri 9 Jan, 08:00"),
        ("move it to half past 8", "Fri 9 Jan, 08:30"),
        ("move it to 8 pm", "Fri 9 Jan, 20:00"),
        ("move it to 20:30", "Fri 9 Jan, 20:30"),
        ("move it to tomorrow at 8", "Tue 6 Jan, 08:00"),
        ("перенеси его на 8", "пт, 9 янв, 08:00"),
    ],
)
def test_a_moved_alarm_keeps_its_day(to, time):
    assert time in answer("alarm", "wake me on Friday at 7 am", to).split("07:00")[1]


def test_a_moved_alarm_keeps_its_half_of_the_day():
    assert answer("alarm", "wake me tomorrow at 8 pm", "move it to 9").endswith("6 Jan, 21:00.")


def test_an_alarm_is_moved_by_its_place():
    said = answer(
        "alarm", "разбуди меня в 8", "и завтра в 7", "мои будильники", "перенеси второй на 9"
    )
    assert said == "Было вт, 6 янв, 07:00, стало вт, 6 янв, 09:00."


@pytest.mark.parametrize("question", ["и завтра тоже", "и завтра"])
def test_an_alarm_at_the_same_time_on_another_day(question):
    said = answer("alarm", "разбуди меня в 8 вечера", question)
    assert said.startswith("Будильник: вт, 6 янв, 20:00")


@pytest.mark.parametrize("when", ["in 99999 years", "on 1 May 2090 at 7"])
def test_a_time_too_far_ahead_is_declined_without_losing_alarms(when):
    said = answers("alarm", "wake me in 20 minutes", f"wake me {when}", "my alarms")
    assert said[1:] == ["That is too far away for me.", "Alarms: Mon 5 Jan, 09:20."]


def test_alarms_survive_many_unknown_questions():
    said = answers("alarm", "wake me in 20 minutes", *["mumble"] * 30, "my alarms")
    assert said[-1] == "Alarms: Mon 5 Jan, 09:20."


def test_alarms_survive_days_of_silence():
    bot = Engine("alarm", clock=lambda: MONDAY)
    bot.ask("wake me on Friday at 8 am", at=MONDAY)
    assert "Fri 9 Jan" in bot.ask("my alarms", at=MONDAY + timedelta(days=3)).text


def test_the_number_of_alarms_is_limited():
    times = [f"wake me in {minutes} minutes" for minutes in range(1, 103)]
    assert answer("alarm", *times).startswith("I cannot keep more alarms.")


@pytest.mark.parametrize(
    ("timer", "more", "moved", "other", "set_too"),
    [
        (
            "set a timer for 10 minutes",
            ["5 more minutes", "another 5 minutes"],
            ["Moved from Mon 5 Jan, 09:10 to Mon 5 Jan, 09:15.", "09:20."],
            ["another timer for 5 minutes", "and another one for 8 minutes"],
            ["09:05 (in 5 min).", "09:08 (in 8 min)."],
        ),
        (
            "Timer 10 Minuten",
            ["noch 5 Minuten"],
            ["Verschoben von Mo, 5. Jan, 09:10 auf Mo, 5. Jan, 09:15."],
            ["noch einen Timer für 5 Minuten"],
            ["09:05 (in 5 Min.)."],
        ),
        (
            "поставь таймер на 10 минут",
            ["ещё 5 минут", "ещё на 5 минут"],
            ["Было пн, 5 янв, 09:10, стало пн, 5 янв, 09:15.", "09:20."],
            ["ещё один таймер на 5 минут"],
            ["09:05 (через 5 мин)."],
        ),
    ],
)
def test_more_minutes_prolong_a_timer_and_another_timer_is_set_too(
    timer, more, moved, other, set_too
):
    said = answers("alarm", timer, *more, *other)[1:]
    assert [text.endswith(end) for text, end in zip(said, [*moved, *set_too], strict=True)] == [
        True
    ] * len(said)


def test_twelve_in_the_place_of_ten_minutes():
    assert answers("alarm", "Timer 10 Minuten", "mach 12 draus", "meine Wecker")[1:] == [
        "Wecker gestellt: Mo, 5. Jan, 09:12 (in 12 Min.).",
        "Wecker: Mo, 5. Jan, 09:12.",
    ]


@pytest.mark.parametrize(
    ("questions", "cancelled"),
    [
        (["wake me at 10", "wake me at 11", "delete both"], "10:00; Mon 5 Jan, 11:00."),
        (["wake me at 10", "wake me at 11 and at 12", "delete both"], "11:00; Mon 5 Jan, 12:00."),
    ],
)
def test_both_are_the_only_two_or_those_that_were_set_together(questions, cancelled):
    assert answers("alarm", *questions)[-1] == f"Cancelled: Mon 5 Jan, {cancelled}"


def test_both_of_many_alarms_asks_which():
    said = ["wake me at 10", "wake me at 11", "wake me at 12", "cancel both", "my alarms"]
    asked, listed = answers("alarm", *said)[-2:]
    assert asked.startswith("There are 3. Which ones do you mean?")
    assert listed.count(";") == 2


@pytest.mark.parametrize(
    ("questions", "alarms"),
    [
        (["timer for an hour", "twice as long"], "Mon 5 Jan, 11:00"),
        (["timer for an hour", "10 minutes less"], "Mon 5 Jan, 09:50"),
        (["wake me at 7 am", "half an hour earlier"], "Tue 6 Jan, 06:30"),
        (["wake me at 7 am", "no, half an hour later"], "Tue 6 Jan, 07:30"),
        (
            ["wake me at 7 am", "and one half an hour earlier"],
            "Tue 6 Jan, 06:30; Tue 6 Jan, 07:00",
        ),
        (["timer for an hour", "my alarms", "no, I meant 2 hours"], "Mon 5 Jan, 11:00"),
        (["timer for 20 minutes", "an hour less"], "Mon 5 Jan, 09:20"),
        (["wake me at 7 am", "half an hour earlier", "no, 45 minutes earlier"], "Tue 6 Jan, 06:15"),
        (["wake me at 7 am", "an hour later", "no, I meant 2 hours later"], "Tue 6 Jan, 09:00"),
        (["wake me at 7 am", "half an hour earlier", "no, an hour"], "Tue 6 Jan, 06:00"),
        (["wake me at 7 am", "later", "an hour", "no, half an hour"], "Tue 6 Jan, 07:30"),
        (["timer for an hour", "10 minutes longer", "no, 20 minutes longer"], "Mon 5 Jan, 10:20"),
        (["timer for an hour", "10 minutes less", "no, 20 minutes less"], "Mon 5 Jan, 09:40"),
        (["wake me at 7 am", "an hour later", "an hour later"], "Tue 6 Jan, 09:00"),
        (["set a timer for 10 minutes", "no, 20"], "Mon 5 Jan, 09:20"),
        (["timer 10 min", "wake me at 8 am", "no, 9"], "Mon 5 Jan, 09:10; Tue 6 Jan, 09:00"),
        (["Timer 10 Minuten", "nein, 20", "no, at 8 pm"], "Mon 5 Jan, 20:00"),
    ],
)
def test_an_alarm_is_moved_by_what_is_said_of_its_time(questions, alarms):
    assert answers("alarm", *questions, "my alarms")[-1] == f"Alarms: {alarms}."


@pytest.mark.parametrize(
    ("question", "asked", "answered", "alarm"),
    [
        (
            "wake me on Wednesday or Thursday at 8 am",
            "Which time do you mean? Wed 7 Jan, 08:00; Thu 8 Jan, 08:00.",
            "Thursday",
            "Alarms: Thu 8 Jan, 08:00.",
        ),
        (
            "wake me at 10 am or 11 am",
            "Which time do you mean? Mon 5 Jan, 10:00; Mon 5 Jan, 11:00.",
            "the first one",
            "Alarms: Mon 5 Jan, 10:00.",
        ),
    ],
)
def test_of_two_times_with_or_between_them_one_is_asked_for(question, asked, answered, alarm):
    replies = answers("alarm", question, answered, "my alarms")
    assert (replies[0], replies[-1]) == (asked, alarm)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("stop the first one", "Alarms: Mon 5 Jan, 12:00; Tue 6 Jan, 07:00."),
        ("delete the second one", "Alarms: Mon 5 Jan, 09:20; Tue 6 Jan, 07:00."),
        ("cancel the last one", "Alarms: Mon 5 Jan, 09:20; Mon 5 Jan, 12:00."),
        (
            "cancel the fourth one",
            "Alarms: Mon 5 Jan, 09:20; Mon 5 Jan, 12:00; Tue 6 Jan, 07:00.",
        ),
    ],
)
def test_an_alarm_is_named_by_its_place_without_a_list(question, left):
    said = ("wake me at 7 am", "timer for 20 minutes", "wake me in 3 hours", question, "my alarms")
    assert answers("alarm", *said)[-1] == left


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("wake me at 9 am", "Alarm set for Tue 6 Jan, 09:00 (in 23 h 55 min)."),
        ("wake me today at 9 am", "Mon 5 Jan, 09:00 is over."),
    ],
)
def test_an_hour_that_has_begun_is_not_its_end(question, said):
    assert answer("alarm", question, at=MONDAY + timedelta(minutes=5)) == said


@pytest.mark.parametrize(
    ("questions", "alarms"),
    [
        (["earlier", "half an hour"], "Tue 6 Jan, 06:30"),
        (["a bit later", "20 minutes"], "Tue 6 Jan, 07:20"),
        (["make it later", "at 9 am"], "Tue 6 Jan, 09:00"),
        (["later", "never mind"], "Tue 6 Jan, 07:00"),
    ],
)
def test_earlier_or_later_alone_asks_by_how_much(questions, alarms):
    replies = answers("alarm", "wake me at 7 am", *questions, "my alarms")
    assert replies[1] in ("How much earlier?", "How much later?")
    assert replies[-1] == f"Alarms: {alarms}."


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["на час позже"], "Было вт, 6 янв, 07:00, стало вт, 6 янв, 08:00."),
        (["на полчаса раньше"], "Было вт, 6 янв, 07:00, стало вт, 6 янв, 06:30."),
        (
            ["на час позже", "нет, на полтора часа позже"],
            "Было вт, 6 янв, 08:00, стало вт, 6 янв, 08:30.",
        ),
        (["что у меня есть?"], "Будильники: вт, 6 янв, 07:00."),
    ],
)
def test_a_russian_alarm_is_moved_and_listed(questions, said):
    assert answer("alarm", "разбуди меня завтра в 7 утра", *questions) == said


@pytest.mark.parametrize("question", ["what do I have", "what have I got?", "was habe ich?"])
def test_the_alarms_are_listed_by_what_one_has(question):
    assert "07:00" in answer("alarm", "wake me at 7 am", question)


@pytest.mark.parametrize(
    ("question", "moved"),
    [
        ("move the second one to 2 pm", "Moved from Tue 6 Jan, 08:00 to Tue 6 Jan, 14:00."),
        ("move the last one to 9", "Moved from Tue 6 Jan, 08:00 to Tue 6 Jan, 09:00."),
        ("move the first one to 6", "Moved from Tue 6 Jan, 07:00 to Tue 6 Jan, 06:00."),
    ],
)
def test_the_one_that_is_moved_is_no_minute_of_the_new_time(question, moved):
    assert answer("alarm", "wake me at 7 am and at 8 am", question) == moved


def test_a_place_behind_the_only_alarm_cancels_nothing():
    asked, left = answers("alarm", "wake me at 7 am", "cancel the second one", "my alarms")[-2:]
    assert (asked, left) == ("Which one? Tue 6 Jan, 07:00.", "Alarms: Tue 6 Jan, 07:00.")


@pytest.mark.parametrize(
    ("questions", "alarms"),
    [
        (["the second one an hour later"], "Mon 5 Jan, 20:00; Tue 6 Jan, 08:00"),
        (["my alarms", "the first one half an hour later", "cancel the first one"], "Tue 6 Jan"),
        (["forget the first one"], "Tue 6 Jan, 07:00"),
        (["cancel the first one", "the other one an hour earlier"], "Tue 6 Jan, 06:00"),
        (
            ["cancel the first one", "the other one an hour earlier", "no, two hours earlier"],
            "Tue 6 Jan, 05:00",
        ),
        (["same time Sunday"], "Mon 5 Jan, 20:00; Tue 6 Jan, 07:00; Sun 11 Jan, 07:00"),
    ],
)
def test_one_of_two_alarms_is_meant(questions, alarms):
    said = ("wake me at 8 pm", "and tomorrow at 7 am", *questions, "which ones are left?")
    assert answer("alarm", *said).startswith(f"Alarms: {alarms}")


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["den zweiten eine Stunde später", "lösch den letzten"], "Gelöscht: Di, 6. Jan, 10:00."),
        (["welche sind noch da"], "Wecker: Mo, 5. Jan, 19:00; Di, 6. Jan, 09:00."),
        (["wie lang noch"], "Noch 10 Std. bis zum Wecker: Mo, 5. Jan, 19:00."),
    ],
)
def test_a_moved_alarm_is_not_sought_where_it_was(questions, said):
    assert answer("alarm", "weck mich um 7 und um 9", "was hab ich", *questions) == said


@pytest.mark.parametrize(
    ("questions", "alarms"),
    [
        (
            [
                "set a timer for 10 minutes",
                "wake me at 11 am",
                "make all of them half an hour later",
            ],
            "Alarms: Mon 5 Jan, 09:40; Mon 5 Jan, 11:30.",
        ),
        (
            ["wake me at 6 and 7 am", "both an hour later", "no, two hours"],
            "Alarms: Tue 6 Jan, 08:00; Tue 6 Jan, 09:00.",
        ),
        (
            ["wake me at 6 and 7 am", "move both an hour earlier"],
            "Alarms: Tue 6 Jan, 05:00; Tue 6 Jan, 06:00.",
        ),
        (
            ["weck mich um 10 und um 11 Uhr", "alle eine Stunde später"],
            "Wecker: Mo, 5. Jan, 11:00; Mo, 5. Jan, 12:00.",
        ),
        (
            ["разбуди меня в 10 и в 11", "все на полчаса позже"],
            "Будильники: пн, 5 янв, 10:30; пн, 5 янв, 11:30.",
        ),
    ],
)
def test_all_alarms_are_moved(questions, alarms):
    listed = {"A": "my alarms", "W": "meine Wecker", "Б": "мои будильники"}[alarms[0]]
    assert answer("alarm", *questions, listed) == alarms


@pytest.mark.parametrize(
    ("timer", "more", "correction", "when"),
    [
        ("set a timer for 10 minutes", "5 more", "no, 20", "09:30"),
        ("stell einen Timer auf 10 Minuten", "noch 5", "nein, 20", "09:30"),
        ("поставь таймер на 10 минут", "ещё 5", "нет, 20", "09:30"),
        ("wake me at 11", "5 more", "no, 10", "11:10"),
    ],
)
def test_five_more_are_minutes_and_so_is_their_correction(timer, more, correction, when):
    assert when in answer("alarm", "wake me at noon", timer, more, correction)


def test_hours_of_one_day():
    for said in (
        "wake me at 5, 6 and 7 tomorrow",
        "wake me tomorrow at 5, 6 and 7",
        "tomorrow wake me at 5, 6 and 7",
    ):
        assert answer("alarm", said) == (
            "Alarms set for Tue 6 Jan, 05:00; Tue 6 Jan, 06:00; Tue 6 Jan, 07:00."
        )


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("cancle the first one", "Alarms: Mon 5 Jan, 11:00; Mon 5 Jan, 12:00."),
        ("delte the one at 11", "Alarms: Mon 5 Jan, 10:00; Mon 5 Jan, 12:00."),
        ("cancel all but the last", "Alarms: Mon 5 Jan, 12:00."),
        ("cancel all except the one at 11", "Alarms: Mon 5 Jan, 11:00."),
    ],
)
def test_which_alarms_are_cancelled(command, left):
    assert answer("alarm", "wake me at 10, 11 and 12", command, "my alarms") == left


def test_all_but_the_last_are_none_of_the_times_before():
    said = ["wake me at 10", "and at 11", "no, at 12", "and at 1 pm", "and at 2 pm", "delete both"]
    assert answer("alarm", *said[:2], *said[3:], "all but the last", "my alarms") == (
        "Alarms: Mon 5 Jan, 14:00."
    )
    assert answer("alarm", *said, "all but the last", "my alarms") == "Alarms: Mon 5 Jan, 14:00."


def test_a_timer_with_seconds_moves_the_others_by_whole_minutes():
    engine = Engine(load_model("alarm"))
    at = MONDAY + timedelta(seconds=42)
    for text in ("wake me at noon", "set a timer for 10 minutes", "show me the alarms"):
        engine.ask(text, at=at)
    moved = engine.ask("make all of them half an hour later", at=at).text
    assert moved.endswith("to Mon 5 Jan, 09:40; Mon 5 Jan, 12:30.")


def test_a_corrected_cancellation_brings_the_first_alarm_back():
    said = ["wake me on Friday at 6", "and on Saturday", "cancel the Friday one"]
    listed = answer("alarm", *said, "no, I meant Saturday", "my alarms")
    assert listed == "Alarms: Fri 9 Jan, 06:00."


@pytest.mark.parametrize(
    ("question", "all_gone", "undo", "before"),
    [
        ("wake me at 10", "cancel everything", "undo that", "Alarms: Mon 5 Jan, 10:00."),
        ("weck mich um 10", "alle weg", "mach das rückgängig", "Wecker: Mo, 5. Jan, 10:00."),
        ("разбуди меня в 10", "удали все", "верни", "Будильники: пн, 5 янв, 10:00."),
    ],
)
def test_a_change_is_undone(question, all_gone, undo, before):
    assert answer("alarm", question, all_gone, undo).endswith(before)


def test_nothing_is_undone_before_anything_was_done():
    assert answer("alarm", "undo that") == "There is nothing to undo."


def test_one_more_alarm_an_hour_later_too():
    assert answer("alarm", "wake me at 10", "and an hour later too", "my alarms") == (
        "Alarms: Mon 5 Jan, 10:00; Mon 5 Jan, 11:00."
    )
