"""Parse YAML to a tree, from the events of the parser: no tag can construct an object, and deep
nesting causes no recursion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode, TreeBuilder
from anaphora.models.reading.source import FileDiagnostics
from anaphora.models.reading.yaml_comments import (
    comment_hint,
    find_truncating_comment,
    warn_about_truncated_texts,
)
from anaphora.models.reading.yaml_quotes import find_unclosed_quote, warn_about_typographic_quotes

__all__ = ["read_yaml"]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Listed explicitly: compiling the complementary class takes 3 ms.
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")

_HINT_BY_MESSAGE = {
    "mapping values are not allowed": "look at the indentation; a text with ': ' in it needs "
    "quotes",
    "unexpected end of stream": "a quote that is opened here is never closed",
    "cannot start any token": "indent with blanks, not tabs; a text that begins with one of "
    "@ ` % needs quotes",
    "tab character that violates indentation": "indent with blanks, not tabs",
    "did not find expected key": "look at the indentation and the quotes of the lines above",
    "did not find expected ',' or ']'": "a list that '[' begins ends with ']'",
    "did not find expected ',' or '}'": "a mapping that '{' begins ends with '}'; a text with "
    "braces needs quotes",
    "could not find expected ':'": "a key is followed by a colon and a blank",
    "did not find expected '-' indicator": "look at the indentation, here and above",
}
_BARE_BRACE = re.compile(r"[-,:\[]\s+\{[^}:]*\|")  # a synonym such as {a|b} without its quotes


def read_yaml(diagnostics: FileDiagnostics) -> Node | None:
    """Parse a YAML text; None for an empty one.

    Raises :class:`~anaphora.errors.ModelError` for a syntax error.
    """
    if found := _FORBIDDEN.search(diagnostics.source.text):
        code = f"U+{ord(found[0]):04X}"
        diagnostics.abort(found.start(), f"the character {code} is not allowed in a model file")
    builder = TreeBuilder(diagnostics)
    try:
        for event in _events(diagnostics.source.text):
            _handle_event(event, builder, diagnostics)
    except yaml.MarkedYAMLError as error:
        _abort_at_syntax_error(error, diagnostics)
    root = builder.finish()
    warn_about_truncated_texts(root, diagnostics)
    return root


def _events(text: str) -> Iterator[Any]:
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _handle_event(event: Any, builder: TreeBuilder, diagnostics: FileDiagnostics) -> None:
    match event:
        case yaml.ScalarEvent():
            _refuse_tag(event, diagnostics)
            warn_about_typographic_quotes(event, diagnostics)
            start, end = _offsets_of(event)
            builder.add_scalar(ScalarNode(start, end, event.value, event.style or ""), event.anchor)
        case yaml.SequenceStartEvent():
            _refuse_tag(event, diagnostics)
            builder.open_collection(SequenceNode(_offsets_of(event)[0]), event.anchor)
        case yaml.MappingStartEvent():
            _refuse_tag(event, diagnostics)
            builder.open_collection(MappingNode(_offsets_of(event)[0]), event.anchor)
        case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
            builder.close_collection()
        case yaml.AliasEvent():
            builder.add_alias(event.anchor or "", _offsets_of(event)[0])
        case yaml.DocumentStartEvent() if builder.root is not None:
            diagnostics.abort(_offsets_of(event)[0], "a model file holds one document, not several")


def _offsets_of(event: Any) -> tuple[int, int]:
    """The start and end offsets of an event (untyped: PyYAML's stubs make marks optional)."""
    return event.start_mark.index, event.end_mark.index


def _refuse_tag(event: Any, diagnostics: FileDiagnostics) -> None:
    if event.tag is None:
        return
    tag = event.tag.replace("tag:yaml.org,2002:", "!!")
    diagnostics.add_error(
        event.start_mark.index,
        f"tags such as '{tag}' are not allowed in a model file",
        "a text that begins with '!' needs quotes",
    )


def _abort_at_syntax_error(error: yaml.MarkedYAMLError, diagnostics: FileDiagnostics) -> None:
    problem = error.problem or "it cannot be read"
    _abort_at_comment(error, diagnostics)
    is_unclosed = "unexpected end of stream" in problem
    quote = None if is_unclosed else find_unclosed_quote(diagnostics.source.text, error, _LOADER)
    if quote is not None and error.problem_mark is not None:
        message = f"the quote opened here is closed on line {error.problem_mark.line + 1} only"
        diagnostics.abort(quote, f"not valid YAML: {message}", "a quote is missing after the text")
    mark = (error.context_mark if is_unclosed else None) or error.problem_mark
    offset = min(mark.index, len(diagnostics.source.text)) if mark else 0
    context = f" ({error.context})" if error.context else ""
    marks = (mark, error.problem_mark, error.context_mark)
    offsets = [one.index for one in marks if one is not None]
    is_block = "flow" not in (error.context or "") and not is_unclosed
    hint = comment_hint(diagnostics.source.text, *offsets) if is_block else ""
    hint = hint or _find_hint(problem, diagnostics, offset)
    diagnostics.abort(offset, f"not valid YAML: {problem}{context}", hint)


def _abort_at_comment(error: yaml.MarkedYAMLError, diagnostics: FileDiagnostics) -> None:
    """Report a comment that hides the end of a list, if it caused the syntax error."""
    mark, context = error.problem_mark, error.context_mark
    is_flow = context is not None and "flow" in (error.context or "")
    start = context.index if is_flow and context is not None else None
    cut = find_truncating_comment(diagnostics.source.text, start, mark.index) if mark else None
    if cut is not None:
        at, bracket = cut
        message = f"not valid YAML: ' #' begins a comment here, so that '{bracket}' is never closed"
        diagnostics.abort(at, message, "put the text into quotes")


def _find_hint(problem: str, diagnostics: FileDiagnostics, offset: int) -> str:
    text = diagnostics.source.text
    line = text[text.rfind("\n", 0, offset) + 1 :].partition("\n")[0]
    if _BARE_BRACE.search(line):
        return "a text that begins with { needs quotes"
    return next((hint for words, hint in _HINT_BY_MESSAGE.items() if words in problem), "")
