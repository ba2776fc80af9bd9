"""A dialog given on the command line: questions and, as ``@6m``, the time between them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine
    from anaphora.engine.reply import Reply

__all__ = ["LanguageOption", "TextsArgument", "ask_all", "read_questions"]

TextsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TEXT",
        help="Questions of one dialog; @6m lets six minutes pass. Left out: a line each from "
        "the standard input.",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    str | None,
    typer.Option(help="The language of the questions; detected if left out.", metavar="CODE"),
]


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """One question and the time that passes before it."""

    text: str
    pause: timedelta


def read_questions(texts: list[str] | None) -> Iterator[TimedQuestion]:
    """The questions of the arguments or, if there are none, of the standard input.

    Raises ``typer.BadParameter`` for a time that cannot be read (in the arguments, before any
    question is asked), and when there is no question and nothing to read one from.
    """
    if texts:
        questions = tuple(_parse_questions(texts))
        if not questions:
            raise typer.BadParameter("there is a pause, but no question behind it")
        return iter(questions)
    if sys.stdin is None or sys.stdin.isatty():
        raise typer.BadParameter("give at least one question, or pipe them in, one a line")
    return _parse_questions(line for line in _read_lines() if line.strip())


def ask_all(
    engine: Engine,
    dialog: Iterable[TimedQuestion],
    *,
    at: datetime,
    language: str | None,
    explain: bool = False,
) -> Iterator[tuple[str, Reply]]:
    """Ask the questions one after the other, the first at the time ``at``. Only the pauses of
    the dialog let time pass."""
    passed = timedelta()
    for said in dialog:
        passed += said.pause
        now = _add_elapsed(at, passed)
        yield said.text, engine.ask(said.text, at=now, language=language, explain=explain)


def _add_elapsed(at: datetime, passed: timedelta) -> datetime:
    """The local time after so much time has passed, whatever the clocks were put to."""
    return (at.astimezone(UTC) + passed).astimezone(at.tzinfo) if passed else at


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
            raise typer.BadParameter(f"{error}; write @6m to let six minutes pass") from None


def _read_lines() -> Iterator[str]:
    """The lines of the standard input; what is no UTF-8 in them is replaced."""
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        yield from (line.rstrip("\r\n") for line in sys.stdin)
    else:
        yield from (line.decode("utf-8", "replace").rstrip("\r\n") for line in buffer)
