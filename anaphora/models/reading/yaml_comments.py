"""Detect unintended comments in YAML: `` #`` truncates an unquoted text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode
from anaphora.models.reading.source import FileDiagnostics

__all__ = ["COMMENT_HINT", "comment_hint", "find_truncating_comment", "warn_about_truncated_texts"]

_TEXT_KEYS = frozenset(
    (
        *("ask", "choices", "confirm", "description", "macros", "mentions", "name", "offers"),
        *("prompts", "recall_offers", "reset", "response", "responses", "stop_words"),
        *("swear_words", "synonyms", "unused", "validate", "values"),
    )
)
"""The keys whose values contain texts for people."""

_TRUNCATING_COMMENT = re.compile(r"[ \t](#)(?=[^\s#!]|[ \t]*$)", re.MULTILINE)
_TRUNCATING_COMMENT_IN_LINE = re.compile(r"(?<=\S) (#)(?=[^\s#!]|[ \t]*$)")
_QUOTED = re.compile(
    r"""(?<![^\s\[{,:-])(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*')"""  # at the start of a text
)
_MAX_LOOKBEHIND = 10_000  # characters before the error
_HINT = "put the text into quotes"
COMMENT_HINT = f"a # behind a blank begins a comment: {_HINT}"
"""The hint for a text that a comment certainly truncates."""


def comment_hint(text: str, *offsets: int) -> str:
    """A hint for an error that an unintended comment may have caused: one on the line of an offset
    or on the last non-empty line before it; '' if there is none."""
    lines = (line for offset in offsets for line in _iter_lines_at(text, offset))
    for start, end in dict.fromkeys(lines):
        line = _QUOTED.sub(lambda found: "x" * len(found[0]), text[start:end])
        if cut := _TRUNCATING_COMMENT_IN_LINE.search(line):
            number = text.count("\n", 0, start) + 1
            rest = line[cut.start(1) :].rstrip()[:20]
            return f"' #' begins a comment in line {number} ('{rest}'): {_HINT} if none is meant"
    return ""


def _iter_lines_at(text: str, offset: int) -> Iterator[tuple[int, int]]:
    """The line at an offset, and the last non-empty line before it."""
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", start)
    yield start, len(text) if end < 0 else end
    end = len(text[max(0, start - _MAX_LOOKBEHIND) : start].rstrip()) + max(
        0, start - _MAX_LOOKBEHIND
    )
    yield text.rfind("\n", 0, end) + 1, end


def find_truncating_comment(text: str, start: int | None, end: int) -> tuple[int, str] | None:
    """Find a comment that hides the end of a list or mapping in brackets; returns its offset and
    the opening bracket, or None.

    ``start`` is the offset of the opening bracket, if known, and ``end`` that of the syntax
    error. Without ``start``, the lines before ``end`` are searched backwards.
    """
    farthest = max(0, end - _MAX_LOOKBEHIND)
    if start is not None and start < len(text):
        begin = max(start + 1, farthest)
        return _find_comment(text, begin, end, text[start])
    while end > farthest:
        begin = text.rfind("\n", 0, end) + 1
        if found := _find_comment(text, begin, end):
            return found
        end = begin - 1
    return None


def warn_about_truncated_texts(root: Node | None, diagnostics: FileDiagnostics) -> None:
    """Warn about texts followed by a comment that looks like a part of them: ``order #5``."""
    if root is None or not _TRUNCATING_COMMENT.search(diagnostics.source.text):
        return
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, has_texts = waiting.pop()
        match node:
            case MappingNode():
                waiting += [
                    (item, has_texts or key in _TEXT_KEYS) for key, item in node.items.items()
                ]
            case SequenceNode():
                waiting += [(item, has_texts) for item in node.items]
            case ScalarNode():
                cut = (
                    _TRUNCATING_COMMENT.match(diagnostics.source.text, node.end)
                    if has_texts
                    else None
                )
                if cut and node.text and not node.style:
                    message = f"' #' begins a comment: the text ends with '{node.text[-20:]}'"
                    hint = f"{_HINT}, or two blanks before a comment that is meant"
                    diagnostics.add_warning(cut.start(1), message, hint)


def _find_comment(text: str, start: int, end: int, opened: str = "") -> tuple[int, str] | None:
    """The first comment between the offsets that is inside brackets and seems to hide their end,
    with the innermost open bracket. ``opened`` is a bracket that is open at ``start``."""
    brackets = [opened] if opened else []
    quote, last = "", opened  # last: the last non-blank character
    at = start
    while at < end:
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and (not last or last in "[{,:-"):
            quote = char
        elif char in "[{":
            brackets.append(char)
        elif char in "]}" and brackets:
            brackets.pop()
        elif char == "#" and (at == 0 or text[at - 1].isspace()):
            rest = text[at + 1 :].partition("\n")[0]
            is_text = not rest[:1].isspace() and rest[:1] not in ("", "#", "!")
            if brackets and (is_text or any(bracket in rest for bracket in "]}")):
                return at, brackets[-1]
            at += len(rest)
        if not char.isspace():
            last = char
        at += 1
    return None
