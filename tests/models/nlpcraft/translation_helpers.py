"""Trees of texts and of the example files, and what the tests ask of translations."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

from anaphora.models.nlpcraft import NlpcraftVersion, Translation, TranslationNote, translate
from anaphora.models.reading.json_reader import blank_comments, read_json
from anaphora.models.reading.nodes import MappingNode, to_data
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml

FILES = Path(__file__).parent / "files"
LAMPS = FILES / "lamps-0.9.yaml"
TICKETS = FILES / "tickets-0.9.json"
DRINKS = FILES / "drinks-1.0.yaml"
KIOSK = FILES / "kiosk_ru.json"


def tree(text: str) -> MappingNode:
    """The tree of a YAML text."""
    root = read_yaml(FileDiagnostics(SourceText("", dedent(text))))
    assert isinstance(root, MappingNode)
    return root


def tree_of(path: Path) -> MappingNode:
    """The tree of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".json":
        return tree(text)
    root = read_json(FileDiagnostics(SourceText("", blank_comments(text))))
    assert isinstance(root, MappingNode)
    return root


def translated(text: str, version: NlpcraftVersion = "0.9") -> Translation:
    return translate(tree(text), version, name="file")


def data(text: str, version: NlpcraftVersion = "0.9") -> Any:
    """What a file of theirs says as a file of ours."""
    return to_data(translated(text, version).root)


def notes_of(text: str, version: NlpcraftVersion = "0.9") -> dict[str, TranslationNote]:
    """The notes of a translation by their keys."""
    return {note.key: note for note in translated(text, version).notes}
