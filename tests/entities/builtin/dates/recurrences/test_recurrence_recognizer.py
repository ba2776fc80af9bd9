"""Recurring times: their metadata, zones, readings, and the dates beside them."""

from datetime import UTC, datetime
from itertools import islice
from textwrap import dedent
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr

from anaphora import Engine, parse_model
from anaphora.entities.builtin.dates.conventions import Conventions
from anaphora.entities.builtin.dates.grammar import date_grammar
from anaphora.entities.builtin.dates.grammar.date_grammar import RECURRENCE_TABLES, load_grammar
from anaphora.entities.builtin.dates.recurrences.recurrence_parser import get_recurrence_parser
from anaphora.entities.builtin.dates.recurrences.recurrence_recognizer import RecurrenceRecognizer
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import TokenizedText
from anaphora.models.schema.builtin_entities import resolve_options
from anaphora.storage.cache import Cache
from tests.support.cpu_time import cpu_seconds

ASKED = datetime(2026, 11, 18, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))
PLANNER = """
    id: planner
    language: [en, de, ru, ja]
    entities: [date, recurrence]
    elements:
      - id: remind
        synonyms: {en: [remind me], de: [erinnere mich], ru: [напомни], ja: [リマインド]}
    intents:
      - intent=remind term(act)={# == 'remind'} term(once)={# == 'date'}?
        term(often)={# == 'recurrence'}?
"""


def read(text, at=ASKED, language="en", **options):
    return RecurrenceRecognizer(get_recurrence_parser(language), **options).read(text, at)


def ask(text, language="en", model=PLANNER):
    engine = Engine(parse_model(dedent(model)), clock=lambda: ASKED)
    return engine.ask(text, user="u", language=language)


def test_the_metadata_says_what_the_rule_says():
    (found,) = read("every other Friday at 9 from March 1 until June")
    assert found.meta == {
        "rule": {
            "freq": "WEEKLY", "interval": 2, "byday": ["FR"], "byhour": [9], "byminute": [0],
            "until": "2027-06-30T23:59:59",
        },
        "next": "2027-03-05T09:00:00+01:00",
        "start": "2027-03-05T09:00:00+01:00",
        "until": "2027-06-30T23:59:59+02:00",
        "pattern": {
            "unit": "week", "interval": 2, "weekdays": [[0, 4]], "clocks": [["time", 9]],
            "bounds": [["span", ["monthday", 3, 1], ["month", 6]]],
        },
    }  # fmt: skip


def test_every_other_week_counts_from_the_first_one():
    (found,) = read("every other Tuesday")
    assert found.meta["start"] == found.meta["next"] == "2026-11-24T00:00:00+01:00"


def test_the_next_time_is_after_the_question():
    (before,) = read("every Wednesday at 11", ASKED)
    (after,) = read("every Wednesday at 10", ASKED)
    assert before.meta["next"] == "2026-11-18T11:00:00+01:00"
    assert after.meta["next"] == "2026-11-25T10:00:00+01:00"


def test_times_are_those_of_the_user():
    at = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    (found,) = read("every day at 8", at)
    assert found.meta["next"] == "2026-03-29T08:00:00+02:00"  # summer time has begun
    (found,) = read("every day at 2:30 am", at)
    assert found.meta["next"] == "2026-03-29T03:30:00+02:00"  # there is no 2:30 on that day


