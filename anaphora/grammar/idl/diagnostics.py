"""What is found in one text: mistakes and warnings, told in the order of their places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.source_positions import problem_at

__all__ = ["MAX_DIAGNOSTICS", "Diagnostics"]

MAX_DIAGNOSTICS = 100
"""Mistakes (and warnings) of one text that are told; the others are only counted."""


class _Diagnostic(NamedTuple):
    """A finding at an offset of the text, or one in another text that is imported there."""

    at: int
    message: str = ""
    hint: str = ""
    elsewhere: Problem | None = None


class Diagnostics:
    """Gathers what is found in ``text``; messages call it ``source``."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._problems: list[_Diagnostic] = []
        self._warnings: list[_Diagnostic] = []

    def __bool__(self) -> bool:
        return bool(self._problems)

    def add_error(self, at: int, message: str, hint: str = "") -> None:
        """Notes a mistake at the offset ``at``."""
        self._problems.append(_Diagnostic(at, message, hint))

    def add_warning(self, at: int, message: str, hint: str = "") -> None:
        """Notes something at ``at`` that is allowed and yet looks like a mistake."""
        self._warnings.append(_Diagnostic(at, message, hint))

    def add_exception(self, at: int, error: GrammarError) -> None:
        """Notes a mistake that is known without a place, at the offset ``at``."""
        self.add_error(at, error.message, error.hint)

    def add_imported(
        self, at: int, problems: Iterable[Problem], warnings: Iterable[Problem]
    ) -> None:
        """Takes over what was found in a text that is imported at the offset ``at``."""
        self._problems += (_Diagnostic(at, elsewhere=problem) for problem in problems)
        self._warnings += (_Diagnostic(at, elsewhere=warning) for warning in warnings)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings, in the order of the text."""
        return self._to_problems(self._warnings)

    def raise_if_any(self) -> None:
        """Raises :class:`GrammarError` with the mistakes, in the order of the text."""
        if self._problems:
            raise GrammarError(self._to_problems(self._problems))

    def _to_problems(self, findings: list[_Diagnostic]) -> tuple[Problem, ...]:
        """The first of the findings as problems, and how many more there are."""
        listed = sorted(findings, key=lambda one: one.at)
        told = []
        lines: dict[str, str] = {}  # shared: a text may be one line of a million characters
        for one in listed[:MAX_DIAGNOSTICS]:
            problem = one.elsewhere or problem_at(
                self._text, self._source, one.at, one.message, one.hint
            )
            shared = lines.setdefault(problem.excerpt, problem.excerpt)
            told.append(replace(problem, excerpt=shared))
        if len(listed) > MAX_DIAGNOSTICS:
            first = listed[MAX_DIAGNOSTICS]
            more = f"… and {len(listed) - MAX_DIAGNOSTICS:,} more from here"
            told.append(problem_at(self._text, self._source, first.at, more))
        return tuple(told)
