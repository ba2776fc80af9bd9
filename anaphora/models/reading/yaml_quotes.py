"""Detect slips with quotes in YAML: one that is never closed, and typographic ones."""

from __future__ import annotations

import re
from typing import Any

import yaml

from anaphora.models.reading.source import FileDiagnostics

__all__ = ["find_unclosed_quote", "warn_about_typographic_quotes"]

_KEY = re.compile(r"^[ ]*(?:- )*[\w.$-]+:(?:\s|$)", re.MULTILINE)
_OPENING = tuple("“”„‘‚")
# A whole text in quotes, or one that a comma has cut from its end; not: “Hamlet” is on.
_TYPOGRAPHIC = re.compile(r"[“”„][^“”„]*[“”]?|[‘‚][^‘’‚]*[’‘]")


def find_unclosed_quote(text: str, error: yaml.MarkedYAMLError, loader: Any) -> int | None:
    """The offset of a quote that a later one closes, so that the lines in between are part of the
    text; None if it did not cause the syntax error."""
    mark, start = error.problem_mark, None
    if mark is None:
        return None
    if error.context_mark is not None and "quoted scalar" in (error.context or ""):
        start = error.context_mark.index
    else:
        try:
            for token in yaml.scan(text, Loader=loader):
                is_quoted = isinstance(token, yaml.ScalarToken) and token.style in ("'", '"')
                if is_quoted and token.end_mark.line == mark.line:
                    start = token.start_mark.index
        except yaml.YAMLError:
            pass
    return start if start is not None and _KEY.search(text, start, mark.index) else None


def warn_about_typographic_quotes(event: Any, diagnostics: FileDiagnostics) -> None:
    """Warn about a text in “such quotes”, which are part of the text."""
    if event.value.startswith(_OPENING) and _TYPOGRAPHIC.fullmatch(event.value) and not event.style:
        message = f"the typographic quotes are part of the text {event.value[:40]}"
        hint = "put the text into straight quotes"
        diagnostics.add_warning(event.start_mark.index, message, hint)
