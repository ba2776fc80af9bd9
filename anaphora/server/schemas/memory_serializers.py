"""What the long-term memory holds, as the API shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.working_history import History
from anaphora.ltm.retrieval.search import Page
from anaphora.stm.conversation import ConversationKey

if TYPE_CHECKING:
    from anaphora.ltm.history.measure import Measure

__all__ = ["serialize_history", "serialize_recall_page"]


def serialize_history(key: ConversationKey, history: History, measure: Measure) -> dict[str, Any]:
    """The working history of a conversation; ``measure`` is what its size is in."""
    return {
        "user": key.user,
        "model": key.model,
        "size": history.size,
        "unit": measure.name,
        "summaries": [_serialize_summary(summary) for summary in history.summaries],
        "exchanges": [_serialize_exchange(exchange) for exchange in history.exchanges],
    }


def serialize_recall_page(page: Page, user: str) -> dict[str, Any]:
    """What was found of a user."""
    passages = [
        {
            "model": passage.key.model,
            "score": passage.score,
            "exchange": _serialize_exchange(passage.exchange),
            "before": [_serialize_exchange(exchange) for exchange in passage.before],
            "after": [_serialize_exchange(exchange) for exchange in passage.after],
        }
        for passage in page.passages
    ]
    return {"user": user, "passages": passages, "page": page.page, "more": page.more}


def _serialize_summary(summary: Summary) -> dict[str, Any]:
    return {
        "id": summary.id,
        "text": summary.text,
        "first": summary.first,
        "last": summary.last,
        "since": summary.since,
        "until": summary.until,
        "level": summary.level,
        "of": list(summary.of),
        "by": summary.by,
    }


def _serialize_exchange(exchange: Exchange) -> dict[str, Any]:
    return {
        "number": exchange.number,
        "question": exchange.question,
        "answer": exchange.answer,
        "at": exchange.at,
        "status": exchange.status,
        "intent": exchange.intent,
        "slots": {name: list(values) for name, values in exchange.slots.items()},
        "language": exchange.language,
        "truncated": dict(exchange.truncated),
    }
