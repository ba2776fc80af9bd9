"""Regular expressions of model authors, matched in linear time by RE2.

A pattern in a model must not be able to hang the engine, so the backtracking engine of the
standard library is not used here. RE2 has neither look-around nor back-references.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from anaphora.errors import GrammarError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Pattern"]

_MEMORY_LIMIT = 1 << 20  # bytes for the automaton of one pattern; RE2 refuses what needs more


class Pattern:
    """A compiled regular expression; two are equal when their texts are.

    Raises :class:`GrammarError` when the text is no pattern that RE2 takes.
    """

    __slots__ = ("__dict__", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        _ = self._compiled

    def fits(self, word: str) -> bool:
        """Whether the pattern describes the whole of ``word``."""
        return self._compiled.fullmatch(word) is not None

    def occurs_in(self, text: str) -> bool:
        """Whether the pattern is found anywhere in ``text``."""
        return self._compiled.search(text) is not None

    def split(self, text: str) -> list[str]:
        """The pieces of ``text`` between the places that the pattern describes."""
        return [piece or "" for piece in self._compiled.split(text)]

    @cached_property
    def _compiled(self) -> Any:
        import re2  # here: most models have no pattern, and the import costs 10 ms

        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MEMORY_LIMIT
        try:
            return re2.compile(self.text, options)
        except re2.error as error:
            reason = error.args[0]
            text = reason.decode() if isinstance(reason, bytes) else str(reason)
            raise GrammarError(
                Problem(
                    f"'{self.text}' is not a regular expression: {text}",
                    hint="the syntax is RE2's: without look-ahead, look-behind and \\1",
                )
            ) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __reduce__(self) -> tuple[Callable[[str], Pattern], tuple[str]]:
        return Pattern, (self.text,)
