"""Phrases by language, with their places: ``phrases/<language>.yaml``."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.tokens.tokenizers import blank
from anaphora.models.schema.builtin_entities import resolve_options

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
TABLES = sorted((Path(__file__).parent / "phrases").glob("*.yaml"))


def parametrize_phrases():
    for path in TABLES:
        for row in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            if isinstance(row, list):
                row = {"text": row[0], "places": row[1:]}
            marks = pytest.mark.xfail(reason=row["fails"]) if "fails" in row else ()
            id = f"{path.stem}: {row['text']}"
            yield pytest.param(path.stem, row["text"], row["places"], id=id, marks=marks)


@lru_cache(maxsize=32)
def create_recognizer(language: str):
    return blank(language), create_builtin("place", language, resolve_options("place", {}))


def first_mentions(mentions: list[Mention]) -> list[str]:
    """The first mention of each name, in the order of the text."""
    first: dict[int, Mention] = {}
    for mention in mentions:
        first.setdefault(mention.start, mention)
    return [
        f"{one.value} {one.meta['kind']} {one.meta.get('country', '-')}"
        for _, one in sorted(first.items())
    ]


@pytest.mark.parametrize(("language", "text", "places"), list(parametrize_phrases()))
def test_a_phrase_gives_its_places(language, text, places):
    nlp, recognize = create_recognizer(language)
    assert first_mentions(list(recognize(nlp(text), AT))) == places
