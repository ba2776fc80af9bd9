"""Phrases by language, with their limits, sorts and relations: ``phrases/<language>.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.entities.phrase_tables import find_mentions, load_phrases
from tests.support.gathered import gathered

ENDS = {True: "asc", False: "desc", None: ""}


def describe(meta: Mapping[str, Any]) -> str:
    said = [str(meta[key]) for key in ("limit", "type") if key in meta]
    return " ".join([*said, ENDS[meta.get("asc")]]).strip()


@gathered(load_phrases(Path(__file__).with_name("phrases")))
def test_a_phrase_gives_its_mentions(
    language: str, kind: str, text: str, expected: list[str]
) -> None:
    found = [
        f"{text[one.start : one.end]} = {describe(one.meta)}".strip()
        for one in find_mentions(language, kind, text)
    ]
    assert found == expected
