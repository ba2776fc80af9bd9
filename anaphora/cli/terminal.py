"""Shared by the commands: consoles, messages, arguments and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from anaphora.cli.completion import complete_model

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.engine.reply import Reply
    from anaphora.errors import AnaphoraError, Problem

__all__ = [
    "EXIT_INTERRUPTED",
    "CacheOption",
    "ModelArgument",
    "create_console",
    "create_error_console",
    "exit_if_interrupted",
    "format_summary",
    "print_error",
    "print_reply",
    "print_warning",
    "read_stdin_lines",
    "value_option",
    "write_new_file",
]

EXIT_INTERRUPTED = 130  # as shells report Ctrl-C

ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model file or the name of a bundled model.",
        autocompletion=complete_model,
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FOLDER",
        envvar="ANAPHORA_CACHE",
        help="A folder that caches compiled models, so that the next start is faster.",
        file_okay=False,
        show_default=False,
    ),
]

_STYLES = {"matched": "green", "incomplete": "yellow", "rejected": "red", "reset": "cyan"}


def value_option(metavar: str, help: str, *names: str, **more: Any) -> Any:
    """Declare an option with a value, whose help states the default."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False, **more)


def create_console() -> Console:
    """The console for answers on the standard output.

    Markup is off, because models may contain anything. Lines are wrapped on a terminal only.
    """
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def create_error_console() -> Console:
    """The console for messages on the standard error output."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


@contextmanager
def exit_if_interrupted(message: str = "Interrupted.") -> Iterator[None]:
    """Print ``message`` and exit if Ctrl-C interrupts the block."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(message, err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None


def print_error(error: AnaphoraError) -> None:
    """Print an error to the standard error output."""
    create_error_console().print(Text(f"Error: {error}", style="red"))


def print_warning(problem: Problem | str) -> None:
    """Print a warning to the standard error output."""
    create_error_console().print(Text(f"Warning: {problem}", style="yellow"))


def read_stdin_lines() -> Iterator[str]:
    """The lines of the standard input, without their ends; bytes that its encoding does not have
    are replaced."""
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        yield from (line.rstrip("\r\n") for line in sys.stdin)
    else:
        yield from (line.decode(sys.stdin.encoding, "replace").rstrip("\r\n") for line in buffer)


def write_new_file(path: Path, text: str, *, force: bool) -> None:
    """Write a file; one that exists is overwritten only with ``force``.

    Raises ``typer.BadParameter`` if it exists or cannot be written.
    """
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise typer.BadParameter(f"{path} already exists; --force overwrites it") from None
    except OSError as error:
        raise typer.BadParameter(f"cannot write {path}: {error.strerror}") from None


def print_reply(out: Console, reply: Reply) -> None:
    """Print the bot's answer and, dimmed, how it understood the question."""
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
    """The value; for a topic without values the name of its element, not the user's words."""
    return entity.element if entity.topic and entity.value is None else entity.value_or_text


def _describe_status(reply: Reply) -> tuple[str, str]:
    """The status and its style; a rejection of what was understood is no failure."""
    if reply.is_small_talk:
        return f"{reply.status} (small talk)", "dim"
    if reply.is_acknowledgement:
        return f"{reply.status} (acknowledged)", "dim"
    return reply.status, _STYLES[reply.status]


def format_summary(reply: Reply) -> Text:
    """A line with the status, the intent and the slots; slots filled from memory are marked."""
    line = Text("  ")
    line.append(*_describe_status(reply))
    if reply.intent:
        line.append(f" {reply.intent}", style="bold")
    for name, slot in reply.slots.items():
        value = ", ".join(_format_entity(entity) for entity in slot.entities)
        recalled = any(taken.source == "memory" for taken in slot.taken)
        line.append(f"  {name}={value}", style="dim")
        if recalled:
            line.append(" (memory)", style="dim italic")
    return line
