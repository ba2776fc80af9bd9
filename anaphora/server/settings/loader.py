"""Load the settings from the command line, the environment and a file, and report the position of
each error: a line of the file, a variable, an option."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_settings import EnvSettingsSource, SettingsError
from rapidfuzz.distance import OSA

from anaphora.core.name_hints import closest_match, did_you_mean
from anaphora.errors import AnaphoraError, ModelError, Problem
from anaphora.models.reading.files import read_text
from anaphora.models.reading.nodes import MappingNode, Node, SequenceNode, to_data
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml
from anaphora.models.schema.field_types import describe_value
from anaphora.server.settings.model import (
    ChatModelSettings,
    KeySettings,
    LogSettings,
    MemorySettings,
    Settings,
    TracingSettings,
)

__all__ = [
    "CONFIG_VARIABLE",
    "DEFAULT_FILE",
    "EffectiveSettings",
    "SettingOrigin",
    "describe_error",
    "list_variables",
    "load_settings",
    "read_settings",
]

CONFIG_VARIABLE = "ANAPHORA_CONFIG"
DEFAULT_FILE = Path("anaphora.yaml")

SettingPath: TypeAlias = tuple[str | int, ...]

_PREFIX = "ANAPHORA_"
_SECTIONS: dict[str, type[BaseModel]] = {
    "chat_model": ChatModelSettings,
    "log": LogSettings,
    "memory": MemorySettings,
    "tracing": TracingSettings,
}
_LISTS = ("models", "agents", "keys", "cors", "trusted_proxies")
_OPTIONS = {"models": "MODEL", "agents": "--agent"}  # others are called as the setting
_SHORT_OPTIONS = {"--memory-url": "--memory"}
_MIN_LIKENESS = 0.85

_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """The origin of a setting: an option, a variable, or a position in a file (or in the text of a
    variable). ``value`` is the offset of the value, ``key`` that of its key."""

    name: str
    source: SourceText | None = None
    value: int = 0
    key: int = 0

    def __str__(self) -> str:
        return f"{self.name}:{self.source.line_of(self.key)}" if self.source else self.name

    def problem(self, message: str, hint: str = "", *, of_key: bool = False) -> Problem:
        """Create a problem with this setting, or with its key."""
        if self.source is None:
            return Problem(message, source=self.name, hint=hint)
        return self.source.build_problem(self.key if of_key else self.value, message, hint)


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The effective settings, the file they were read from (None without a file), and the origin of
    each."""

    settings: Settings
    file: Path | None
    origins: Mapping[SettingPath, SettingOrigin]

    def origin(self, path: SettingPath) -> SettingOrigin | None:
        """Return the origin of the setting at ``path``; None for a default."""
        if path[0] in _SECTIONS:  # the other settings of the section may have other origins
            return self.origins.get(path)
        return self.origins.get(_nearest_origin(path, self.origins))


def load_settings(file: Path | None = None, **overrides: Any) -> Settings:
    """Load the effective settings. ``overrides`` (the command line; None means not given) take
    precedence over environment variables (``ANAPHORA_PORT``, ``ANAPHORA_LOG__LEVEL``), and these
    over a YAML file.

    The file is ``file``, else ``$ANAPHORA_CONFIG``, else ``anaphora.yaml`` in the working
    directory, if it exists. Raises :class:`~anaphora.errors.AnaphoraError` with every error, its
    position and the allowed values.
    """
    return read_settings(file, **overrides).settings


def read_settings(file: Path | None = None, **overrides: Any) -> EffectiveSettings:
    """Load the settings as :func:`load_settings` does, with the origin of each.

    Raises :class:`~anaphora.errors.AnaphoraError` with every error.
    """
    path = _find_file(file)
    reader = _SettingsReader()
    if path is not None:
        reader.read_file(path)
    reader.read_environment()
    reader.read_overrides({key: value for key, value in overrides.items() if value is not None})
    return EffectiveSettings(reader.validate(), path, reader.origins)


def list_variables() -> tuple[str, ...]:
    """Return the environment variables for settings."""
    inner = ((name, key) for name, part in _SECTIONS.items() for key in part.model_fields)
    outer = ((name,) for name in Settings.model_fields)
    return CONFIG_VARIABLE, *map(_variable_name, outer), *map(_variable_name, inner)


