"""Convert values of the long-term memory to the types of the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from anaphora.api import long_term_memory as api
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.working_history import History
from anaphora.ltm.retrieval.search import Page
from anaphora.stm.conversation import ConversationKey

if TYPE_CHECKING:
    from anaphora.ltm.history.measure import Measure

__all__ = ["serialize_history", "serialize_recall_page"]


def serialize_history(key: ConversationKey, history: History, measure: Measure) -> api.History:
    """Serialize the working history of a conversation; ``measure`` is the unit of its size."""
    return api.History(
        user=key.user,
        model=key.model,
        size=history.size,
        unit=measure.name,
        summaries=tuple(map(_serialize_summary, history.summaries)),
        exchanges=_serialize_exchanges(history.exchanges),
    )


def serialize_recall_page(page: Page, user: str) -> api.RecallPage:
    """Serialize a page of the search results of ``user``."""
    passages = tuple(
        api.Passage(
            model=passage.key.model,
            score=passage.score,
            exchange=_serialize_exchange(passage.exchange),
            before=_serialize_exchanges(passage.before),
            after=_serialize_exchanges(passage.after),
        )
        for passage in page.passages
    )
    return api.RecallPage(user, passages, page.page, page.more)


def _serialize_summary(summary: Summary) -> api.Summary:
    return api.Summary(
        id=summary.id,
        text=summary.text,
        first=summary.first,
        last=summary.last,
        since=summary.since,
        until=summary.until,
        level=summary.level,
        of=tuple(summary.of),
        by=summary.by,
    )


def _serialize_exchanges(exchanges: Iterable[Exchange]) -> tuple[api.Exchange, ...]:
    return tuple(map(_serialize_exchange, exchanges))


def _serialize_exchange(exchange: Exchange) -> api.Exchange:
    return api.Exchange(
        number=exchange.number,
        question=exchange.question,
        answer=exchange.answer,
        at=exchange.at,
        status=exchange.status,
        intent=exchange.intent,
        slots=exchange.slots,
        language=exchange.language,
        truncated=exchange.truncated,
    )
