"""What is found in one text: mistakes and warnings, told in the order of their places."""

from __future__ import annotations

from collections.abc import Iterable

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.places import problem_at

__all__ = ["Findings"]


class Findings:
    """Gathers what is found in ``text``; messages call it ``source``."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._problems: list[tuple[int, Problem]] = []
        self._warnings: list[tuple[int, Problem]] = []

    def __bool__(self) -> bool:
        return bool(self._problems)

    def report(self, at: int, message: str, hint: str = "") -> None:
        """Notes a mistake at the offset ``at``."""
        self._problems.append((at, problem_at(self._text, self._source, at, message, hint)))

    def warn(self, at: int, message: str, hint: str = "") -> None:
        """Notes something at ``at`` that is allowed and yet looks like a mistake."""
        self._warnings.append((at, problem_at(self._text, self._source, at, message, hint)))

    def report_of(self, at: int, error: GrammarError) -> None:
        """Notes a mistake that is known without a place, at the offset ``at``."""
        self.report(at, error.message, error.hint)

    def adopt(self, at: int, problems: Iterable[Problem], warnings: Iterable[Problem]) -> None:
        """Takes over what was found in a text that is imported at the offset ``at``."""
        self._problems += ((at, problem) for problem in problems)
        self._warnings += ((at, warning) for warning in warnings)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings, in the order of the text."""
        return _in_order(self._warnings)

    def raise_if_any(self) -> None:
        """Raises :class:`GrammarError` with every mistake, in the order of the text."""
        if self._problems:
            raise GrammarError(_in_order(self._problems))


def _in_order(found: list[tuple[int, Problem]]) -> tuple[Problem, ...]:
    return tuple(problem for _, problem in sorted(found, key=lambda one: one[0]))
