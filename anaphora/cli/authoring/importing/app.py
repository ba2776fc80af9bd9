"""The group of the commands ``anaphora import …``."""

from __future__ import annotations

import typer

from anaphora.cli.authoring.importing.hassil import hassil
from anaphora.cli.authoring.importing.nlpcraft import nlpcraft
from anaphora.cli.authoring.importing.rasa import rasa

__all__ = ["import_app"]

import_app = typer.Typer(
    name="import",
    no_args_is_help=True,
    help="Translate models of other programs.",
    rich_markup_mode=None,
)


@import_app.callback()
def importing() -> None:
    """Translate models of other programs."""


for command in (nlpcraft, hassil, rasa):
    import_app.command()(command)
