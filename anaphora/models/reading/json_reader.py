"""Parse JSON to a tree. The standard library checks the syntax; a pattern finds the offsets.

``//`` and ``/* */`` comments are allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from anaphora.models.reading.json_comments import blank_comments
from anaphora.models.reading.nodes import (
    MAX_DEPTH,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    TreeBuilder,
)
from anaphora.models.reading.source import FileDiagnostics

__all__ = ["read_json"]

_TOKEN = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*+"?|[^\s\[\]{},:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(diagnostics: FileDiagnostics) -> Node | None:
    """Parse a JSON text; None for an empty one.

    Raises :class:`~anaphora.errors.ModelError` for a syntax error.
    """
    text = blank_comments(diagnostics.source.text)
    if not text.strip():
        return None
    _check_syntax(text, diagnostics)
    builder = TreeBuilder(diagnostics)
    for token in _TOKEN.finditer(text):
        _handle_token(token, builder, diagnostics)
    return builder.finish()


def _handle_token(token: re.Match[str], builder: TreeBuilder, diagnostics: FileDiagnostics) -> None:
    written = token[0]
    match written[0]:
        case "[":
            builder.open_collection(SequenceNode(token.start()))
        case "{":
            builder.open_collection(MappingNode(token.start()))
        case "]" | "}":
            builder.close_collection()
        case '"':
            text: str = json.loads(written)
            if half := _SURROGATE.search(text):
                code = f"U+{ord(half[0]):04X}"
                diagnostics.add_error(token.start(), f"unpaired surrogate {code}")
                text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
            builder.add_scalar(ScalarNode(token.start(), token.end(), text, '"'))
        case _:
            if written.endswith(("NaN", "Infinity")):
                diagnostics.add_error(token.start(), f"{written} is not a number of JSON")
            builder.add_scalar(ScalarNode(token.start(), token.end(), written, ""))


def _check_syntax(text: str, diagnostics: FileDiagnostics) -> None:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        diagnostics.abort(error.pos, f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}")
    except RecursionError:
        diagnostics.abort(_find_too_deep(text), f"nested deeper than {MAX_DEPTH} levels")


def _find_too_deep(text: str) -> int:
    """The offset of the first bracket that is nested too deeply."""
    depth = 0
    for offset, bracket in _iter_brackets(text):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            return offset
    return 0


def _iter_brackets(text: str) -> Iterator[tuple[int, str]]:
    tokens = _TOKEN.finditer(text)
    return ((token.start(), token[0]) for token in tokens if token[0] in ("[", "]", "{", "}"))
