"""Exchanges and segments in few words."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.working_history import HistoryPart
from anaphora.ltm.summarizers.summarizer import Segment

MORNING = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)


def exchange(question: str, answer: str = "", *, day: int = 0) -> Exchange:
    return Exchange(question, answer, MORNING + timedelta(days=day))


def summary(text: str, *, days: int = 0) -> Summary:
    return Summary(text, 1, 5, MORNING, MORNING + timedelta(days=days), "somebody")


def segment(*parts: HistoryPart, most: int = 12) -> Segment:
    return Segment(parts, most)


def spoken(lines: Iterable[str], *, most: int = 12) -> Segment:
    """The segment that is written as these lines ("User: …", "Bot: …")."""
    turns = (line.split(": ", 1) for line in lines)
    parts = (exchange(text) if who == "User" else exchange("", text) for who, text in turns)
    return Segment(tuple(parts), most)
