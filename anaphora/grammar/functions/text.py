"""Functions on texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.functions.registry import function
from anaphora.grammar.operators import printed
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.values import Kind, bounded, describe, kind_of

_PRINTABLE = frozenset({Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN})


@function("text")
def lowercase(text: str) -> str:
    """The text in lower case."""
    return str(bounded(text.lower()))


@function("text")
def uppercase(text: str) -> str:
    """The text in upper case."""
    return str(bounded(text.upper()))


@function("text", "trim", "strip")
def trim(text: str) -> str:
    """The text without the white space around it."""
    return text.strip()


@function("text")
def starts_with(text: str, beginning: str) -> bool:
    """Whether the text begins so."""
    return text.startswith(beginning)


@function("text")
def ends_with(text: str, ending: str) -> bool:
    """Whether the text ends so."""
    return text.endswith(ending)


@function("text")
def contains(text: str, part: str) -> bool:
    """Whether the part occurs in the text."""
    return part in text


@function("text")
def regex(text: str, pattern: Pattern) -> bool:
    """Whether the pattern describes the whole text."""
    return pattern.fits(text)


@function("text")
def split(text: str, separator: Pattern) -> Sequence[str]:
    """The pieces between the places that the pattern describes; empty ones at the end go."""
    pieces = separator.split(text)
    while pieces and not pieces[-1]:
        pieces.pop()
    return tuple(bounded(pieces))


@function("text")
def to_string(value: object) -> str | Sequence[str]:
    """A text, number or boolean as a text; of a list, the list of its elements as texts."""
    if isinstance(value, list | tuple):
        return tuple(_as_text(item) for item in value)
    return _as_text(value)


def _as_text(value: Any) -> str:
    if kind_of(value) not in _PRINTABLE:
        raise EvaluationError(f"'to_string' cannot make a text of {describe(value)}")
    return printed(value)
