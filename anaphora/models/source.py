"""The text of a model file: its places by offset, and the mistakes found in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from anaphora.errors import ModelError, Problem

__all__ = ["MOST_PROBLEMS", "Report", "Source", "printable"]

MOST_PROBLEMS = 100
"""Mistakes that one error lists; the others are only counted."""


_LONGEST_MESSAGE = 500
_UNPRINTABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Source:
    """A text and the name under which messages speak of it."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self._excerpts: dict[int, str] = {}
        self._known_starts: list[int] | None = None

    def line(self, offset: int) -> int:
        """The line (from 1) on which ``offset`` stands."""
        return bisect_right(self._starts, offset)

    def problem(self, offset: int, message: str, hint: str = "") -> Problem:
        """A mistake at ``offset``, with the line that it stands on."""
        line = self.line(offset)
        return Problem(
            message=printable(message[:_LONGEST_MESSAGE]),
            source=self.name,
            line=line,
            column=offset - self._starts[line - 1] + 1,
            excerpt=self._excerpt(line),
            hint=printable(hint[:_LONGEST_MESSAGE]),
        )

    def _excerpt(self, line: int) -> str:
        if line not in self._excerpts:  # shared: a file may be one line of 30 MB
            start = self._starts[line - 1]
            end = self.text.find("\n", start)
            self._excerpts[line] = printable(self.text[start : end if end >= 0 else None])
        return self._excerpts[line]

    @property
    def _starts(self) -> list[int]:
        if self._known_starts is None:
            starts = [0]
            while found := self.text.find("\n", starts[-1]) + 1:
                starts.append(found)
            self._known_starts = starts
        return self._known_starts


def printable(text: str) -> str:
    """``text`` without what would break a line or steer a terminal; as long as before."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True, slots=True)
class _Finding:
    """A mistake at an offset of the file, or one in another text that is imported there."""

    offset: int
    message: str = ""
    hint: str = ""
    elsewhere: Problem | None = None


class Report:
    """The mistakes of one file, gathered until all of them are known, and the warnings."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._mistakes: dict[_Finding, None] = {}
        self._warnings: dict[_Finding, None] = {}

    def __bool__(self) -> bool:
        return bool(self._mistakes)

    def add(self, offset: int, message: str, hint: str = "") -> None:
        """Notes a mistake; the same one at the same place counts once."""
        self._mistakes[_Finding(offset, message, hint)] = None

    def adopt(self, offset: int, problem: Problem) -> None:
        """Notes a mistake in another text, which is imported at ``offset``."""
        self._mistakes[_Finding(offset, elsewhere=problem)] = None

    def warn(self, offset: int, message: str, hint: str = "") -> None:
        """Notes something that is allowed and yet looks like a mistake."""
        self._warnings[_Finding(offset, message, hint)] = None

    def adopt_warning(self, offset: int, problem: Problem) -> None:
        """Notes a warning about another text, which is imported at ``offset``."""
        self._warnings[_Finding(offset, elsewhere=problem)] = None

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What was warned of, in the order of the file."""
        return tuple(self._listed(self._warnings))

    def stop(self, offset: int, message: str, hint: str = "") -> NoReturn:
        """Notes a mistake after which nothing more can be read, and raises all of them."""
        self.add(offset, message, hint)
        self.raise_if_any()
        raise AssertionError("a report with a mistake always raises")

    def raise_if_any(self) -> None:
        """Raises :class:`ModelError` with what was found, in the order of the file."""
        if self._mistakes:
            raise ModelError(self._listed(self._mistakes))

    def _listed(self, findings: Iterable[_Finding]) -> list[Problem]:
        found = sorted(findings, key=lambda finding: finding.offset)
        problems = [
            one.elsewhere or self.source.problem(one.offset, one.message, one.hint)
            for one in found[:MOST_PROBLEMS]
        ]
        more = len(found) - MOST_PROBLEMS
        return (
            [*problems, Problem(f"… and {more} more", self.source.name)] if more > 0 else problems
        )
