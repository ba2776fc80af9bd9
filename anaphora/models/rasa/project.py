"""Read the files of a Rasa project: domain, training data, rules, stories, configuration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from anaphora.errors import ModelError, Problem
from anaphora.models.rasa.examples import ExampleError, IntentExample, parse_example
from anaphora.models.rasa.notes import Place
from anaphora.models.rasa.shapes import check_form, check_response, check_slot, check_story
from anaphora.models.reading.files import read_text
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    to_data,
)
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml

__all__ = ["Entry", "RasaProject", "read_project"]

_LISTS = ("nlu", "rules", "stories", "intents", "entities", "actions")
_MAPPINGS = ("slots", "responses", "forms")
_CHECKS = {"slots": check_slot, "responses": check_response, "forms": check_form}
_KINDS = ("intent", "synonym", "regex", "lookup")
_SKIPPED = frozenset({"credentials.yml", "endpoints.yml", "models", "tests", "results"})
_NodeType = TypeVar("_NodeType", MappingNode, SequenceNode)


@dataclass(frozen=True, slots=True)
class Entry:
    """A declaration, with its place: plain data, or the lines of examples."""

    place: Place
    data: Any


@dataclass(slots=True)
class RasaProject:
    """The declarations of all files, by their names. ``examples`` are those of the intents,
    ``synonyms``, ``lookups`` and ``regexes`` the lines of the blocks; ``rules`` and ``stories``
    their plain data. ``language`` is that of the configuration ('' without one)."""

    name: str
    files: list[SourceText] = field(default_factory=list)
    language: str = ""
    intents: dict[str, Entry] = field(default_factory=dict)
    entities: dict[str, Entry] = field(default_factory=dict)
    actions: dict[str, Entry] = field(default_factory=dict)
    slots: dict[str, Entry] = field(default_factory=dict)
    responses: dict[str, Entry] = field(default_factory=dict)
    forms: dict[str, Entry] = field(default_factory=dict)
    session: Entry | None = None
    pipeline: Entry | None = None
    examples: dict[str, list[tuple[Place, IntentExample]]] = field(default_factory=dict)
    synonyms: dict[str, Entry] = field(default_factory=dict)
    lookups: dict[str, Entry] = field(default_factory=dict)
    regexes: dict[str, Entry] = field(default_factory=dict)
    rules: list[Entry] = field(default_factory=list)
    stories: list[Entry] = field(default_factory=list)

    def mappings_of(self, slot: str) -> list[dict[str, Any]]:
        """What fills a slot: its own mappings, else those of a form (as in Rasa 2), else the
        entity of the same name."""
        entry = self.slots.get(slot)
        data = entry.data if entry is not None and isinstance(entry.data, dict) else {}
        listed = data.get("mappings")
        for form in () if listed else self.forms.values():
            settings = form.data if isinstance(form.data, dict) else {}
            required = settings.get("required_slots", settings)
            listed = listed or (required.get(slot) if isinstance(required, dict) else None)
        if not listed and slot in self.entities:
            return [{"type": "from_entity", "entity": slot}]
        return [one for one in listed or [] if isinstance(one, dict)]


def read_project(folder: Path) -> RasaProject:
    """Read all YAML files of a folder and the folders in it.

    Raises :class:`ModelError` for files with mistakes, each with its line, and if there is no file
    of a Rasa project.
    """
    project = RasaProject(folder.resolve().name)
    problems: list[Problem] = []
    for path in _find_files(folder):
        try:
            _read_file(project, path)
        except ModelError as error:
            problems += error.problems
    if problems:
        raise ModelError(problems)
    if not (project.examples or project.intents):
        hint = "it has a domain.yml with 'intents', and an nlu.yml with their examples"
        raise ModelError(Problem("this is not a Rasa project", source=str(folder), hint=hint))
    return project


def _find_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in _SKIPPED or path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _find_files(path)
        elif path.suffix in (".yml", ".yaml"):
            yield path


def _read_file(project: RasaProject, path: Path) -> None:
    source = SourceText(str(path), read_text(path))
    report = FileDiagnostics(source)
    root = read_yaml(report)
    report.raise_if_any()
    if root is None:
        return
    if not isinstance(root, MappingNode):
        report.abort(root.start, "a file of Rasa is a mapping: 'version', 'nlu', 'intents' …")
    if "elements" in root.items:
        return  # a model of Anaphora, beside the project
    reader = _FileReader(project, report)
    reader.read(root)
    report.raise_if_any()
    project.files.append(source)


class _FileReader:
    """Adds the declarations of one file to a project; reports what is no declaration."""

    def __init__(self, project: RasaProject, report: FileDiagnostics) -> None:
        self._project, self._report = project, report

    def read(self, root: MappingNode) -> None:
        for key, node in root.items.items():
            if key in _LISTS:
                items = self._expect(node, SequenceNode, key, "a list")
                self._read_list(key, items.items if items else [])
            elif key in _MAPPINGS:
                self._read_mapping(key, self._expect(node, MappingNode, key, "a mapping"))
            elif key == "session_config":
                self._project.session = self._entry(node)
            elif key == "pipeline":
                self._project.pipeline = self._entry(node)
            elif key == "language" and isinstance(node, ScalarNode):
                self._project.language = node.text

    def _read_list(self, key: str, items: list[Node]) -> None:
        for item in items:
            if key == "nlu":
                block = self._expect(item, MappingNode, "nlu", "a mapping")
                if block:
                    self._read_block(block)
            elif key in ("rules", "stories"):
                check_story(item, self._report)
                getattr(self._project, key).append(self._entry(item))
            elif isinstance(item, ScalarNode):
                getattr(self._project, key)[item.text] = self._entry(item)
            elif isinstance(item, MappingNode):  # an intent or entity with settings
                for name, settings in item.items.items():
                    offset = item.key_offsets[name]
                    getattr(self._project, key)[name] = Entry(self._at(offset), to_data(settings))

    def _read_mapping(self, key: str, node: MappingNode | None) -> None:
        for name, value in node.items.items() if node else ():
            _CHECKS[key](value, name, self._report)
            place = self._at(node.key_offsets[name]) if node else self._at(0)
            getattr(self._project, key)[name] = Entry(place, to_data(value))

    def _read_block(self, block: MappingNode) -> None:
        """Read one item of ``nlu``: examples of an intent, a synonym, a lookup table, a regex."""
        kind = next((kind for kind in _KINDS if kind in block.items), None)
        if kind is None:
            message = f"an item of 'nlu' has one of the keys {', '.join(_KINDS)}"
            self._report.add_error(block.start, message)
            return
        named, examples = block.items[kind], block.items.get("examples")
        name = named.text if isinstance(named, ScalarNode) else ""
        if examples is None:
            message = f"the {kind} '{name}' has no 'examples'"
            self._report.add_error(block.start, message)
            return
        lines = list(self._lines(examples, name))
        if kind == "intent":
            for place, offset, text in lines:
                self._add_example(name, place, offset, text)
            return
        table = {"synonym": "synonyms", "lookup": "lookups", "regex": "regexes"}[kind]
        entries = getattr(self._project, table)
        before = entries[name].data if name in entries else []
        data = [*before, *(text for _, _, text in lines)]
        entries[name] = Entry(self._at(block.start), data)

    def _add_example(self, intent: str, place: Place, offset: int, text: str) -> None:
        try:
            example = parse_example(text)
        except ExampleError as error:
            self._report.add_error(offset + error.position, f"intent '{intent}': {error}")
            return
        self._project.examples.setdefault(intent, []).append((place, example))

    def _lines(self, node: Node, name: str) -> Iterator[tuple[Place, int, str]]:
        """The examples of a block with their places and offsets: a text with a line each, or a
        list of texts or of mappings with a ``text``."""
        text = self._report.source.text
        if isinstance(node, ScalarNode):
            offset = text.find("\n", node.start) + 1 if node.style in ("|", ">") else node.start
            for line in text[offset : max(node.end, offset)].splitlines(keepends=True):
                content = line.strip()
                if content.startswith("- "):
                    example = content[2:].strip()
                    at = offset + line.index(example) if example else offset
                    yield self._at(offset), at, example
                elif content and not content.startswith("#"):
                    hint = "each example is a line that begins with '- '"
                    message = f"'{name}': this line is not an example"
                    self._report.add_error(offset, message, hint)
                offset += len(line)
            return
        for item in node.items if isinstance(node, SequenceNode) else ():
            inner = item.items.get("text") if isinstance(item, MappingNode) else item
            if isinstance(inner, ScalarNode):
                example = inner.text.strip().removeprefix("- ").strip()
                yield self._at(inner.start), inner.start, example

    def _expect(self, node: Node, kind: type[_NodeType], key: str, what: str) -> _NodeType | None:
        if isinstance(node, kind):
            return node
        if to_data(node) is not None:
            self._report.add_error(node.start, f"'{key}' is {what}")
        return None

    def _entry(self, node: Node) -> Entry:
        return Entry(self._at(node.start), to_data(node))

    def _at(self, offset: int) -> Place:
        return Place(self._report.source, self._report.source.line_of(offset))
