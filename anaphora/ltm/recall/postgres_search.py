"""Searching the recall store in PostgreSQL: statistics, candidates, neighbours, the nearest.

Candidates are found by the rarest terms. To score every exchange that has some term means to read
half of them, for a question has words that stand in half of them; these say next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.recall.postgres_records import (
    intent_word,
    load_terms,
    moment,
    place_of,
    slot_word,
    term_word,
)
from anaphora.ltm.recall.rarest import rarest
from anaphora.ltm.recall.store import Among, Document, Statistics, Whose
from anaphora.ltm.recall.vectors import Matrices, Matrix

if TYPE_CHECKING:
    from anaphora.ltm.recall.postgres_link import Link, Row

__all__ = ["Found", "Search", "as_pgvector"]

_SCORED = 1_500  # exchanges, the newest that have the rarest words (3 µs each)
_WALKED_FROM = 8_000  # exchanges that have a word: then it is quicker to look at the newest of all
_K1, _B = 1.2, 0.75  # as BM25 is mostly used; how often a term stands in an exchange is passed over
_READ_AT_ONCE = 10_000  # vectors
_MANY = 20_000  # vectors from which on a search in memory is so much quicker that it pays

_EVERYTHING = Among()
_DOCUMENT = "id, conversation_id, number, terms"
_SCORABLE = f"{_DOCUMENT}, at, words, length"


@dataclass(frozen=True, slots=True)
class Found:
    """A user as far as a search must know: how many exchanges there are, how many terms they
    have in all, by words their ids and in how many exchanges they stand; and the conversation
    with the model that was asked for."""

    id: int
    documents: int
    length: int
    changes: int
    words: Mapping[bytes, tuple[int, int]]
    conversation: int | None


class Search:
    """Searches of all users over a link."""

    def __init__(self, link: Link, *, memory: int) -> None:
        self._link, self._memory = link, memory
        self._matrices = Matrices(memory)

    def find(self, whose: Whose, words: Iterable[bytes], among: Among) -> Found | None:
        """A user with these words and those of ``among``; None if nothing is kept of them."""
        wanted = list({*words, *_words_of(among)})
        model = b"" if among.model is None else place_of(whose.user, among.model, whose.tenant)
        rows = self._link.read(
            "SELECT users.id, documents, length, changes, "
            "(SELECT id FROM conversations WHERE place = %s), words.word, words.id, words.count "
            "FROM users LEFT JOIN words ON words.user_id = users.id AND word = ANY(%s::bytea[]) "
            "WHERE place = %s",
            *(model, wanted, place_of(whose.tenant, whose.user)),
        )
        if not rows:
            return None
        user, documents, length, changes, conversation = rows[0][:5]
        known = {row[5]: (row[6], row[7]) for row in rows if row[5] is not None}
        return Found(user, documents, length, changes, known, conversation)

    def statistics(self, whose: Whose, terms: Sequence[str]) -> Statistics:
        asked = {term: term_word(term) for term in terms}
        found = self.find(whose, asked.values(), Among())
        if found is None or not found.documents:
            return Statistics(0, 0.0, dict.fromkeys(asked, 0))
        counts = {term: found.words.get(word, (0, 0))[1] for term, word in asked.items()}
        return Statistics(found.documents, found.length / found.documents, counts)

    def matching(
        self, whose: Whose, terms: Sequence[str], among: Among, limit: int
    ) -> list[Document]:
        asked = {term_word(term) for term in terms}
        found = self.find(whose, asked, among)
        where = None if found is None else _Where.of(found, among)
        if found is None or where is None or limit < 1:
            return []
        known = sorted((count, id) for word, (id, count) in found.words.items() if word in asked)
        if not known:
            return []
        weights = [(id, _idf(found.documents, count)) for count, id in known]
        score, scores = _scored(weights, found.length / found.documents)
        rare = rarest(known, max(_SCORED, limit))
        has = "words && %s::bigint[]"
        # OFFSET 0 keeps the planner from moving conditions or orders in or out: it does not know
        # how often a word stands in a user's exchanges, as is known here.
        if known[0][0] <= _WALKED_FROM:
            chosen = f"(SELECT {_SCORABLE} FROM exchanges WHERE {where.text} AND {has} OFFSET 0)"
        else:
            chosen = f"(SELECT * FROM {_newest(where)} AS newest WHERE {has})"
        rows = self._link.read(
            f"SELECT {_DOCUMENT} FROM (SELECT * FROM {chosen} AS chosen ORDER BY at DESC, id DESC "
            f"LIMIT %s) AS candidates ORDER BY {score} DESC, id DESC LIMIT %s",
            *(*where.values, rare, max(_SCORED, limit), *scores, limit),
        )
        rest = [id for _, id in known if id not in rare]
        if len(rows) < limit and rest:
            rows += self._link.read(
                f"SELECT {_DOCUMENT} FROM (SELECT * FROM {_newest(where)} AS newest "
                f"WHERE {has} AND NOT {has} LIMIT %s) AS candidates "
                f"ORDER BY {score} DESC, id DESC",
                *(*where.values, rest, rare, limit - len(rows), *scores),
            )
        return _documents(rows)

    def around(self, documents: Sequence[Document], reach: int) -> list[Document]:
        spans = _spans(((each.conversation, each.number) for each in documents), reach)
        rows = self._link.read(
            f"SELECT {_DOCUMENT} FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) "
            f"AS span (conversation, low, high), LATERAL (SELECT {_DOCUMENT} FROM exchanges "
            "WHERE conversation_id = conversation AND number BETWEEN low AND high "
            "ORDER BY number OFFSET 0) AS its ORDER BY 2, 3",
            *([span[part] for span in spans] for part in range(3)),
        )
        return _documents(rows)

    def documents(self, whose: Whose, ids: Sequence[int]) -> list[Document]:
        return _documents(
            self._link.read(
                f"SELECT {_DOCUMENT} FROM exchanges WHERE id = ANY(%s::bigint[]) "
                "AND user_id = (SELECT id FROM users WHERE place = %s) ORDER BY id",
                *(list(ids), place_of(whose.tenant, whose.user)),
            )
        )

    def listed(self, whose: Whose, among: Among, *, skip: int, limit: int) -> list[int]:
        found = self.find(whose, (), among)
        where = None if found is None else _Where.of(found, among)
        if where is None:
            return []
        rows = self._link.read(
            f"SELECT id FROM exchanges WHERE {where.text} AND length > 0 "
            "ORDER BY at DESC, clock DESC, id DESC LIMIT %s OFFSET %s",
            *(*where.values, max(limit, 0), max(skip, 0)),
        )
        return [id for (id,) in rows]

    def nearest(
        self,
        whose: Whose,
        embedder: str,
        vector: Vectors,
        among: Among,
        limit: int,
        *,
        pgvector: bool,
    ) -> list[tuple[int, float]]:
        """By looking at all vectors of the user: an index of pgvector would look at those of all
        users, and may find too few of this one. What pgvector reads from its pages for each
        search takes long when there are many: these are held in memory."""
        found = self.find(whose, (), among)
        where = None if found is None else _Where.of(found, among)
        if found is None or where is None or limit < 1:
            return []
        size = found.documents * vector.nbytes
        if pgvector and (found.documents <= _MANY or size > self._memory):
            return self._nearest_by_pgvector(where, embedder, vector, limit)
        rows = self._link.read("SELECT id FROM embedders WHERE place = %s", place_of(embedder))
        if not rows:
            return []
        matrix = self._matrices.of((found.id, rows[0][0]), len(vector))
        with matrix.lock:
            self._read_into(matrix, found, rows[0][0], pgvector=pgvector)
        self._matrices.trim()
        chosen = None if among == _EVERYTHING else self._ids(where)
        return matrix.nearest(np.asarray(vector, np.float32), limit, chosen)

    def _nearest_by_pgvector(
        self, where: _Where, embedder: str, vector: Vectors, limit: int
    ) -> list[tuple[int, float]]:
        user, *rest = where.values
        chosen = f"AND exchange_id IN (SELECT id FROM exchanges WHERE {where.text}) "
        asked = as_pgvector(vector)
        rows = self._link.read(
            "SELECT exchange_id, 1 - (vector <=> %s::vector) FROM vectors "
            "WHERE user_id = %s AND embedder_id = (SELECT id FROM embedders WHERE place = %s) "
            f"{chosen if rest else ''} ORDER BY vector <=> %s::vector, exchange_id DESC LIMIT %s",
            *(asked, user, place_of(embedder), *(where.values if rest else ()), asked, limit),
        )
        return [(id, cosine) for id, cosine in rows]

    def forget_matrices(self) -> None:
        """Let nothing of what was erased stay in memory."""
        self._matrices.clear()

    def _read_into(self, matrix: Matrix, found: Found, embedder: int, *, pgvector: bool) -> None:
        vector = "vector_send(vector)" if pgvector else "vector"
        scope = "FROM vectors WHERE user_id = %s AND embedder_id = %s"
        if matrix.generation != found.changes:
            rows = self._link.read(f"SELECT number {scope} ORDER BY number", found.id, embedder)
            matrix.keep(np.array([number for (number,) in rows], np.int64))
            matrix.generation = found.changes
        while True:
            rows = self._link.read(
                f"SELECT number, exchange_id, {vector} {scope} AND number > %s "
                "ORDER BY number LIMIT %s",
                *(found.id, embedder, matrix.last, _READ_AT_ONCE),
            )
            if rows:
                numbers, ids, data = zip(*rows, strict=True)
                matrix.extend(numbers, ids, list(map(_as_sent, data)) if pgvector else data)
            if len(rows) < _READ_AT_ONCE:
                return

    def _ids(self, where: _Where) -> Any:
        rows = self._link.read(f"SELECT id FROM exchanges WHERE {where.text}", *where.values)
        return np.array([id for (id,) in rows], np.int64)


def as_pgvector(vector: Vectors) -> str:
    """A vector as pgvector reads it, with all digits that a float32 has."""
    return f"[{','.join(f'{value:.9g}' for value in vector.tolist())}]"


def _as_sent(vector: bytes) -> bytes:
    """What pgvector sends (two numbers of two bytes, then the highest byte first) as float32."""
    return np.frombuffer(vector, ">f4", offset=4).astype("<f4").tobytes()


@dataclass(frozen=True, slots=True)
class _Where:
    """A condition on exchanges, and its values."""

    text: str
    values: tuple[Any, ...]

    @classmethod
    def of(cls, found: Found, among: Among) -> _Where | None:
        """None if it cannot hold."""
        conditions: list[tuple[str, Any]] = [("user_id = %s", found.id)]
        if among.model is not None:
            conditions.append(("conversation_id = %s", found.conversation))
        if among.since is not None:
            conditions.append(("at >= %s", moment(among.since)))
        if among.until is not None:
            conditions.append(("at < %s", moment(among.until)))
        words = [found.words.get(word, (None, 0))[0] for word in _words_of(among)]
        if words:
            conditions.append(("words @> %s::bigint[]", words))
        if None in words or (among.model is not None and found.conversation is None):
            return None
        return cls(
            " AND ".join(text for text, _ in conditions), tuple(value for _, value in conditions)
        )


def _spans(places: Iterable[tuple[int, int]], reach: int) -> list[tuple[int, int, int]]:
    """Conversations and the numbers from which to which they are to be read, none twice."""
    spans: list[tuple[int, int, int]] = []
    for conversation, number in sorted(places):
        low, high = number - reach, number + reach
        if spans and spans[-1][0] == conversation and low <= spans[-1][2] + 1:
            low = spans.pop()[1]
        spans.append((conversation, low, high))
    return spans


def _words_of(among: Among) -> list[bytes]:
    intent = [] if among.intent is None else [intent_word(among.intent)]
    return [*intent, *(slot_word(name, value) for name, value in among.slots.items())]


def _newest(where: _Where) -> str:
    """Exchanges as they are read from an index, the newest first."""
    return (
        f"(SELECT {_SCORABLE} FROM exchanges WHERE {where.text} ORDER BY at DESC, id DESC OFFSET 0)"
    )


def _idf(documents: int, count: int) -> float:
    """log(1 + (N - n + ½) / (n + ½)), as in BM25 of Lucene: never negative."""
    return math.log(1 + (documents - count + 0.5) / (count + 0.5))


def _scored(weights: Sequence[tuple[int, float]], average: float) -> tuple[str, list[Any]]:
    """BM25 as an expression and its values: Σ idf / (1 + k₁ (1 - b + b |d| / average))."""
    terms = " + ".join(
        "CASE WHEN %s::bigint = ANY(words) THEN %s::float8 ELSE 0 END" for _ in weights
    )
    values: list[Any] = [value for weight in weights for value in weight]
    shape = (1 + _K1 * (1 - _B), _K1 * _B / (average or 1.0))
    return f"({terms}) / (%s::float8 + %s::float8 * length)", [*values, *shape]


def _documents(rows: Sequence[Row]) -> list[Document]:
    terms = load_terms([row[3] for row in rows])
    return [
        Document(id, conversation, number, tuple(its_terms))
        for (id, conversation, number, _), its_terms in zip(rows, terms, strict=True)
    ]
