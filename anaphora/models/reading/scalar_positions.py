"""Map characters of a scalar's value to offsets in the file.

Quotes double or escape characters, folding removes line breaks, blocks remove indentation:
the source and the value are scanned side by side. Both scans skip blanks, the only characters
that may be added or lost.
"""

from __future__ import annotations

from anaphora.grammar.diagnostics import offset_at
from anaphora.models.reading.nodes import ScalarNode

__all__ = ["offset_of_character", "offset_of_position"]

_ESCAPE_LENGTHS = {"x": 4, "u": 6, "U": 10}
_BLANK_ESCAPES = frozenset("tnr \tNLP_\n")
_SURROGATE_PAIR = 12


def offset_of_position(node: ScalarNode, source: str, line: int, column: int) -> int:
    """The offset in ``source`` of a line and a column (from 1) of the text of ``node``."""
    if not 1 <= line <= node.text.count("\n") + 1:
        return node.start
    return offset_of_character(node, source, offset_at(node.text, line, column))


def offset_of_character(node: ScalarNode, source: str, index: int) -> int:
    """The offset in ``source`` of the character ``index`` of the text of ``node``.

    Falls back to the start of the node if source and text do not correspond.
    """
    at = _content_start(node, source)
    last = at  # the offset after the last character found
    counted = -1  # its index in the text
    for place, character in enumerate(node.text[: index + 1]):
        if character.isspace():
            continue
        at = _skip_blanks(node, source, at)
        if at >= node.end:
            return node.start
        if place == index:
            return at
        length = _source_length(node, source, at)
        if length == 1 and source[at] != character:
            return node.start
        at = last = at + length
        counted = place
    return min(last + max(index - counted - 1, 0), max(node.end - 1, node.start))


def _content_start(node: ScalarNode, source: str) -> int:
    """The offset after the opening quote or the header line of a block."""
    if node.style in ("'", '"'):
        return node.start + 1
    if node.style in ("|", ">"):
        return source.find("\n", node.start) + 1
    return node.start


def _skip_blanks(node: ScalarNode, source: str, at: int) -> int:
    while at < node.end:
        if source[at].isspace():
            at += 1
        elif node.style == '"' and source[at] == "\\" and source[at + 1] in _BLANK_ESCAPES:
            at += 2
        else:
            break
    return at


def _source_length(node: ScalarNode, source: str, at: int) -> int:
    """The length of the source of the character at ``at``."""
    if node.style == "'" and source.startswith("''", at):
        return 2
    if node.style != '"' or source[at] != "\\":
        return 1
    length = _ESCAPE_LENGTHS.get(source[at + 1], 2)
    is_high = length == 6 and source[at + 2 : at + 4].lower() in ("d8", "d9", "da", "db")
    return _SURROGATE_PAIR if is_high else length
