"""Collect errors and warnings of one text and report them in source order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.source_positions import problem_at

__all__ = ["MAX_DIAGNOSTICS", "Diagnostics"]

MAX_DIAGNOSTICS = 100
"""The number of errors (and of warnings) of a text that are listed; the others are counted."""


class _Diagnostic(NamedTuple):
    """A message at an offset of the text, or a problem of a text that is imported there."""

    at: int
    message: str = ""
    hint: str = ""
    elsewhere: Problem | None = None


class Diagnostics:
    """Errors and warnings of ``text``, which messages call ``source``; true if there are errors."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._problems: list[_Diagnostic] = []
        self._warnings: list[_Diagnostic] = []

    def __bool__(self) -> bool:
        return bool(self._problems)

    def add_error(self, at: int, message: str, hint: str = "") -> None:
        """Add an error at the offset ``at``."""
        self._problems.append(_Diagnostic(at, message, hint))

    def add_warning(self, at: int, message: str, hint: str = "") -> None:
        """Add a warning at the offset ``at``."""
        self._warnings.append(_Diagnostic(at, message, hint))

    def add_exception(self, at: int, error: GrammarError) -> None:
        """Add an exception without a position of its own as an error at the offset ``at``."""
        self.add_error(at, error.message, error.hint)

    def add_imported(
        self, at: int, problems: Iterable[Problem], warnings: Iterable[Problem]
    ) -> None:
        """Add the diagnostics of a text that is imported at the offset ``at``."""
        self._problems += (_Diagnostic(at, elsewhere=problem) for problem in problems)
        self._warnings += (_Diagnostic(at, elsewhere=warning) for warning in warnings)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings, in source order."""
        return self._to_problems(self._warnings)

    def raise_if_any(self) -> None:
        """Raise :class:`GrammarError` with the errors in source order, if there are any."""
        if self._problems:
            raise GrammarError(self._to_problems(self._problems))

    def _to_problems(self, diagnostics: list[_Diagnostic]) -> tuple[Problem, ...]:
        """The first diagnostics as problems, and the number of the others."""
        listed = sorted(diagnostics, key=lambda one: one.at)
        problems = []
        lines: dict[str, str] = {}  # shared: a text may be one line of a million characters
        for one in listed[:MAX_DIAGNOSTICS]:
            problem = one.elsewhere or problem_at(
                self._text, self._source, one.at, one.message, one.hint
            )
            shared = lines.setdefault(problem.excerpt, problem.excerpt)
            problems.append(replace(problem, excerpt=shared))
        if len(listed) > MAX_DIAGNOSTICS:
            first = listed[MAX_DIAGNOSTICS]
            more = f"… and {len(listed) - MAX_DIAGNOSTICS:,} more from here"
            problems.append(problem_at(self._text, self._source, first.at, more))
        return tuple(problems)
