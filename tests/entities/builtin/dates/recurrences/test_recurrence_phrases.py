"""Phrases of recurring times by language, asked on a Wednesday morning in Berlin.

In the tables ``is`` has the expected rule (or the readings, or an empty list), ``first`` its first
occurrences, as far as they are listed, ``meta`` a part of the metadata.
"""

from datetime import datetime
from functools import cache
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml
from dateutil.rrule import rrulestr

from anaphora.entities.builtin.registry import create_builtin
from anaphora.models.schema.builtin_entities import resolve_options
from tests.support.gathered import Case, gathered

ASKED = datetime(2026, 11, 18, 10, 30, tzinfo=ZoneInfo("Europe/Berlin"))
TABLES = sorted((Path(__file__).parent / "phrases").glob("*.yaml"))
AT_LEAST = 25


def read_phrases(path):
    return yaml.load(path.read_text("utf-8"), yaml.CBaseLoader)


@cache
def recognizer_of(language):
    return create_builtin("recurrence", language, resolve_options("recurrence", {}))


def cases():
    for path in TABLES:
        for phrase in read_phrases(path):
            yield Case(path.stem, phrase["say"], (path.stem, phrase))


@gathered(cases())
def test_a_phrase_gives_its_rule(language, phrase):
    found = recognizer_of(language).read(phrase["say"], ASKED)
    expected = phrase["is"] if isinstance(phrase["is"], list) else [phrase["is"]]
    assert [mention.value for mention in found] == expected
    for mention in found:
        following = datetime.fromisoformat(mention.meta["next"])
        assert following > ASKED
        assert following.replace(tzinfo=None) in read_rule(mention)
    for key, value in phrase.get("meta", {}).items():
        said = found[0].meta[key]
        assert (said if isinstance(said, list) else str(said)) == value
    if first := phrase.get("first"):
        occurrences = islice(read_rule(found[0]), len(first))
        assert [*occurrences] == [datetime.fromisoformat(one) for one in first]


def read_rule(mention):
    """The occurrences, as dateutil reads the rule."""
    start = datetime.fromisoformat(mention.meta["start"]).replace(tzinfo=None)
    return rrulestr(mention.value, dtstart=start)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_each_language_has_enough_phrases(path):
    assert len({phrase["say"] for phrase in read_phrases(path)}) >= AT_LEAST
