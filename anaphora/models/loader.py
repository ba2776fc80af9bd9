"""Model files → models: the whole path in one screen, and how a file is found and read."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from anaphora.errors import ModelError, Problem
from anaphora.models import catalog
from anaphora.models.domain import ConversationSettings, Dialog, Model
from anaphora.models.draft import Draft
from anaphora.models.elements import element_names, read_elements
from anaphora.models.hints import did_you_mean
from anaphora.models.intents import KnownIntents, read_intents
from anaphora.models.json_reader import read_json
from anaphora.models.nodes import ListNode, MapNode, Node, TextNode
from anaphora.models.phrases import Phrasebook
from anaphora.models.samples import read_samples
from anaphora.models.schema import kind_of
from anaphora.models.source import Report, Source, printable
from anaphora.models.templates import read_prompts, read_responses
from anaphora.models.validation import validate
from anaphora.models.yaml_reader import read_yaml

__all__ = ["LARGEST_FILE", "load_model", "load_samples", "parse_model"]

LARGEST_FILE = 32_000_000
"""Bytes of the largest model file that is read."""

_LONGEST_NAME = 500  # in messages

Format = Literal["yaml", "json"]

_FORMATS: dict[str, Format] = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def load_model(source: str | Path) -> Model:
    """The model in a file, or the bundled one of that name.

    ``source`` is the path of a ``.yaml``, ``.yml`` or ``.json`` file; where there is no such
    file, the name of a bundled model. Raises :class:`~anaphora.errors.ModelError` with every
    mistake of the file, or with the reason why it cannot be read.
    """
    path = _find(source)
    kind = _FORMATS.get(path.suffix.lower())
    if kind is None:
        raise _unreadable(path, "this is no model file: its name must end in .yaml, .yml or .json")
    return parse_model(_read(path), source=str(path), format=kind)


def parse_model(text: str, *, source: str = "<text>", format: Format = "yaml") -> Model:
    """The model that ``text`` describes; messages call the text ``source``.

    Raises :class:`~anaphora.errors.ModelError` with every mistake in it, in their order.
    """
    if len(text) > LARGEST_FILE:
        raise _unreadable(source, _too_large(len(text)))
    report = Report(Source(source, text))
    root = read_json(report) if format == "json" else read_yaml(report)
    if root is None:
        report.stop(0, "the file is empty", "a model begins with 'id: some-name'")
    if not isinstance(root, MapNode):
        found = kind_of(plain(root))
        report.stop(root.start, f"a model file is a mapping with keys such as id, not {found}")
    written_names = element_names(root)
    model = _model(Draft(validate(root, report), root, report, written_names))
    report.raise_if_any()
    return model


def _model(draft: Draft) -> Model:
    """The model that the file describes, of use only if nothing was reported."""
    file = draft.file
    _check_languages(draft)
    _check_entities(draft)
    phrasebook = Phrasebook(draft)
    elements = read_elements(draft, phrasebook)
    intents = read_intents(draft, elements)
    return Model(
        id=file.id,
        elements=elements,
        intents=tuple(intents.by_id.values()),
        name=file.name,
        version=file.version,
        description=file.description,
        languages=draft.languages,
        conversation=ConversationSettings(file.conversation.timeout, file.conversation.depth),
        responses=read_responses(draft, intents),
        prompts=read_prompts(draft, intents),
        reset=phrasebook.read(("reset",), file.reset),
        meta=file.meta,
        samples=read_samples(draft, intents),
        source=draft.report.source.name,
    )


def _check_languages(draft: Draft) -> None:
    written = draft.file.language
    if isinstance(written, str):
        return
    if not written and not draft.is_spoilt("language"):
        draft.complain(("language",), "the list of languages is empty")
    for index, language in enumerate(written):
        if language in written[:index]:
            draft.complain(("language", index), f"the language '{language}' stands here twice")


def _check_entities(draft: Draft) -> None:
    for index, name in enumerate(draft.file.entities):
        draft.complain(
            ("entities", index),
            f"there is no built-in entity '{name}': this version has none",
            f"declare an element '{name}' with values",
        )


def _find(source: str | Path) -> Path:
    """The file that ``source`` means."""
    path, name = Path(source), printable(str(source)[:_LONGEST_NAME])
    try:
        if path.is_file():
            return path
        if name in catalog.names():
            return catalog.path(name)
        if path.is_dir():
            raise _unreadable(path, "this is a directory, not a model file")
        if path.exists():
            raise _unreadable(path, "this is not a regular file")
    except (OSError, ValueError) as error:
        raise _unreadable(name, f"cannot be read: {_reason(error)}") from error
    bundled = catalog.names()
    hint = did_you_mean(name, bundled)
    listed = f"; the bundled models are {', '.join(bundled)}" if bundled else ""
    raise ModelError(
        Problem(f"there is neither a file nor a bundled model '{name}'{listed}", hint=hint)
    )


def _read(path: Path) -> str:
    """The text of a file, of which no more is read than a model may have."""
    try:
        if (size := path.stat().st_size) > LARGEST_FILE:
            raise _unreadable(path, _too_large(size))
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {_reason(error)}") from error
    if len(data) > LARGEST_FILE:
        raise _unreadable(path, _too_large(len(data)))
    return _decode(path, data)


def _decode(path: Path, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        raise ModelError(
            Problem(
                "not UTF-8" if b"\0" not in data else "this is a binary file, not a text",
                source=str(path),
                line=data.count(b"\n", 0, error.start) + 1,
                column=len(data[start : error.start].decode("utf-8", "replace")) + 1,
                hint="save the file as UTF-8",
            )
        ) from None
    if "\0" in text:
        raise _unreadable(path, "this is a binary file, not a text")
    return text


def _too_large(size: int) -> str:
    return f"a model file may have {LARGEST_FILE:,} bytes, and this one has {size:,}"


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _unreadable(path: Path | str, message: str) -> ModelError:
    return ModelError(Problem(message, source=str(path)))


def load_samples(source: str | Path, model: Model) -> tuple[Dialog, ...]:
    """The sample dialogs of a file of their own, for ``model``: a list of dialogs, or a mapping
    with it under ``samples`` (and the name of a model, which is not read, under ``model``).

    Raises :class:`~anaphora.errors.ModelError` with every mistake of the file, or with the
    reason why it cannot be read.
    """
    path = Path(source)
    kind = _FORMATS.get(path.suffix.lower())
    if kind is None:
        raise _unreadable(path, "the name of a file of samples must end in .yaml, .yml or .json")
    report = Report(Source(str(path), _read(path)))
    root = read_json(report) if kind == "json" else read_yaml(report)
    if root is None:
        report.stop(0, "the file is empty", "samples begin with 'samples:'")
    frame = _frame_of_samples(root, model, report)
    draft = Draft(validate(frame, report), frame, report)
    intents = KnownIntents({i.id: i for i in model.intents}, frozenset(), complete=True)
    samples = read_samples(draft, intents)
    report.raise_if_any()
    return samples


def _frame_of_samples(root: Node, model: Model, report: Report) -> MapNode:
    """The tree of a model file that has nothing but the samples."""
    samples = root
    if isinstance(root, MapNode):
        for key in root.items.keys() - {"samples", "model"}:
            report.add(root.keys[key], f"unknown key '{key}'", "there are samples and model")
        if "samples" not in root.items:
            report.stop(root.start, "the file has no samples", "they stand under 'samples:'")
        samples = root.items["samples"]
    languages = ListNode(root.start)
    languages.items = [TextNode(root.start, root.start, code, "'") for code in model.languages]
    frame = MapNode(root.start)
    frame.items = {
        "id": TextNode(root.start, root.start, "samples", "'"),
        "language": languages,
        "samples": samples,
    }
    frame.keys = dict.fromkeys(frame.items, root.start)
    return frame
