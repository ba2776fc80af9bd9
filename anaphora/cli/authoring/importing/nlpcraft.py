"""``anaphora import nlpcraft``: translate a model file of NLPCraft."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from anaphora.cli.authoring.importing.options import (
    ForceOption,
    IdOption,
    LanguageOption,
    OutputOption,
    check_options,
)
from anaphora.cli.authoring.importing.report import print_report
from anaphora.cli.authoring.importing.skeleton import prepare_skeleton, read_sources
from anaphora.cli.terminal import create_error_console, print_error, print_warning, write_new_file
from anaphora.errors import ModelError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anaphora.models.domain import Model
    from anaphora.models.nlpcraft import NlpcraftVersion, Translation, TranslationNote
    from anaphora.models.nlpcraft.porting.java_source import JavaSource
    from anaphora.models.reading.nodes import MappingNode
    from anaphora.models.reading.source import SourceText

__all__ = ["nlpcraft"]

_IMPORT = re.compile(r"\bimport\s*\(")
_CODE_OF_1_0 = re.compile(r"\bNC(?:Entity|Pipeline|ModelConfig)")
_NO_MODEL = "{}"


def nlpcraft(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The model file: YAML or JSON; or the code of a bot without one.",
            exists=True,
            dir_okay=False,
        ),
    ],
    *,
    output: OutputOption = None,
    force: ForceOption = False,
    intents: Annotated[
        list[Path] | None,
        typer.Option(
            "--intents",
            metavar="FILE",
            help="A file with intents from the code of the bot; may be repeated.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--source",
            metavar="FILE|FOLDER",
            help="The code of the bot in Java, Kotlin, Scala or Groovy; may be repeated. By "
            "default, files beside the model.",
            exists=True,
        ),
    ] = None,
    id: IdOption = "",
    language: LanguageOption = "",
) -> None:
    """Translate a model file of NLPCraft 0.5 to 1.0.

    The translation goes to the standard output, or to the file of --output. A report of the mapped,
    changed and ignored keys goes to the standard error output. The exit code is 1 if the model has
    mistakes.

    With --output, a Python module beside the new file has a function for each callback and value
    loader of the bot, whose bodies are to be filled in. Intents and sample utterances come from the
    annotations in its source files. A module that somebody has edited is overwritten only with
    --force. Neither file is written if the model has mistakes.

    A bot may have no model file, as all is in its code: give the source file instead.

    Such a file also works untranslated: 'anaphora check FILE', 'anaphora chat FILE'.

    Example: anaphora import nlpcraft lights.yaml --intents lights.idl --output lights-new.yaml
    """
    from anaphora.models.loader import load_nlpcraft_model
    from anaphora.models.nlpcraft import print_model, translate
    from anaphora.models.nlpcraft.porting.java_source import SOURCE_SUFFIXES

    check_options(id, language)
    is_code = file.suffix in SOURCE_SUFFIXES
    source_text, root, version = _read_code(file) if is_code else _read(file)
    code = read_sources(file, [*([file] if is_code else []), *(source or [])])
    annotated = [text for one in code for text in one.intent_texts]
    further = [*(_import_statement(path) for path in intents or []), *annotated]
    first = len(further) - len(annotated)
    places = {
        f"intents[{first + index}]": place
        for index, place in enumerate(chain.from_iterable(one.intent_places for one in code))
    }
    translation = translate(root, version, name=file.stem, intents=further, folder=file.parent)
    chosen = _find_identity(root, code)
    chosen |= {key: value for key, value in (("id", id), ("language", language)) if value}
    for key, value in chosen.items():
        _set_key(translation.root, key, value)
    _add_intents(translation, intents or [], annotated)
    skeleton = prepare_skeleton(translation, root, code, file, output, force=force)
    given = {*chosen, *(["intents"] if further else [])}
    notes = [note for note in translation.notes if note.key not in given]
    notes = skeleton.update_notes(notes)
    written = print_model(translation.root)  # before the check, which removes mistakes
    err = create_error_console()
    _print_notes(err, source_text, root, version, notes)
    _warn_of_imports(err, translation.root, file, intents or [], output)
    load = partial(
        load_nlpcraft_model, file, version, intents=further, text=_NO_MODEL if is_code else None
    )
    model = _check_original(load, source_text, translation.notes, places)
    if model and not skeleton.text:
        _warn_of_lost_intents(err, _intent_texts(translation.root), model)
    head = f"# Translated from {file.name!r}, a model of NLPCraft {version}."
    text = f"{head}\n{written}"
    if output is None:
        typer.echo(text, nl=False)
    elif model is None:
        err.print(Text(f"{output} is not written: the model has mistakes.", style="yellow"))
    else:
        write_new_file(output, text, force=force)
        skeleton.write(err)
        _check_new(err, output)
    raise typer.Exit(0 if model else 1)


def _read(file: Path) -> tuple[SourceText, MappingNode, NlpcraftVersion]:
    """The file's text, its tree, and the version of NLPCraft that it was written for."""
    from anaphora.models.nlpcraft import assume_version
    from anaphora.models.reading.files import file_format, read_text
    from anaphora.models.reading.json_reader import read_json
    from anaphora.models.reading.nodes import MappingNode
    from anaphora.models.reading.source import FileDiagnostics, SourceText
    from anaphora.models.reading.yaml_reader import read_yaml

    source = SourceText(str(file), read_text(file))
    report = FileDiagnostics(source)
    root = read_json(report) if file_format(file) == "json" else read_yaml(report)
    report.raise_if_any()
    version = assume_version(root) if isinstance(root, MappingNode) else None
    if not isinstance(root, MappingNode) or version is None:
        raise ModelError(
            Problem(
                "this is not a model file of NLPCraft",
                source=str(file),
                hint="'anaphora check' says whether it is a valid model file",
            )
        )
    return source, root, version


