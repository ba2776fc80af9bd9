"""Parse a dialog from the command line: questions and pauses (``@6m``) between them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from anaphora.cli.terminal import read_stdin_lines

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine
    from anaphora.engine.reply import Reply

__all__ = ["LanguageOption", "TextsArgument", "ask_all", "read_questions"]

TextsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TEXT",
        help="Questions of one dialog; @6m is a pause of six minutes. Default: the lines of the "
        "standard input.",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    str | None,
    typer.Option(help="The language of the questions. Default: detected.", metavar="CODE"),
]


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """A question and the time that passes before it."""

    text: str
    pause: timedelta


def read_questions(texts: list[str] | None) -> Iterator[TimedQuestion]:
    """Parse the questions of the arguments or, if there are none, of the standard input.

    Raises ``typer.BadParameter`` for an invalid pause (in the arguments, before any question is
    asked), and if there is no question and the standard input is a terminal.
    """
    if texts:
        questions = tuple(_parse_questions(texts))
        if not questions:
            raise typer.BadParameter("there is a pause, but no question after it")
        return iter(questions)
    if sys.stdin is None or sys.stdin.isatty():
        raise typer.BadParameter("give at least one question, or pipe them in, one a line")
    return _parse_questions(line for line in read_stdin_lines() if line.strip())


def ask_all(
    engine: Engine,
    dialog: Iterable[TimedQuestion],
    *,
    at: datetime,
    language: str | None,
    explain: bool = False,
) -> Iterator[tuple[str, Reply]]:
    """Ask the questions in order, the first at the time ``at``, and yield each with its reply. Time
    passes only in the pauses of the dialog."""
    elapsed = timedelta()
    for question in dialog:
        elapsed += question.pause
        now = _add_elapsed(at, elapsed)
        yield question.text, engine.ask(question.text, at=now, language=language, explain=explain)


def _add_elapsed(at: datetime, elapsed: timedelta) -> datetime:
    """Add elapsed time to a local time, across changes of daylight saving."""
    return (at.astimezone(UTC) + elapsed).astimezone(at.tzinfo) if elapsed else at


def _parse_questions(texts: Iterable[str]) -> Iterator[TimedQuestion]:
    from anaphora.models.schema.durations import parse_duration

    pause = timedelta()
    for text in texts:
        if not text.startswith("@"):
            yield TimedQuestion(text, pause)
            pause = timedelta()
            continue
        try:
            pause += parse_duration(text[1:])
        except ValueError as error:
            raise typer.BadParameter(f"{error}; write @6m for a pause of six minutes") from None
