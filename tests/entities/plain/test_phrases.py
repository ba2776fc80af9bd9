"""What people say, by language, and what is found in it."""

from __future__ import annotations

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


def phrases() -> list[Any]:
    found = []
    for path in sorted(Path(__file__).with_name("phrases").glob("*.yaml")):
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        for kind, rows in table.items():
            for row in rows:
                marks = (
                    [pytest.mark.xfail(reason=row["fails"], strict=True)] if "fails" in row else []
                )
                name = f"{path.stem} {kind}: {row['say']}"
                parameters = path.stem, kind, row["say"], row["gives"]
                found.append(pytest.param(*parameters, id=name, marks=marks))
    return found


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
    assert [mention.value for mention in mentions] == expected
