"""``anaphora new``: write a starter model."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from anaphora.cli.terminal import create_console, write_new_file

__all__ = ["new"]

_NAME = re.compile(r"[^\W\d_][\w-]*")
_YAML_KEYWORDS = frozenset({"true", "false", "null"})


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The id of the model.")],
    *,
    directory: Annotated[
        Path,
        typer.Option(
            "--directory", "-d", metavar="FOLDER", help="The folder to write to.", file_okay=False
        ),
    ] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a starter model, NAME.yaml.

    Example: anaphora new barista
    """
    if not _NAME.fullmatch(name):
        raise typer.BadParameter(
            f"'{name}' cannot be an id: use letters, digits, '-' and '_', starting with a letter"
        )
    if name.lower() in _YAML_KEYWORDS:
        raise typer.BadParameter(f"'{name}' cannot be an id: in YAML it is not a text")
    target = directory / f"{name}.yaml"
    starter = files(__package__).joinpath("starter.yaml").read_text(encoding="utf-8")
    title = name.replace("-", " ").replace("_", " ").capitalize()
    text = Template(starter).substitute(id=name, name=title)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"cannot write {target}: {error.strerror}") from None
    write_new_file(target, text, force=force)
    out = create_console()
    out.print(f"Wrote {target}. Try:")
    out.print(f"  anaphora check {target}")
    out.print(f"  anaphora chat {target}")
