"""The text of a model file with line positions, and the diagnostics of the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from anaphora.errors import ModelError, Problem

__all__ = ["MAX_PROBLEMS", "FileDiagnostics", "SourceText", "replace_unprintable"]

MAX_PROBLEMS = 100
"""The number of problems that one error lists; the others are only counted."""


_MAX_MESSAGE_LENGTH = 500
_UNPRINTABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class SourceText:
    """A text and its name in messages."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self._excerpts: dict[int, str] = {}
        self._cached_line_starts: list[int] | None = None

    def line_of(self, offset: int) -> int:
        """The line (from 1) of an offset."""
        return bisect_right(self._line_starts, offset)

    def build_problem(self, offset: int, message: str, hint: str = "") -> Problem:
        """A problem at an offset, with line, column and excerpt."""
        line = self.line_of(offset)
        return Problem(
            message=replace_unprintable(message[:_MAX_MESSAGE_LENGTH]),
            source=self.name,
            line=line,
            column=offset - self._line_starts[line - 1] + 1,
            excerpt=self._line_text(line),
            hint=replace_unprintable(hint[:_MAX_MESSAGE_LENGTH]),
        )

    def _line_text(self, line: int) -> str:
        if line not in self._excerpts:  # shared: a file may be one line of 30 MB
            start = self._line_starts[line - 1]
            end = self.text.find("\n", start)
            self._excerpts[line] = replace_unprintable(self.text[start : end if end >= 0 else None])
        return self._excerpts[line]

    @property
    def _line_starts(self) -> list[int]:
        if self._cached_line_starts is None:
            starts = [0]
            while found := self.text.find("\n", starts[-1]) + 1:
                starts.append(found)
            self._cached_line_starts = starts
        return self._cached_line_starts


def replace_unprintable(text: str) -> str:
    """Replace line breaks and control characters one by one, so that the length is the same."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True, slots=True)
class _Diagnostic:
    """A message at an offset of the file, or a problem of a text that is imported there."""

    offset: int
    message: str = ""
    hint: str = ""
    elsewhere: Problem | None = None


class FileDiagnostics:
    """The errors and warnings of one file; true if there are errors."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self._errors: dict[_Diagnostic, None] = {}
        self._warnings: dict[_Diagnostic, None] = {}

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add_error(self, offset: int, message: str, hint: str = "") -> None:
        """Add an error; duplicates at the same offset count once."""
        self._errors[_Diagnostic(offset, message, hint)] = None

    def add_imported_error(self, offset: int, problem: Problem) -> None:
        """Add an error in a text that is imported at ``offset``."""
        self._errors[_Diagnostic(offset, elsewhere=problem)] = None

    def add_warning(self, offset: int, message: str, hint: str = "") -> None:
        """Add a warning."""
        self._warnings[_Diagnostic(offset, message, hint)] = None

    def add_imported_warning(self, offset: int, problem: Problem) -> None:
        """Add a warning about a text that is imported at ``offset``."""
        self._warnings[_Diagnostic(offset, elsewhere=problem)] = None

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings, in file order."""
        return tuple(self._to_problems(self._warnings))

    def abort(self, offset: int, message: str, hint: str = "") -> NoReturn:
        """Add a fatal error and raise :class:`ModelError` with all errors."""
        self.add_error(offset, message, hint)
        self.raise_if_any()
        raise AssertionError("diagnostics with an error always raise")

    def raise_if_any(self) -> None:
        """Raise :class:`ModelError` with the errors in file order, if there are any."""
        if self._errors:
            raise ModelError(self._to_problems(self._errors))

    def _to_problems(self, diagnostics: Iterable[_Diagnostic]) -> list[Problem]:
        found = sorted(diagnostics, key=lambda one: one.offset)
        problems = [
            one.elsewhere or self.source.build_problem(one.offset, one.message, one.hint)
            for one in found[:MAX_PROBLEMS]
        ]
        more = len(found) - MAX_PROBLEMS
        return (
            [*problems, Problem(f"… and {more} more", self.source.name)] if more > 0 else problems
        )
