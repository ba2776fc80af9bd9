"""What people say, by language, and what is found in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.entities.phrase_tables import find_mentions, load_phrases


@pytest.mark.parametrize(
    ("language", "kind", "text", "expected"), load_phrases(Path(__file__).with_name("phrases"))
)
def test_what_people_say_is_understood(
    language: str, kind: str, text: str, expected: list[str]
) -> None:
    assert [mention.value for mention in find_mentions(language, kind, text)] == expected
