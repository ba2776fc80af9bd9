"""The days that people mean by a name."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.named_days.day_names import load_day_names
from anaphora.entities.builtin.dates.named_days.day_table import load_day_ids
from anaphora.entities.builtin.dates.operations import resolve
from anaphora.entities.languages import languages_with

BERLIN = ZoneInfo("Europe/Berlin")
ASKED = datetime(2026, 11, 23, 10, tzinfo=BERLIN)  # a Monday
TABLE = yaml.load(Path(__file__).with_name("named.yaml").read_text("utf-8"), yaml.CBaseLoader)


def values(text, language="en", at=ASKED, **options):
    read = DateRecognizer(get_date_parser(language), **options).read
    return [mention.value for mention in read(text, at)]


def day_of(id, at=ASKED, *, prefer_future=True):
    found = resolve(("named_day", id), Moment(at, prefer_future))
    return None if found is None else f"{found.start:%Y-%m-%d}"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        pytest.param(language, text, expected, id=f"{language}: {text}")
        for language, texts in TABLE.items()
        for text, expected in texts.items()
    ],
)
def test_a_name_means_its_day(language, text, expected):
    assert values(text, language) == expected


def test_every_language_with_names_is_tried():
    assert set(TABLE) == set(languages_with("holidays"))


@pytest.mark.parametrize("language", languages_with("holidays"))
def test_names_are_those_of_known_days(language):
    assert set(load_day_names(language).ids.values()) <= load_day_ids()


@pytest.mark.parametrize(
    "text",
    [
        "I lent him ten books", "in the new world", "he has a mother", "a boxing match",
        "our carnival costumes", "the navy day room", "advent calendars", "mayday",
    ],
)  # fmt: skip
def test_words_that_are_also_names_are_no_days(text):
    assert values(text) == []


def test_every_day_of_the_table_can_be_told():
    untold = {id for id in load_day_ids() if day_of(id) is None}
    assert untold == {"mini_tuesday"}  # there was one, in 2004


def test_with_the_past_preferred_a_name_means_the_last_such_day():
    assert values("on Halloween", prefer_future=False) == ["2026-10-31"]
    assert values("Easter", prefer_future=False) == ["2026-04-05"]


def test_a_period_that_has_begun_is_the_current_one():
    at = datetime(2026, 12, 8, 12, tzinfo=BERLIN)
    assert values("during Hanukkah", at=at) == ["2026-12-04/2026-12-12"]


def test_a_period_over_the_new_year_is_of_the_year_in_which_it_begins():
    assert values("Hanukkah 2024") == ["2024-12-25/2025-01-02"]
    assert values("Hanukkah 2025") == ["2025-12-14/2025-12-22"]


def test_the_clocks_change_as_in_the_zone_of_the_question():
    assert day_of("dst_start") == "2027-03-28"
    assert day_of("dst_end", datetime(2026, 11, 23, tzinfo=ZoneInfo("Australia/Sydney"))) == (
        "2027-04-04"
    )
    # Where clocks do not change, those of the United States are meant.
    assert day_of("dst_start", datetime(2026, 11, 23, tzinfo=ZoneInfo("Asia/Tokyo"))) == (
        "2027-03-14"
    )


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("victoria_day", ["2025-05-19", "2026-05-18", "2027-05-24"]),
        ("administrative_professionals_day", ["2025-04-23", "2026-04-22", "2027-04-21"]),
        ("election_day", ["2025-11-04", "2026-11-03", "2027-11-02"]),
        ("kings_day", ["2025-04-26", "2026-04-27", "2027-04-27"]),
        ("earth_hour", ["2025-03-22", "2026-03-28", "2027-03-20"]),
        ("yom_haatzmaut_day", ["2025-05-01", "2026-04-22", "2027-05-12"]),
        ("tisha_bav_day", ["2025-08-03", "2026-07-23", "2027-08-12"]),
        ("mothers_day_france", ["2025-05-25", "2026-05-31", "2027-05-30"]),
        ("midsummer", ["2025-06-21", "2026-06-20", "2027-06-26"]),
        ("advent", ["2025-11-30", "2026-11-29", "2027-11-28"]),
        ("raksha_bandhan", ["2025-08-09", "2026-08-28", "2027-08-17"]),
    ],
)
def test_movable_days_move(id, expected):
    found = [day_of(id, datetime(year, 1, 1, tzinfo=BERLIN)) for year in (2025, 2026, 2027)]
    assert found == expected


def test_a_day_of_some_years_is_the_next_of_them():
    assert values("leap day") == ["2028-02-29"]
    assert values("the US presidential election") == ["2028-11-07"]
    assert values("Inauguration Day") == ["2029-01-20"]


def test_the_expression_of_a_named_day_is_its_id():
    (found,) = DateRecognizer(get_date_parser("en")).read("Purim", ASKED)
    assert list(found.meta["expression"]) == ["named_day", "purim"]
    assert found.meta["assumed"] == "year"
