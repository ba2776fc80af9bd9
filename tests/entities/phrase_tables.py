"""Tables of what people say, by language (``phrases/<language>.yaml``), and what is found in it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import yaml
from spacy.language import Language

from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import Mention, Recognizer
from anaphora.entities.tokens.tokenizers import blank
from anaphora.models.schema.builtin_entities import resolve_options
from tests.support.gathered import Case

__all__ = ["find_mentions", "load_phrases"]

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


def load_phrases(folder: Path) -> Iterator[Case]:
    """A case (language, kind, text, expected) of each row of the tables in ``folder``; what a row
    says to fail is expected to."""
    for path in sorted(folder.glob("*.yaml")):
        table = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for kind, rows in table.items():
            for row in rows:
                values = path.stem, kind, row["say"], row["gives"]
                yield Case(f"{path.stem} {kind}", row["say"], values, row.get("fails", ""))


def find_mentions(language: str, kind: str, text: str) -> list[Mention]:
    """What the built-in entity ``kind`` finds in ``text``."""
    return list(_recognizer(language, kind)(_pipeline(language).make_doc(text), AT))


@cache
def _pipeline(language: str) -> Language:
    return blank(language)


@cache
def _recognizer(language: str, kind: str) -> Recognizer:
    return create_builtin(kind, language, resolve_options(kind, {}))
