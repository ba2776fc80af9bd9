"""Phrases by language, with their places: ``phrases/<language>.yaml``."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import yaml

from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.tokens.tokenizers import blank
from anaphora.models.schema.builtin_entities import resolve_options
from tests.support.gathered import Case, gathered

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
TABLES = sorted((Path(__file__).parent / "phrases").glob("*.yaml"))


def cases():
    for path in TABLES:
        for row in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            if isinstance(row, list):
                row = {"text": row[0], "places": row[1:]}
            values = path.stem, row["text"], row["places"]
            yield Case(path.stem, row["text"], values, row.get("fails", ""))


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


@gathered(cases())
def test_a_phrase_gives_its_places(language, text, places):
    nlp, recognize = create_recognizer(language)
    assert first_mentions(list(recognize(nlp(text), AT))) == places
