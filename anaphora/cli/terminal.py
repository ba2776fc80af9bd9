"""What the commands share: how to print, where errors go, what an argument means."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.engine.reply import Reply
    from anaphora.errors import AnaphoraError, Problem

__all__ = [
    "CacheOption",
    "ModelArgument",
    "create_console",
    "format_summary",
    "print_error",
    "print_reply",
    "print_warning",
]

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file or the name of a bundled model.")
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FOLDER",
        envvar="ANAPHORA_CACHE",
        help="A folder that keeps what is made of models, so that the next start is sooner.",
        file_okay=False,
        show_default=False,
    ),
]

_STYLES = {"matched": "green", "incomplete": "yellow", "rejected": "red", "reset": "cyan"}


def create_console() -> Console:
    """Where answers are printed: no markup, for models may say anything. A terminal gets its
    lines broken between words, a file or a pipe gets them whole."""
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def print_error(error: AnaphoraError) -> None:
    """Print an error of the package to the standard error output."""
    console = Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)
    console.print(Text(f"Error: {error}", style="red"))


def print_warning(problem: Problem) -> None:
    """Print what looks like a mistake to the standard error output."""
    console = Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)
    console.print(Text(f"Warning: {problem}", style="yellow"))


def print_reply(out: Console, reply: Reply) -> None:
    """Print what the bot says and, dimmed, how it understood the question."""
    if reply.text:
        out.print(Text(reply.text))
    elif reply.result is not None:
        out.print(Text(repr(reply.result)))
    elif reply.status == "reset":
        out.print(Text("Everything is forgotten.", style="dim"))
    out.print(format_summary(reply))
    if reply.explanation and reply.explanation.unknown:
        out.print(Text(f"  not understood: {', '.join(reply.explanation.unknown)}", style="dim"))


def _format_entity(entity: Entity) -> str:
    """The value; of a topic without values its name, for its words are only how it was asked."""
    return entity.element if entity.topic and entity.value is None else entity.value_or_text


def format_summary(reply: Reply) -> Text:
    """A line with the status, the intent and the slots; what came from memory is marked."""
    line = Text("  ")
    line.append(reply.status, style=_STYLES[reply.status])
    if reply.intent:
        line.append(f" {reply.intent}", style="bold")
    for name, slot in reply.slots.items():
        value = ", ".join(_format_entity(entity) for entity in slot.entities)
        recalled = any(taken.source == "memory" for taken in slot.taken)
        line.append(f"  {name}={value}", style="dim")
        if recalled:
            line.append(" (memory)", style="dim italic")
    return line
