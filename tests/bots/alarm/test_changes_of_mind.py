"""What people say right after an alarm was set, cancelled or refused."""

from __future__ import annotations

import pytest

from tests.bots.dialog import answers

MY_ALARMS = {"en": "my alarms", "de": "meine Wecker", "ru": "мои будильники"}


def alarms_after(*questions: str, language: str = "en") -> str:
    return answers("alarm", *questions, MY_ALARMS[language])[-1]


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["wake me in 20 min", "no, 30"], "Alarms: Mon 5 Jan, 09:30."),
        ("en", ["wake me in 20 min", "no, 15"], "Alarms: Mon 5 Jan, 09:15."),
        (
            "en",
            ["wake me in 2 hours", "no, 3", "no, 45 minutes", "no, 50"],
            "Alarms: Mon 5 Jan, 09:50.",
        ),
        ("de", ["weck mich in 20 min", "nein, 30"], "Wecker: Mo, 5. Jan, 09:30."),
        ("ru", ["разбуди меня через 20 минут", "нет, 30"], "Будильники: пн, 5 янв, 09:30."),
    ],
)
def test_a_number_corrects_how_long_a_timer_runs(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["set an alarm for 7 am", "undo that"], "All right, as before. No alarm is set."),
        (
            ["Weck mich um 7 Uhr früh", "mach das rückgängig"],
            "In Ordnung, wie vorher. Es ist kein Wecker gestellt.",
        ),
        (
            ["разбуди меня в 7 утра", "верни"],
            "Хорошо, всё как было. Ни одного будильника нет.",
        ),
        (["wake me at 7 am", "no, 8 am", "undo"], "Alarms: Tue 6 Jan, 07:00."),
        (["wake me at 7 am", "and at 8 am", "undo", "undo"], "No alarm is set."),
        (["wake me at 7 am", "undo", "undo"], "There is nothing to undo."),
    ],
)
def test_each_change_is_taken_back_the_first_alarm_too(questions, said):
    assert answers("alarm", *questions)[-1].endswith(said)


@pytest.mark.parametrize(
    ("language", "questions", "said", "alarms"),
    [
        (
            "en",
            ["wake me at 7 am", "and at 8 am", "cancel the first one", "no, I meant the second"],
            "All right, Tue 6 Jan, 07:00 stays. Cancelled: Tue 6 Jan, 08:00.",
            "Alarms: Tue 6 Jan, 07:00.",
        ),
        (
            "en",
            ["wake me at 7 am", "and at 8 am", "cancel the first one", "and the second one"],
            "Cancelled: Tue 6 Jan, 07:00; Tue 6 Jan, 08:00.",
            "No alarm is set.",
        ),
        (
            "en",
            ["wake me at 7 am", "and at 8 am", "cancel the first one", "no, the third"],
            "Which one? Tue 6 Jan, 07:00; Tue 6 Jan, 08:00.",
            "Alarms: Tue 6 Jan, 07:00; Tue 6 Jan, 08:00.",
        ),
        (
            "de",
            ["weck mich um 7 Uhr früh und um 8 Uhr früh", "lösch den ersten", "nein, den zweiten"],
            "In Ordnung, Di, 6. Jan, 07:00 bleibt. Gelöscht: Di, 6. Jan, 08:00.",
            "Wecker: Di, 6. Jan, 07:00.",
        ),
        (
            "ru",
            ["разбуди меня в 7 утра и в 8 утра", "отмени первый", "нет, я имел в виду второй"],
            "Хорошо, вт, 6 янв, 07:00 остаётся. Отменено: вт, 6 янв, 08:00.",
            "Будильники: вт, 6 янв, 07:00.",
        ),
    ],
)
def test_another_place_of_the_list_corrects_a_cancellation(language, questions, said, alarms):
    assert answers("alarm", *questions)[-1] == said
    assert alarms_after(*questions, language=language) == alarms


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["set an alarm every Monday at 9", "no, 10"], "Alarms: Mon 12 Jan, 10:00."),
        ("en", ["set an alarm every Monday at 9", "no, at 10"], "Alarms: Mon 12 Jan, 10:00."),
        ("en", ["set an alarm every Monday at 9", "10"], "Alarms: Mon 12 Jan, 10:00."),
        ("en", ["set an alarm every Monday at 9", "yes", "no, 10"], "Alarms: Mon 12 Jan, 10:00."),
        ("en", ["wake me every day", "at 7", "yes"], "Alarms: Tue 6 Jan, 07:00."),
        ("en", ["wake me at 7 am", "no, every Monday", "yes"], "Alarms: Mon 12 Jan, 07:00."),
        (
            "en",
            ["wake me every Monday at 9", "wake me at 10"],
            "Alarms: Mon 5 Jan, 10:00.",
        ),
        ("de", ["Stell einen Wecker jeden Montag um 9", "nein, 10"], "Wecker: Mo, 12. Jan, 10:00."),
        (
            "ru",
            ["разбуди меня каждый понедельник в 9", "нет, 10"],
            "Будильники: пн, 12 янв, 10:00.",
        ),
    ],
)
def test_the_first_of_several_times_is_set_at_another_hour(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (
            ["set an alarm for 7", "make it 6:30 instead", "actually every day"],
            "I ring only once, not every day: on Mon 5 Jan, 18:30, as it is set.",
        ),
        (
            ["Stell einen Wecker auf 7", "lieber 6:30", "doch jeden Tag"],
            "Ich klingle nur einmal, nicht „jeden Tag“: Mo, 5. Jan, 18:30, wie gestellt.",
        ),
        (
            ["поставь будильник на 7", "лучше 6:30", "нет, каждый день"],
            "Я звоню только один раз, а не «каждый день»: пн, 5 янв, 18:30, как и заведено.",
        ),
    ],
)
def test_what_is_to_recur_keeps_the_time_of_its_alarm(questions, said):
    assert answers("alarm", *questions)[-1] == said


