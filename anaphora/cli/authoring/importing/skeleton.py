"""The Python skeleton that ``anaphora import nlpcraft`` writes beside a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from anaphora.cli.terminal import write_new_file

if TYPE_CHECKING:
    from rich.console import Console

    from anaphora.models.nlpcraft import Translation, TranslationNote
    from anaphora.models.nlpcraft.porting.java_source import JavaSource
    from anaphora.models.reading.nodes import MappingNode

__all__ = ["Skeleton", "prepare_skeleton", "read_sources"]

_MAX_SOURCES = 1_000
_NON_NAME = re.compile("[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The text of the Python module ('' for none) and its file; ``unknown`` are callbacks whose
    intents the model lacks, ``unread`` files of samples that are not there."""

    text: str = ""
    file: Path = Path()
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def update_notes(self, notes: Sequence[TranslationNote]) -> list[TranslationNote]:
        """The notes of the translation with what has become of value loaders in Java."""
        return [
            replace(note, kind="changed", reason=f"→ value_loader: a function of {self.file.name}")
            if self.text and note.kind == "ignored" and note.key.endswith("valueLoader")
            else note
            for note in notes
        ]

    def write(self, err: Console) -> None:
        """Write the file, which :func:`prepare_skeleton` has checked, and say what to do next."""
        for one in self.unknown:
            message = f"No intent of the model has the id of this callback: {one}"
            err.print(Text(message, style="yellow"))
        for one in self.unread:
            err.print(Text(f"The samples of {one} are not found", style="yellow"))
        if self.text:
            write_new_file(self.file, self.text, force=True)
            err.print(Text(f"{self.file}: fill in the bodies of its functions"))


def read_sources(model: Path, given: Sequence[Path]) -> list[JavaSource]:
    """The annotated source files in the ``given`` files and folders, else those beside the model.

    Of several files beside it only those count that mention its name, if any does.
    """
    from anaphora.models.nlpcraft.porting.java_source import parse_java
    from anaphora.models.reading.files import read_text

    files = [file.resolve() for one in given for file in _iter_files(one)]
    texts = {file: read_text(file) for file in files or _list_beside(model)}
    if not given:
        naming = {file: text for file, text in texts.items() if model.name in text}
        texts = naming or texts
    folders = [one for one in given if one.is_dir()]
    read = [
        _read_samples(parse_java(text, file.name), (file.parent, model.parent), folders)
        for file, text in texts.items()
    ]
    return [one for one in read if one.callbacks or one.idl or one.loaders]


def _read_samples(
    source: JavaSource, beside: Sequence[Path], folders: Sequence[Path]
) -> JavaSource:
    """The source with the samples of the files that it names, as far as they are there: relative
    to a folder ``beside``, or anywhere in ``folders``."""
    from anaphora.models.reading.files import read_text

    callbacks = []
    for callback in source.callbacks:
        missing, samples = [], list(callback.samples)
        for name in callback.sample_files:
            places = chain(
                (folder / name for folder in beside),
                (file for folder in folders for file in folder.rglob(Path(name).name)),
            )
            found = next((place for place in places if place.is_file()), None)
            if found is None:
                missing.append(name)
                continue
            lines = (line.strip() for line in read_text(found).splitlines())
            samples.append(tuple(line for line in lines if line and not line.startswith("#")))
        kept = replace(callback, samples=tuple(samples), sample_files=tuple(missing))
        callbacks.append(kept)
    return replace(source, callbacks=tuple(callbacks))


def prepare_skeleton(
    translation: Translation,
    original: MappingNode,
    code: Sequence[JavaSource],
    model: Path,
    output: Path | None,
    *,
    force: bool,
) -> Skeleton:
    """The skeleton for a new model file ``output``, whose translation gets the names of its
    functions; an empty one without an output.

    Raises ``typer.BadParameter`` if somebody has edited the file, unless ``force`` is set.
    """
    from anaphora.models.nlpcraft.porting.port import port_code
    from anaphora.models.nlpcraft.porting.skeleton import is_unedited
    from anaphora.models.reading.files import read_text

    if output is None:
        return Skeleton()
    stem = _NON_NAME.sub("_", output.stem.lower()).strip("_") or "bot"
    module = f"{'bot_' if stem[0].isdigit() else ''}{stem}_handlers"
    file = output.parent / f"{module}.py"
    port = port_code(
        translation, original, code, title=model.name, module=module, folder=model.parent
    )
    if port.skeleton and file.exists() and not force and not is_unedited(read_text(file)):
        raise typer.BadParameter(f"{file} has been edited; --force overwrites it")
    unread = [
        f"{callback.name}: {name}"
        for one in code
        for callback in one.callbacks
        for name in callback.sample_files
    ]
    return Skeleton(port.skeleton, file, port.unknown, tuple(unread))


def _iter_files(path: Path) -> Iterator[Path]:
    from anaphora.models.nlpcraft.porting.java_source import SOURCE_SUFFIXES

    if path.is_file():
        yield path
        return
    found = sorted(one for one in path.rglob("*") if one.suffix in SOURCE_SUFFIXES)
    yield from found[:_MAX_SOURCES]


def _list_beside(model: Path) -> list[Path]:
    from anaphora.models.nlpcraft.porting.java_source import SOURCE_SUFFIXES

    return sorted(one for one in model.parent.iterdir() if one.suffix in SOURCE_SUFFIXES)
