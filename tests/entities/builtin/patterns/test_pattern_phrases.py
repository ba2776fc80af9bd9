"""Phrases by language, with the values of their mentions: ``phrases/<language>.yaml``."""

from __future__ import annotations

from pathlib import Path

from tests.entities.phrase_tables import find_mentions, load_phrases
from tests.support.gathered import gathered


@gathered(load_phrases(Path(__file__).with_name("phrases")))
def test_a_phrase_gives_its_mentions(
    language: str, kind: str, text: str, expected: list[str]
) -> None:
    assert [mention.value for mention in find_mentions(language, kind, text)] == expected
