"""Tables of what people say, by language (``phrases/<language>.yaml``), and what is found in it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from spacy.language import Language

from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import Mention, Recognizer
from anaphora.entities.tokens.tokenizers import blank
from anaphora.models.schema.builtin_entities import resolve_options

__all__ = ["find_mentions", "load_phrases"]

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


def load_phrases(folder: Path) -> list[Any]:
    """A parameter set (language, kind, text, expected) for each row of the tables in ``folder``;
    what a row says to fail is expected to."""
    found = []
    for path in sorted(folder.glob("*.yaml")):
        table = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for kind, rows in table.items():
            for row in rows:
                fails = row.get("fails")
                marks = [pytest.mark.xfail(reason=fails, strict=True)] if fails else []
                name = f"{path.stem} {kind}: {row['say']}"
                parameters = path.stem, kind, row["say"], row["gives"]
                found.append(pytest.param(*parameters, id=name, marks=marks))
    return found


def find_mentions(language: str, kind: str, text: str) -> list[Mention]:
    """What the built-in entity ``kind`` finds in ``text``."""
    return list(_recognizer(language, kind)(_pipeline(language).make_doc(text), AT))


@cache
def _pipeline(language: str) -> Language:
    return blank(language)


@cache
def _recognizer(language: str, kind: str) -> Recognizer:
    return create_builtin(kind, language, resolve_options(kind, {}))
