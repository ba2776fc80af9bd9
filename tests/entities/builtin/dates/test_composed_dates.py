"""Dates from the rules that all languages share, in each language."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer
from anaphora.entities.builtin.dates.duration_recognizer import DurationRecognizer
from tests.support.gathered import Case, gathered
from tests.support.mentions import without_parts

ASKED = datetime(2026, 11, 23, 10, tzinfo=ZoneInfo("Europe/Berlin"))  # a Monday
HERE = Path(__file__).parent
TABLE = yaml.load((HERE / "composed.yaml").read_text("utf-8"), yaml.CBaseLoader)
LANGUAGES = {path.stem for path in (HERE / "phrases").glob("*.yaml")}


def cases(key):
    return [
        Case(language, text, (language, text, entry))
        for entry in TABLE
        if key in entry
        for language, texts in entry["say"].items()
        for text in texts
    ]


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["say"]["en"][0])
def test_each_composed_date_has_phrases_in_every_language(entry):
    assert set(entry["say"]) == LANGUAGES


@gathered(cases("is"))
def test_a_composed_date_has_its_value(language, text, entry):
    found = without_parts(DateRecognizer(get_date_parser(language)).read(text, ASKED))
    expected = entry["is"] if isinstance(entry["is"], list) else [entry["is"]]
    assert [mention.value for mention in found] == expected
    for key in ("assumed", "conflict", "hours"):
        assert key not in entry or found[0].meta[key] == entry[key]


@gathered(cases("lasts"))
def test_a_composed_duration_has_its_value(language, text, entry):
    (found,) = DurationRecognizer(get_date_parser(language)).read(text)
    assert found.value == entry["lasts"]
    assert "unit" not in entry or found.meta["unit"] == entry["unit"]


def test_a_compared_duration_has_the_keys_of_a_compared_number():
    read = DurationRecognizer(get_date_parser("en")).read
    assert read("at least 2 nights")[0].meta == {
        "from": 172_800, "fromincl": True, "comparison": "more", "unit": "night",
    }  # fmt: skip
    assert read("under an hour")[0].meta == {
        "to": 3600, "toincl": False, "comparison": "less", "unit": "hour",
    }  # fmt: skip
    assert read("about 3 days")[0].meta == {
        "seconds": 259_200, "amount": 3, "unit": "day", "comparison": "about",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["less than 3 days ago", "within 3 days", "3 days from Friday"])
def test_a_comparison_of_a_date_is_none_of_its_duration(text):
    (found,) = DurationRecognizer(get_date_parser("en")).read(text)
    assert found.value == "P3D"


def test_a_range_of_two_units_has_none():
    (found,) = DurationRecognizer(get_date_parser("en")).read("3 days to 1 week")
    assert found.meta == {"from": 259_200, "to": 604_800}
