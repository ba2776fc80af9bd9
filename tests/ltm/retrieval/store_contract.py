"""What the contract suite of recall stores needs: where stores live, and what is said in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import HistoryPart, HistorySettings
from anaphora.ltm.retrieval.store import (
    NO_FILTER,
    Document,
    NewExchange,
    RecallStore,
    SearchFilter,
    UserKey,
)
from anaphora.stm.conversation import ConversationKey
from tests.support.store_location import StoreLocation

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)

ANN, BEN = ConversationKey("ann", "weather"), ConversationKey("ben", "weather")
ANN_HOTELS = ConversationKey("ann", "hotels")
ANN_ELSEWHERE = ConversationKey("ann", "weather", "acme")
OF_ANN, OF_BEN = UserKey("ann"), UserKey("ben")


@dataclass
class Home(StoreLocation):
    """A place where recall stores of one kind live; each :meth:`store` is another one on the
    same data.

    ``make`` takes the number of the place, the settings of the histories and their measure.
    """

    make: Callable[[int, HistorySettings, Measure], RecallStore]

    def store(
        self, settings: HistorySettings | None = None, measure: Measure = WORDS
    ) -> RecallStore:
        store = self.make(self.number, settings or HistorySettings(), measure)
        self.stores.callback(store.close)
        return store


def make_exchange(
    question: str,
    answer: str = "",
    *,
    minute: float = 0,
    intent: str | None = None,
    slots: Mapping[str, tuple[str, ...]] | None = None,
) -> Exchange:
    """An exchange ``minute`` minutes after the beginning."""
    at = BEGIN + timedelta(minutes=minute)
    return Exchange(question, answer, at, intent=intent, slots=slots or {})


def make_question(clock: int, question: str = "", minute: float = 0) -> Exchange:
    """What was asked at a logical time."""
    return replace(make_exchange(question or f"q{clock}", minute=minute), clock=clock)


def make_new_exchange(key: ConversationKey, exchange: Exchange | str) -> NewExchange:
    """An exchange with the words of its two texts as its terms."""
    if isinstance(exchange, str):
        exchange = make_exchange(exchange)
    words = f"{exchange.question} {exchange.answer}".lower().split()
    return NewExchange(key, exchange, tuple(words))


def add_exchanges(
    store: RecallStore, key: ConversationKey, *exchanges: Exchange | str
) -> list[int]:
    """Add the exchanges to the conversation, texts a minute apart; their ids."""
    before = len(store.latest(key, 10_000))
    told = [
        make_exchange(each, minute=before + place) if isinstance(each, str) else each
        for place, each in enumerate(exchanges)
    ]
    store.add([make_new_exchange(key, each) for each in told])
    return ids_of(store, key)[before:]


def ids_of(store: RecallStore, key: ConversationKey) -> list[int]:
    """The ids of the exchanges of a conversation, by number."""
    whose = UserKey(key.user, key.tenant)
    ids = store.list_ids(whose, SearchFilter(model=key.model), skip=0, limit=10_000)
    found = store.fetch(whose, ids)
    return sorted(ids, key=lambda id: found[id][1].number)


def questions(exchanges: Iterable[Exchange]) -> list[str]:
    return [exchange.question for exchange in exchanges]


def listed(store: RecallStore, user_key: UserKey, filters: SearchFilter = NO_FILTER) -> list[str]:
    """The questions of a user, newest first."""
    ids = store.list_ids(user_key, filters, skip=0, limit=10_000)
    found = store.fetch(user_key, ids)
    return [found[id][1].question for id in ids]


def matching(
    store: RecallStore,
    user_key: UserKey,
    *terms: str,
    filters: SearchFilter = NO_FILTER,
    limit: int = 10_000,
) -> list[str]:
    """The questions that have one of the terms, as the store ranks them."""
    ids = [document.id for document in store.find_matching(user_key, terms, filters, limit)]
    found = store.fetch(user_key, ids)
    return [found[id][1].question for id in ids]


def places(documents: Iterable[Document]) -> list[int]:
    """The numbers of the documents."""
    return [document.number for document in documents]


def vector(*values: float) -> Vectors:
    """The values, at length 1."""
    made = np.array(values, dtype=np.float32)
    return made / np.linalg.norm(made)


def stack_vectors(*vectors: Vectors) -> Vectors:
    return np.stack(vectors)


def make_summary(
    parts: Sequence[HistoryPart], text: str = "in short", *, level: int = 1
) -> Summary:
    """A summary of parts that follow each other."""
    first, last = parts[0], parts[-1]
    return Summary(
        text,
        first.first if isinstance(first, Summary) else first.number,
        last.last if isinstance(last, Summary) else last.number,
        first.since if isinstance(first, Summary) else first.at,
        last.until if isinstance(last, Summary) else last.at,
        "test",
        level,
        tuple(part.id for part in parts if isinstance(part, Summary)),
    )


def compress(
    store: RecallStore, key: ConversationKey, count: int, text: str = "in short", *, level: int = 1
) -> bool:
    """Let one summary stand for the ``count`` oldest exchanges (level 1) or summaries."""
    history = store.history(key)
    parts: tuple[HistoryPart, ...] = history.exchanges if level == 1 else history.summaries
    return store.compress(key, parts[:count], [make_summary(parts[:count], text, level=level)])


def without_ids(summaries: Iterable[Summary]) -> list[Summary]:
    return [replace(each, id=0) for each in summaries]