class _SettingsReader:
    """The settings read so far. Later sources override earlier ones."""

    def __init__(self) -> None:
        self.origins: dict[SettingPath, SettingOrigin] = {}
        self._values: dict[str, Any] = {}

    def read_file(self, path: Path) -> None:
        text = _reword_errors(read_text, path)
        root = self._parse_tree(str(path), text)
        if root is None:
            return
        if not isinstance(root, MappingNode):
            found = describe_value(to_data(root))
            message = f"settings are a mapping with keys such as 'models', not {found}"
            raise AnaphoraError(str(Problem(message, source=str(path))))
        self._values = to_data(root)

    def read_environment(self) -> None:
        _refuse_misspelt_variables()
        try:
            found = EnvSettingsSource(Settings, case_sensitive=False)()
        except SettingsError as error:
            field = re.search(r'field "(\w+)"', str(error))
            name = _variable_name((field[1],)) if field else "the environment"
            message = 'expected JSON such as {"level": "debug"}'
            raise AnaphoraError(str(Problem(message, source=name))) from None
        for name, value in found.items():
            if name in _SECTIONS and isinstance(value, dict):
                self._merge(name, value, {key: _section_variable(name, key) for key in value})
            elif name in _LISTS:
                self._take_list(name, value)
            else:
                self._set(name, value, _variable_name((name,)))

    def read_overrides(self, overrides: Mapping[str, Any]) -> None:
        for name, value in overrides.items():
            option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
            if name in _SECTIONS and isinstance(value, dict):
                given = {key: inner for key, inner in value.items() if inner is not None}
                self._merge(name, given, {key: _option_name(option, key) for key in given})
            else:
                self._set(name, value, option)

    def validate(self) -> Settings:
        try:
            settings = Settings(**self._values)
        except ValidationError as error:
            problems = sorted(map(self._problem, relevant_errors(error)), key=_problem_position)
            raise AnaphoraError("\n".join(map(str, problems))) from None
        self._check_fallback(settings)
        return settings

    def _check_fallback(self, settings: Settings) -> None:
        """Raise an error if the fallback is none of the agents."""
        if settings.fallback is None:
            return
        from anaphora.agents.files.reading import load_agent_file

        try:
            names = [load_agent_file(source).id for source in settings.agents]
        except ModelError:  # opening the agents reports it
            return
        if settings.fallback not in names:
            hint = did_you_mean(settings.fallback, names, label="there are")
            problem = self.origins["fallback",].problem(
                f"there is no agent '{settings.fallback}'", hint or "name its file in 'agents'"
            )
            raise AnaphoraError(str(problem))

    def _set(self, name: str, value: Any, origin: str) -> None:
        self._values[name] = value
        for path in [path for path in self.origins if path[0] == name]:
            del self.origins[path]
        self.origins[name,] = SettingOrigin(origin)

    def _merge(self, name: str, values: Mapping[str, Any], origins: Mapping[str, str]) -> None:
        """Set some fields of a section; the others may come from other sources."""
        before = self._values.get(name)
        if not values:
            return
        self._values[name] = (before if isinstance(before, dict) else {}) | dict(values)
        self.origins |= {(name, key): SettingOrigin(origin) for key, origin in origins.items()}

    def _take_list(self, name: str, text: str) -> None:
        """Parse a list in a variable: YAML (including JSON), or texts separated by commas."""
        variable = _variable_name((name,))
        if name != "keys" and not text.lstrip().startswith("["):
            self._set(name, [part.strip() for part in text.split(",") if part.strip()], variable)
            return
        self._set(name, None, variable)
        root = self._parse_tree(variable, text, (name,))
        self._values[name] = to_data(root) if root else []

    def _parse_tree(self, name: str, text: str, path: SettingPath = ()) -> Node | None:
        """Parse a YAML text and record the positions of its nodes below ``path``."""
        report = FileDiagnostics(SourceText(name, text))
        root = _reword_errors(read_yaml, report)
        _reword_errors(report.raise_if_any)
        if root is not None:
            self.origins |= {
                (*path, *inner): SettingOrigin(name, report.source, value, key)
                for inner, value, key in _walk_positions(root)
            }
        return root

    def _problem(self, error: Any) -> Problem:
        """Describe a pydantic error in plain words, with its position."""
        path: SettingPath = error["loc"] or ("keys",)  # errors without a path: ids of keys
        known_path = _nearest_origin(path, self.origins)
        origin = self.origins.get(known_path, SettingOrigin(""))
        if error["type"] == "extra_forbidden":
            known = _section_model(path[:-1]).model_fields
            hint = did_you_mean(str(path[-1]), known, label="there are")
            return origin.problem(f"unknown setting '{_format_path(path)}'", hint, of_key=True)
        message, hint = describe_error(error)
        if origin.name == _variable_name(("port",)) and "://" in str(error["input"]):
            hint = (
                "Kubernetes sets it for a service named 'anaphora': "
                "write 'enableServiceLinks: false' into the pod"
            )
        # The origin itself names the variable or the option.
        is_named = known_path == path and not origin.source
        return origin.problem(message if is_named else f"{_format_path(path)}: {message}", hint)


def _find_file(file: Path | None) -> Path | None:
    if file is not None:
        return file
    if named := os.environ.get(CONFIG_VARIABLE):
        return Path(named)
    return DEFAULT_FILE if DEFAULT_FILE.is_file() else None


def _variable_name(path: SettingPath) -> str:
    return _PREFIX + "__".join(str(step) for step in path).upper()


