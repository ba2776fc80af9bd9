"""Read a home: its areas, floors and devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import GrammarError, Problem
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
_DOMAINS = frozenset((
    "ai_task", "air_quality", "alarm_control_panel", "assist_satellite", "automation",
    "binary_sensor", "button", "calendar", "camera", "climate", "conversation", "counter",
    "cover", "date", "datetime", "device_tracker", "event", "fan", "geo_location", "group",
    "humidifier", "image", "image_processing", "input_boolean", "input_button",
    "input_datetime", "input_number", "input_select", "input_text", "lawn_mower", "light",
    "lock", "media_player", "notify", "number", "person", "plant", "proximity", "remote",
    "scene", "schedule", "script", "select", "sensor", "siren", "stt", "sun", "switch", "tag",
    "text", "time", "timer", "todo", "tts", "update", "vacuum", "valve", "wake_word",
    "water_heater", "weather", "zone",
))  # fmt: skip
"""The domains of Home Assistant. Sentences may require others."""


def read_home(source: Path, domains: Iterable[str] = ()) -> tuple[Home, tuple[Problem, ...]]:
    """Read a home from a YAML or JSON file with areas, floors and devices. Returns it with the
    warnings of the file. ``domains`` are those that devices may have besides Home Assistant's.

    Raises :class:`ModelError` with the errors of the file.
    """
    diagnostics = FileDiagnostics(SourceText(str(source), read_text(source)))
    root = read_json(diagnostics) if file_format(source) == "json" else read_yaml(diagnostics)
    home = build_home(root, diagnostics, domains)
    diagnostics.raise_if_any()
    return home, diagnostics.warnings


def build_home(
    root: Node | None, diagnostics: FileDiagnostics, domains: Iterable[str] = ()
) -> Home:
    """The home of a tree. What is wrong with it is added to ``diagnostics``. ``domains`` are those
    that devices may have besides Home Assistant's."""
    return _HomeReader(diagnostics, domains).read(root)


class _HomeReader:
    """Reads the tree of a home, and reports what is wrong with it."""

    def __init__(self, diagnostics: FileDiagnostics, domains: Iterable[str]) -> None:
        self._diagnostics = diagnostics
        self._domains = _DOMAINS.union(domains)

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
        self._check_places(root)
        return Home(tuple(areas), tuple(floors), tuple(devices))

    def _device(self, name: str, aliases: tuple[str, ...], node: MappingNode) -> Device:
        domain = self._text(node, "domain") or self._text(node, "id").partition(".")[0]
        written = node.items.get("context")
        context = to_data(written) if isinstance(written, MappingNode) else {}
        return Device(name, domain, aliases, self._text(node, "area"), freeze(context))

    def _check_places(self, root: MappingNode) -> None:
        """Warn of areas and floors that are named, but not listed, and of unknown domains."""
        for key, place in (("areas", "floor"), ("devices", "area"), ("entities", "area")):
            known = self._names(root, f"{place}s")
            for node in self._items(root, key):
                named = node.items.get(place)
                if isinstance(named, ScalarNode) and named.text.casefold() not in known:
                    hint = did_you_mean(named.text, known.values(), label="there is")
                    hint = hint or f"list it under {place}s"
                    self._diagnostics.add_warning(
                        named.start, f"the home has no {place} '{named.text}'", hint
                    )
                domain = node.items.get("domain")
                if isinstance(domain, ScalarNode) and domain.text not in self._domains:
                    hint = did_you_mean(domain.text, sorted(self._domains))
                    hint = hint or "write a domain of Home Assistant: light, cover, switch"
                    self._diagnostics.add_warning(
                        domain.start, f"unknown domain '{domain.text}'", hint
                    )

    def _names(self, root: MappingNode, key: str) -> dict[str, str]:
        """The names, aliases and ids of what is listed, by their form without case."""
        listed = root.items.get(key)
        nodes = listed.items if isinstance(listed, SequenceNode) else []
        names = [node.text for node in nodes if isinstance(node, ScalarNode)]
        for node in nodes:
            if isinstance(node, MappingNode):
                aliases = node.items.get("aliases")
                written = aliases.items if isinstance(aliases, SequenceNode) else []
                written = [
                    *(node.items[one] for one in ("name", "id") if one in node.items),
                    *written,
                ]
                names += [one.text for one in written if isinstance(one, ScalarNode)]
        return {name.casefold(): name for name in names}

    def _items(self, root: MappingNode, key: str) -> Iterator[MappingNode]:
        listed = root.items.get(key)
        for node in listed.items if isinstance(listed, SequenceNode) else ():
            if isinstance(node, MappingNode):
                yield node

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
