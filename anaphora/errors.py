"""All exceptions that Anaphora raises, and the source positions that they show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "AgentError",
    "AnaphoraError",
    "ChatModelError",
    "ChatModelUnavailable",
    "Conflict",
    "ContextLengthError",
    "EvaluationError",
    "GrammarError",
    "HandlerError",
    "ModelError",
    "PermanentStoreError",
    "Problem",
    "StoreError",
    "SummaryError",
    "UnknownModel",
]

_MAX_EXCERPT_WIDTH = 160


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a source text, with its position.

    ``line`` and ``column`` count from 1; 0 means unknown. ``excerpt`` is that line of the source.
    """

    message: str
    source: str = ""
    line: int = 0
    column: int = 0
    excerpt: str = ""
    hint: str = ""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part)
        lines = [f"{place}: {self.message}" if place else self.message]
        if self.excerpt and self.line:
            lines += [f"  {line}" for line in _format_excerpt(self.excerpt, self.column)]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class AnaphoraError(Exception):
    """The base class of all errors of this package."""


class _LocatedError(AnaphoraError):
    """An error with positions in a source text. Its own position is that of the first problem."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        listed = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems: tuple[Problem, ...] = listed
        super().__init__("\n".join(str(problem) for problem in listed))

    @property
    def message(self) -> str:
        return self.problems[0].message

    @property
    def source(self) -> str:
        return self.problems[0].source

    @property
    def line(self) -> int:
        return self.problems[0].line

    @property
    def column(self) -> int:
        return self.problems[0].column

    @property
    def caret(self) -> str:
        """The source line and, below it, a caret under the column ('' if unknown)."""
        first = self.problems[0]
        return "\n".join(_format_excerpt(first.excerpt, first.column)) if first.excerpt else ""

    @property
    def hint(self) -> str:
        return self.problems[0].hint


class GrammarError(_LocatedError):
    """A syntax or type error in the intent language or the synonym language."""


class ModelError(_LocatedError):
    """A model file is invalid; ``problems`` lists all mistakes in the order of the file."""


class UnknownModel(AnaphoraError):  # noqa: N818 - the name that users catch reads as a state
    """The engine has no model with the id that a question names."""


class EvaluationError(AnaphoraError):
    """A predicate could not be evaluated for an entity (``1 / 0``, text instead of a number)."""


class StoreError(AnaphoraError):
    """A store could not read or write its data."""


class PermanentStoreError(StoreError):
    """A store can never write this value: retrying is useless."""


class UnconfirmedError(StoreError):
    """A store has not confirmed the changes of a question: they may be stored or not."""


class Conflict(AnaphoraError):  # noqa: N818 - the name that users catch reads as a state
    """A question cannot be answered now because its conversation is being changed."""


class SummaryError(AnaphoraError):
    """A summarizer failed (its model or its service is not available)."""


class ChatModelError(AnaphoraError):
    """A chat model refused a request, or gave an answer that cannot be used."""


class ChatModelUnavailable(ChatModelError):  # noqa: N818 - reads as a state
    """A chat model is unreachable, silent or busy, also after retries."""


class ContextLengthError(ChatModelError):
    """A prompt is longer than the model's window: ``window`` tokens (0: the endpoint tells none).

    ``prompt_tokens`` is the length of the prompt, 0 if the endpoint does not tell it.
    """

    def __init__(self, message: str, *, window: int = 0, prompt_tokens: int = 0) -> None:
        super().__init__(message)
        self.window = window
        self.prompt_tokens = prompt_tokens


class AgentError(AnaphoraError):
    """An agent cannot do what it is asked for, or its parts do not fit each other."""


class HandlerError(AnaphoraError):
    """A handler raised an exception, or cannot be called with the slots of its intent."""


def _format_excerpt(excerpt: str, column: int) -> list[str]:
    """Cut ``excerpt`` to a readable width around ``column`` (from 1), with a caret below it."""
    text = excerpt.replace("\t", " ")
    at = max(column, 1) - 1
    if len(text) > _MAX_EXCERPT_WIDTH:
        start = max(0, min(at - _MAX_EXCERPT_WIDTH // 2, len(text) - _MAX_EXCERPT_WIDTH))
        text, at = text[start : start + _MAX_EXCERPT_WIDTH], at - start
    return [text, " " * at + "^"]