@pytest.mark.parametrize(
    ("text", "zone", "rule"),
    [
        ("every day at 17:00 UTC", "America/New_York", "FREQ=DAILY;BYHOUR=12"),
        ("every Monday at 9 am Tokyo time", "America/New_York", "FREQ=WEEKLY;BYDAY=SU;BYHOUR=19"),
        ("every Friday at 8 pm EST", "Asia/Tokyo", "FREQ=WEEKLY;BYDAY=SA;BYHOUR=10"),
        ("every 15th at 8 pm EST", "Asia/Tokyo", "FREQ=MONTHLY;BYMONTHDAY=16;BYHOUR=10"),
        ("every last day of the month at 8 pm EST", "Asia/Tokyo",
         "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=10"),
        ("every May 5 at 8 pm EST", "Asia/Tokyo", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=6;BYHOUR=10"),
    ],
)  # fmt: skip
def test_a_time_in_another_zone_is_that_of_the_user(text, zone, rule):
    (found,) = read(text, ASKED.astimezone(ZoneInfo(zone)))
    assert found.value == f"{rule};BYMINUTE=0"


@pytest.mark.parametrize(
    "text",
    [
        "every 31st at 8 pm EST",
        "every last Friday of the month at 8 pm EST",
        "every Friday at 8 am and 8 pm EST",
        "every May 1 at 4 am Sydney time",
    ],
)
def test_what_no_rule_of_the_user_can_say_in_another_zone_is_none(text):
    assert read(text, ASKED.astimezone(ZoneInfo("Europe/Berlin"))) == []


def test_a_time_in_another_zone_is_as_far_away_as_when_it_begins():
    (now,) = read("every Monday at 9 am in New York time")
    (later,) = read("every Monday at 9 am in New York time from March 15")
    assert (now.meta["next"], later.meta["next"]) == (
        "2026-11-23T15:00:00+01:00",
        "2027-03-15T14:00:00+01:00",  # summer time has begun in New York
    )


def test_the_week_of_an_interval_may_start_on_sunday():
    (found,) = read("every other Sunday", conventions=Conventions(first_day=6))
    assert found.value == "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU"


def test_the_region_and_the_options_say_when_a_week_and_a_morning_begin():
    options = resolve_options("recurrence", {"parts": ["morning 8-11"]})
    recognize = create_builtin("recurrence", "en-US", options)
    (found,) = recognize(TokenizedText("every other Sunday", [], []), ASKED)
    assert found.value.endswith("WKST=SU")
    (found,) = recognize(TokenizedText("every morning", [], []), ASKED)
    assert (found.value, found.meta["hours"]) == ("FREQ=DAILY;BYHOUR=8;BYMINUTE=0", "08:00/11:00")


@pytest.mark.parametrize(
    ("language", "options", "text", "days"),
    [
        ("en", {}, "on weekends", "SA,SU"),
        ("en", {"weekend": "friday"}, "on weekends", "FR,SA"),
        ("en", {"weekend": "friday-evening"}, "every weekend", "SA,SU"),
        ("en-IL", {}, "every weekday", "MO,TU,WE,TH,SU"),
        ("ar-EG", {}, "كل نهاية أسبوع", "FR,SA"),
        ("ar-MA", {}, "كل نهاية أسبوع", "SA,SU"),
        ("he", {}, "בסופי שבוע", "FR,SA"),
        ("he", {"weekend": "saturday"}, "כל סוף שבוע", "SA,SU"),
        ("en", {"weekend": "friday"}, "every day except weekends", "MO,TU,WE,TH,SU"),
        ("en", {"weekend": "friday"}, "every weekday except Sunday", "MO,TU,WE,TH"),
    ],
)
def test_the_weekend_is_that_of_the_region_or_of_the_option(language, options, text, days):
    recognize = create_builtin("recurrence", language, resolve_options("recurrence", options))
    (found,) = recognize(TokenizedText(text, [], []), ASKED)
    assert found.value == f"FREQ=WEEKLY;BYDAY={days}"


def test_the_first_weekend_of_a_month_is_its_first_day():
    conventions = Conventions(weekend="friday")
    (found,) = read("every first weekend of the month", conventions=conventions)
    assert found.value == "FREQ=MONTHLY;BYDAY=1FR"


def test_where_no_day_is_left_nothing_recurs():
    assert read("every weekend except Saturday and Sunday") == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "every Monday at 9 and Friday at 10",
            [("every Monday at 9", "BYDAY=MO;BYHOUR=9"), ("Friday at 10", "BYDAY=FR;BYHOUR=10")],
        ),
        (
            "Mondays at 9, Wednesdays at 11 and Fridays at 10",
            [
                ("Mondays at 9", "BYDAY=MO;BYHOUR=9"),
                ("Wednesdays at 11", "BYDAY=WE;BYHOUR=11"),
                ("Fridays at 10", "BYDAY=FR;BYHOUR=10"),
            ],
        ),
    ],
)
def test_what_needs_several_rules_is_as_many_recurrences(text, parts):
    found = read(text)
    assert [(text[one.start : one.end], one.value) for one in found] == [
        (said, f"FREQ=WEEKLY;{rule};BYMINUTE=0") for said, rule in parts
    ]


def test_several_rules_have_their_interval_and_their_end_in_common():
    assert [one.value for one in read("every other Monday at 9 and Friday at 10 until June")] == [
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0;UNTIL=20270630T235959",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=10;BYMINUTE=0;UNTIL=20270630T235959",
    ]
    assert [one.value for one in read("for a week every Monday at 9 and Friday at 10")] == [
        "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;UNTIL=20261124T235959",
        "FREQ=WEEKLY;BYDAY=FR;BYHOUR=10;BYMINUTE=0;UNTIL=20261124T235959",
    ]


def test_a_day_behind_a_recurrence_without_a_time_is_a_date():
    assert [one.value for one in read("every Monday and on Friday at 10")] == [
        "FREQ=WEEKLY;BYDAY=MO"
    ]


def test_an_intent_takes_both_of_two_rules():
    model = PLANNER.replace("{# == 'recurrence'}?", "{# == 'recurrence'}*")
    often = ask("remind me every Monday at 9 and Friday at 10", model=model).slots["often"]
    assert [entity.text for entity in often.entities] == ["every Monday at 9", "Friday at 10"]


