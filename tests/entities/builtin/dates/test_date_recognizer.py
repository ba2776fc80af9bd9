"""Dates at any time, in any zone and with any option."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest
import spacy
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora import Engine, parse_model
from anaphora.entities.builtin.dates.conventions import Conventions
from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer
from anaphora.entities.builtin.dates.grammar.date_grammar import load_grammar
from tests.entities.builtin.dates.test_intervals import ZONES, times
from tests.support.cpu_time import cpu_seconds
from tests.support.examples import examples

SAID = sorted(
    (path.stem, phrase["say"])
    for path in (Path(__file__).parent / "phrases").glob("*.yaml")
    for phrase in yaml.load(path.read_text("utf-8"), yaml.CBaseLoader)
)
LANGUAGES = sorted({language for language, _ in SAID})
ANY_OF_THREE = """
id: any
language: [en, de, fr, ru]
entities: [date, number, duration]
intents: ["intent=any term(any)={# == 'date' || # == 'number' || # == 'duration'}+"]
"""
SEND = """
id: bank
entities: [date]
elements:
  - {id: send, id_synonym: false, synonyms: [send]}
  - {id: person, values: [Ann]}
  - {id: sum, recognizer: money, config: {currency: EUR}}
intents:
  - "intent=send term(act)~{# == 'send'} term(to)~{# == 'person'} term(sum)~{# == 'sum'}
    term(day)~{# == 'date'}?"
"""
PAY = """
id: pay
language: [en, de]
entities: [date, money]
elements:
  - {id: pay, synonyms: [zahle]}
intents: ["intent=pay term(act)~{# == 'pay'} term(sum)~{# == 'money'}"]
"""
BOOK = """
id: book
language: [en, de, fr, ru]
entities: [date]
elements: [{id: book}]
intents: ["intent=book term(act)~{# == 'book'} term(day)~{# == 'date'}"]
prompts: {book: {day: For which day?}}
"""
NEW_YORK = ZoneInfo("America/New_York")


def find_dates(text, at, language="en", **kinds):
    return DateRecognizer(get_date_parser(language), **kinds).read(text, at)


def find_value(text, at, **kinds):
    (found,) = find_dates(text, at, **kinds)
    return found.value


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from(SAID), times, st.booleans(), st.sampled_from([0, 6]))
def test_a_date_starts_before_it_ends(said, at, prefer_future, first_day):
    language, text = said
    for found in find_dates(
        text, at, language, prefer_future=prefer_future, conventions=Conventions(first_day)
    ):
        start, end = found.meta.get("from"), found.meta.get("to")
        assert start is not None or end is not None
        assert start is None or end is None or start < end
        assert 0 <= found.start < found.end <= len(text)
        for key, stamp in (("start", start), ("end", end)):
            if stamp is not None:
                assert datetime.fromisoformat(found.meta[key]).timestamp() * 1000 == stamp


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from(SAID), times)
def test_the_same_text_at_the_same_time_is_the_same_date(said, at):
    language, text = said
    fresh = DateRecognizer(get_date_parser.__wrapped__(language))
    assert fresh.read(text, at) == find_dates(text, at, language)


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("de", "erinnere mich gegen 20h", "gegen 20h"),
        ("fr", "rappelle-moi le 1er", "le 1er"),
        ("nl", "herinner me op de 24e", "de 24e"),
    ],
)
def test_a_date_ends_where_its_last_word_ends(language, text, said):
    (found,) = find_dates(text, datetime(2026, 11, 18, 10, 30, tzinfo=UTC), language)
    assert text[found.start : found.end] == said


def test_times_that_are_equal_in_two_zones_are_different_days_in_each():
    recognizer = DateRecognizer(get_date_parser("en"))
    at = datetime(2026, 11, 18, 23, 30, tzinfo=UTC)
    first, second, third = (
        recognizer.read("today", asked)[0].value
        for asked in (at, at.astimezone(ZoneInfo("Asia/Tokyo")), at.astimezone(NEW_YORK))
    )
    assert (first, second, third) == ("2026-11-18", "2026-11-19", "2026-11-18")


def test_both_occurrences_of_an_ambiguous_hour_are_distinguished():
    recognizer = DateRecognizer(get_date_parser("en"))
    at = datetime(2026, 11, 1, 1, 30, tzinfo=NEW_YORK)
    first, second = (
        recognizer.read("in an hour", at.replace(fold=fold))[0].meta["start"] for fold in (0, 1)
    )
    assert (first, second) == ("2026-11-01T01:30:00-05:00", "2026-11-01T02:30:00-05:00")


@settings(max_examples=examples(100), deadline=None)
@given(
    st.sampled_from(SAID),
    st.sampled_from([datetime(1, 1, 1), datetime(1, 12, 31, 23, 59), datetime(9999, 12, 31, 23)]),
    st.sampled_from(ZONES),
)
def test_the_ends_of_the_calendar_raise_no_error(said, at, zone):
    language, text = said
    find_dates(text, at.replace(tzinfo=ZoneInfo(zone)), language)


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=80), st.sampled_from(["en", "ru", "ja", "ar", "xx", "sw"]))
def test_any_text_is_read(text, language):
    find_dates(text, datetime(2026, 11, 18, 10, 30, tzinfo=UTC), language)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *("from", "to", "until", "since", "next", "last", "3", "12", "2024", "may"),
                *("friday", "week", "days", "at", "5", "pm", "of", "the", "-", ",", ".", "/"),
                *(":", "half", "quarter", "first", "in", "and", "31", "february", "99999"),
                *("tomorrow", "morning", "week", "half", "quarter", "noon", "midnight", "this"),
                *("not", "before", "after", "same", "time", "weekend", "christmas", "the", "½"),
            ]
        ),
        max_size=14,
    )
)
def test_any_row_of_words_is_read(words):
    for found in find_dates(" ".join(words), datetime(2026, 11, 18, 10, 30, tzinfo=UTC)):
        assert found.value


@settings(max_examples=examples(300), deadline=None)
@given(st.data(), st.sampled_from(LANGUAGES), times, st.booleans())
def test_any_row_of_words_is_read_in_every_language(data, language, at, prefer_future):
    known = load_grammar(language)
    words = sorted({*known.words, *known.weak, *known.months, "5", "12", "31", "2024", "2.5"})
    row = data.draw(st.lists(st.sampled_from(words), max_size=9))
    text = (" " if known.has_spaces else "").join(row)
    for found in find_dates(text, at, language, prefer_future=prefer_future):
        assert found.value


@pytest.mark.parametrize("language", ["xx", "grc", "la", "tl", "lij", "sa", "zxx", "de-AT"])
def test_dates_in_digits_are_found_in_languages_without_a_table(language):
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    assert find_dates("1.5.2024", at, language)[0].value in ("2024-05-01", "2024-01-05")
    assert find_dates("x 2024-05-01 14:30", at, language)[0].value == "2024-05-01T14:30"


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["quarter", "1 h", "fri", "sept", "to", "may", "5", "first", "a"]),
        ("en", ["monday", "tuesday,"]),
        ("ru", ["сутки", "получаса", "полгода", "до", "мая", "5"]),
        ("de", ["dreiviertelstunde", "viertelstunde", "5 h", "bis", "mai"]),
        ("ja", ["五", "月", "日", "午", "後", "時", "から", "1"]),
    ],
)
def test_a_long_text_of_time_words_is_parsed_quickly(language, words):
    shuffled = Random(1)
    text = " ".join(shuffled.choice(words) for _ in range(10_000))[:10_000]
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    find_dates("5 x 1.5.2024", at, language)  # the tables are read
    assert cpu_seconds(lambda: find_dates(text, at, language)) < 5  # some 0.1 s


@pytest.mark.parametrize(
    "text",
    [
        "1" * 10_000,
        "1 " * 5_000,
        "may " * 2_500,
        "from may to " * 800,
        "1.1." * 2_500,
        "12:" * 3_000,
        "last 3 " * 1_400,
        "tomorrow " * 1_100,
        "-" * 10_000,
    ],
)
def test_long_nonsense_is_read(text):
    find_dates(text, datetime(2026, 11, 18, 10, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    "text", ["31 February", "32 May 2024", "in the year 0", "in the year 99999", "in 99999 years"]
)
def test_a_day_that_does_not_exist_is_no_date(text):
    assert find_dates(text, datetime(2026, 11, 18, 10, 30, tzinfo=UTC)) == []


def test_today_is_today_where_the_question_is_asked():
    at = datetime(2026, 11, 18, 23, 30, tzinfo=UTC)
    assert find_value("today", at) == "2026-11-18"
    assert find_value("today", at.astimezone(ZoneInfo("Asia/Tokyo"))) == "2026-11-19"


def test_a_day_with_a_clock_change_has_its_real_length():
    (found,) = find_dates("on November 1", datetime(2026, 10, 30, 12, tzinfo=NEW_YORK))
    assert found.meta["start"] == "2026-11-01T00:00:00-04:00"
    assert found.meta["end"] == "2026-11-02T00:00:00-05:00"
    assert found.meta["to"] - found.meta["from"] == 25 * 3_600_000


def test_hours_from_now_are_elapsed_hours():
    at = datetime(2026, 11, 1, 0, 30, tzinfo=NEW_YORK)
    assert find_dates("in 3 hours", at)[0].meta["start"] == "2026-11-01T02:30:00-05:00"


def test_a_time_in_a_gap_is_an_hour_later():
    (found,) = find_dates("tomorrow at 2:30 am", datetime(2026, 3, 7, 12, tzinfo=NEW_YORK))
    assert found.meta["start"] == "2026-03-08T03:30:00-04:00"


def test_incomplete_dates_may_be_in_the_past():
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    assert find_value("on Friday", at, prefer_future=False) == "2026-11-13"
    assert find_value("May 1", at, prefer_future=False) == "2026-05-01"
    assert find_value("December 24", at, prefer_future=False) == "2025-12-24"
    assert find_value("in December", at, prefer_future=False) == "2025-12"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("from Friday to Monday", "2026-11-13/2026-11-16"),
        ("from Monday to Wednesday", "2026-11-09/2026-11-11"),
        ("between March and May", "2026-03-01/2026-05-31"),
        ("from October to December", "2025-10-01/2025-12-31"),
        ("from Dec 20 to Jan 5", "2025-12-20/2026-01-05"),
        ("from May 2026 to March", "2026-05-01/2027-03-31"),
        ("from 10pm to 2am", "2026-11-17T22:00/2026-11-18T02:00"),
        ("since May", "2026-05-01T00:00/2026-11-18T10:30"),
        ("until May", "../2026-05-31"),
        ("on Thanksgiving", "2025-11-27"),
        ("this Friday", "2026-11-20"),
        ("this weekend", "2026-11-21/2026-11-22"),
        ("tonight", "2026-11-18T18:00/2026-11-19T05:00"),
        ("this evening", "2026-11-18T18:00/2026-11-19T00:00"),
        ("in the evening", "2026-11-17T18:00/2026-11-18T00:00"),
        ("today at 5", "2026-11-18T05:00"),
        ("Friday the 13th", "2026-11-13"),
        ("the weekend", "2026-11-14/2026-11-15"),
        ("Q1", "2026-Q1"),
        ("Q4", "2026-Q4"),
        ("week 5", "2026-W05"),
        ("week 50", "2025-W50"),
        ("in March", "2026-03"),
        ("this week", "2026-W47"),
    ],
)
def test_ranges_and_names_may_be_in_the_past(said, meant):
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    assert find_value(said, at, prefer_future=False) == meant


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "this morning"),
        ("ru", "сегодня утром"),
        ("ru", "этим утром"),
        ("uk", "цього ранку"),
        ("de", "heute Morgen"),
        ("de", "diesen Morgen"),
        ("fr", "ce matin"),
        ("es", "esta mañana"),
        ("it", "stamattina"),
        ("it", "questa mattina"),
        ("ja", "今朝"),
        ("zh", "今早"),
    ],
)
@pytest.mark.parametrize("prefer_future", [True, False])
@pytest.mark.parametrize("hour", [3, 9, 15])
def test_this_morning_is_that_of_today_at_any_time_of_the_day(language, said, prefer_future, hour):
    at = datetime(2026, 11, 18, hour, tzinfo=UTC)
    (found,) = find_dates(said, at, language, prefer_future=prefer_future)
    assert found.value == "2026-11-18T06:00/2026-11-18T12:00"


@pytest.mark.parametrize(
    ("said", "from_monday", "from_sunday"),
    [
        ("this week", "2026-11-16", "2026-11-15"),
        ("next week", "2026-11-23", "2026-11-22"),
        ("Sunday this week", "2026-11-22", "2026-11-15"),
        ("Sunday next week", "2026-11-29", "2026-11-22"),
        ("next Sunday", "2026-11-29", "2026-11-22"),
        ("last 2 weeks", "2026-11-02", "2026-11-01"),
        ("the week of December 6", "2026-11-30", "2026-12-06"),
        ("this weekend", "2026-11-21", "2026-11-21"),
        ("the first week of December", "2026-11-30", "2026-11-29"),
    ],
)
def test_a_week_may_begin_on_sunday(said, from_monday, from_sunday):
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    for first_day, starts in ((0, from_monday), (6, from_sunday)):
        assert (
            find_dates(said, at, conventions=Conventions(first_day))[0].meta["start"][:10] == starts
        )


def test_weekdays_of_a_week_that_begins_today_are_those_to_come():
    sunday = datetime(2026, 11, 22, 10, 30, tzinfo=UTC)
    assert find_value("weekdays", sunday) == "2026-11-16/2026-11-20"
    assert find_value("weekdays", sunday, conventions=Conventions(6)) == "2026-11-23/2026-11-27"


def test_the_same_time_of_another_day_is_the_local_time():
    at = datetime(2026, 10, 31, 10, 30, tzinfo=NEW_YORK)
    (found,) = find_dates("this time tomorrow", at)
    assert found.meta["start"] == "2026-11-01T10:30:00-05:00"
    (found,) = find_dates("this time tomorrow", datetime(2026, 3, 7, 2, 30, tzinfo=NEW_YORK))
    assert found.meta["start"] == "2026-03-08T03:30:00-04:00"


def test_a_month_ago_is_the_last_day_of_a_shorter_month():
    assert find_value("a month ago today", datetime(2026, 3, 31, 9, tzinfo=UTC)) == "2026-02-28"
    assert find_value("a year ago today", datetime(2028, 2, 29, 9, tzinfo=UTC)) == "2027-02-28"


def test_an_hour_without_am_or_pm_is_the_next_one():
    at = datetime(2026, 11, 18, 4, 0, tzinfo=UTC)
    assert find_value("at 7", at) == "2026-11-18T07:00"
    assert find_value("at 7", at + timedelta(hours=6)) == "2026-11-18T19:00"
    assert find_value("at 7", at + timedelta(hours=18)) == "2026-11-19T07:00"
    assert find_value("at 19", at + timedelta(hours=18)) == "2026-11-19T19:00"


def test_the_order_of_day_and_month_is_an_option():
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    (found,) = DateRecognizer(get_date_parser("en", "DMY")).read("05/01/2024", at)
    assert found.value == "2024-01-05"


def test_digit_symbols_do_not_affect_digits():
    at = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)
    recognizer = DateRecognizer(get_date_parser.__wrapped__("en"))
    recognizer.read("① ⑤ ² ½", at)
    assert [found.value for found in recognizer.read("1/5/2024 at 5 pm", at)] == [
        "2024-01-05T17:00"
    ]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "for February 30"),
        ("en", "on the 31st of June"),
        ("de", "am 30.02."),
        ("de", "vom 28. bis 30. Februar"),
        ("fr", "le 31 juin"),
        ("ru", "на 30 февраля"),
        ("ru", "на 31 июня 2027 года"),
    ],
)
def test_parts_of_a_day_that_does_not_exist_are_no_entities(language, said):
    at = datetime(2026, 11, 23, 10, tzinfo=UTC)
    engine = Engine(parse_model(ANY_OF_THREE))
    assert not engine.ask(said, at=at, language=language).slots
    assert engine.ask("for 30 people", at=at, language="en").slots


@pytest.mark.parametrize(
    ("said", "ahead", "behind"),
    [
        ("Q1", "2026-Q1", "2026-Q1"),
        ("Q3", "2026-Q3", "2025-Q3"),
        ("week 53", "2026-W53", "2020-W53"),
        ("week 1", "2027-W01", "2026-W01"),
        ("the weekend", "2026-02-14/2026-02-15", "2026-02-07/2026-02-08"),
    ],
)
def test_a_part_of_an_implicit_year_is_the_nearest_one(said, ahead, behind):
    at = datetime(2026, 2, 11, 10, 30, tzinfo=UTC)  # a Wednesday
    assert find_value(said, at) == ahead
    assert find_value(said, at, prefer_future=False) == behind


@pytest.mark.parametrize(
    "said", ["fifth Monday in February", "the 5th weekend of February", "Feb 30 next year"]
)
def test_an_nth_day_that_does_not_exist_is_no_date_and_no_number(said):
    at = datetime(2026, 11, 23, 10, tzinfo=UTC)
    assert not Engine(parse_model(ANY_OF_THREE)).ask(said, at=at, language="en").slots


@pytest.mark.parametrize(
    ("language", "said", "unused"),
    [
        ("en", "pay 5 k on February 30", "February 30"),
        ("en", "pay 5k February 30", "February 30"),
        ("de", "zahle 5 k am 30. Februar", "30. Februar"),
        ("de", "zahle 5 k 30. Februar", "30. Februar"),
    ],
)
def test_a_day_that_does_not_exist_is_no_unit_of_an_amount(language, said, unused):
    at = datetime(2026, 11, 23, 10, tzinfo=UTC)
    reply = Engine(parse_model(PAY)).ask(said, at=at, language=language)
    assert reply.slots["sum"].value == "5000"
    assert [part.text for part in reply.unused] == [unused]


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("en", "Wed", "2026-11-25"),
        ("en", "wed?", "2026-11-25"),
        ("en", "Mon", "2026-11-30"),
        ("en", "Thu.", "2026-11-26"),
        ("en", "May", "2027-05"),
        ("en", "Wed 5pm", "2026-11-25T17:00"),
        ("en", "Sat morning", "2026-11-28T06:00/2026-11-28T12:00"),
        ("de", "Mi", "2026-11-25"),
        ("de", "Mi.", "2026-11-25"),
        ("ru", "ср", "2026-11-25"),
        ("ru", "март", "2027-03"),
        ("fr", "mer.", "2026-11-25"),
    ],
)
def test_a_short_name_alone_is_an_answer(language, said, day):
    at = datetime(2026, 11, 23, 10, tzinfo=UTC)
    engine = Engine(parse_model(BOOK))
    assert engine.ask("book", at=at, language=language).missing == ("day",)
    assert engine.ask(said, at=at, language=language).slots["day"].value == day


@pytest.mark.parametrize(
    ("said", "day"), [("send Ann 5 euros for Wed", "2026-11-25"), ("send Ann 5 euros Wed", None)]
)
def test_a_short_name_in_a_sentence_is_a_date_behind_a_preposition_or_unused(said, day):
    at = datetime(2026, 11, 23, 10, tzinfo=UTC)
    reply = Engine(parse_model(SEND)).ask(said, at=at, language="en")
    assert (reply.slots["day"].value if "day" in reply.slots else None) == day
    assert [part.text for part in reply.unused] == ([] if day else ["Wed"])


@pytest.mark.parametrize("said", ["may I?", "we sat there", "the sun"])
def test_an_ambiguous_word_in_a_sentence_is_no_date(said):
    at = datetime(2026, 11, 23, 10, tzinfo=UTC)
    engine = Engine(parse_model(BOOK))
    engine.ask("book", at=at, language="en")
    assert "day" not in engine.ask(said, at=at, language="en").slots


def test_parts_of_a_day_that_does_not_exist_are_no_entities_with_a_spacy_pipeline():
    at = datetime(2026, 11, 23, 10, tzinfo=UTC)
    model = parse_model(ANY_OF_THREE.replace("[en, de, fr, ru]", "en"))
    engine = Engine(model, nlp=spacy.blank("en"))
    assert not engine.ask("for February 30", at=at).slots
    assert engine.ask("for 30 people", at=at).slots


@pytest.mark.parametrize("text", ["ה-24 לחודש", "ב-17:30", "ב5 במאי"])
def test_a_particle_that_is_joined_to_a_number_belongs_to_the_date(text):
    (found,) = DateRecognizer(get_date_parser("he")).read(f"תקבע פגישה {text}", datetime.now(UTC))
    assert found.end - found.start == len(text)
