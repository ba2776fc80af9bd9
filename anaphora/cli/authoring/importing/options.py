"""The options that the commands ``anaphora import …`` share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["ForceOption", "IdOption", "LanguageOption", "OutputOption", "check_options"]

_LANGUAGE = re.compile("[a-z]{2,3}")

OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write the model to this file.", dir_okay=False
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
IdOption = Annotated[str, typer.Option("--id", metavar="ID", help="The id of the model.")]
LanguageOption = Annotated[
    str,
    typer.Option("--language", metavar="CODE", help="The language of the model: en, fr, ru …"),
]


def check_options(id: str, language: str) -> None:
    """Raise ``typer.BadParameter`` for what cannot be an id or a language; '' for none."""
    from anaphora.models.nlpcraft.rules.model import make_id

    if id and make_id(id) != id:
        raise typer.BadParameter(
            f"'{id}' cannot be an id: use letters, digits, '_', '-' and ':', starting with a letter"
        )
    if language and not _LANGUAGE.fullmatch(language):
        raise typer.BadParameter(f"'{language}' is not a language code such as en")
