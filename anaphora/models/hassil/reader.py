"""Read the files of a sentence collection: hassil's YAML, and Home Assistant's JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import ModelError, Problem
from anaphora.models.hassil.builder import build_collection
from anaphora.models.hassil.collection import SentenceCollection
from anaphora.models.hassil.references import KeyPath, Level
from anaphora.models.reading.files import file_format, read_text
from anaphora.models.reading.json_reader import read_json
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    to_data,
)
from anaphora.models.reading.scalar_positions import offset_of_character
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml

__all__ = [
    "PACKAGE",
    "PACKAGED",
    "digest_input",
    "find_sentence_files",
    "is_sentence_file",
    "read_collection",
    "read_packaged_collection",
]

PACKAGE = "home-assistant-intents"
"""The package with Home Assistant's sentence collections."""

PACKAGED = "home-assistant"
"""The name of Home Assistant's own sentences: ``home-assistant``, ``home-assistant:pt-BR``."""

_MODULE = "home_assistant_intents"


def is_sentence_file(root: Node) -> bool:
    """Whether the tree of a file is that of hassil's format rather than a model of ours."""
    return (
        isinstance(root, MappingNode)
        and "id" not in root.items
        and isinstance(root.items.get("intents"), MappingNode)
    )


def find_sentence_files(folder: Path) -> list[Path]:
    """The YAML and JSON files of a folder and the folders right in it, in order."""
    found = (path for pattern in ("*", "*/*") for path in folder.glob(pattern))
    return sorted(path for path in found if path.suffix.lower() in (".yaml", ".yml", ".json"))


def read_collection(
    paths: Iterable[Path], known_lists: Iterable[str] = (), language: str = ""
) -> tuple[SentenceCollection, tuple[Problem, ...]]:
    """Read files as one collection; lists of later files go on with those of earlier ones. Returns
    it with the warnings.

    ``known_lists`` are lists that come from elsewhere; ``language`` is that of files without one.
    Raises :class:`ModelError` with the errors of the files.
    """
    parts = [_File.read(path) for path in paths]
    data: dict[str, Any] = {}
    for part in parts:
        part.merge_into(data)
    if language:
        data.setdefault("language", language)
    report = _Report(parts)
    collection = build_collection(data, report.add, (*known_lists,))
    report.raise_if_any()
    return collection, report.warnings


def read_packaged_collection(language: str, known_lists: Iterable[str]) -> SentenceCollection:
    """Read the collection of a language (``en``, ``pt-BR``) from Home Assistant's package.

    Raises :class:`ModelError` if the package is not installed or lacks the language.
    """
    path = _find_packaged_file(language)
    data = json.loads(path.read_bytes())
    problems: list[str] = []

    def report(level: Level, key: KeyPath, message: str, hint: str, offset: int | None) -> None:
        if level == "error":
            problems.append(f"{'.'.join(map(str, key))}: {message}")

    collection = build_collection(data, report, (*known_lists,))
    if problems:
        raise ModelError(Problem(problems[0], source=str(path)))
    return collection


def digest_input(name: str) -> str:
    """A digest of what a file, a folder of sentences or a packaged collection contains now; '' if
    it cannot be read."""
    try:
        if name.partition(":")[0] == PACKAGED:
            paths = [_find_packaged_file(name.partition(":")[2])]
        elif (path := Path(name)).is_dir():
            paths = find_sentence_files(path)
        else:
            paths = [path]
        found = blake2b(digest_size=16)
        for path in paths:
            data = path.read_bytes()
            found.update(f"{path} {len(data)} ".encode("utf-8", "surrogatepass"))
            found.update(data)
    except (ModelError, OSError, ValueError):
        return ""
    return found.hexdigest()


def _find_packaged_file(language: str) -> Path:
    """The file of a language in Home Assistant's package, which is not imported: it would take a
    tenth of a start from the cache."""
    package = find_spec(_MODULE)
    if package is None or package.origin is None:
        hint = "pip install 'anaphora[home]'"
        message = f"the sentences of Home Assistant need the package {PACKAGE}"
        raise ModelError(Problem(message, hint=hint))
    folder = Path(package.origin).parent / "data"
    known = sorted(path.stem for path in folder.glob("*.json"))
    path = folder / f"{_find_nearest(language, known)}.json"
    if not path.is_file():
        message = f"{PACKAGE} has no sentences for the language '{language}'"
        hint = did_you_mean(language, known) or f"it has {', '.join(known)}"
        raise ModelError(Problem(message, hint=hint))
    return path


def _find_nearest(language: str, known: Sequence[str]) -> str:
    """The language of a collection for a tag: itself, else the language without its region
    (``en-GB``), else its first region (``zh``)."""
    code = language.partition("-")[0]
    regions = (one for one in known if one.partition("-")[0] == code)
    return next((one for one in (language, code) if one in known), next(regions, language))


class _File:
    """The tree of a file, and where its lists begin in the merged data."""

    def __init__(self, root: MappingNode, diagnostics: FileDiagnostics) -> None:
        self.root, self.diagnostics = root, diagnostics
        self._starts: dict[KeyPath, int] = {}

    @classmethod
    def read(cls, path: Path) -> _File:
        diagnostics = FileDiagnostics(SourceText(str(path), read_text(path)))
        root = read_json(diagnostics) if file_format(path) == "json" else read_yaml(diagnostics)
        if root is None:
            root = MappingNode(0)
        if not isinstance(root, MappingNode):
            diagnostics.abort(root.start, "a file of sentences is a mapping with the key intents")
        return cls(root, diagnostics)

    def merge_into(self, data: dict[str, Any]) -> None:
        _merge(data, to_data(self.root), (), self._starts)

    def find(self, path: KeyPath, offset: int | None) -> int | None:
        """The offset of a value in this file; None if the value is not in it."""
        node: Node = self.root
        for depth, step in enumerate(path):
            if isinstance(node, SequenceNode) and isinstance(step, int):
                index = step - self._starts.get(path[:depth], 0)
                if not 0 <= index < len(node.items):
                    return None
                node = node.items[index]
            elif isinstance(node, MappingNode) and step in node.items:
                if depth == len(path) - 1 and offset is None:
                    return node.key_offsets.get(str(step), node.start)
                node = node.items[str(step)]
            else:
                return None
        if offset is None or not isinstance(node, ScalarNode):
            return node.start
        return offset_of_character(node, self.diagnostics.source.text, offset)


def _merge(
    base: dict[str, Any], new: Mapping[str, Any], path: KeyPath, starts: dict[KeyPath, int]
) -> None:
    """Add the data of a file: mappings are merged, lists go on, other values are replaced."""
    for key, value in new.items():
        known = base.get(key)
        where = (*path, key)
        if isinstance(known, dict) and isinstance(value, Mapping):
            _merge(known, value, where, starts)
        elif isinstance(known, list) and isinstance(value, list):
            starts[where] = len(known)
            base[key] = [*known, *value]
        else:
            base[key] = value


class _Report:
    """Collects the problems of several files, each at its place."""

    def __init__(self, parts: list[_File]) -> None:
        self._parts = parts

    def add(self, level: Level, path: KeyPath, message: str, hint: str, offset: int | None) -> None:
        for part in reversed(self._parts):
            at = part.find(path, offset)
            if at is not None:
                part.diagnostics.add(level, at, message, hint)
                return
        self._parts[0].diagnostics.add(level, 0, message, hint)

    def raise_if_any(self) -> None:
        for part in self._parts:
            part.diagnostics.raise_if_any()

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(one for part in self._parts for one in part.diagnostics.warnings)
