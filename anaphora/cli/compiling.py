"""``anaphora compile``: checks a text in the intent definition language."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from anaphora.cli.terminal import complain, console, warn
from anaphora.errors import AnaphoraError, GrammarError, Problem

if TYPE_CHECKING:
    from anaphora.grammar.intent import Intent

__all__ = ["compile_text"]


def compile_text(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file with intents; - is the standard input.")
    ],
    *,
    print_: Annotated[
        bool,
        typer.Option("--print", help="Print the text as it was understood instead of a summary."),
    ] = False,
) -> None:
    """Check a text in the intent language: intents, fragments and imports.

    The exit code is 1 if anything is wrong; every mistake is shown with its place. Imports are
    read relative to the file. The elements that the intents speak of are not looked at: that
    is what 'anaphora check' does with a whole model.

    Example: echo "intent=order term(food)~{# == 'food'}" | anaphora compile -
    """
    from anaphora.grammar.code import Code
    from anaphora.grammar.compiler import Compiler
    from anaphora.grammar.idl import parse
    from anaphora.grammar.printer import printed

    source = "<stdin>" if file == "-" else file
    folder = Path.cwd() if file == "-" else Path(file).parent
    try:
        text = _read(file)
        compiled = Compiler(code=Code(folder=folder), folder=folder).compile(text, source)
    except AnaphoraError as error:
        complain(error)
        raise typer.Exit(1) from None
    for warning in compiled.warnings:
        warn(warning)
    out = console()
    if print_:
        out.print(Text(printed(parse(text, source))))
        return
    for intent in compiled.intents:
        out.print(_line(intent))
    count = len(compiled.intents)
    out.print(Text(f"{count} intent{'' if count == 1 else 's'}", style="green"))


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise GrammarError(Problem(f"cannot be read: {reason}", source=file)) from None
    except UnicodeDecodeError:
        raise GrammarError(Problem("this is not a text in UTF-8", source=file)) from None


def _line(intent: Intent) -> Text:
    line = Text(intent.id, style="bold")
    for term in intent.terms:
        least, most = term.min, term.max
        amount = "" if (least, most) == (1, 1) else f"[{least},{most}]"
        reach = "~" if term.conversational else "="
        line.append(f"  {term.label}{reach}{amount}", style="dim")
    return line