def _option_name(option: str, key: str) -> str:
    """Return the option for a field of a section."""
    name = f"{option}-{key}"
    return _SHORT_OPTIONS.get(name, name)


def _section_variable(name: str, key: str) -> str:
    """Return the variable that sets a field of a section: its own, or the one for the whole
    section."""
    own = _variable_name((name, key))
    return own if own in map(str.upper, os.environ) else _variable_name((name,))


def _refuse_misspelt_variables() -> None:
    """Raise an error for a variable that looks like a misspelt one of ours; others with our prefix
    may belong to other programs."""
    known = [name.removeprefix(_PREFIX) for name in list_variables()]
    for name in os.environ:
        begin, rest = name[: len(_PREFIX)], name[len(_PREFIX) :]
        if begin.upper() != _PREFIX or rest.upper() in known:
            continue
        if meant := _closest_name(rest.upper(), known):
            hint = f"did you mean '{_PREFIX}{meant}'?"
            raise AnaphoraError(str(Problem(f"unknown variable '{name}'", hint=hint)))


def _closest_name(name: str, known: list[str]) -> str | None:
    """Return the known name that differs from ``name`` in one letter (added, missing, replaced or
    swapped), else one that is very similar."""
    slip = next((one for one in known if OSA.distance(name, one) == 1), None)
    return slip or closest_match(name, known, min_similarity=_MIN_LIKENESS)


def _problem_position(problem: Problem) -> tuple[str, int, int]:
    return problem.source, problem.line, problem.column


def _reword_errors(read: Callable[..., _Read], *arguments: Any) -> _Read:
    """Call ``read``, and reword its errors, which mention model files, for settings."""
    try:
        return read(*arguments)
    except ModelError as error:
        raise AnaphoraError(str(error).replace("a model file", "a file of settings")) from None


def _walk_positions(
    node: Node, path: SettingPath = (), key: int = 0
) -> Iterator[tuple[Any, int, int]]:
    """Yield the path of every value below ``node``, its offset and that of its key."""
    if path:
        yield path, node.start, key
    if isinstance(node, MappingNode):
        for name, inner in node.items.items():
            yield from _walk_positions(inner, (*path, name), node.key_offsets[name])
    elif isinstance(node, SequenceNode):
        for index, inner in enumerate(node.items):
            yield from _walk_positions(inner, (*path, index), inner.start)


def _nearest_origin(path: SettingPath, origins: Mapping[SettingPath, SettingOrigin]) -> SettingPath:
    """Return the longest prefix of ``path`` with a known origin."""
    while path and path not in origins:
        path = path[:-1]
    return path


def _section_model(path: SettingPath) -> type[BaseModel]:
    if not path:
        return Settings
    return KeySettings if path[0] == "keys" else _SECTIONS[str(path[0])]


def _format_path(path: SettingPath) -> str:
    """Format a path for messages: ``log.level``, ``keys[0].hash``."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def relevant_errors(error: ValidationError) -> list[Any]:
    """Return pydantic's errors, without "too short" errors of lists with invalid items."""
    found = error.errors(include_url=False)
    spoilt = {one["loc"][:-1] for one in found}
    return [one for one in found if one["type"] != "too_short" or one["loc"] not in spoilt]


def describe_error(error: Any) -> tuple[str, str]:
    """Return the message of a pydantic error in the words of settings, and a hint. Neither repeats
    the given text, which may be a secret."""
    if error["input"] is None and error["type"] != "missing":
        return "this has no value", "write one, or leave it out"
    found = describe_value(error["input"])
    match error["type"]:
        case "missing":
            return "this is missing", ""
        case "value_error":
            return str(error["ctx"]["error"]), ""
        case "literal_error":
            allowed = re.findall(r"'(\w+)'", error["ctx"]["expected"])
            return f"expected {error['ctx']['expected']}", did_you_mean(
                str(error["input"]), allowed
            )
        case "string_type":
            return f"expected text, not {found}", "put it in quotes"
        case "int_type" | "int_parsing" | "int_from_float":
            return f"expected a whole number, not {found}", ""
        case "float_type" | "float_parsing":
            return f"expected a number, not {found}", ""
        case "bool_type" | "bool_parsing":
            return f"expected true or false, not {found}", ""
        case "tuple_type":
            return f"expected a list, not {found}", "write [a, b], or begin each item with '- '"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"expected a mapping, not {found}", ""
        case "datetime_type" | "datetime_parsing" | "datetime_from_date_parsing":
            return "expected a date such as 2027-01-01 or 2027-01-01T12:00+01:00", ""
        case "greater_than_equal":
            return f"expected at least {error['ctx']['ge']}", ""
        case "less_than_equal":
            return f"expected at most {error['ctx']['le']}", ""
        case "too_short" | "string_too_short":
            return "this must not be empty", ""
    return f"{error['msg'][:1].lower()}{error['msg'][1:]}", ""
