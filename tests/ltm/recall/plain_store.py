"""A recall store of plain lists, which can do what a search needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.recall.store import Among, Document, New, Statistics, Whose
from anaphora.stm.conversation import Key


@dataclass
class _Kept:
    id: int
    key: Key
    conversation: int
    exchange: Exchange
    terms: tuple[str, ...]

    @property
    def document(self) -> Document:
        return Document(self.id, self.conversation, self.exchange.number, self.terms)


class PlainStore:
    """Keeps exchanges and vectors in lists, and looks at all of them."""

    def __init__(self) -> None:
        self.kept: list[_Kept] = []
        self.conversations: dict[Key, list[_Kept]] = {}
        self.vectors: dict[str, dict[int, Vectors]] = {}

    def add(self, new: Sequence[New]) -> None:
        for one in new:
            said = self.conversations.setdefault(one.key, [])
            conversation = list(self.conversations).index(one.key)
            exchange = replace(one.exchange, number=len(said) + 1)
            kept = _Kept(len(self.kept) + 1, one.key, conversation, exchange, one.terms)
            said.append(kept)
            self.kept.append(kept)

    def exchanges(self, key: Key, *, first: int, last: int) -> Sequence[Exchange]:
        return [one.exchange for one in self.conversations[key][first - 1 : last]]

    def fetch(self, whose: Whose, ids: Sequence[int]) -> Mapping[int, tuple[Key, Exchange]]:
        return {one.id: (one.key, one.exchange) for one in self._of(whose) if one.id in ids}

    def listed(self, whose: Whose, among: Among, *, skip: int, limit: int) -> Sequence[int]:
        found = sorted(
            filter(lambda one: one.terms, self._of(whose, among)),
            key=lambda one: (one.exchange.at, one.id),
        )
        return [one.id for one in found[::-1]][skip : skip + limit]

    def statistics(self, whose: Whose, terms: Sequence[str]) -> Statistics:
        every = self._of(whose)
        counts = Counter(term for one in every for term in set(one.terms))
        length = sum(len(one.terms) for one in every) / max(1, len(every))
        return Statistics(len(every), length, {term: counts[term] for term in terms})

    def matching(
        self, whose: Whose, terms: Sequence[str], among: Among, limit: int
    ) -> Sequence[Document]:
        frequency = self.statistics(whose, terms).frequency
        weighed = [
            (sum(1 / frequency[term] for term in terms if term in one.terms), -place, one.document)
            for place, one in enumerate(self._of(whose, among))
        ]
        best = sorted((item for item in weighed if item[0]), reverse=True)
        return [document for *_, document in best[:limit]]

    def around(self, documents: Sequence[Document], reach: int) -> Sequence[Document]:
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

    def documents(self, whose: Whose, ids: Sequence[int]) -> Sequence[Document]:
        return [one.document for one in self._of(whose) if one.id in ids]

    def nearest(
        self, whose: Whose, embedder: str, vector: Vectors, among: Among, limit: int
    ) -> Sequence[tuple[int, float]]:
        vectors = self.vectors.get(embedder, {})
        cosines = [
            (float(np.dot(vectors[one.id], vector)), one.id)
            for one in self._of(whose, among)
            if one.id in vectors
        ]
        return [(id, cosine) for cosine, id in sorted(cosines, reverse=True)[:limit]]

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        self.vectors.setdefault(embedder, {}).update(zip(ids, vectors, strict=True))

    def _of(self, whose: Whose, among: Among | None = None) -> list[_Kept]:
        return [
            one
            for one in self.kept
            if (one.key.user, one.key.tenant) == whose and (not among or _fits(one, among))
        ]


def _fits(one: _Kept, among: Among) -> bool:
    said = one.exchange
    return (
        among.model in (None, one.key.model)
        and (among.since is None or said.at >= among.since)
        and (among.until is None or said.at < among.until)
        and among.intent in (None, said.intent)
        and all(value in said.slots.get(name, ()) for name, value in among.slots.items())
    )
