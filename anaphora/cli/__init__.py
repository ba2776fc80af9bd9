"""The command line: ``anaphora …``, one module a command.

Commands import the engine when they run: ``anaphora --help`` must not wait for spaCy.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from anaphora.cli.ask import ask
from anaphora.cli.chat import chat
from anaphora.cli.check import check
from anaphora.cli.compiling import compile_text
from anaphora.cli.evaluate import evaluate
from anaphora.cli.expand import expand
from anaphora.cli.explain import explain
from anaphora.cli.functions import functions
from anaphora.cli.importing import import_app
from anaphora.cli.models import models
from anaphora.cli.new import new
from anaphora.cli.schema import schema
from anaphora.cli.suggest import suggest
from anaphora.cli.terminal import complain
from anaphora.errors import AnaphoraError
from anaphora.version import __version__

__all__ = ["app", "main"]

app = typer.Typer(
    name="anaphora",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (chat, ask, explain, check, new, models, schema, functions, expand, suggest):
    app.command()(command)
app.command("eval", context_settings={"ignore_unknown_options": True})(evaluate)  # '-1 + 2'
app.command("compile")(compile_text)
app.add_typer(import_app)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - called so by typer
    if wanted:
        typer.echo(f"anaphora {__version__}")
        raise typer.Exit


@app.callback()
def anaphora(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Dialog bots that answer incomplete questions from a short-term memory.

    MODEL is a model file or the name of a bundled model: 'anaphora models' lists them.
    """


def main() -> None:
    """Run the command line; errors of the package are told without a traceback."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # bytes that are no text are no reason to fail
            stream.reconfigure(errors="replace")
    try:
        app()
    except AnaphoraError as error:
        complain(error)
        sys.exit(2)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
