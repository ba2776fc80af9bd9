"""Every error that Anaphora raises, and how an error shows the place it speaks of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "AnaphoraError",
    "Conflict",
    "EvaluationError",
    "GrammarError",
    "HandlerError",
    "ModelError",
    "PermanentStoreError",
    "Problem",
    "StoreError",
    "SummaryError",
    "UnknownModel",
]

_MAX_EXCERPT_WIDTH = 160


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a source text, and where it stands.

    ``line`` and ``column`` count from 1; 0 means that the place is not known. ``excerpt`` is
    the line of the source as it was written.
    """

    message: str
    source: str = ""
    line: int = 0
    column: int = 0
    excerpt: str = ""
    hint: str = ""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part)
        lines = [f"{place}: {self.message}" if place else self.message]
        if self.excerpt and self.line:
            lines += [f"  {line}" for line in _format_excerpt(self.excerpt, self.column)]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class AnaphoraError(Exception):
    """The root of all errors of this package."""


class _LocatedError(AnaphoraError):
    """An error that points into a source text. The first problem gives its place."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        listed = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems: tuple[Problem, ...] = listed
        super().__init__("\n".join(str(problem) for problem in listed))

    @property
    def message(self) -> str:
        return self.problems[0].message

    @property
    def source(self) -> str:
        return self.problems[0].source

    @property
    def line(self) -> int:
        return self.problems[0].line

    @property
    def column(self) -> int:
        return self.problems[0].column

    @property
    def caret(self) -> str:
        """The line of the source and, below it, a caret under the spot ('' if unknown)."""
        first = self.problems[0]
        return "\n".join(_format_excerpt(first.excerpt, first.column)) if first.excerpt else ""

    @property
    def hint(self) -> str:
        return self.problems[0].hint


class GrammarError(_LocatedError):
    """A text in the intent or the synonym language that cannot be read."""


class ModelError(_LocatedError):
    """A model file with mistakes; ``problems`` lists all of them in the order of the file."""


class UnknownModel(AnaphoraError):  # noqa: N818 - the name that users catch reads as a state
    """A question to a model that the engine does not have."""


class EvaluationError(AnaphoraError):
    """A predicate that could not be evaluated for an entity (``1 / 0``, a text where a number
    is needed)."""


class StoreError(AnaphoraError):
    """A store that could not read or keep a conversation."""


class PermanentStoreError(StoreError):
    """Something is such that the store can never keep it: trying again is of no use."""


class Conflict(AnaphoraError):  # noqa: N818 - the name that users catch reads as a state
    """A question that cannot be answered now because its conversation is being changed."""


class SummaryError(AnaphoraError):
    """A summarizer that could not summarize (its model or its service is not there)."""


class HandlerError(AnaphoraError):
    """A handler that raised, or that cannot be called with the slots of its intent."""


def _format_excerpt(excerpt: str, column: int) -> list[str]:
    """``excerpt`` cut to a readable width around ``column`` (from 1), and the caret under it."""
    text = excerpt.replace("\t", " ")
    at = max(column, 1) - 1
    if len(text) > _MAX_EXCERPT_WIDTH:
        start = max(0, min(at - _MAX_EXCERPT_WIDTH // 2, len(text) - _MAX_EXCERPT_WIDTH))
        text, at = text[start : start + _MAX_EXCERPT_WIDTH], at - start
    return [text, " " * at + "^"]
