"""``anaphora new``: a starter model."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from anaphora.cli.terminal import create_console

__all__ = ["new"]

_NAME = re.compile(r"[^\W\d_][\w-]*")
_YAML_KEYWORDS = frozenset({"true", "false", "null"})  # in YAML, unless they stand in quotes


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The id of the model.")],
    *,
    directory: Annotated[
        Path,
        typer.Option(
            "--directory", "-d", metavar="FOLDER", help="Where to write it.", file_okay=False
        ),
    ] = Path(),
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a file that is there already.")
    ] = False,
) -> None:
    """Write a starter model, NAME.yaml.

    Example: anaphora new barista
    """
    if not _NAME.fullmatch(name):
        raise typer.BadParameter(
            f"'{name}' cannot be an id: take letters, digits, '-' and '_', a letter first"
        )
    if name.lower() in _YAML_KEYWORDS:
        raise typer.BadParameter(f"'{name}' cannot be an id: YAML takes it for something else")
    target = directory / f"{name}.yaml"
    starter = files(__package__).joinpath("starter.yaml").read_text(encoding="utf-8")
    title = name.replace("-", " ").replace("_", " ").capitalize()
    text = Template(starter).substitute(id=name, name=title)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with target.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise typer.BadParameter(f"{target} is there already; --force overwrites it") from None
    except OSError as error:
        raise typer.BadParameter(f"cannot write {target}: {error.strerror}") from None
    out = create_console()
    out.print(f"Wrote {target}. Try:")
    out.print(f"  anaphora check {target}")
    out.print(f"  anaphora chat {target}")
