"""``anaphora compile``: check a text in the intent definition language."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from anaphora.cli.terminal import create_console, print_error, print_warning
from anaphora.core.plurals import pluralize
from anaphora.errors import AnaphoraError, GrammarError, Problem

if TYPE_CHECKING:
    from anaphora.grammar.idl.intent import Intent

__all__ = ["compile_text"]

_MODEL_SUFFIXES = frozenset({".yaml", ".yml", ".json"})


def compile_text(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file with intents; - is the standard input.")
    ],
    *,
    print_: Annotated[
        bool,
        typer.Option(
            "--print",
            help="Print the parsed text instead of a summary; of a model file, its intents.",
        ),
    ] = False,
) -> None:
    """Check a text in the intent language: intents, fragments and imports.

    The exit code is 1 if anything is wrong; every mistake is shown with its place. Imports are
    relative to the file. References to elements are not checked; 'anaphora check' does that for
    a whole model, and 'anaphora compile --print' prints the intents of a model, with those that
    are written as mappings, in the intent language.

    Example: echo "intent=order term(food)~{# == 'food'}" | anaphora compile -
    """
    from anaphora.grammar.idl.compiler import Compiler
    from anaphora.grammar.idl.parsing.parser import parse_idl
    from anaphora.grammar.idl.printer import print_statements
    from anaphora.grammar.idl.syntax import FragmentNode
    from anaphora.grammar.python_functions import FunctionLoader

    if print_ and _is_model_file(file):
        _print_model_intents(file)
        return
    source = "<stdin>" if file == "-" else file
    folder = Path.cwd() if file == "-" else Path(file).parent
    try:
        text = _read(file, source)
        compiled = Compiler(code=FunctionLoader(folder=folder), folder=folder).compile(text, source)
    except AnaphoraError as error:
        print_error(_model_file_hint(file) or error)
        raise typer.Exit(1) from None
    for warning in compiled.warnings:
        print_warning(warning)
    out = create_console()
    if print_:
        out.print(Text(print_statements(parse_idl(text, source))))
        return
    for intent in compiled.intents:
        out.print(_format_intent(intent))
    fragments = sum(isinstance(statement, FragmentNode) for statement in parse_idl(text, source))
    summary = pluralize(len(compiled.intents), "intent")
    summary += f", {pluralize(fragments, 'fragment')}" if fragments else ""
    out.print(Text(summary, style="green"))


def _read(file: str, source: str) -> str:
    try:
        if file == "-":
            data = sys.stdin.buffer.read() if sys.stdin else b""
        else:
            data = Path(file).read_bytes()
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise GrammarError(Problem(f"cannot be read: {reason}", source=source)) from None
    except UnicodeDecodeError:
        raise GrammarError(Problem("this is not UTF-8 text", source=source)) from None


def _model_file_hint(file: str) -> AnaphoraError | None:
    """The error for a model file, whose intents are only a part of it; None for other files."""
    if not _is_model_file(file):
        return None
    message = "this looks like a model file, not a text in the intent language"
    hint = f"'anaphora check {file}' checks it, and '--print' prints its intents"
    return GrammarError(Problem(message, source=file, hint=hint))


def _is_model_file(file: str) -> bool:
    path = Path(file)
    return path.suffix.lower() in _MODEL_SUFFIXES and path.is_file()


def _print_model_intents(file: str) -> None:
    from anaphora.models.loader import print_model_intents

    try:
        text = print_model_intents(file)
    except AnaphoraError as error:
        print_error(error)
        raise typer.Exit(1) from None
    create_console().print(Text(text))


def _format_intent(intent: Intent) -> Text:
    line = Text(intent.id, style="bold")
    for term in intent.terms:
        least, most = term.min, term.max
        amount = "" if (least, most) == (1, 1) else f"[{least},{most}]"
        reach = "~" if term.conversational else "="
        line.append(f"  {term.label}{reach}{amount}", style="dim")
    return line
