"""What people do not share: when a week, a weekend and a morning begin, and what "next" means."""

from datetime import UTC, datetime

import pytest

from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import TokenizedText
from anaphora.models.schema.builtin_entities import find_invalid_options, resolve_options

AT = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)  # a Wednesday


def read(text, language="en", at=AT, **options):
    recognize = create_builtin("date", language, resolve_options("date", options))
    return [mention.value for mention in recognize(TokenizedText(text, [text], [0]), at)]


@pytest.mark.parametrize(
    ("language", "options", "starts"),
    [
        ("en", {}, "2026-11-23"),
        ("en-GB", {}, "2026-11-23"),
        ("en-US", {}, "2026-11-22"),
        ("en-US", {"week": "monday"}, "2026-11-23"),
        ("en", {"week": "saturday"}, "2026-11-21"),
    ],
)
def test_the_first_day_of_the_week_is_that_of_the_region(language, options, starts):
    recognize = create_builtin("date", language, resolve_options("date", options))
    (found,) = recognize(TokenizedText("next week", ["next week"], [0]), AT)
    assert found.meta["start"].startswith(starts)


@pytest.mark.parametrize(
    ("language", "options", "value"),
    [
        ("en", {}, "2026-11-21/2026-11-22"),
        ("en-IL", {}, "2026-11-20/2026-11-21"),
        ("en", {"weekend": "friday"}, "2026-11-20/2026-11-21"),
        ("en", {"weekend": "friday-evening"}, "2026-11-20/2026-11-22"),
    ],
)
def test_the_weekend_is_that_of_the_region(language, options, value):
    assert read("this weekend", language, **options) == [value]


def test_the_week_and_the_weekend_in_hebrew_are_those_of_israel():
    assert read("ביום ראשון בשבוע הבא", "he") == ["2026-11-22"]
    assert read("בסוף השבוע", "he") == ["2026-11-20/2026-11-21"]
    assert read("ביום ראשון בשבוע הבא", "he", week="monday") == ["2026-11-29"]


def test_a_weekend_may_begin_on_friday_evening():
    recognize = create_builtin("date", "en", resolve_options("date", {"weekend": "friday-evening"}))
    (found,) = recognize(TokenizedText("this weekend", ["this weekend"], [0]), AT)
    assert found.meta["start"] == "2026-11-20T18:00:00+00:00"
    assert found.meta["end"] == "2026-11-23T00:00:00+00:00"


@pytest.mark.parametrize(
    ("language", "value"), [("en", "2027-03-04"), ("en-US", "2027-03-04"), ("en-GB", "2027-04-03")]
)
def test_the_order_of_day_and_month_is_that_of_the_region(language, value):
    assert read("3/4/2027", language) == [value]


def test_next_friday_may_be_the_first_one():
    assert read("next Friday") == ["2026-11-27"]
    assert read("next Friday", next="first") == ["2026-11-20"]
    assert read("next Wednesday", next="first") == ["2026-11-25"]
    assert read("Friday next week", next="first") == ["2026-11-27"]


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("fr", "cet après-midi", "2026-11-18T12:00/2026-11-18T19:00"),
        ("fr", "demain en fin d'après-midi", "2026-11-19T17:00/2026-11-19T19:00"),
        ("fr-CA", "mardi en fin de journée", "2026-11-24T17:00/2026-11-24T21:00"),
        ("it", "domani pomeriggio", "2026-11-19T12:00/2026-11-19T19:00"),
        ("it", "domani notte", "2026-11-20T00:00/2026-11-20T04:00"),
        ("en", "tomorrow night", "2026-11-19T21:00/2026-11-20T06:00"),
        ("en", "tomorrow afternoon", "2026-11-19T12:00/2026-11-19T18:00"),
    ],
)
def test_the_parts_of_the_day_are_those_of_the_language(language, text, value):
    assert read(text, language) == [value]


def test_the_parts_of_a_model_have_precedence_over_those_of_the_language():
    parts = {"parts": ["afternoon 13-18"]}
    assert read("cet après-midi", "fr", **parts) == ["2026-11-18T13:00/2026-11-18T18:00"]


def test_a_model_may_say_when_parts_of_the_day_are():
    parts = {"parts": ["morning 8-11", "evening 17-22"]}
    assert read("tomorrow morning", **parts) == ["2026-11-19T08:00/2026-11-19T11:00"]
    assert read("in the evening", **parts) == ["2026-11-18T17:00/2026-11-18T22:00"]
    assert read("tomorrow afternoon", **parts) == ["2026-11-19T12:00/2026-11-19T18:00"]


@pytest.mark.parametrize("part", ["brunch 10-12", "morning", "morning 12-8", "evening 18-40"])
def test_a_part_of_the_day_that_makes_no_sense_is_an_error(part):
    (error,) = find_invalid_options("date", {"parts": [part]})
    assert error.key == "parts"
    assert part in error.message


@pytest.mark.parametrize(
    ("hour", "text", "value"),
    [
        (2, "questa notte", "2026-11-18T00:00/2026-11-18T04:00"),
        (2, "alle 3 di notte", "2026-11-18T03:00"),
        (20, "questa notte", "2026-11-19T00:00/2026-11-19T04:00"),
        (20, "stanotte alle 11", "2026-11-18T23:00"),
        (20, "venerdì notte all'una", "2026-11-21T01:00"),
        (20, "la notte tra sabato e domenica", "2026-11-21T21:00/2026-11-22T06:00"),
    ],
)
def test_an_italian_night_is_behind_the_evening_and_this_one_lasts_until_its_end(hour, text, value):
    assert read(text, "it", at=AT.replace(hour=hour, minute=0)) == [value]
