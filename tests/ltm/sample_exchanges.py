"""What tests of the long-term memory say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from anaphora.ltm.exchange import Exchange
from anaphora.stm.conversation import ConversationKey

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
ANN = ConversationKey("ann", "weather")
BOB = ConversationKey("bob", "weather")


def make_exchange(
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


def make_exchanges(count: int, *, words: int = 10) -> list[Exchange]:
    """As many exchanges, a minute apart, each with ``words`` words: half of them the user's."""
    return [
        make_exchange(
            " ".join([f"question{place}"] + ["why"] * (words // 2 - 1)),
            " ".join([f"answer{place}"] + ["so"] * (words - words // 2 - 1)),
            minutes=place,
        )
        for place in range(1, count + 1)
    ]
