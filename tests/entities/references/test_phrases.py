"""What people say, by language, and the words that refer to something in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from spacy.language import Language

from anaphora.entities.languages import blank
from anaphora.entities.recognition import Recognizer, built_in
from anaphora.models.builtin import options_of

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
ENDS = {True: "asc", False: "desc", None: ""}


def phrases() -> list[Any]:
    found = []
    for path in sorted(Path(__file__).with_name("phrases").glob("*.yaml")):
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        for kind, rows in table.items():
            for row in rows:
                fails = row.get("fails")
                marks = [pytest.mark.xfail(reason=fails, strict=True)] if fails else []
                name = f"{path.stem} {kind}: {row['say']}"
                parameters = path.stem, kind, row["say"], row["gives"]
                found.append(pytest.param(*parameters, id=name, marks=marks))
    return found


def told(meta: Mapping[str, Any]) -> str:
    said = [str(meta[key]) for key in ("limit", "type") if key in meta]
    return " ".join([*said, ENDS[meta.get("asc")]]).strip()


@cache
def pipeline(language: str) -> Language:
    return blank(language)


@cache
def recognizer(language: str, kind: str) -> Recognizer:
    return built_in(kind, language, options_of(kind, {}))


@pytest.mark.parametrize(("language", "kind", "text", "expected"), phrases())
def test_what_people_say_is_understood(
    language: str, kind: str, text: str, expected: list[str]
) -> None:
    mentions = recognizer(language, kind)(pipeline(language).make_doc(text), AT)
    found = [f"{text[one.start : one.end]} = {told(one.meta)}".strip() for one in mentions]
    assert found == expected
