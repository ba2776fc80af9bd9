"""The reference of the built-in functions, generated from the registry: as data and as a page.

``python -m anaphora.grammar.functions.reference > docs/functions.md`` updates the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any

from anaphora.grammar.functions import FUNCTIONS, UNSUPPORTED_FUNCTIONS
from anaphora.grammar.functions.registry import Function, Parameter
from anaphora.grammar.values import ANYTHING, Kind, Type, describe_type

__all__ = [
    "EXAMPLE_ENTITIES",
    "EXAMPLE_META",
    "FUNCTION_GROUPS",
    "first_paragraph",
    "format_parameters",
    "format_signature",
    "functions_to_data",
    "render_page",
]

EXAMPLE_ENTITIES: tuple[Mapping[str, Any], ...] = (
    {
        "element": "city",
        "value": "Tokyo",
        "text": "Tokyo",
        "start": 11,
        "groups": ["place"],
        "ancestors": ["settlement", "location"],
        "stem": "tokyo",
        "lemma": "tokyo",
        "pos": "PROPN",
        "meta": {"population": 14_000_000},
    },
    {"element": "flight", "text": "Flights", "start": 0, "groups": ["travel"]},
    {
        "element": "date",
        "text": "tomorrow morning",
        "start": 17,
        "groups": ["time"],
        "parts": [
            {"element": "day", "text": "tomorrow", "start": 17, "aliases": ["when"]},
            {"element": "daytime", "text": "morning", "start": 26, "meta": {"from": 6}},
        ],
    },
)
"""The entities of the examples, in the format of ``anaphora eval --entity``; the first one is the
entity under test."""

EXAMPLE_META: Mapping[str, Any] = MappingProxyType(
    {
        "request": {
            "text": "Flights to Tokyo tomorrow morning",
            "at": "2026-01-05T09:30:15Z",
            "id": "q-17",
            "address": "192.0.2.1",
            "agent": "Firefox/147",
            "channel": "web",
        },
        "user": {
            "id": "ann",
            "first_name": "Ann",
            "last_name": "Lee",
            "email": "ann@example.com",
            "signed_up": "2025-11-03T08:00:00Z",
            "miles": 1200,
        },
        "company": {
            "id": "acme",
            "name": "Acme Ltd",
            "country": "Ireland",
            "city": "Cork",
            "plan": "gold",
        },
        "model": {"id": "travel", "name": "Travel", "version": "1.2.0", "airline": "ANA"},
        "intent": {"topic": "travel"},
        "fragment": {"far": True},
    }
)
"""The context of the examples, in the format of ``anaphora eval --meta``."""


def _group_functions() -> Mapping[str, tuple[Function, ...]]:
    found: dict[str, dict[Function, None]] = {}
    for function in FUNCTIONS.values():
        found.setdefault(function.group, {})[function] = None
    return MappingProxyType({group: tuple(functions) for group, functions in found.items()})


FUNCTION_GROUPS: Mapping[str, tuple[Function, ...]] = _group_functions()
"""The functions by group."""


def functions_to_data(
    functions: Iterable[Function] = tuple(chain(*FUNCTION_GROUPS.values())),
) -> list[dict[str, Any]]:
    """Convert functions to plain data; by default all of them."""
    return [
        {
            "names": list(function.names),
            "group": function.group,
            "parameters": [
                {
                    "name": parameter.name,
                    "kinds": _kind_names(parameter.type),
                    "optional": parameter.defaults_to_current,
                    "variadic": parameter.variadic,
                }
                for parameter in function.parameters
            ],
            "returns": _kind_names(function.returns),
            "doc": function.doc,
            "examples": list(function.examples),
        }
        for function in functions
    ]


def format_signature(function: Function, name: str = "") -> str:
    """The signature of a function: ``substr(text, start, end) → a text``."""
    called = name or function.names[0]
    if function.parameters:
        called += f"({', '.join(map(_format_parameter, function.parameters))})"
    return f"{called} → {_format_type(function.returns)}"


def first_paragraph(function: Function) -> str:
    """The first paragraph of the description, in one line."""
    return " ".join(function.doc.partition("\n\n")[0].split())


def format_parameters(function: Function) -> str:
    """The types of the arguments, without an optional entity:
    ``text: a text, start: an integer``."""
    return ", ".join(
        f"{parameter.name}: {_format_type(parameter.type)}{_format_passing(parameter)}"
        for parameter in function.parameters
        if not parameter.defaults_to_current
    )


def render_page() -> str:
    """Render the reference page in Markdown."""
    parts = [
        _INTRODUCTION.format(entity=_format_json(EXAMPLE_ENTITIES), meta=_format_json(EXAMPLE_META))
    ]
    parts += [
        f"- [{group}](#{group}): {', '.join(f'`{one.names[0]}`' for one in functions)}"
        for group, functions in FUNCTION_GROUPS.items()
    ]
    for group, functions in FUNCTION_GROUPS.items():
        parts.append(f"\n## {group}")
        parts += [_render_function(function) for function in functions]
    parts.append("\n## Not supported\n\nFunctions of NLPCraft that do not exist here:\n")
    parts += [f"- `{name}`: {reason}." for name, reason in UNSUPPORTED_FUNCTIONS.items()]
    return "\n".join(parts) + "\n"


_INTRODUCTION = """\
# The functions of the intent language

This page is generated by `python -m anaphora.grammar.functions.reference`; `anaphora functions`
prints the same, and `anaphora eval` evaluates any expression.

A function without arguments needs no parentheses: `ent_count` is `ent_count()`. An argument in
brackets is optional and defaults to the entity under test. Functions never change their
arguments. An argument of the wrong kind is reported when the model is loaded, or, if its kind is
only known at run time, when a question evaluates it.

Every example is true for the first of these entities, which stand in one sentence,

```json
{entity}
```

in this context:

```json
{meta}
```
"""


def _render_function(function: Function) -> str:
    names = ", ".join(f"`{name}`" for name in function.names)
    lines = [f"\n### {names}\n", f"`{format_signature(function)}`"]
    if arguments := format_parameters(function):
        lines.append(f"({arguments})")
    lines.append(f"\n{function.doc}")
    if function.examples:
        lines += ["\n```", *function.examples, "```"]
    return "\n".join(lines)


def _format_parameter(parameter: Parameter) -> str:
    if parameter.variadic:
        return f"{parameter.name}…"
    return f"[{parameter.name}]" if parameter.defaults_to_current else parameter.name


def _format_passing(parameter: Parameter) -> str:
    if parameter.passing == "lazy":
        return ", evaluated only if needed"
    if parameter.passing == "pattern":
        return " that is a regular expression"
    return ""


def _format_type(kinds: Type) -> str:
    return "anything" if kinds == ANYTHING else describe_type(kinds)


def _kind_names(kinds: Type) -> list[str]:
    if kinds == ANYTHING:
        return ["anything"]
    return [kind.value.removeprefix("an ").removeprefix("a ") for kind in Kind if kind in kinds]


def _format_json(value: Any) -> str:
    if isinstance(value, Mapping):
        lines = (f'"{key}": {json.dumps(item)}' for key, item in value.items())
        return "{" + ",\n ".join(lines) + "}"
    return "[" + ",\n ".join(json.dumps(item) for item in value) + "]"


if __name__ == "__main__":
    sys.stdout.write(render_page())
