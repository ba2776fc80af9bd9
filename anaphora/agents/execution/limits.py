"""Limits of agents, and what users are told when one is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = ["AgentLimits", "AgentTexts", "TextKind"]

TextKind: TypeAlias = Literal["unfinished", "quota"]

_TEXTS: Mapping[TextKind, str] = {
    "unfinished": "I could not finish that. Please ask again, perhaps in other words.",
    "quota": "That is all I can do for you today. Please come back tomorrow.",
}


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """Limits of one event: answers of the model (``steps``), the same call in a row
    (``equal_calls``), ``seconds``, and ``tokens`` of prompts and answers. ``result`` is how many
    characters of a function result a prompt shows at once; ``summary_words`` the length of the
    summary of evicted messages; ``tokens_per_day`` what one user may use in a day (in UTC; None:
    no limit)."""

    steps: int = 20
    equal_calls: int = 3
    seconds: float = 300.0
    tokens: int = 500_000
    result: int = 3_000
    summary_words: int = 100
    tokens_per_day: int | None = None


@dataclass(frozen=True, slots=True)
class AgentTexts:
    """What a user is told when the model said nothing: ``texts`` by kind, the rest in English."""

    texts: Mapping[TextKind, str] = field(default_factory=dict)

    def get(self, kind: TextKind) -> str:
        return self.texts.get(kind) or _TEXTS[kind]
