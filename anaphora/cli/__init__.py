"""The command line ``anaphora …``: one module per command.

Commands import the engine when they run, so that ``anaphora --help`` does not wait for spaCy.
"""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from anaphora.cli.agents.command import agent_app
from anaphora.cli.authoring.check import check
from anaphora.cli.authoring.importing.app import import_app
from anaphora.cli.authoring.models import models
from anaphora.cli.authoring.new import new
from anaphora.cli.authoring.schema import schema
from anaphora.cli.authoring.suggest import suggest
from anaphora.cli.dialog.ask import ask
from anaphora.cli.dialog.chat import chat
from anaphora.cli.dialog.explain import explain
from anaphora.cli.grammar.compile import compile_text
from anaphora.cli.grammar.evaluate import evaluate
from anaphora.cli.grammar.expand import expand
from anaphora.cli.grammar.functions import functions
from anaphora.cli.service.backup import backup, restore
from anaphora.cli.service.config import config
from anaphora.cli.service.doctor.command import doctor
from anaphora.cli.service.key import key
from anaphora.cli.service.mcp import mcp
from anaphora.cli.service.partition import partition
from anaphora.cli.service.quarantine import quarantine
from anaphora.cli.service.serve import serve
from anaphora.cli.service.wyoming import wyoming
from anaphora.cli.terminal import EXIT_INTERRUPTED, print_error
from anaphora.errors import AnaphoraError
from anaphora.version import __version__

__all__ = ["app", "main"]


app = typer.Typer(
    name="anaphora",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (chat, ask, explain, check, new, models, schema, functions, expand):
    app.command()(command)
app.command(short_help="Propose synonyms that a model lacks.")(suggest)
app.command("eval", context_settings={"ignore_unknown_options": True})(evaluate)  # '-1 + 2'
app.command("compile", short_help="Check a text in the intent language.")(compile_text)
app.command(short_help="Serve models to agents (Model Context Protocol).")(mcp)
app.command(short_help="Serve models to Home Assistant (Wyoming protocol).")(wyoming)
app.command(short_help="Serve models over HTTP, with a page to talk to them.")(serve)
app.command(short_help="Show the settings of 'serve' and where each comes from.")(config)
app.command(short_help="Create a key for the API of 'serve'.")(key)
app.command(short_help="List what a memory or a store has quarantined.")(quarantine)
app.command(short_help="Check a deployment, and say how to mend it.")(doctor)
app.command(short_help="Copy the file of a store while it is in use.")(backup)
app.command(short_help="Put a backup in the place of a store.")(restore)
app.command(short_help="Spread a memory in PostgreSQL over partitions.")(partition)
app.add_typer(agent_app)
app.add_typer(import_app)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
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
    """Run the command line; print errors of the package without a traceback."""
    _prepare_streams()
    _log_dictionary_builds()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # report a full disk here, not at interpreter exit
    except AnaphoraError as error:
        print_error(error)
        sys.exit(2)
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does
        _discard_output()
        sys.exit(0)
    except OSError as error:
        _discard_output()
        what = error.filename or "the output cannot be written"
        print_error(AnaphoraError(f"{what}: {error.strerror or error}"))
        sys.exit(2)
    except KeyboardInterrupt:  # before any command has started
        sys.exit(EXIT_INTERRUPTED)


def _prepare_streams() -> None:
    """Replace characters that a stream cannot encode or decode, and open closed output streams on
    the null device."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _log_dictionary_builds() -> None:
    """Show the log of dictionary builds on a terminal: they take seconds, once per machine."""
    if sys.stderr.isatty():
        log = logging.getLogger("anaphora.entities.words.dictionary")
        log.addHandler(logging.StreamHandler(sys.stderr))
        log.setLevel(logging.INFO)


def _discard_output() -> None:
    """Discard buffered output, so that the flush at exit does not fail."""
    with suppress(OSError, ValueError):  # a stream without a file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
