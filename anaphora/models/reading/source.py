"""The text of a model file: its places by offset, and the mistakes found in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from anaphora.errors import ModelError, Problem

__all__ = ["MAX_PROBLEMS", "FileDiagnostics", "SourceText", "replace_unprintable"]

MAX_PROBLEMS = 100
"""Mistakes that one error lists; the others are only counted."""


_MAX_MESSAGE_LENGTH = 500
_UNPRINTABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class SourceText:
    """A text and the name under which messages speak of it."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self._excerpts: dict[int, str] = {}
        self._cached_line_starts: list[int] | None = None

    def line_of(self, offset: int) -> int:
        """The line (from 1) on which ``offset`` stands."""
        return bisect_right(self._line_starts, offset)

    def build_problem(self, offset: int, message: str, hint: str = "") -> Problem:
        """A mistake at ``offset``, with the line that it stands on."""
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
    """``text`` without what would break a line or steer a terminal; as long as before."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True, slots=True)
class _Diagnostic:
    """A mistake at an offset of the file, or one in another text that is imported there."""

    offset: int
    message: str = ""
    hint: str = ""
    elsewhere: Problem | None = None


class FileDiagnostics:
    """The mistakes of one file, gathered until all of them are known, and the warnings."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self._errors: dict[_Diagnostic, None] = {}
        self._warnings: dict[_Diagnostic, None] = {}

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add_error(self, offset: int, message: str, hint: str = "") -> None:
        """Notes a mistake; the same one at the same place counts once."""
        self._errors[_Diagnostic(offset, message, hint)] = None

    def add_imported_error(self, offset: int, problem: Problem) -> None:
        """Notes a mistake in another text, which is imported at ``offset``."""
        self._errors[_Diagnostic(offset, elsewhere=problem)] = None

    def add_warning(self, offset: int, message: str, hint: str = "") -> None:
        """Notes something that is allowed and yet looks like a mistake."""
        self._warnings[_Diagnostic(offset, message, hint)] = None

    def add_imported_warning(self, offset: int, problem: Problem) -> None:
        """Notes a warning about another text, which is imported at ``offset``."""
        self._warnings[_Diagnostic(offset, elsewhere=problem)] = None

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What was warned of, in the order of the file."""
        return tuple(self._to_problems(self._warnings))

    def abort(self, offset: int, message: str, hint: str = "") -> NoReturn:
        """Notes a mistake after which nothing more can be read, and raises all of them."""
        self.add_error(offset, message, hint)
        self.raise_if_any()
        raise AssertionError("a report with a mistake always raises")

    def raise_if_any(self) -> None:
        """Raises :class:`ModelError` with what was found, in the order of the file."""
        if self._errors:
            raise ModelError(self._to_problems(self._errors))

    def _to_problems(self, findings: Iterable[_Diagnostic]) -> list[Problem]:
        found = sorted(findings, key=lambda finding: finding.offset)
        problems = [
            one.elsewhere or self.source.build_problem(one.offset, one.message, one.hint)
            for one in found[:MAX_PROBLEMS]
        ]
        more = len(found) - MAX_PROBLEMS
        return (
            [*problems, Problem(f"… and {more} more", self.source.name)] if more > 0 else problems
        )
