"""``anaphora import rasa``: translate a Rasa project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from anaphora.cli.authoring.importing.options import (
    ForceOption,
    IdOption,
    LanguageOption,
    OutputOption,
    check_options,
)
from anaphora.cli.authoring.importing.report import print_report
from anaphora.cli.terminal import create_error_console, print_error, print_warning, write_new_file
from anaphora.errors import ModelError

if TYPE_CHECKING:
    from anaphora.models.rasa import RasaNote

__all__ = ["rasa"]


def rasa(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="The folder of the project.", exists=True, file_okay=False
        ),
    ],
    *,
    output: OutputOption = None,
    force: ForceOption = False,
    id: IdOption = "",
    language: LanguageOption = "",
) -> None:
    """Translate a Rasa project, as far as it is declarative.

    Examples of intents with their entities, lookup tables, synonyms, regexes, slots, forms,
    responses, rules and stories become one model. It goes to the standard output, or to the file
    of --output; a report of what was mapped, changed and ignored, with files and lines, goes to the
    standard error output. The exit code is 1 if the project or the model has mistakes.

    Example: anaphora import rasa flowers --output flowers.yaml
    """
    from anaphora.cli.authoring.importing.language_words import load_language_words
    from anaphora.models.loader import parse_model
    from anaphora.models.rasa import read_project, translate_project

    check_options(id, language)
    err = create_error_console()
    try:
        project = read_project(folder)
        language = language or project.language or "en"
        words = load_language_words(language)
        translation = translate_project(project, words, id=id, language=language)
        text = f"# Translated from the Rasa project {folder.resolve().name!r}.\n"
        text += _print_data(translation.data)
        _print_notes(err, folder, translation.notes)
        model = parse_model(text, source=str(output or "the translation"))
    except ModelError as error:
        print_error(error)
        raise typer.Exit(1) from None
    for warning in model.warnings:
        print_warning(warning)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_new_file(output, text, force=force)


def _print_data(data: Any) -> str:
    """The data of a model file as YAML, in the order and style of model files."""
    import yaml

    from anaphora.models.nlpcraft import print_model
    from anaphora.models.reading.nodes import MappingNode
    from anaphora.models.reading.source import FileDiagnostics, SourceText
    from anaphora.models.reading.yaml_reader import read_yaml

    text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
    root = read_yaml(FileDiagnostics(SourceText("", text)))
    assert isinstance(root, MappingNode)
    return print_model(root)


def _print_notes(err: Console, folder: Path, notes: Sequence[RasaNote]) -> None:
    """Print the notes by kind, in the order of the files."""

    def describe(note: RasaNote) -> str:
        name = Path(note.place.source.name)
        place = name.relative_to(folder) if name.is_relative_to(folder) else name
        return f"{place}:{note.place.line}  {note.text}"

    title = f"{folder}: a Rasa project"
    print_report(err, title, [(note.kind, describe(note)) for note in notes])
