"""A recall store of plain lists, which can do what a search needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.store import (
    Document,
    NewExchange,
    SearchFilter,
    TermStatistics,
    UserKey,
)
from anaphora.stm.conversation import ConversationKey


@dataclass
class _Kept:
    id: int
    key: ConversationKey
    conversation: int
    exchange: Exchange
    terms: tuple[str, ...]

    @property
    def document(self) -> Document:
        return Document(self.id, self.conversation, self.exchange.number, self.terms)


class ListRecallStore:
    """Keeps exchanges and vectors in lists, and looks at all of them."""

    def __init__(self) -> None:
        self.kept: list[_Kept] = []
        self.conversations: dict[ConversationKey, list[_Kept]] = {}
        self.vectors: dict[str, dict[int, Vectors]] = {}
        self.packed: dict[str, dict[int, bytes]] = {}

    def add(self, new: Sequence[NewExchange]) -> None:
        for one in new:
            said = self.conversations.setdefault(one.key, [])
            conversation = list(self.conversations).index(one.key)
            exchange = replace(one.exchange, number=len(said) + 1)
            kept = _Kept(len(self.kept) + 1, one.key, conversation, exchange, one.terms)
            said.append(kept)
            self.kept.append(kept)

    def exchanges(self, key: ConversationKey, *, first: int, last: int) -> Sequence[Exchange]:
        return [one.exchange for one in self.conversations[key][first - 1 : last]]

    def fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        return {one.id: (one.key, one.exchange) for one in self._of(user_key) if one.id in ids}

    def list_ids(
        self, user_key: UserKey, filters: SearchFilter, *, skip: int, limit: int
    ) -> Sequence[int]:
        found = sorted(
            filter(lambda one: one.terms, self._of(user_key, filters)),
            key=lambda one: (one.exchange.at, one.id),
        )
        return [one.id for one in found[::-1]][skip : skip + limit]

    def statistics(self, user_key: UserKey, terms: Sequence[str]) -> TermStatistics:
        every = self._of(user_key)
        counts = Counter(term for one in every for term in set(one.terms))
        length = sum(len(one.terms) for one in every) / max(1, len(every))
        return TermStatistics(len(every), length, {term: counts[term] for term in terms})

    def find_matching(
        self, user_key: UserKey, terms: Sequence[str], filters: SearchFilter, limit: int
    ) -> Sequence[Document]:
        frequency = self.statistics(user_key, terms).frequency
        weighed = [
            (sum(1 / frequency[term] for term in terms if term in one.terms), -place, one.document)
            for place, one in enumerate(self._of(user_key, filters))
        ]
        best = sorted((item for item in weighed if item[0]), reverse=True)
        return [document for *_, document in best[:limit]]

    def with_neighbours(
        self, user_key: UserKey, documents: Sequence[Document], reach: int
    ) -> Sequence[Document]:
        near = {
            (one.conversation, number)
            for one in documents
            for number in range(one.number - reach, one.number + reach + 1)
        }
        said = list(self.conversations.values())
        return [
            said[conversation][number - 1].document
            for conversation, number in sorted(near)
            if 0 < number <= len(said[conversation])
        ]

    def documents(self, user_key: UserKey, ids: Sequence[int]) -> Sequence[Document]:
        return [one.document for one in self._of(user_key) if one.id in ids]

    def find_nearest(
        self, user_key: UserKey, embedder: str, vector: Vectors, filters: SearchFilter, limit: int
    ) -> Sequence[tuple[int, float]]:
        vectors = self.vectors.get(embedder, {})
        cosines = [
            (float(np.dot(vectors[one.id], vector)), one.id)
            for one in self._of(user_key, filters)
            if one.id in vectors
        ]
        return [(id, cosine) for cosine, id in sorted(cosines, reverse=True)[:limit]]

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        self.vectors.setdefault(embedder, {}).update(zip(ids, vectors, strict=True))

    def put_token_vectors(self, embedder: str, ids: Sequence[int], packed: Sequence[bytes]) -> None:
        self.packed.setdefault(embedder, {}).update(zip(ids, packed, strict=True))

    def token_vectors(
        self, user_key: UserKey, embedder: str, ids: Sequence[int]
    ) -> Mapping[int, bytes]:
        packed = self.packed.get(embedder, {})
        return {id: packed[id] for id in ids if id in packed}

    def _of(self, user_key: UserKey, filters: SearchFilter | None = None) -> list[_Kept]:
        return [
            one
            for one in self.kept
            if (one.key.user, one.key.tenant) == user_key and (not filters or _fits(one, filters))
        ]


def _fits(one: _Kept, filters: SearchFilter) -> bool:
    said = one.exchange
    return (
        filters.model in (None, one.key.model)
        and (filters.since is None or said.at >= filters.since)
        and (filters.until is None or said.at < filters.until)
        and filters.intent in (None, said.intent)
        and all(value in said.slots.get(name, ()) for name, value in filters.slots.items())
    )
