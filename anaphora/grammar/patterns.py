"""Regular expressions of model authors, matched in linear time by RE2.

A pattern in a model must not be able to hang the engine, which rules out the backtracking engine
of the standard library. RE2 has neither look-around nor back-references.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from anaphora.errors import EvaluationError, GrammarError, Problem
from anaphora.grammar.values import MAX_LIST_LENGTH, check_length, describe_value, join_bounded
from anaphora.storage.forks import forks_delayed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Pattern"]

_MEMORY_LIMIT = 1 << 20  # bytes for the automaton of one pattern; RE2 refuses what needs more
# One search is linear in the text, but each of many matches may cost as much: a*b|a in aaaa….
_MAX_WORK = 240_000_000  # matches times characters after them, 0.2 to 0.6 seconds

# Assertions about the next character; an escaped one only costs time.
_FOLLOWING_ASSERTIONS = ("$", r"\b", r"\B", r"\z")

_GROUP_REFERENCE = re.compile(r"\\(.)|\$([0-9])|\$\{([A-Za-z][A-Za-z0-9]*)\}|([\\$])", re.DOTALL)
_DIGITS = frozenset("0123456789")


class _GroupReference(NamedTuple):
    """A reference to a group of the pattern in a replacement."""

    name: int | str


class Pattern:
    """A compiled regular expression; patterns are equal if their texts are.

    Raises :class:`GrammarError` if RE2 rejects the text.
    """

    __slots__ = ("_compiled", "_greedy", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._compiled = _compile(text)
        self._greedy: Any = None

    def fullmatch(self, word: str) -> bool:
        """Whether the pattern matches all of ``word``."""
        return self._compiled.fullmatch(word) is not None

    def find_matching_prefixes(self, text: str, ends: Sequence[int], limit: int) -> list[int]:
        """Indexes of the ``ends`` whose prefix of ``text`` matches completely: at most ``limit``,
        longest first, then the shortest prefix."""
        longest = len(text)
        if not any(sign in self.text for sign in _FOLLOWING_ASSERTIONS):
            if self._greedy is None:  # most patterns never need it
                self._greedy = _compile(self.text, longest=True)
            match = self._greedy.match(text)
            if match is None:
                return []
            longest = match.end()
        found: list[int] = []
        for index in range(len(ends) - 1, 0, -1):
            if len(found) == limit:
                break
            if ends[index] <= longest and self.fullmatch(text[: ends[index]]):
                found.append(index)
        if ends[0] <= longest and self.fullmatch(text[: ends[0]]):
            found.append(0)
        return found

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in ``text``."""
        return self._compiled.search(text) is not None

    def split(self, text: str) -> list[str]:
        """The pieces of ``text`` between the matches, as in Java: without empty ones at the end,
        or before an empty match at the start.

        Raises EvaluationError for too many pieces.
        """
        pieces: list[str] = []
        at = 0
        for match in self._iter_matches(text):
            start, end = match.span()
            if end > 0:
                pieces.append(text[at:start])
                at = end
            if len(pieces) > MAX_LIST_LENGTH:
                check_length(pieces)
        if not pieces:
            return [text]
        pieces.append(text[at:])
        while pieces and not pieces[-1]:
            pieces.pop()
        return list(check_length(pieces))

    def replace(self, text: str, replacement: str) -> str:
        """``text`` with every match replaced.

        As in Java, ``$1`` and ``${name}`` in the replacement refer to groups of the pattern
        (empty if the group did not match), and a backslash escapes the next character. Raises
        EvaluationError for an invalid replacement and for a result that is too long.
        """
        return join_bounded(self._iter_replaced(text, self._parse_replacement(replacement)))

    def _iter_replaced(self, text: str, template: Sequence[str | _GroupReference]) -> Iterator[str]:
        at = 0
        for match in self._iter_matches(text, 1 + len(template)):
            start, end = match.span()
            yield text[at:start]
            for part in template:
                yield part if isinstance(part, str) else match[part.name] or ""
            at = end
        yield text[at:]

    def _iter_matches(self, text: str, each: int = 1) -> Iterator[Any]:
        """All matches; raises EvaluationError if they would take too long. ``each`` is the number
        of steps that the caller needs for a match."""
        left = _MAX_WORK
        for match in self._compiled.finditer(text):
            left -= len(text) - match.end() + 100 * each
            if left < 0:
                raise EvaluationError(
                    f"the pattern '{self.text}' is found too often in a text of {len(text)}"
                )
            yield match

    def _parse_replacement(self, replacement: str) -> list[str | _GroupReference]:
        """The pieces of a replacement: texts and group references."""
        template: list[str | _GroupReference] = []
        at = 0
        while match := _GROUP_REFERENCE.search(replacement, at):
            template.append(replacement[at : match.start()])
            at = match.end()
            literal, digit, name, stray = match.groups()
            if literal is not None:
                template.append(literal)
                continue
            if stray is not None:
                raise EvaluationError(
                    f"'{stray}' in the replacement {describe_value(replacement)} has no "
                    f"meaning: write '\\{stray}', or $1 for the first group of the pattern"
                )
            if digit is not None:
                number, at = self._parse_group_number(replacement, at - 1)
                group, known = _GroupReference(number), number <= self._compiled.groups
            else:
                group, known = _GroupReference(name), name in self._compiled.groupindex
            if not known:
                raise EvaluationError(f"the pattern '{self.text}' has no group {group.name}")
            template.append(group)
        template.append(replacement[at:])
        return template

    def _parse_group_number(self, replacement: str, at: int) -> tuple[int, int]:
        """The longest number at ``at`` that is a group of the pattern, and its end offset."""
        group, end = int(replacement[at]), at + 1
        while replacement[end : end + 1] in _DIGITS:
            longer = group * 10 + int(replacement[end])
            if longer > self._compiled.groups:
                break
            group, end = longer, end + 1
        return group, end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __reduce__(self) -> tuple[Callable[[str], Pattern], tuple[str]]:
        return Pattern, (self.text,)


def _compile(text: str, *, longest: bool = False) -> Any:
    """Compile a pattern; with ``longest``, alternatives match leftmost-longest rather than
    leftmost-first."""
    with forks_delayed():
        import re2  # lazily: most models have no pattern, and the import costs 10 ms

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY_LIMIT
    options.longest_match = longest
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0]
        detail = reason.decode() if isinstance(reason, bytes) else str(reason)
        raise GrammarError(
            Problem(
                f"'{text}' is not a regular expression: {detail}",
                hint="the syntax is RE2's: without look-ahead, look-behind and \\1",
            )
        ) from None
