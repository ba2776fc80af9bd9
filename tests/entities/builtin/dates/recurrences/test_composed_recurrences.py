"""A recurrence is put together from parts: whatever is composed, its rule can be read."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.entities.builtin.dates.recurrences.recurrence_parser import get_recurrence_parser
from anaphora.entities.builtin.dates.recurrences.recurrence_recognizer import RecurrenceRecognizer
from tests.support.examples import examples

# By language: what recurs, at which time, from when on or how long, and what is left out.
PARTS = {
    "en": (
        ["every day", "each week", "every other month", "every 3 days", "on Mondays",
         "twice a week", "every Tuesday and Friday", "every second Thursday",
         "every 31st", "every February 29", "the first and third Monday of each month",
         "every last day of the month", "every weekend"],
        ["", "at 9", "at 7:30 am", "at noon and at 6 pm", "in the evening", "from 9 to 17"],
        ["", "starting tomorrow", "until the end of next year", "for six months", "for 5 times"],
        ["", "except on Sundays", "except December 25", "except in August"],
    ),
    "ru": (
        ["каждый день", "каждую неделю", "через день", "по понедельникам", "два раза в неделю",
         "каждый второй четверг", "каждый вторник и пятницу", "в последний день каждого месяца"],
        ["", "в 9", "в 7:30 утра", "вечером", "с 9 до 17"],
        ["", "с завтрашнего дня", "до конца следующего года", "в течение шести месяцев"],
        ["", "кроме воскресенья"],
    ),
    "de": (
        ["jeden Tag", "jede Woche", "alle drei Tage", "montags", "zweimal pro Woche",
         "jeden zweiten Donnerstag", "am letzten Tag jedes Monats"],
        ["", "um 9", "um 7:30 Uhr", "am Abend", "von 9 bis 17 Uhr"],
        ["", "ab morgen", "für sechs Monate"],
        ["", "außer sonntags"],
    ),
    "pl": (
        ["codziennie", "co tydzień", "co trzy dni", "w poniedziałki", "dwa razy w tygodniu",
         "co drugi czwartek", "w każdy wtorek i piątek", "w ostatni dzień każdego miesiąca"],
        ["", "o 9", "o 7:30", "wieczorem", "od 9 do 17"],
        ["", "od jutra", "do końca przyszłego roku", "przez sześć miesięcy"],
        ["", "oprócz niedzieli"],
    ),
    "ja": (
        ["毎日", "毎週", "隔週", "毎週月曜日", "毎月15日", "週に2回"],
        ["", "9時", "午後7時半"],
        ["", "明日から"],
        [""],
    ),
    "ar": (
        ["كل يوم", "كل أسبوع", "كل ثلاثة أيام", "أيام الاثنين", "مرتين في الأسبوع",
         "كل ثلاثاء وجمعة", "آخر يوم من كل شهر", "كل نهاية أسبوع"],
        ["", "الساعة 9", "الساعة 7:30 صباحا", "في المساء", "من 9 إلى 17"],
        ["", "ابتداء من الغد", "حتى نهاية السنة", "لمدة ستة أشهر"],
        ["", "ما عدا الأحد"],
    ),
    "he": (
        ["כל יום", "כל שבוע", "כל שלושה ימים", "בימי שני", "פעמיים בשבוע",
         "כל יום שלישי ושישי", "היום האחרון בכל חודש", "כל סוף שבוע"],
        ["", "ב-9", "בשעה 7:30", "בערב", "מ-9 עד 17"],
        ["", "החל ממחר", "עד סוף השנה", "במשך שישה חודשים"],
        ["", "חוץ מיום ראשון"],
    ),
    "tr": (
        ["her gün", "her hafta", "üç günde bir", "pazartesileri", "haftada iki kez",
         "her salı ve cuma", "her ayın son günü", "her hafta sonu"],
        ["", "saat 9'da", "7:30'da", "akşam", "9'dan 17'ye kadar"],
        [""],
        ["", "pazar hariç"],
    ),
    "ko": (
        ["매일", "매주", "3일마다", "매주 월요일", "일주일에 두 번", "매주 화요일과 금요일",
         "매월 마지막 날", "주말마다"],
        ["", "9시", "오전 7시 30분", "저녁", "9시부터 17시까지"],
        [""],
        ["", "일요일 빼고"],
    ),
}  # fmt: skip
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu")


@st.composite
def phrases(draw):
    language = draw(st.sampled_from(sorted(PARTS)))
    said = [draw(st.sampled_from(parts)) for parts in PARTS[language]]
    return language, ("" if language == "ja" else " ").join(part for part in said if part)


def to_moment(minutes, zone):
    moment = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    return moment.astimezone(ZoneInfo(zone))


moments = st.builds(to_moment, st.integers(0, 2 * 365 * 24 * 60), st.sampled_from(ZONES))


@settings(max_examples=examples(300), deadline=None)
@given(phrases(), moments)
def test_the_rule_of_a_composed_phrase_can_be_read(phrase, at):
    language, text = phrase
    recognizer = RecurrenceRecognizer(get_recurrence_parser(language))
    for mention in recognizer.read(text, at):
        start = datetime.fromisoformat(mention.meta["start"]).replace(tzinfo=None)
        following = datetime.fromisoformat(mention.meta["next"])
        occurrences = rrulestr(mention.value, dtstart=start)
        assert following > at
        assert following.utcoffset() == following.astimezone(at.tzinfo).utcoffset()
        assert mention.value.startswith("FREQ=")
        between = occurrences.between(at.replace(tzinfo=None), following.replace(tzinfo=None))
        assert not between or "except" in mention.meta


@pytest.mark.parametrize("language", sorted(PARTS))
def test_what_recurs_goes_with_a_time(language):
    recognizer = RecurrenceRecognizer(get_recurrence_parser(language))
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    recurs, times, _, _ = PARTS[language]
    for one in recurs:
        for time in times:
            text = f"{one}{time}" if language == "ja" else f"{one} {time}".strip()
            (found, *_) = recognizer.read(text, at)
            assert (found.start, found.end) == (0, len(text)), text