@pytest.mark.parametrize(
    ("question", "when"),
    [("set an alarm", "When?"), ("stell einen Wecker", "Wann?"), ("поставь будильник", "Когда?")],
)
def test_an_alarm_without_a_time_asks_for_it(question, when):
    asked, done = answers("alarm", question, "7")
    assert asked == when
    assert "19:00" in done


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("wake me from 5 to 7", "Which time do you mean? Mon 5 Jan, 17:00; Mon 5 Jan, 19:00."),
        ("wake me between 5 and 7", "Which time do you mean? Mon 5 Jan, 17:00; Mon 5 Jan, 19:00."),
        ("weck mich von 5 bis 7", "Welche Zeit meinen Sie? Mo, 5. Jan, 17:00; Mo, 5. Jan, 19:00."),
        (
            "разбуди меня с 5 до 7",
            "Какое время вы имеете в виду? пн, 5 янв, 17:00; пн, 5 янв, 19:00.",
        ),
    ],
)
def test_of_a_range_of_times_one_end_is_asked_for(question, asked):
    said = answers("alarm", question, "5")
    assert said[0] == asked
    assert "17:00" in said[1]


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        (
            "en",
            ["wake me at 7 am and 8 am", "no, the second at 9"],
            "Alarms: Tue 6 Jan, 07:00; Tue 6 Jan, 09:00.",
        ),
        (
            "en",
            ["wake me at 7 am", "and at 8 am", "no, the first at 6"],
            "Alarms: Tue 6 Jan, 06:00; Tue 6 Jan, 08:00.",
        ),
        (
            "en",
            ["wake me at 7 am and 8 am", "the second at 9", "and the first at 6"],
            "Alarms: Tue 6 Jan, 06:00; Tue 6 Jan, 09:00.",
        ),
        (
            "en",
            ["wake me at 6 am", "wake me at 7 am and 8 am", "no, the second at 9"],
            "Alarms: Tue 6 Jan, 06:00; Tue 6 Jan, 07:00; Tue 6 Jan, 09:00.",
        ),
        (
            "en",
            ["wake me at 7 am and 8 am", "and a second one at 9 am"],
            "Alarms: Tue 6 Jan, 07:00; Tue 6 Jan, 08:00; Tue 6 Jan, 09:00.",
        ),
        (
            "en",
            ["wake me at 7 am", "and at 8 am", "and on the first of May at 9 am"],
            "Alarms: Tue 6 Jan, 07:00; Tue 6 Jan, 08:00; Fri 1 May, 09:00.",
        ),
        (
            "en",
            ["wake me at 7 am and 8 am", "no, the third at 9"],
            "Alarms: Tue 6 Jan, 07:00; Tue 6 Jan, 08:00.",
        ),
        (
            "de",
            ["weck mich um 7 Uhr früh und um 8 Uhr früh", "nein, den zweiten um 9"],
            "Wecker: Di, 6. Jan, 07:00; Di, 6. Jan, 09:00.",
        ),
        (
            "ru",
            ["разбуди меня в 7 утра и в 8 утра", "нет, первый в 6"],
            "Будильники: вт, 6 янв, 06:00; вт, 6 янв, 08:00.",
        ),
    ],
)
def test_the_alarm_at_a_place_is_moved_and_the_others_stay(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


def test_a_place_that_no_alarm_has_is_asked_for():
    said = answers("alarm", "wake me at 7 am and 8 am", "no, the third at 9")[-1]
    assert said.startswith("Say which one is to be moved")


@pytest.mark.parametrize(
    ("language", "question", "refusal", "said"),
    [
        ("en", "wake me every Monday at 9", "no", "All right, I set no alarm for it."),
        ("en", "wake me every Monday at 9", "forget it", "All right, I set no alarm for it."),
        ("de", "weck mich jeden Montag um 9", "nein", "Gut, dann stelle ich keinen."),
        ("de", "weck mich jeden Montag um 9", "vergiss es", "Gut, dann stelle ich keinen."),
        ("ru", "разбуди меня каждый понедельник в 9", "нет", "Хорошо, не завожу."),
    ],
)
def test_no_to_an_offer_sets_no_alarm_and_ends_it(language, question, refusal, said):
    assert answers("alarm", question, refusal)[-1] == said
    assert said not in answers("alarm", question, refusal, refusal)[-1]
    assert "09:00" not in alarms_after(question, refusal, language=language)


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["wake me every Monday at 9", "no 10"], "Alarms: Mon 12 Jan, 10:00."),
        ("en", ["wake me at 7 am", "no 8"], "Alarms: Tue 6 Jan, 08:00."),
        ("de", ["weck mich um 7 Uhr früh", "nein 8"], "Wecker: Di, 6. Jan, 08:00."),
        ("ru", ["разбуди меня в 7 утра", "нет 8"], "Будильники: вт, 6 янв, 08:00."),
    ],
)
def test_an_hour_corrects_without_a_comma(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["wake me at 7", "that's too early, half past 8"], "Alarms: Mon 5 Jan, 20:30."),
        ("de", ["weck mich um 7", "das ist zu früh, halb 9"], "Wecker: Mo, 5. Jan, 20:30."),
        ("de", ["weck mich um 9", "zu spät, um 8"], "Wecker: Di, 6. Jan, 08:00."),
        ("ru", ["разбуди меня в 7", "слишком рано, в 8"], "Будильники: пн, 5 янв, 20:00."),
    ],
)
def test_what_is_too_early_is_replaced_by_the_time_behind_it(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        ("en", ["wake me at 7", "forget it"]),
        ("de", ["weck mich um 7", "vergiss es"]),
        ("de", ["weck mich um 7", "doch nicht"]),
        ("de", ["weck mich um 7", "lieber doch nicht"]),
        ("ru", ["разбуди меня в 7", "забудь об этом"]),
    ],
)
def test_who_thinks_better_of_it_has_no_alarm(language, questions):
    none = {"en": "No alarm", "de": "Es ist kein Wecker", "ru": "Ни одного будильника"}
    assert alarms_after(*questions, language=language).startswith(none[language])


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["wake me", "8", "actually half past"], "Alarms: Mon 5 Jan, 20:30."),
        ("en", ["wake me tomorrow", "8", "actually half past"], "Alarms: Tue 6 Jan, 08:30."),
        (
            "en",
            ["wake me tomorrow at 7", "8", "actually half past"],
            "Alarms: Tue 6 Jan, 07:00; Tue 6 Jan, 08:30.",
        ),
        ("de", ["weck mich um 8 Uhr", "doch halb neun"], "Wecker: Mo, 5. Jan, 20:30."),
        ("de", ["weck mich", "8 Uhr", "doch lieber halb neun"], "Wecker: Mo, 5. Jan, 20:30."),
    ],
)
def test_half_past_corrects_the_hour_that_was_said(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


TOGETHER = {
    "en": ["wake me at 6 am", "wake me at 7 am and 9 am"],
    "de": ["weck mich um 6 Uhr früh", "weck mich um 7 Uhr früh und um 9 Uhr"],
    "ru": ["разбуди меня в 6 утра", "разбуди меня в 7 утра и в 9 утра"],
}


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        (
            "en",
            ["cancel the first", "no, the second"],
            "Alarms: Tue 6 Jan, 06:00; Tue 6 Jan, 07:00.",
        ),
        ("en", ["cancel the first", "and the second"], "Alarms: Tue 6 Jan, 06:00."),
        (
            "en",
            ["the second at 10 am"],
            "Alarms: Tue 6 Jan, 06:00; Tue 6 Jan, 07:00; Tue 6 Jan, 10:00.",
        ),
        (
            "en",
            ["my alarms", "cancel the first", "no, the second"],
            "Alarms: Tue 6 Jan, 06:00; Tue 6 Jan, 09:00.",
        ),
        (
            "de",
            ["lösch den ersten", "nein, den zweiten"],
            "Wecker: Di, 6. Jan, 06:00; Di, 6. Jan, 07:00.",
        ),
        ("ru", ["отмени первый", "нет, второй"], "Будильники: вт, 6 янв, 06:00; вт, 6 янв, 07:00."),
    ],
)
def test_alarms_that_were_set_together_are_counted_by_themselves(language, questions, alarms):
    assert alarms_after(*TOGETHER[language], *questions, language=language) == alarms


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["half"], "Alarms: Mon 5 Jan, 09:20."),
        ("en", ["make it half as long"], "Alarms: Mon 5 Jan, 09:20."),
        ("en", ["10 % less"], "Alarms: Mon 5 Jan, 09:36."),
        ("en", ["half", "10 percent longer", "twice as long"], "Alarms: Mon 5 Jan, 09:44."),
        ("en", ["a quarter less", "undo", "half"], "Alarms: Mon 5 Jan, 09:20."),
        ("en", ["20 minutes longer", "half"], "Alarms: Mon 5 Jan, 09:30."),
        ("de", ["halb"], "Wecker: Mo, 5. Jan, 09:20."),
        ("de", ["10 % weniger"], "Wecker: Mo, 5. Jan, 09:36."),
        ("de", ["halb", "doppelt so lang"], "Wecker: Mo, 5. Jan, 09:40."),
        ("ru", ["на 10% меньше"], "Будильники: пн, 5 янв, 09:36."),
        ("ru", ["половину"], "Будильники: пн, 5 янв, 09:20."),
    ],
)
def test_a_timer_is_made_a_part_of_its_length(language, questions, alarms):
    timer = {"en": "timer for 40 minutes", "de": "Timer 40 Minuten", "ru": "таймер на 40 минут"}
    assert alarms_after(timer[language], *questions, language=language) == alarms


