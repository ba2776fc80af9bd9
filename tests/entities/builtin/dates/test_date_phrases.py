"""Phrases of time by language, asked on a Wednesday morning in Berlin.

In the tables ``is`` has the expected values of dates (one, a list, or an empty list), ``grain`` the
grain of the first one, ``lasts`` the values of durations. ``fails`` gives the reason why a phrase
is not supported; the test fails if it is supported after all.
"""

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

ASKED = datetime(2026, 11, 18, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))
TABLES = sorted((Path(__file__).parent / "phrases").glob("*.yaml"))
AT_LEAST = {"en": 60, "ru": 60}


def cases():
    for path in TABLES:
        for phrase in yaml.load(path.read_text("utf-8"), yaml.CBaseLoader):
            fails = phrase.get("fails", "")
            yield Case(path.stem, phrase["say"], (path.stem, phrase), fails)


@gathered(cases())
def test_a_phrase_gives_its_dates(language, phrase):
    found = DateRecognizer(get_date_parser(language)).read(phrase["say"], ASKED)
    found = without_parts(found)
    if "is" in phrase:
        expected = phrase["is"] if isinstance(phrase["is"], list) else [phrase["is"]]
        assert [mention.value for mention in found] == expected
    if "grain" in phrase:
        assert found[0].meta["grain"] == phrase["grain"]
    if "lasts" in phrase:
        lasting = DurationRecognizer(get_date_parser(language)).read(phrase["say"])
        expected = phrase["lasts"] if isinstance(phrase["lasts"], list) else [phrase["lasts"]]
        assert [mention.value for mention in lasting] == expected


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_each_language_has_enough_phrases(path):
    listed = yaml.load(path.read_text("utf-8"), yaml.CBaseLoader)
    assert len({phrase["say"] for phrase in listed}) >= AT_LEAST.get(path.stem, 20)