def _read_code(file: Path) -> tuple[SourceText, MappingNode, NlpcraftVersion]:
    """An empty tree for a bot that is only code, and the version of NLPCraft of that code."""
    from anaphora.models.reading.files import read_text
    from anaphora.models.reading.nodes import MappingNode
    from anaphora.models.reading.source import SourceText

    version: NlpcraftVersion = "1.0" if _CODE_OF_1_0.search(read_text(file)) else "0.9"
    return SourceText(str(file), _NO_MODEL), MappingNode(0), version


def _find_identity(root: MappingNode, code: Sequence[JavaSource]) -> dict[str, str]:
    """The id, the name and the version that the file lacks and the code has."""
    from anaphora.models.nlpcraft.rules.model import make_id

    found = next((one.identity for one in code if one.identity), ())
    identity = dict(zip(("id", "name", "version"), found, strict=False))
    return {
        key: make_id(value) if key == "id" else value
        for key, value in identity.items()
        if key not in root.items
    }


def _set_key(root: MappingNode, key: str, value: str) -> None:
    from anaphora.models.reading.nodes import ScalarNode

    root.items[key] = ScalarNode(root.start, root.start, value, '"')
    root.key_offsets[key] = root.start


def _add_intents(translation: Translation, files: Sequence[Path], annotated: Sequence[str]) -> None:
    from anaphora.models.reading.files import read_text
    from anaphora.models.reading.nodes import ScalarNode, SequenceNode

    root = translation.root
    at = root.start
    own = root.items.get("intents")
    if not (files or annotated) or not (own is None or isinstance(own, SequenceNode)):
        return
    texts = [read_text(file).replace("\r\n", "\n").rstrip() + "\n" for file in files]
    texts += annotated
    added = (ScalarNode(at, at, translation.intents.rewrite(text), '"') for text in texts)
    root.items["intents"] = SequenceNode(at, [*(own.items if own else ()), *added])
    root.key_offsets.setdefault("intents", at)


def _print_notes(
    err: Console,
    source: SourceText,
    root: MappingNode,
    version: str,
    notes: Sequence[TranslationNote],
) -> None:
    """Print the notes on the keys, by kind and in the order of the file."""
    width = max((len(str(source.line_of(note.offset))) for note in notes), default=0)

    def describe(note: TranslationNote) -> str:
        on_whole_file = note.offset == root.start
        place = "" if on_whole_file else f"line {source.line_of(note.offset)}"
        return f"{place:<{width + 5}}  {note}"

    title = f"{source.name}: a model file of NLPCraft {version}"
    print_report(err, title, [(note.kind, describe(note)) for note in notes])


def _warn_of_imports(
    err: Console, root: MappingNode, file: Path, intents: Sequence[Path], output: Path | None
) -> None:
    """Warn that the imports are relative to the new file, if its folder is another one."""
    if not any(map(_IMPORT.search, _intent_texts(root))):
        return
    folder = output.resolve().parent if output else None
    if any(one.resolve().parent != folder for one in (file, *intents)):
        message = "Imports are relative to the new file: copy the imported files there."
        err.print(Text(message, style="yellow"))


def _check_original(
    load: Callable[[], Model],
    source: SourceText,
    notes: Sequence[TranslationNote],
    places: Mapping[str, str],
) -> Model | None:
    """Load the original with the intents. If it has mistakes, print them with their places in the
    original, of which ``places`` has those of the intents from code, and return None."""

    def name_places(problems: Iterable[Problem]) -> list[Problem]:
        return [replace(one, source=places.get(one.source, one.source)) for one in problems]

    try:
        model = load()
    except ModelError as error:
        print_error(ModelError(name_places(error.problems)))
        return None
    printed = {source.build_problem(note.offset, str(note)) for note in notes}
    for warning in name_places(model.warnings):
        if warning not in printed:
            print_warning(warning)
    return model


def _check_new(err: Console, output: Path) -> None:
    """Say what is to be mended before the new file can be used: it must not have what is only a
    warning in the original."""
    from anaphora.models.loader import load_model

    try:
        load_model(output)
    except ModelError as error:
        err.print(Text(f"{output} cannot be used before this is mended:", style="yellow"))
        print_error(error)


def _warn_of_lost_intents(err: Console, texts: Iterable[str], model: Model) -> None:
    """Warn that the new file still has the intents that the loaded model ignores: model files of
    Anaphora must be free of mistakes."""
    from anaphora.grammar.idl.parsing.parser import parse_idl
    from anaphora.grammar.idl.syntax import IntentNode

    statements = chain.from_iterable(map(parse_idl, texts))
    declared = [one.id for one in statements if isinstance(one, IntentNode)]
    if lost := [id for id in declared if model.intent(id) is None]:
        message = (
            f"The new file has intents that are ignored now: {', '.join(lost)}. To use it, add "
            "their Python functions or remove them."
        )
        err.print(Text(message, style="yellow"))


def _intent_texts(root: MappingNode) -> list[str]:
    from anaphora.models.reading.nodes import ScalarNode, SequenceNode

    listed = root.items.get("intents")
    items = listed.items if isinstance(listed, SequenceNode) else ()
    return [item.text for item in items if isinstance(item, ScalarNode)]


def _import_statement(path: Path) -> str:
    """A statement that imports the file, so that messages name the file."""
    name = str(path.resolve()).replace("\\", "\\\\").replace("'", "\\'")
    return f"import('{name}')"
