"""Helpers that ask a bundled bot several questions in one conversation."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import cache

from anaphora import Engine

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


@cache
def engine(model: str) -> Engine:
    return Engine(model)


def answers(model: str, *questions: str, at: datetime = MONDAY, zone: tzinfo = UTC) -> list[str]:
    """The texts of the replies; all questions have the same time and conversation."""
    bot = engine(model)
    bot.forget()
    return [bot.ask(question, at=at.astimezone(zone)).text for question in questions]


def answer(model: str, *questions: str, at: datetime = MONDAY, zone: tzinfo = UTC) -> str:
    """The text of the last reply."""
    return answers(model, *questions, at=at, zone=zone)[-1]
