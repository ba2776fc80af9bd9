"""``anaphora schema``: print the JSON Schema of model files or agent files."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["schema"]


def schema(
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write it to this file instead.", dir_okay=False
        ),
    ] = None,
    path: Annotated[
        bool, typer.Option("--path", help="Print the path of its file in the package instead.")
    ] = False,
    agent: Annotated[
        bool, typer.Option("--agent", help="Print that of agent files instead.")
    ] = False,
) -> None:
    """Print the JSON Schema of model files, or of agent files.

    With it, editors complete and check such files. It is also a file of the package, which
    settings of editors may name.

    Example: anaphora schema --output anaphora.schema.json

    Many editors use the schema that the first line of a model names:

    # yaml-language-server: $schema=anaphora.schema.json
    """
    if path:
        typer.echo(_schema_file(agent=agent))
        return
    if agent:
        from anaphora.agents.files.schema import agent_schema as build_schema
    else:
        from anaphora.models.schema.json_schema import json_schema as build_schema

    text = json.dumps(build_schema(), indent=2, ensure_ascii=False)
    if output is None:
        typer.echo(text)
        return
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"cannot write {output}: {error.strerror}") from None


def _schema_file(*, agent: bool) -> Path:
    """The file of a schema in the package."""
    package, name = (
        ("anaphora.agents.files", "agent.schema.json")
        if agent
        else ("anaphora.models.schema", "anaphora.schema.json")
    )
    return Path(str(files(package).joinpath(name)))
