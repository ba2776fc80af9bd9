"""What is found in one text: mistakes and warnings, told in the order of their places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.places import problem_at

__all__ = ["MOST_FINDINGS", "Findings"]

MOST_FINDINGS = 100
"""Mistakes (and warnings) of one text that are told; the others are only counted."""


class _Finding(NamedTuple):
    """A finding at an offset of the text, or one in another text that is imported there."""

    at: int
    message: str = ""
    hint: str = ""
    elsewhere: Problem | None = None


class Findings:
    """Gathers what is found in ``text``; messages call it ``source``."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._problems: list[_Finding] = []
        self._warnings: list[_Finding] = []

    def __bool__(self) -> bool:
        return bool(self._problems)

    def report(self, at: int, message: str, hint: str = "") -> None:
        """Notes a mistake at the offset ``at``."""
        self._problems.append(_Finding(at, message, hint))

    def warn(self, at: int, message: str, hint: str = "") -> None:
        """Notes something at ``at`` that is allowed and yet looks like a mistake."""
        self._warnings.append(_Finding(at, message, hint))

    def report_of(self, at: int, error: GrammarError) -> None:
        """Notes a mistake that is known without a place, at the offset ``at``."""
        self.report(at, error.message, error.hint)

    def adopt(self, at: int, problems: Iterable[Problem], warnings: Iterable[Problem]) -> None:
        """Takes over what was found in a text that is imported at the offset ``at``."""
        self._problems += (_Finding(at, elsewhere=problem) for problem in problems)
        self._warnings += (_Finding(at, elsewhere=warning) for warning in warnings)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings, in the order of the text."""
        return self._told(self._warnings)

    def raise_if_any(self) -> None:
        """Raises :class:`GrammarError` with the mistakes, in the order of the text."""
        if self._problems:
            raise GrammarError(self._told(self._problems))

    def _told(self, findings: list[_Finding]) -> tuple[Problem, ...]:
        """The first of the findings as problems, and how many more there are."""
        listed = sorted(findings, key=lambda one: one.at)
        told = []
        lines: dict[str, str] = {}  # shared: a text may be one line of a million characters
        for one in listed[:MOST_FINDINGS]:
            problem = one.elsewhere or problem_at(
                self._text, self._source, one.at, one.message, one.hint
            )
            shared = lines.setdefault(problem.excerpt, problem.excerpt)
            told.append(replace(problem, excerpt=shared))
        if len(listed) > MOST_FINDINGS:
            first = listed[MOST_FINDINGS]
            more = f"… and {len(listed) - MOST_FINDINGS:,} more from here"
            told.append(problem_at(self._text, self._source, first.at, more))
        return tuple(told)
