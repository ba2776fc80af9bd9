"""Parse JSON to a tree. The standard library checks the syntax; a pattern finds the offsets.

``//`` and ``/* */`` comments are allowed.
"""

from __future__ import annotations

import json
import re

from anaphora.models.reading.nodes import (
    MAX_DEPTH,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    TreeBuilder,
)
from anaphora.models.reading.source import FileDiagnostics

__all__ = ["blank_comments", "read_json"]

_TOKEN = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*+"?|[^\s\[\]{},:"]+')
_SURROGATE = re.compile("[\ud800-\udfff]")
# Unclosed strings and comments match to the end of the text, for linear time.
_STRING_OR_COMMENT = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|//[^\n]*|/\*.*?\*/|(?P<unclosed>/\*.*)', re.DOTALL
)
_VISIBLE = re.compile(r"[^\n]")


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
    for token in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:
            return token.start()
    return 0


def blank_comments(text: str) -> str:
    """Replace ``//`` and ``/* */`` comments outside of strings with blanks.

    An unclosed comment is kept, so that the JSON parser reports it.
    """
    return _STRING_OR_COMMENT.sub(_replace_comment, text)


def _replace_comment(found: re.Match[str]) -> str:
    is_kept = found["unclosed"] or found[0].startswith('"')
    return found[0] if is_kept else _VISIBLE.sub(" ", found[0])
