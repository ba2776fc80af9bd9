"""The text of a model file with line positions, and the diagnostics of the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NoReturn

from anaphora.errors import ModelError, Problem
from anaphora.grammar.diagnostics import Diagnostics

__all__ = ["FileDiagnostics", "SourceText", "replace_unprintable"]

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


class FileDiagnostics(Diagnostics):
    """The errors and warnings of one file; true if there are errors."""

    error_class = ModelError

    def __init__(self, source: SourceText) -> None:
        super().__init__(source.text, source.name)
        self.source = source

    def abort(self, offset: int, message: str, hint: str = "") -> NoReturn:
        """Add a fatal error and raise :class:`ModelError` with all errors."""
        self.add_error(offset, message, hint)
        raise ModelError(self._to_problems("error"))

    def _build_problem(self, at: int, message: str, hint: str = "") -> Problem:
        return self.source.build_problem(at, message, hint)

    def _describe_rest(self, count: int, at: int) -> Problem:
        return Problem(f"… and {count} more", self.source.name)
