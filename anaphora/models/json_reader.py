"""JSON → tree. The standard library checks the syntax; one pattern then finds the places.

Comments, ``//`` and ``/* */``, are allowed and passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from anaphora.models.json_comments import blank_comments
from anaphora.models.nodes import DEEPEST, ListNode, MapNode, Node, TextNode, TreeBuilder
from anaphora.models.source import Report

__all__ = ["read_json"]

_TOKEN = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*+"?|[^\s\[\]{},:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(report: Report) -> Node | None:
    """The tree of a JSON text; None for an empty one.

    Raises :class:`~anaphora.errors.ModelError` where the syntax is broken.
    """
    text = blank_comments(report.source.text)
    if not text.strip():
        return None
    _check_syntax(text, report)
    builder = TreeBuilder(report)
    for token in _TOKEN.finditer(text):
        _build(token, builder, report)
    return builder.finish()


def _build(token: re.Match[str], builder: TreeBuilder, report: Report) -> None:
    written = token[0]
    match written[0]:
        case "[":
            builder.open(ListNode(token.start()))
        case "{":
            builder.open(MapNode(token.start()))
        case "]" | "}":
            builder.close()
        case '"':
            text: str = json.loads(written)
            if half := _SURROGATE.search(text):
                code = f"U+{ord(half[0]):04X}"
                report.add(token.start(), f"half of a surrogate pair stands alone: {code}")
                text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
            builder.text(TextNode(token.start(), token.end(), text, '"'))
        case _:
            if written.endswith(("NaN", "Infinity")):
                report.add(token.start(), f"{written} is not a number of JSON")
            builder.text(TextNode(token.start(), token.end(), written, ""))


def _check_syntax(text: str, report: Report) -> None:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        report.stop(error.pos, f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}")
    except RecursionError:
        report.stop(_too_deep(text), f"nested deeper than {DEEPEST} levels")


def _too_deep(text: str) -> int:
    """The offset of the first bracket that is nested too deep."""
    depth = 0
    for offset, bracket in _brackets(text):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            return offset
    return 0


def _brackets(text: str) -> Iterator[tuple[int, str]]:
    tokens = _TOKEN.finditer(text)
    return ((token.start(), token[0]) for token in tokens if token[0] in ("[", "]", "{", "}"))