def test_what_is_over_does_not_recur():
    assert read("every day last week") == []
    assert read("every Monday until yesterday") == []


def test_what_began_long_ago_goes_on():
    (found,) = read("every minute since 1970")
    assert found.meta["next"] == "2026-11-18T10:31:00+01:00"
    (found,) = read("every third day since November 1")
    assert found.meta["next"] == "2026-11-19T00:00:00+01:00"


def test_hours_that_end_after_midnight():
    (found,) = read("every Friday from 10 pm to 2 am")
    assert (found.value, found.meta["hours"]) == (
        "FREQ=WEEKLY;BYDAY=FR;BYHOUR=22;BYMINUTE=0",
        "22:00/02:00",
    )
    assert found.meta["duration"] == "PT4H"


@pytest.mark.parametrize(
    "text", ["every Monday at 9:00 and 18:30", "the 1st and 15th of each month at 9:00 and 18:30"]
)
def test_times_with_different_minutes_are_no_others(text):
    (found,) = read(text)
    start = datetime.fromisoformat(found.meta["start"]).replace(tzinfo=None)
    some = islice(rrulestr(found.value, dtstart=start), 8)
    assert {f"{one:%H:%M}" for one in some} == {"09:00", "18:30"}


def test_times_that_no_rule_can_tell_apart_are_none():
    """Some months have no 31st, so that the times of one have no fixed place among all."""
    assert read("every 31st at 9:00 and 18:30") == []


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("en", "remind me every Monday at 9", "every Monday at 9"),
        ("en", "remind me at 9 every Monday", "at 9 every Monday"),
        ("en", "remind me on Mondays", "on Mondays"),
        ("en", "remind me every Monday until June", "every Monday until June"),
        ("de", "Erinnere mich montags um 9", "montags um 9"),
        ("de", "Erinnere mich jeden Morgen", "jeden Morgen"),
        ("ru", "напомни по понедельникам", "по понедельникам"),
        ("ja", "平日にリマインド", "平日"),
    ],
)
def test_a_date_within_a_recurrence_is_none_of_the_sentence(language, text, said):
    slots = ask(text, language).slots
    assert slots["often"].text == said
    assert "once" not in slots


def test_a_date_alone_is_a_date():
    slots = ask("remind me on Monday at 9").slots
    assert slots["once"].value == "2026-11-23T09:00"
    assert "often" not in slots


def test_a_date_within_a_recurrence_counts_where_only_a_date_is_asked_for():
    model = PLANNER.replace("term(often)={# == 'recurrence'}?", "")
    slots = ask("remind me on Mondays", model=model).slots
    assert slots["once"].value == "2026-11-23"


def test_the_first_reading_is_taken_unless_the_intent_wants_another():
    assert ask("remind me every second Tuesday").slots["often"].value == (
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"
    )
    monthly = PLANNER.replace(
        "{# == 'recurrence'}?", "{# == 'recurrence' && ent_value() == 'FREQ=MONTHLY;BYDAY=2TU'}?"
    )
    assert ask("remind me every second Tuesday", model=monthly).slots["often"].value == (
        "FREQ=MONTHLY;BYDAY=2TU"
    )


def test_a_model_of_one_language_loads_from_its_cache(tmp_path):
    cache = Cache(tmp_path)
    first = date_grammar._load_through_cache("en", cache, RECURRENCE_TABLES)
    again = date_grammar._load_through_cache("en", cache, RECURRENCE_TABLES)
    assert (first.words, first.weak) == (again.words, again.weak)


def test_dates_alone_know_no_rules_of_recurrences():
    assert "biweekly" in load_grammar("en", None, RECURRENCE_TABLES).words
    assert "biweekly" not in load_grammar("en").words


@pytest.mark.parametrize(
    "piece",
    ["every ", "every Monday and ", "every day at 9 until June ", "twice a day ", "1st and ", "9 "],
)
def test_a_long_text_takes_no_long_time(piece):
    text = piece * (10_000 // len(piece))
    read(piece)  # which loads the tables
    assert cpu_seconds(lambda: read(text)) < 0.5


@pytest.mark.parametrize(
    "text",
    ["every 999999 weeks", "every 9999 years", "every day for 9999 times",
     "every second since 1900", "every day from January 1, 9999",
     "every 5th Friday for 9000 years"],
)  # fmt: skip
def test_far_times_are_found_quickly_or_not_at_all(text):
    mentions = []
    assert cpu_seconds(lambda: mentions.extend(read(text))) < 0.5
    for found in mentions:
        assert datetime.fromisoformat(found.meta["next"]) > ASKED


def test_a_text_without_a_zone_is_read_in_utc():
    (found,) = read("every day at 9", datetime(2026, 11, 18, 10, 30))
    assert datetime.fromisoformat(found.meta["next"]) == datetime(2026, 11, 19, 9, tzinfo=UTC)
