"""Read a home: its areas, floors and devices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import GrammarError
from anaphora.frozen import freeze
from anaphora.grammar.sentences.parser import is_template, parse_sentence
from anaphora.models.hassil.home import Area, Device, Floor, Home
from anaphora.models.reading.files import file_format, read_text
from anaphora.models.reading.json_reader import read_json
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode, to_data
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml

__all__ = ["build_home", "read_home"]

_KEYS = {
    "home": ("areas", "floors", "devices", "entities"),
    "areas": ("name", "aliases", "floor", "id"),
    "floors": ("name", "aliases", "id"),
    "devices": ("name", "aliases", "domain", "area", "context", "id", "state", "attributes"),
}


def read_home(source: Path) -> Home:
    """Read a home from a YAML or JSON file with areas, floors and devices.

    Raises :class:`ModelError` with the errors of the file.
    """
    diagnostics = FileDiagnostics(SourceText(str(source), read_text(source)))
    root = read_json(diagnostics) if file_format(source) == "json" else read_yaml(diagnostics)
    home = build_home(root, diagnostics)
    diagnostics.raise_if_any()
    return home


def build_home(root: Node | None, diagnostics: FileDiagnostics) -> Home:
    """The home of a tree. What is wrong with it is added to ``diagnostics``."""
    return _HomeReader(diagnostics).read(root)


class _HomeReader:
    """Reads the tree of a home, and reports what is wrong with it."""

    def __init__(self, diagnostics: FileDiagnostics) -> None:
        self._diagnostics = diagnostics

    def read(self, root: Node | None) -> Home:
        if not isinstance(root, MappingNode):
            at = 0 if root is None else root.start
            hint = "write areas: [Kitchen, Bedroom]"
            self._diagnostics.add_error(at, "a home is a mapping with areas, floors, devices", hint)
            return Home()
        self._check_keys(root, "home")
        areas = [
            Area(name, aliases, self._text(node, "floor"))
            for name, aliases, node in self._named(root, "areas", "areas")
        ]
        floors = [
            Floor(name, aliases) for name, aliases, _ in self._named(root, "floors", "floors")
        ]
        devices = [
            self._device(name, aliases, node)
            for key in ("devices", "entities")
            for name, aliases, node in self._named(root, key, "devices")
        ]
        return Home(tuple(areas), tuple(floors), tuple(devices))

    def _device(self, name: str, aliases: tuple[str, ...], node: MappingNode) -> Device:
        domain = self._text(node, "domain") or self._text(node, "id").partition(".")[0]
        written = node.items.get("context")
        context = to_data(written) if isinstance(written, MappingNode) else {}
        return Device(name, domain, aliases, self._text(node, "area"), freeze(context))

    def _named(
        self, root: MappingNode, key: str, kind: str
    ) -> Iterator[tuple[str, tuple[str, ...], MappingNode]]:
        listed = root.items.get(key)
        if listed is None:
            return
        if not isinstance(listed, SequenceNode):
            self._diagnostics.add_error(listed.start, f"'{key}' is a list", f"write {key}: [one]")
            return
        for node in listed.items:
            if isinstance(node, ScalarNode):
                self._check_template(node)
                yield node.text, (), MappingNode(node.start)
            elif isinstance(node, MappingNode) and self._text(node, "name"):
                self._check_keys(node, kind)
                self._check_template(node.items["name"])
                yield self._text(node, "name"), self._aliases(node), node
            else:
                self._diagnostics.add_error(node.start, "it has no name", "write name: Kitchen")

    def _aliases(self, node: MappingNode) -> tuple[str, ...]:
        listed = node.items.get("aliases")
        if listed is None:
            return ()
        if not isinstance(listed, SequenceNode):
            hint = "write aliases: [one]"
            self._diagnostics.add_error(listed.start, "'aliases' is a list", hint)
            return ()
        for one in listed.items:
            self._check_template(one)
        return tuple(one.text for one in listed.items if isinstance(one, ScalarNode))

    def _check_template(self, node: Node) -> None:
        if not isinstance(node, ScalarNode):
            self._diagnostics.add_error(node.start, "a name is a text", "write name: Kitchen")
        elif is_template(node.text):
            try:
                parse_sentence(node.text)
            except GrammarError as error:
                problem = error.problems[0]
                message = f"the name is a broken template: {problem.message}"
                self._diagnostics.add_error(node.start, message, problem.hint)

    def _text(self, node: MappingNode, key: str) -> str:
        found = node.items.get(key)
        return found.text if isinstance(found, ScalarNode) else ""

    def _check_keys(self, node: MappingNode, kind: str) -> None:
        for key in node.items:
            if key not in _KEYS[kind]:
                hint = did_you_mean(key, _KEYS[kind])
                message = f"unknown key '{key}' is ignored"
                self._diagnostics.add_warning(node.key_offsets.get(key, node.start), message, hint)
