"""Validate the tree of a model file and report all structural errors at once.

Invalid values are removed from the tree and the rest is validated again, so that one error does
not hide others. A misspelt key is corrected if its meaning is clear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from anaphora.core.name_hints import closest_match, did_you_mean
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    NodePath,
    ScalarNode,
    SequenceNode,
    node_at,
    to_data,
)
from anaphora.models.reading.source import FileDiagnostics
from anaphora.models.reading.yaml_comments import COMMENT_HINT, comment_hint
from anaphora.models.schema.field_types import ALTERNATIVE_TAG, describe_value, is_language
from anaphora.models.schema.model_file import ModelSchema, section_keys
from anaphora.models.schema.samples import STEP_KEYS

__all__ = ["PLACEHOLDER", "is_placeholder", "validate"]

PLACEHOLDER = "placeholder:"
"""The prefix of ids that replace missing ones, in a file that cannot be loaded anyway."""

_KEY_MARKER = "[key]"
_OWNERS = {
    ("elements", 3): "the element",
    ("elements", 4): "the check",
    ("intents", 3): "the intent",
    ("offers", 3): "the offer",
    ("samples", 3): "the sample",
    ("validate", 4): "the check",
}  # what lacks a key, by the section and the length of the path
_PREDICATE_KEYS = ("check", "where")  # what they say often begins with '#'
_LIST_HINT = "begin each item with '- ', or write [a, b]"
_ITEMS_HINT = "begin each item with '- ', for example '- id: name'"
_KEYS_HINT = "write 'name: …' in each line, without '- '"
_MAX_ROUNDS = 30
_CERTAIN_SIMILARITY = 0.75

_ErrorPath = tuple[str | int, ...]


def validate(root: MappingNode, diagnostics: FileDiagnostics) -> ModelSchema:
    """The valid parts of the file; errors in the others are reported.

    Raises :class:`~anaphora.errors.ModelError` after too many rounds with errors.
    """
    rounds = 0
    while True:
        try:
            return ModelSchema.model_validate(to_data(root))
        except ValidationError as error:
            _remove_invalid(error.errors(include_url=False), root, diagnostics)
        if (rounds := rounds + 1) > _MAX_ROUNDS:
            diagnostics.raise_if_any()


def is_placeholder(id: str) -> bool:
    """Whether ``id`` replaces a missing id."""
    return id.startswith(PLACEHOLDER)


def _remove_invalid(errors: Iterable[Any], root: MappingNode, diagnostics: FileDiagnostics) -> None:
    """Report ``errors`` and remove their causes from the tree."""
    invalid: list[_ErrorPath] = []
    missing: list[_ErrorPath] = []
    for error in errors:
        loc, kind = error["loc"], error["type"]
        path = _to_node_path(root, loc)
        if kind == "missing":
            missing.append(path)
        elif kind == "extra_forbidden":
            invalid += _handle_unknown_key(root, loc, path, diagnostics)
        elif kind == "too_short" and path[-1] in _removed_keys_at(root, path[:-1]):
            invalid.append(path)
        else:
            at = _error_offset(root, loc, path)
            message, hint = _describe_error(error, root, path)
            hint = _values_hint(error, path) or _truncation_hint(root, path, diagnostics) or hint
            diagnostics.add_error(at, message, hint)
            invalid.append(path[:-1] if _is_step(path) else path)
    for path in missing:
        invalid += _handle_missing_key(root, path, diagnostics)
    # Backwards: removing an item of a list shifts only those after it.
    for path in sorted(set(invalid), key=_path_sort_key, reverse=True):
        _remove_node(root, path)


def _removed_keys_at(root: Node, path: _ErrorPath) -> frozenset[str]:
    node = node_at(root, path)
    return node.removed_keys if isinstance(node, MappingNode) else frozenset()


def _is_step(path: _ErrorPath) -> bool:
    """Whether ``path`` ends with the key that defines the type of a step."""
    return len(path) == 5 and path[::2] == ("samples", "dialog", path[-1]) and path[-1] in STEP_KEYS


def _to_node_path(root: Node, loc: _ErrorPath) -> _ErrorPath:
    """Convert a location of pydantic to a path in the tree."""
    path = [
        step for step in loc if not (isinstance(step, str) and step.startswith(ALTERNATIVE_TAG))
    ]
    if path[-1] == _KEY_MARKER:
        parent = node_at(root, path[:-1])
        if not isinstance(parent, MappingNode) or _KEY_MARKER not in parent.items:
            path.pop()
    return tuple(path)


def _error_offset(root: MappingNode, loc: _ErrorPath, path: _ErrorPath) -> int:
    parent = node_at(root, path[:-1])
    if loc[-1] == _KEY_MARKER and isinstance(parent, MappingNode):
        return parent.key_offsets[str(path[-1])]
    return _value_offset(root, path)


def _value_offset(root: Node, path: NodePath) -> int:
    """The offset of the value at ``path``, or of its key if the value is empty."""
    node = node_at(root, path)
    parent = node_at(root, path[:-1])
    empty = isinstance(node, ScalarNode) and node.start == node.end
    if empty and isinstance(parent, MappingNode) and str(path[-1]) in parent.key_offsets:
        return parent.key_offsets[str(path[-1])]
    return node.start


def _values_hint(error: Any, path: _ErrorPath) -> str:
    """A hint for a value with further words in a list of values."""
    is_value = len(path) > 1 and path[-2] == "values" and isinstance(path[-1], int)
    if not is_value or not isinstance(error["input"], dict):
        return ""
    return "values with further words are a mapping: {small: [little], large: []}"


def _truncation_hint(root: Node, path: NodePath, diagnostics: FileDiagnostics) -> str:
    """A hint for an unquoted text that a comment truncates."""
    node = node_at(root, path)
    if not isinstance(node, ScalarNode) or node.style:
        return ""
    text = diagnostics.source.text
    line_end = text.find("\n", node.end)
    rest = text[node.end : line_end if line_end >= 0 else None]
    if not rest.startswith(" #"):
        return ""
    is_predicate = not node.text and path[-1] in _PREDICATE_KEYS
    return COMMENT_HINT if is_predicate else comment_hint(text, node.end)


def _describe_error(error: Any, root: Node, path: _ErrorPath) -> tuple[str, str]:
    """Convert an error of pydantic to a message and a hint about the model file."""
    context, found = error.get("ctx", {}), error["input"]
    match error["type"]:
        case "custom":
            return context["message"], context["hint"]
        case "expected":
            hint = _LIST_HINT if "a list of " in error["msg"] and isinstance(found, str) else ""
            return f"{error['msg']}, not {describe_value(found)}", hint
        case "list_type":
            hint = _LIST_HINT if isinstance(found, str) else ""
            hint = _ITEMS_HINT if isinstance(found, dict) else hint
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
        case "step":
            if not isinstance(found, dict):
                return f"{error['msg']}, not {describe_value(found)}", ""
            guesses = (did_you_mean(str(key), STEP_KEYS) for key in found)
            return error["msg"], next(filter(None, guesses), "")
    return f"{error['msg'][:1].lower()}{error['msg'][1:]}", ""


def _handle_unknown_key(
    root: MappingNode, loc: _ErrorPath, path: _ErrorPath, diagnostics: FileDiagnostics
) -> list[_ErrorPath]:
    parent = node_at(root, path[:-1])
    key = str(path[-1])
    if not isinstance(parent, MappingNode):
        return []
    known = section_keys(tuple(step for step in loc[:-1] if isinstance(step, str)))
    hint = did_you_mean(key, known, label="the keys here are")
    meant = closest_match(key, known, min_similarity=_CERTAIN_SIMILARITY)
    if path[:-1] == ("fallback",) and is_language(key) and meant is None:
        hint = f"a text by language stands under a reason, or for all: text: {{{key}: …}}"
    diagnostics.add_error(parent.key_offsets[key], f"unknown key '{key}'", hint)
    if meant is None or meant in parent.items:
        return [path]
    parent.items[meant] = parent.items.pop(key)
    parent.key_offsets[meant] = parent.key_offsets.pop(key)
    return []


def _handle_missing_key(
    root: MappingNode, path: _ErrorPath, diagnostics: FileDiagnostics
) -> list[_ErrorPath]:
    """Report a missing key, unless a misspelt one was just corrected to it."""
    parent, key = node_at(root, path[:-1]), str(path[-1])
    if not isinstance(parent, MappingNode) or key in parent.items:
        return []
    if key not in parent.removed_keys:
        owner = _OWNERS.get((str(path[0]), len(path)), "the model")
        diagnostics.add_error(parent.start, f"{owner} has no '{key}'")
    if key != "id":
        return [path[:-1]]
    at = parent.start
    parent.items[key] = ScalarNode(at, at, f"{PLACEHOLDER}{at}", '"')
    parent.key_offsets[key] = at
    return []


def _remove_node(root: MappingNode, path: _ErrorPath) -> None:
    """Remove the node at ``path`` and mark the removal in all mappings above it."""
    node: Node = root
    for step in path[:-1]:
        _mark_removed(node, step)
        node = node_at(node, (step,))
    _mark_removed(node, path[-1])
    if isinstance(node, MappingNode):
        node.items.pop(str(path[-1]), None)
    elif isinstance(node, SequenceNode) and isinstance(path[-1], int):
        del node.items[path[-1]]


def _mark_removed(node: Node, step: str | int) -> None:
    if isinstance(node, MappingNode) and step not in node.removed_keys:
        node.removed_keys |= {str(step)}


def _path_sort_key(path: _ErrorPath) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (0, step) for step in path)
