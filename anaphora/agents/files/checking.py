"""Structural errors of an agent file, with positions and hints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from anaphora.agents.files.schema import MEMORY_TYPES, AgentSchema, agent_schema
from anaphora.core.name_hints import did_you_mean
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, node_at, to_data
from anaphora.models.reading.source import FileDiagnostics
from anaphora.models.schema.field_types import ALTERNATIVE_TAG, describe_value

__all__ = ["check_structure", "key_offset", "value_offset"]

_KEYS_HINT = "write 'name: …' in each line, without '- '"
_LIST_HINT = "begin each item with '- ', or write [a, b]"


def check_structure(root: MappingNode, diagnostics: FileDiagnostics) -> AgentSchema:
    """Return the validated file. Raises :class:`~anaphora.errors.ModelError` with all errors."""
    try:
        return AgentSchema.model_validate(to_data(root))
    except ValidationError as error:
        for one in error.errors(include_url=False):
            _report(one, root, diagnostics)
        diagnostics.raise_if_any()
        raise AssertionError("unreachable") from error


def value_offset(root: Node, path: Iterable[str | int]) -> int:
    """Return the offset of the value at ``path``, or of its key if the value is empty."""
    steps = tuple(path)
    node, parent = node_at(root, steps), node_at(root, steps[:-1])
    is_empty = isinstance(node, ScalarNode) and node.start == node.end
    if is_empty and isinstance(parent, MappingNode) and str(steps[-1]) in parent.key_offsets:
        return parent.key_offsets[str(steps[-1])]
    return node.start


def key_offset(root: Node, path: Iterable[str | int]) -> int:
    """Return the offset of the last key of ``path``."""
    steps = tuple(path)
    parent = node_at(root, steps[:-1])
    offsets = parent.key_offsets if isinstance(parent, MappingNode) else {}
    return offsets.get(str(steps[-1]), parent.start)


def _report(error: Any, root: MappingNode, diagnostics: FileDiagnostics) -> None:
    path, kind, found = _node_path(root, error["loc"]), error["type"], error["input"]
    match kind:
        case "extra_forbidden":
            hint = did_you_mean(str(path[-1]), _known_keys(error["loc"][:-1]), label="the keys are")
            diagnostics.add_error(key_offset(root, path), f"unknown key '{path[-1]}'", hint)
        case "missing":
            parent = path[:-1]
            owner = f"'{parent[-1]}'" if parent else "the agent"
            diagnostics.add_error(node_at(root, parent).start, f"{owner} has no '{path[-1]}'")
        case "union_tag_not_found":
            hint = f"the types are {', '.join(MEMORY_TYPES)}"
            message = f"'{path[-1]}' has no 'type'"
            if not isinstance(found, Mapping):
                message = f"expected a mapping with a type, not {describe_value(found)}"
            diagnostics.add_error(value_offset(root, path), message, hint)
        case "union_tag_invalid":
            hint = did_you_mean(error["ctx"]["tag"], MEMORY_TYPES, label="the types are")
            at = value_offset(root, (*path, "type"))
            diagnostics.add_error(at, f"there is no memory type '{error['ctx']['tag']}'", hint)
        case _:
            at = key_offset(root, path) if "[key]" in error["loc"] else value_offset(root, path)
            diagnostics.add_error(at, *_describe(error))


def _describe(error: Any) -> tuple[str, str]:
    context, found = error.get("ctx", {}), error["input"]
    match error["type"]:
        case "custom":
            return context["message"], context["hint"]
        case "expected":
            return f"{error['msg']}, not {describe_value(found)}", ""
        case "list_type":
            hint = _LIST_HINT if isinstance(found, str) else ""
            return f"expected a list, not {describe_value(found)}", hint
        case "dict_type" | "model_type":
            hint = _KEYS_HINT if isinstance(found, list) else ""
            return f"expected a mapping, not {describe_value(found)}", hint
        case "literal_error":
            shown = f"'{found}'" if isinstance(found, str) else describe_value(found)
            hint = did_you_mean(str(found), re.findall(r"'(\w+)'", context["expected"]))
            return f"expected {context['expected']}, not {shown}", hint
        case "too_short":
            return "expected at least one item", ""
    return f"{error['msg'][:1].lower()}{error['msg'][1:]}", ""


def _node_path(root: Node, loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Convert a location of pydantic to a path in the tree: without the tags of alternatives."""
    path: list[str | int] = []
    for at, step in enumerate(loc):
        is_tag = step == "[key]" or (isinstance(step, str) and step.startswith(ALTERNATIVE_TAG))
        is_type = at == 2 and loc[0] == "memories"  # the discriminator
        if not is_tag and not is_type:
            path.append(step)
    return tuple(path)


def _known_keys(loc: tuple[str | int, ...]) -> list[str]:
    """Return the keys of the mapping at a location of pydantic."""
    schema = agent_schema()
    definitions = schema["$defs"]
    nodes: list[Mapping[str, Any]] = [schema]
    for step in loc:
        if not (isinstance(step, str) and step.startswith(ALTERNATIVE_TAG)):
            nodes = [child for node in nodes for child in _children(node, step, definitions)]
    return [key for node in nodes for key in node.get("properties", {})]


def _children(
    node: Mapping[str, Any], step: str | int, definitions: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    mapping = node.get("discriminator", {}).get("mapping", {})
    if step in mapping:
        return _resolve({"$ref": mapping[step]}, definitions)
    if step in node.get("properties", {}):
        return _resolve(node["properties"][step], definitions)
    inner = node.get("items") if isinstance(step, int) else node.get("additionalProperties")
    if isinstance(inner, Mapping):
        return _resolve(inner, definitions)
    patterns = node.get("patternProperties", {}).values()
    return [one for pattern in patterns for one in _resolve(pattern, definitions)]


def _resolve(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the schemas that a schema stands for."""
    if "$ref" in node:
        return _resolve(definitions[node["$ref"].rpartition("/")[2]], definitions)
    if "discriminator" in node and "mapping" in node["discriminator"]:
        return [node]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in node:
            return [one for part in node[key] for one in _resolve(part, definitions)]
    return [node]
