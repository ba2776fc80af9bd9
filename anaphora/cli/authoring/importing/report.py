"""The report of what became of the parts of an imported model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from anaphora.models.nlpcraft import NoteKind

__all__ = ["print_report"]

_STYLES: dict[NoteKind, str] = {"mapped": "green", "changed": "yellow", "ignored": "red"}


def print_report(err: Console, title: str, notes: Sequence[tuple[NoteKind, str]]) -> None:
    """Print a title and the notes, by kind and in their order."""
    from anaphora.models.reading.source import replace_unprintable

    err.print(replace_unprintable(title))
    for kind, style in _STYLES.items():
        chosen = [text for one, text in notes if one == kind]
        if chosen:
            err.print(Text(f"{kind}:", style=style))
        for text in chosen:
            err.print(Text(f"  {replace_unprintable(text)}"))
