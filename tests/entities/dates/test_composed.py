"""What is put together by rules that all languages share: in each of them it is understood."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

from anaphora.entities.dates.durations import DurationRecognizer
from anaphora.entities.dates.reader import reader
from anaphora.entities.dates.recognizer import DateRecognizer

ASKED = datetime(2026, 11, 23, 10, tzinfo=ZoneInfo("Europe/Berlin"))  # a Monday
HERE = Path(__file__).parent
TABLE = yaml.load((HERE / "composed.yaml").read_text("utf-8"), yaml.BaseLoader)
LANGUAGES = {path.stem for path in (HERE / "phrases").glob("*.yaml")}


def phrases(key):
    return [
        pytest.param(language, text, entry, id=f"{language}: {text}")
        for entry in TABLE
        if key in entry
        for language, texts in entry["say"].items()
        for text in texts
    ]


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["say"]["en"][0])
def test_it_is_said_in_every_language(entry):
    assert set(entry["say"]) == LANGUAGES


@pytest.mark.parametrize(("language", "text", "entry"), phrases("is"))
def test_the_date_is_understood_as_one(language, text, entry):
    found = DateRecognizer(reader(language)).read(text, ASKED)
    expected = entry["is"] if isinstance(entry["is"], list) else [entry["is"]]
    assert [mention.value for mention in found] == expected
    for key in ("assumed", "conflict", "hours"):
        assert key not in entry or found[0].meta[key] == entry[key]


@pytest.mark.parametrize(("language", "text", "entry"), phrases("lasts"))
def test_the_duration_is_understood_as_one(language, text, entry):
    (found,) = DurationRecognizer(reader(language)).read(text)
    assert found.value == entry["lasts"]
    assert "unit" not in entry or found.meta["unit"] == entry["unit"]
