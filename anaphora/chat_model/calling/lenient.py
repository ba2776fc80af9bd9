"""Lenient parsing of function calls in the text of a model."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

__all__ = ["ParsedAnswer", "parse_answer"]

_MAX_TEXT = 1 << 16  # characters that are searched for calls
_MAX_CANDIDATES = 32  # braces that may begin an object
_THINKING = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')
_OPENING = re.compile(
    r"(?:```\w*\s*|<(tool_call|function_call)>\s*)*(?:([A-Za-z_]\w*)\s*\(\s*)?(?=[{\[])"
)
_CLOSING = re.compile(r"\s*\)?(?:\s*</(?:tool_call|function_call)>|\s*```)*")
_CUT_OFF = re.compile(r'(?:```\w*\s*)?\{\s*"(?:thought|calls)"')
_CUT_OFF_CALL = re.compile(r'(?:```\w*\s*|<\w+_call>\s*)*\{\s*"name"\s*:\s*"(\w+)"')
_THOUGHT = re.compile(r'"thought"\s*:\s*"((?:[^"\\]|\\(?:u[0-9a-fA-F]{4}|[^u]))*)')
_QUOTES = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[{}\[\]]', re.DOTALL)


class ParsedAnswer(NamedTuple):
    """The text of an answer, and its calls: names with arguments as JSON text."""

    content: str
    calls: list[tuple[str, str]]


def parse_answer(text: str, names: Collection[str]) -> ParsedAnswer:
    """Find calls of the functions ``names`` in a model's answer.

    Known are ``{"thought": …, "calls": […]}``, ``{"name": …, "arguments": …}`` (also with
    "parameters", or below "function"), lists of these, and ``name({…})``, anywhere in the text,
    also in code fences and ``<tool_call>`` tags, with trailing commas or quotes of Python. An
    answer without calls is text. Takes any text, and raises nothing.
    """
    searched = _THINKING.sub("", text[:_MAX_TEXT], count=1)
    calls: list[tuple[str, str]] = []
    outside, thoughts, position = [], [], 0
    for start, end, name, value in _find_values(searched):
        found, thought = _read_calls(name, value, names)
        if found is None:
            continue
        calls += found
        outside.append(searched[position:start])
        thoughts.append(thought)
        position = end
    if not position:
        return ParsedAnswer(_read_cut_off(searched.strip(), names), [])
    # What a model writes after a call is often the result that it expects.
    kept = [_read_cut_off(outside[0].strip(), names), *thoughts]
    return ParsedAnswer("\n".join(filter(None, map(str.strip, kept))), calls)


def _read_cut_off(text: str, names: Collection[str]) -> str:
    """Return the text; of an object that was not written to its end, as much of the thought as was
    written; nothing of such a call."""
    call = _CUT_OFF_CALL.match(text)
    if call and call[1] in names:
        return ""
    if not _CUT_OFF.match(text):
        return text
    thought = _THOUGHT.search(text)
    value = _repair(f'"{thought[1]}"') if thought else ""
    return value.strip() if isinstance(value, str) else ""


def _find_values(text: str) -> Iterator[tuple[int, int, str, Any]]:
    """Yield the JSON objects and lists of a text, with the name before the parenthesis."""
    position = 0
    for _ in range(_MAX_CANDIDATES):
        opening = _find_opening(text, position)
        if opening is None:
            return
        start, brace, name = opening
        end, value = _read_value(text, brace)
        if value is None:
            position = brace + 1
            continue
        closing = _CLOSING.match(text, end)
        position = closing.end() if closing else end
        yield start, position, name, value


def _find_opening(text: str, position: int) -> tuple[int, int, str] | None:
    """Return where the next object begins, with what introduces it, and its function's name."""
    brace = min((at for at in (text.find(b, position) for b in "{[") if at >= 0), default=-1)
    if brace < 0:
        return None
    # What introduces an object is short: a fence, a tag, a name.
    for start in range(max(position, brace - 100), brace + 1):
        found = _OPENING.match(text, start)
        if found and found.end() == brace and not (start and text[start - 1].isalnum()):
            return start, brace, found[2] or ""
    return brace, brace, ""


def _read_value(text: str, start: int) -> tuple[int, Any]:
    """Decode the value that begins at ``start``; return its end, and ``None`` for no value."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        end = _find_end(text, start)
        return end, _repair(text[start:end])
    return end, value


def _find_end(text: str, start: int) -> int:
    """Return the position after the bracket that closes the one at ``start``."""
    depth = 0
    for found in _QUOTES.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(text)


def _repair(text: str) -> Any:
    """Decode JSON with trailing commas or line breaks in strings, or a literal of Python."""
    try:
        return json.loads(_TRAILING_COMMA.sub(r"\1", text), strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        value = ast.literal_eval(text)
        json.dumps(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value


def _read_calls(
    name: str, value: Any, names: Collection[str]
) -> tuple[list[tuple[str, str]] | None, str]:
    """Return the calls of a value and its thought; ``None`` if the value is neither."""
    if name in names and isinstance(value, dict):
        return [(name, _to_json(value))], ""
    if isinstance(value, list):
        calls = [_read_call(item, names) for item in value]
        return ([call for call in calls if call] if any(calls) else None), ""
    if not isinstance(value, dict):
        return None, ""
    listed = value.get("calls", value.get("tool_calls"))
    if isinstance(listed, list):
        # An unknown function within our own form is a mistake that the caller answers.
        calls = [_read_call(item, names, any_name=True) for item in listed]
        return [call for call in calls if call], _read_thought(value)
    call = _read_call(value, names)
    if call:
        return [call], _read_thought(value)
    return ([], _read_thought(value)) if set(value) == {"thought"} else (None, "")


def _read_call(
    value: Any, names: Collection[str], *, any_name: bool = False
) -> tuple[str, str] | None:
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = value.get("name", inner)
    if not isinstance(name, str) or not (name in names or any_name):
        return None
    arguments: Any = {}
    for key in ("arguments", "parameters", "params", "args"):
        if key in value:
            arguments = value[key]
            break
    return name, arguments if isinstance(arguments, str) else _to_json(arguments)


def _read_thought(value: dict[str, Any]) -> str:
    thought = value.get("thought", "")
    return thought if isinstance(thought, str) else _to_json(thought)


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