def test_half_of_an_alarm_at_a_time_is_nothing():
    assert answers("alarm", "wake me at 7 am", "half")[-1].startswith("I only set alarms")


@pytest.mark.parametrize(
    ("language", "questions", "said"),
    [
        (
            "en",
            [
                "wake me at 7 am",
                "and 8 am",
                "and 9 am",
                "cancel the second",
                "undo",
                "make it half an hour later",
            ],
            "Moved from Tue 6 Jan, 08:00 to Tue 6 Jan, 08:30.",
        ),
        (
            "en",
            ["wake me at 7 am", "and 8 am", "undo", "make it half an hour later"],
            "Moved from Tue 6 Jan, 07:00 to Tue 6 Jan, 07:30.",
        ),
        (
            "de",
            [
                "weck mich um 7",
                "weck mich um 8",
                "lösch den um 7",
                "mach das rückgängig",
                "mach ihn eine halbe Stunde später",
            ],
            "Verschoben von Mo, 5. Jan, 19:00 auf Mo, 5. Jan, 19:30.",
        ),
    ],
)
def test_what_came_back_last_is_what_moves(language, questions, said):
    assert answers("alarm", *questions)[-1] == said


def test_doch_nicht_takes_a_cancellation_back():
    asked = ["weck mich morgen um 7", "und um 8", "lösch den ersten", "doch nicht"]
    assert alarms_after(*asked, language="de") == "Wecker: Di, 6. Jan, 07:00; Di, 6. Jan, 08:00."


