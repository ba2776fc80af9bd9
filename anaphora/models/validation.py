"""Tree → validated file, with every mistake of shape found at once.

What a mistake spoils is taken out of the tree and the rest is validated again, so that one
wrong key doesn't hide the mistakes beside it. A misspelt key whose meaning is clear is read
under its right name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from anaphora.models.hints import closest, did_you_mean
from anaphora.models.nodes import ListNode, MapNode, Node, Path, TextNode, node_at, plain
from anaphora.models.schema import (
    TAG,
    AskSchema,
    BridgeSchema,
    ConversationSchema,
    DialogSchema,
    ElementSchema,
    LimitsSchema,
    ModelSchema,
    OptionsSchema,
    PauseSchema,
    ResetSchema,
    StopWordsSchema,
    kind_of,
)
from anaphora.models.source import Report
from anaphora.models.yaml_comments import comment_hint

__all__ = ["PLACEHOLDER", "is_placeholder", "validate"]

PLACEHOLDER = "placeholder:"
"""Begins the ids that stand for those which the file lacks; a file cannot be loaded then."""

_SCHEMAS: dict[tuple[str, ...], type[BaseModel]] = {
    (): ModelSchema,
    ("conversation",): ConversationSchema,
    ("bridge", f"{TAG}map"): BridgeSchema,
    ("elements",): ElementSchema,
    ("stop_words",): StopWordsSchema,
    ("limits",): LimitsSchema,
    ("options",): OptionsSchema,
    ("samples",): DialogSchema,
    ("samples", "dialog", f"{TAG}ask"): AskSchema,
    ("samples", "dialog", f"{TAG}pause"): PauseSchema,
    ("samples", "dialog", f"{TAG}reset"): ResetSchema,
}
_STEP_KEYS = ("ask", "pause", "reset")
_STEP_ENDS = tuple((key,) for key in _STEP_KEYS)
_KEY_MARK = "[key]"
_MOST_ROUNDS = 30
_SURELY_MEANT = 0.75

_Loc = tuple[str | int, ...]


def validate(root: MapNode, report: Report) -> ModelSchema:
    """What the file says, less the parts in which a mistake was found and reported.

    Raises :class:`~anaphora.errors.ModelError` when there is no end of mistakes.
    """
    rounds = 0
    while True:
        try:
            return ModelSchema.model_validate(plain(root))
        except ValidationError as error:
            _take_out(error.errors(include_url=False), root, report)
        if (rounds := rounds + 1) > _MOST_ROUNDS:
            report.raise_if_any()


def is_placeholder(id: str) -> bool:
    """Whether ``id`` stands for one that the file lacks."""
    return id.startswith(PLACEHOLDER)


def _take_out(errors: Iterable[Any], root: MapNode, report: Report) -> None:
    """Reports ``errors`` and changes the tree so that the next validation is without them."""
    spoilt: list[_Loc] = []
    missing: list[_Loc] = []
    for error in errors:
        loc, kind = error["loc"], error["type"]
        path = _path(root, loc)
        if kind == "missing":
            missing.append(path)
        elif kind == "extra_forbidden":
            spoilt += _unknown_key(root, loc, path, report)
        elif kind == "too_short" and path[-1] in _lost_below(root, path[:-1]):
            spoilt.append(path)
        else:
            at = _offset(root, loc, path)
            message, hint = _in_words(error, root, path)
            report.add(at, message, _cut_hint(root, path, report) or hint)
            spoilt.append(path[:-1] if _is_step(path) else path)
    for path in missing:
        spoilt += _missing_key(root, path, report)
    # From the back: taking an item out of a list moves only those behind it.
    for path in sorted(set(spoilt), key=_order, reverse=True):
        _drop(root, path)


def _lost_below(root: Node, path: _Loc) -> frozenset[str]:
    node = node_at(root, path)
    return node.lost if isinstance(node, MapNode) else frozenset()


def _is_step(path: _Loc) -> bool:
    """Whether ``path`` ends at the key that makes a step what it is."""
    return (
        len(path) == 5 and path[::2] == ("samples", "dialog", path[-1]) and path[-1] in _STEP_KEYS
    )


def _path(root: Node, loc: _Loc) -> _Loc:
    """``loc`` without the steps that name alternatives of a type and keys of a mapping."""
    path = [step for step in loc if not (isinstance(step, str) and step.startswith(TAG))]
    if path[-1] == _KEY_MARK and not _has_key(node_at(root, path[:-1]), _KEY_MARK):
        path.pop()
    return tuple(path)


def _offset(root: MapNode, loc: _Loc, path: _Loc) -> int:
    parent = node_at(root, path[:-1])
    if loc[-1] == _KEY_MARK and isinstance(parent, MapNode):
        return parent.keys[str(path[-1])]
    return _place(root, path)


def _place(root: Node, path: Path) -> int:
    """Where the value at ``path`` stands; its key, if the file gives it none."""
    node = node_at(root, path)
    parent = node_at(root, path[:-1])
    empty = isinstance(node, TextNode) and node.start == node.end
    if empty and isinstance(parent, MapNode) and str(path[-1]) in parent.keys:
        return parent.keys[str(path[-1])]
    return node.start


def _cut_hint(root: Node, path: Path, report: Report) -> str:
    """What to say of a text without quotes behind which a comment begins in its line."""
    node = node_at(root, path)
    if not isinstance(node, TextNode) or node.style:
        return ""
    text = report.source.text
    line_end = text.find("\n", node.end)
    rest = text[node.end : line_end if line_end >= 0 else None]
    return comment_hint(text, node.end) if rest.startswith(" #") else ""


def _in_words(error: Any, root: Node, path: _Loc) -> tuple[str, str]:
    """The message and the hint of an error of pydantic, in the words of a model file."""
    context, found = error.get("ctx", {}), error["input"]
    match error["type"]:
        case "said":
            return context["said"], context["hint"]
        case "expected":
            return f"{error['msg']}, not {kind_of(found)}", ""
        case "list_type":
            hint = "begin each item with '- ', or write [a, b]" if kind_of(found) == "text" else ""
            return f"expected a list, not {kind_of(found)}", hint
        case "dict_type" | "model_type":
            return f"expected a mapping, not {kind_of(found)}", ""
        case "literal_error":
            said = f"'{found}'" if isinstance(found, str) else kind_of(found)
            hint = did_you_mean(str(found), re.findall(r"'(\w+)'", context["expected"]))
            return f"expected {context['expected']}, not {said}", hint
        case "too_short":
            return "expected at least one item", ""
        case "step":
            if not isinstance(found, dict):
                return f"{error['msg']}, not {kind_of(found)}", ""
            guesses = (did_you_mean(str(key), _STEP_KEYS) for key in found)
            return error["msg"], next(filter(None, guesses), "")
    return f"{error['msg'][:1].lower()}{error['msg'][1:]}", ""


def _unknown_key(root: MapNode, loc: _Loc, path: _Loc, report: Report) -> list[_Loc]:
    parent = node_at(root, path[:-1])
    key = str(path[-1])
    if not isinstance(parent, MapNode):
        return []
    known = _known_keys(loc[:-1])
    report.add(
        parent.keys[key], f"unknown key '{key}'", did_you_mean(key, known, what="the keys here are")
    )
    meant = closest(key, known, likeness=_SURELY_MEANT)
    if meant is None or meant in parent.items:
        return [path]
    parent.items[meant] = parent.items.pop(key)
    parent.keys[meant] = parent.keys.pop(key)
    return []


def _known_keys(loc: _Loc) -> list[str]:
    schema = _SCHEMAS[tuple(step for step in loc if isinstance(step, str))]
    return [field.alias or name for name, field in schema.model_fields.items()]


def _missing_key(root: MapNode, path: _Loc, report: Report) -> list[_Loc]:
    """Reports a key that must be there, unless a misspelt one was just taken for it."""
    parent, key = node_at(root, path[:-1]), str(path[-1])
    if not isinstance(parent, MapNode) or key in parent.items:
        return []
    if key not in parent.lost:
        owner = {"elements": "the element", "samples": "the sample"}.get(str(path[0]), "the model")
        report.add(parent.start, f"{owner} has no '{key}'")
    if key != "id":
        return [path[:-1]]
    parent.items[key] = _placeholder(parent.start)
    parent.keys[key] = parent.start
    return []


def _placeholder(offset: int) -> TextNode:
    return TextNode(offset, offset, f"{PLACEHOLDER}{offset}", '"')


def _drop(root: MapNode, path: _Loc) -> None:
    """Takes the node at ``path`` out and notes on all above it that something is missing."""
    node: Node = root
    for step in path[:-1]:
        _note_loss(node, step)
        node = node_at(node, (step,))
    _note_loss(node, path[-1])
    if isinstance(node, MapNode):
        node.items.pop(str(path[-1]), None)
    elif isinstance(node, ListNode) and isinstance(path[-1], int):
        del node.items[path[-1]]


def _note_loss(node: Node, step: str | int) -> None:
    if isinstance(node, MapNode) and step not in node.lost:
        node.lost |= {str(step)}


def _order(path: _Loc) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (0, step) for step in path)


def _has_key(node: Node, key: str) -> bool:
    return isinstance(node, MapNode) and key in node.items
