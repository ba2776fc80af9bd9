"""``anaphora import hassil``: make a model of sentences in hassil's format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from anaphora.cli.authoring.importing.options import (
    ForceOption,
    IdOption,
    OutputOption,
    check_options,
)
from anaphora.cli.terminal import create_error_console, print_warning, write_new_file

if TYPE_CHECKING:
    from anaphora.models.domain import Model

__all__ = ["hassil"]

_HOME = """\
# What the sentences name: the rooms, floors and devices of a home. A device has the domain that
# Home Assistant gives it. Names may be templates: "lamp[s]".
home:
  areas:
    - Kitchen
    - {name: Living Room, aliases: [lounge]}
  floors: [Ground floor]
  devices:
    - {name: Floor lamp, domain: light, area: Living Room}
"""


def hassil(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A file or a folder of sentences, or home-assistant:CODE for the sentences of "
            "Home Assistant in a language.",
        ),
    ],
    *,
    output: OutputOption = None,
    force: ForceOption = False,
    id: IdOption = "",
) -> None:
    """Make a model of sentences in the format of hassil and Home Assistant.

    The sentences are used as they are: the model names their files, and has a place for the rooms
    and devices of a home. It goes to the standard output, or to the file of --output; a report of
    what the sentences have goes to the standard error output.

    The sentences also work without a model: 'anaphora chat custom_sentences/en'.

    Example: anaphora import hassil home-assistant:en --output home.yaml
    """
    from anaphora.models.loader import load_model

    check_options(id, "")
    model = load_model(source)
    text = _write_model(model, source, id or model.id, output)
    _print_report(model, source)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_new_file(output, text, force=force)


def _write_model(model: Model, source: str, id: str, output: Path | None) -> str:
    import yaml

    if not source.startswith("home-assistant"):
        folder = output.resolve().parent if output else Path.cwd()
        source = os.path.relpath(Path(source).resolve(), folder)
    language = model.locale_of(model.languages[0])
    data = {"id": id, "language": language, "sentences": source}
    written = yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
    return f"# Sentences of a home, in the format of hassil.\n{written}\n{_HOME}"


def _print_report(model: Model, source: str) -> None:
    sentences = model.sentences
    assert sentences is not None
    collection = sentences.collection
    templates = sum(len(block.sentences) for block in collection.blocks)
    err = create_error_console()
    err.print(
        f"{source}: {len(model.intents)} intents, {templates} sentences, "
        f"{len(collection.lists)} lists, {len(collection.rules)} rules"
    )
    for warning in model.warnings:
        print_warning(warning)
    needed = sorted({"name", "area", "floor"} & {element.id for element in model.elements})
    if needed:
        err.print(Text(f"The home gives the values of: {', '.join(needed)}.", style="yellow"))
