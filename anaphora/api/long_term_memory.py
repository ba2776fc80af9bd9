"""The long-term memory: exchanges, summaries, and what a search finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from anaphora.api.values import NOT_NULL, Resource, Status, Value, doc

__all__ = ["Erasure", "Exchange", "History", "Passage", "RecallPage", "Summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(Value):
    """A question and its answer."""

    number: int = field(default=0, metadata=doc("Its number in the conversation, from 1."))
    question: str
    answer: str = ""
    at: datetime | None = field(default=None, metadata=NOT_NULL)
    status: Status = ""
    intent: str | None = None
    slots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    language: str = ""
    truncated: Mapping[str, int] = field(
        default_factory=dict,
        metadata=doc("The fields that were too long to be stored in full, and their lengths."),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Value):
    """A summary of older exchanges."""

    id: int = 0
    text: str
    first: int = field(default=0, metadata=doc("The number of the first exchange."))
    last: int = field(default=0, metadata=doc("The number of the last exchange."))
    since: datetime | None = field(default=None, metadata=NOT_NULL)
    until: datetime | None = field(default=None, metadata=NOT_NULL)
    level: int = field(
        default=1, metadata=doc("1 for a summary of exchanges, more for one of summaries.")
    )
    of: tuple[int, ...] = field(
        default=(), metadata=doc("The ids of the summaries that it was made of.")
    )
    by: str = field(default="", metadata=doc("The summarizer."))


@dataclass(frozen=True, slots=True)
class History(Resource):
    """The working history of a conversation, oldest first."""

    user: str
    model: str
    size: int = field(default=0, metadata=doc("Its length, in the unit of the memory."))
    unit: str = field(default="", metadata={"examples": ["words"]})
    summaries: tuple[Summary, ...] = ()
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Value):
    """An exchange that a search found, and its neighbours."""

    model: str = ""
    score: float = field(
        default=0.0, metadata=doc("The greater the better; 0 if no text was searched for.")
    )
    exchange: Exchange
    before: tuple[Exchange, ...] = ()
    after: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallPage(Resource):
    """A page of search results, best first."""

    user: str
    passages: tuple[Passage, ...] = ()
    page: int = 1
    more: bool = field(default=False, metadata=doc("Whether another page follows."))


@dataclass(frozen=True, slots=True)
class Erasure(Resource):
    """The result of erasing a user."""

    user: str
    exchanges: int = field(
        default=0, metadata=doc("The number of exchanges that the long-term memory had.")
    )
    agent_records: int = field(
        default=0,
        metadata=doc("The number of records, exchanges and passages that the agents had."),
    )