def test_doch_nicht_cancels_the_alarm_that_was_set():
    assert alarms_after("weck mich morgen um 7", "doch nicht", language="de") == (
        "Es ist kein Wecker gestellt."
    )


@pytest.mark.parametrize(
    ("language", "said", "alarms"),
    [
        ("en", "set an alarm at 7 actually at 8", "Alarms: Mon 5 Jan, 20:00."),
        ("en", "set an alarm at 7 no at 8", "Alarms: Mon 5 Jan, 20:00."),
        ("en", "wake me at 7, better at 8", "Alarms: Mon 5 Jan, 20:00."),
        ("en", "timer 10 minutes no 20 minutes", "Alarms: Mon 5 Jan, 09:20."),
        ("en", "timer 10 minutes actually 20", "Alarms: Mon 5 Jan, 09:20."),
        ("en", "timer 10 min and wake me at 7 no 8", "Alarms: Mon 5 Jan, 09:10; Mon 5 Jan, 20:00."),
        ("en", "set an alarm at 7 and at 8", "Alarms: Mon 5 Jan, 19:00; Mon 5 Jan, 20:00."),
        ("de", "stell einen Wecker um 7 eigentlich um 8", "Wecker: Mo, 5. Jan, 20:00."),
        ("de", "weck mich um 7, lieber um 8", "Wecker: Mo, 5. Jan, 20:00."),
        ("de", "Timer 10 Minuten nein 20", "Wecker: Mo, 5. Jan, 09:20."),
        ("ru", "поставь будильник на 7 нет на 8", "Будильники: пн, 5 янв, 20:00."),
    ],
)
def test_a_sentence_that_corrects_itself_sets_one_alarm(language, said, alarms):
    assert alarms_after(said, language=language) == alarms


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["timer 40 minutes", "no, half"], "Alarms: Mon 5 Jan, 09:20."),
        ("de", ["Timer 40 Minuten", "nein, halb"], "Wecker: Mo, 5. Jan, 09:20."),
        (
            "en",
            ["wake me at 7", "and at 8", "the first an hour earlier", "timer 30 minutes", "no, 40"],
            "Alarms: Mon 5 Jan, 09:40; Mon 5 Jan, 18:00; Mon 5 Jan, 20:00.",
        ),
        (
            "en",
            ["wake me at 7", "an hour earlier", "timer 30 minutes", "half of that", "no, 30"],
            "Alarms: Mon 5 Jan, 09:30; Mon 5 Jan, 18:00.",
        ),
    ],
)
def test_a_correction_is_of_the_timer_that_was_said_last(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


def test_a_word_of_both_languages_keeps_the_language():
    assert answers("alarm", "weck mich um 7", "stop")[-1] == "Gelöscht: Mo, 5. Jan, 19:00."


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["cancel the first one", "no, not that one"], "Alarms: {both}."),
        ("en", ["cancel all", "nah leave them"], "Alarms: {both}."),
        ("en", ["cancel all", "no, keep them"], "Alarms: {both}."),
        ("ru", ["отмени первый", "нет, не этот"], "Будильники: {both}."),
        ("de", ["lösch alle", "ach nein, lass sie"], "Wecker: {both}."),
    ],
)
def test_what_was_cancelled_may_be_kept_after_all(language, questions, alarms):
    day = {"en": "Tue 6 Jan", "ru": "вт, 6 янв", "de": "Di, 6. Jan"}[language]
    first = {
        "en": ["wake me tomorrow at 7", "and at 8"],
        "ru": ["разбуди меня завтра в 7", "и в 8"],
        "de": ["weck mich morgen um 7", "und um 8"],
    }[language]
    both = f"{day}, 07:00; {day}, 08:00"
    assert alarms_after(*first, *questions, language=language) == alarms.format(both=both)


