"""Errors and warnings with positions in a source text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from anaphora.errors import GrammarError, ModelError, Problem

__all__ = ["MAX_DIAGNOSTICS", "Diagnostics", "Level", "offset_at", "problem_at"]

MAX_DIAGNOSTICS = 100
"""The number of errors (and of warnings) of a text that are listed; the others are counted."""

Level: TypeAlias = Literal["error", "warning"]


def problem_at(text: str, source: str, offset: int, message: str, hint: str = "") -> Problem:
    """A problem at an offset of ``text``; without a position if the offset is out of range."""
    if not 0 <= offset <= len(text) or not text:
        return Problem(message, source=source, hint=hint)
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return Problem(
        message,
        source=source,
        line=text.count("\n", 0, offset) + 1,
        column=offset - start + 1,
        excerpt=text[start : len(text) if end < 0 else end].rstrip("\r"),
        hint=hint,
    )


def offset_at(text: str, line: int, column: int = 1) -> int:
    """The offset of a line and a column (from 1; 0 means the first)."""
    lines = text.split("\n")[: max(line - 1, 0)]
    return sum(len(one) + 1 for one in lines) + max(column - 1, 0)


class _Diagnostic(NamedTuple):
    """A message at an offset of the text, or a problem of a text that is imported there."""

    at: int
    message: str = ""
    hint: str = ""
    imported: Problem | None = None


class Diagnostics:
    """Collects the errors and warnings of ``text``, which messages call ``source``; true if there
    are errors. Duplicates at the same offset count once."""

    error_class: ClassVar[type[GrammarError | ModelError]] = GrammarError

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._name = source
        # Shared by all problems: a text may be one line of a million characters.
        self._excerpts: dict[str, str] = {}
        # In dicts, for their order.
        self._found: dict[Level, dict[_Diagnostic, None]] = {"error": {}, "warning": {}}

    def __bool__(self) -> bool:
        return bool(self._found["error"])

    def add(self, level: Level, at: int, message: str, hint: str = "") -> None:
        """Add an error or a warning at the offset ``at``."""
        self._found[level][_Diagnostic(at, message, hint)] = None

    def add_error(self, at: int, message: str, hint: str = "") -> None:
        """Add an error at the offset ``at``."""
        self.add("error", at, message, hint)

    def add_warning(self, at: int, message: str, hint: str = "") -> None:
        """Add a warning at the offset ``at``."""
        self.add("warning", at, message, hint)

    def add_imported(self, level: Level, at: int, problems: Iterable[Problem]) -> None:
        """Add the errors or the warnings of a text that is imported at the offset ``at``."""
        self._found[level].update((_Diagnostic(at, imported=one), None) for one in problems)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings, in source order."""
        return self._to_problems("warning")

    def raise_if_any(self) -> None:
        """Raise :attr:`error_class` with the errors in source order, if there are any."""
        if self:
            raise self.error_class(self._to_problems("error"))

    def _to_problems(self, level: Level) -> tuple[Problem, ...]:
        """The first diagnostics as problems, and the number of the others."""
        found = sorted(self._found[level], key=lambda one: one.at)
        problems = [
            one.imported or self._build_problem(one.at, one.message, one.hint)
            for one in found[:MAX_DIAGNOSTICS]
        ]
        if len(found) > MAX_DIAGNOSTICS:
            rest = len(found) - MAX_DIAGNOSTICS
            problems.append(self._describe_rest(rest, found[MAX_DIAGNOSTICS].at))
        return tuple(problems)

    def _build_problem(self, at: int, message: str, hint: str = "") -> Problem:
        problem = problem_at(self._text, self._name, at, message, hint)
        shared = self._excerpts.setdefault(problem.excerpt, problem.excerpt)
        return replace(problem, excerpt=shared)

    def _describe_rest(self, count: int, at: int) -> Problem:
        return self._build_problem(at, f"… and {count:,} more from here")
