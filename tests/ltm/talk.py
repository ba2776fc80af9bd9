"""What tests of the long-term memory say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from anaphora.ltm.exchange import Exchange
from anaphora.stm.conversation import Key

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
ANN = Key("ann", "weather")
BOB = Key("bob", "weather")


def said(
    question: str,
    answer: str = "",
    *,
    minutes: float = 0,
    intent: str | None = "weather",
    slots: dict[str, tuple[str, ...]] | None = None,
) -> Exchange:
    """An exchange some minutes after noon."""
    return Exchange(
        question=question,
        answer=answer,
        at=NOON + timedelta(minutes=minutes),
        intent=intent,
        slots=slots or {},
        language="en",
    )


def talk(count: int, *, words: int = 10) -> list[Exchange]:
    """As many exchanges, a minute apart, each with ``words`` words: half of them the user's."""
    return [
        said(
            " ".join([f"question{place}"] + ["why"] * (words // 2 - 1)),
            " ".join([f"answer{place}"] + ["so"] * (words - words // 2 - 1)),
            minutes=place,
        )
        for place in range(1, count + 1)
    ]