def test_nothing_is_cancelled_by_leaving_it():
    assert alarms_after("wake me at 7 pm", "leave it") == "Alarms: Mon 5 Jan, 19:00."


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["wake me at 7 pm", "push it back an hour"], "Alarms: Mon 5 Jan, 20:00."),
        ("de", ["weck mich um 19 Uhr", "eine Stunde nach hinten"], "Wecker: Mo, 5. Jan, 20:00."),
        ("de", ["weck mich um 19 Uhr", "eine Stunde nach vorne"], "Wecker: Mo, 5. Jan, 18:00."),
    ],
)
def test_an_alarm_is_pushed_back(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


def test_half_is_of_no_timer_that_another_alarm_followed():
    said = answers("alarm", "timer 20 min", "wake me at 7 pm", "an hour later", "half")[-1]
    assert said.startswith("I only set alarms")
    questions = ["wake me at 7 pm", "timer 20 min", "move the second to 8 pm", "half"]
    assert alarms_after(*questions) == "Alarms: Mon 5 Jan, 09:20; Mon 5 Jan, 20:00."


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["wake me at 7 pm", "that's too late, 6:30 pm"], "Alarms: Mon 5 Jan, 18:30."),
        ("en", ["wake me at 8 pm", "8 is too early, 9"], "Alarms: Mon 5 Jan, 21:00."),
        ("de", ["weck mich um 19 Uhr", "das ist zu spät, halb 7"], "Wecker: Mo, 5. Jan, 18:30."),
    ],
)
def test_what_is_too_late_is_no_second_alarm(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["wake me at 7 and 8 and 9 pm", "cancel 7 and 8"], "Alarms: Mon 5 Jan, 21:00."),
        (
            "de",
            ["weck mich um 19 und 20 und 21 Uhr", "lösche 7 und 8"],
            "Wecker: Mo, 5. Jan, 21:00.",
        ),
    ],
)
def test_several_alarms_are_cancelled_by_their_hours(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        ("en", ["wake me at 7 am", "move it by an hour"], "Alarms: Tue 6 Jan, 08:00."),
        (
            "en",
            ["wake me at 7 am", "postpone it by an hour", "shift it by 15 minutes"],
            "Alarms: Tue 6 Jan, 08:15.",
        ),
        (
            "de",
            ["weck mich um 7 Uhr früh", "verschieb ihn um eine Stunde"],
            "Wecker: Di, 6. Jan, 08:00.",
        ),
        (
            "ru",
            ["разбуди меня в 7 утра", "сдвинь на 10 минут"],
            "Будильники: вт, 6 янв, 07:10.",
        ),
    ],
)
def test_an_alarm_is_moved_by_a_duration(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


@pytest.mark.parametrize(
    ("language", "questions", "alarms"),
    [
        (
            "en",
            ["timer for 5 minutes", "5 more minutes", "make it 10"],
            "Alarms: Mon 5 Jan, 09:10.",
        ),
        (
            "en",
            ["timer for 10 minutes", "and 30 seconds more", "make it 20"],
            "Alarms: Mon 5 Jan, 09:20.",
        ),
        (
            "de",
            ["stell einen Timer auf 5 Minuten", "noch 30 Sekunden", "mach 10 draus"],
            "Wecker: Mo, 5. Jan, 09:10.",
        ),
    ],
)
def test_what_a_longer_timer_is_made_is_in_its_own_unit(language, questions, alarms):
    assert alarms_after(*questions, language=language) == alarms


THREE = {
    "en": "wake me at 7 am and 8 am and 9 am",
    "de": "weck mich um 7 Uhr früh, um 8 Uhr früh und um 9 Uhr früh",
    "ru": "разбуди меня в 7 утра, в 8 утра и в 9 утра",
}


@pytest.mark.parametrize(
    ("language", "said", "alarms"),
    [
        ("en", "cancel the last two", "Alarms: Tue 6 Jan, 07:00."),
        ("en", "delete the first 2 alarms", "Alarms: Tue 6 Jan, 09:00."),
        (
            "en",
            "cancel the last four",
            "Alarms: Tue 6 Jan, 07:00; Tue 6 Jan, 08:00; Tue 6 Jan, 09:00.",
        ),
        ("de", "lösch die letzten zwei", "Wecker: Di, 6. Jan, 07:00."),
        ("de", "lösch die ersten 2", "Wecker: Di, 6. Jan, 09:00."),
        ("ru", "отмени последние два", "Будильники: вт, 6 янв, 07:00."),
    ],
)
def test_the_first_or_the_last_of_several_are_counted(language, said, alarms):
    assert alarms_after(THREE[language], said, language=language) == alarms
    listed = THREE[language], MY_ALARMS[language], said
    assert alarms_after(*listed, language=language) == alarms


def test_an_hour_that_is_none_after_an_offer_sets_no_alarm_and_is_asked_for():
    said = "wake me at 7", "wake me at 7 every day except sunday", "alarms", "wake me at 25"
    assert alarms_after(*said) == alarms_after(*said[:1])
