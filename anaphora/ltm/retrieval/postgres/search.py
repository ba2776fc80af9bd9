"""Search in the PostgreSQL recall store: statistics, candidates, neighbours, nearest vectors.

The rarest terms determine the candidates. Scoring every exchange with any term would read half of
them, because a query has words that occur in half of the exchanges and say next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.retrieval.postgres.records import intent_word, load_terms, slot_word, term_word
from anaphora.ltm.retrieval.postgres.schema import has_pgvector
from anaphora.ltm.retrieval.postgres.vector_index import nearest_by_index
from anaphora.ltm.retrieval.ranking import select_rarest
from anaphora.ltm.retrieval.records import to_microseconds
from anaphora.ltm.retrieval.store import (
    NO_FILTER,
    Document,
    SearchFilter,
    TermStatistics,
    UserKey,
)
from anaphora.ltm.retrieval.vector_cache import VectorCache, VectorMatrix
from anaphora.storage.postgres.text_encoding import names_digest

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import ConnectionPool, Row

__all__ = ["PostgresSearch", "format_pgvector"]

_MAX_SCORED = 1_500  # the newest exchanges with the rarest words (3 µs each)
_SCAN_THRESHOLD = 8_000  # exchanges with a word, from which on a scan of the newest is faster
_K1, _B = 1.2, 0.75  # usual values of BM25; the frequency within an exchange is ignored
_VECTORS_PER_READ = 10_000
_MATRIX_THRESHOLD = 20_000  # vectors, from which on search in memory is worth loading them
_MAX_USER_IDS = 10_000  # remembered, of users
_DOCUMENT_COLUMNS = "id, conversation_id, number, terms"
_SCORING_COLUMNS = f"{_DOCUMENT_COLUMNS}, at, words, length"


@dataclass(frozen=True, slots=True)
class _UserStatistics:
    """Statistics of a user's exchanges that a search needs: the number of exchanges, their total
    number of terms, the ids and document frequencies of ``words``, and the ``conversation`` with
    the requested model."""

    id: int
    documents: int
    length: int
    changes: int
    words: Mapping[bytes, tuple[int, int]]
    conversation: int | None


class PostgresSearch:
    """The search methods of a recall store."""

    def __init__(
        self, pool: ConnectionPool, *, vector_memory: int, index_vectors_from: int
    ) -> None:
        self._pool, self._vector_memory = pool, vector_memory
        self._index_vectors_from = index_vectors_from
        self._user_ids: dict[bytes, int] = {}
        self._vector_cache = VectorCache(vector_memory)
        self._has_pgvector: bool | None = None

    @property
    def _uses_pgvector(self) -> bool:
        if self._has_pgvector is None:
            self._has_pgvector = self._pool.run(has_pgvector)
        return self._has_pgvector

    def _read_of_user(self, user_key: UserKey, query: str, *values: Any) -> list[Row]:
        """Return the rows of a query with ``{user}`` for the id of the user, which is remembered: a
        statement that has it as a value needs no other partitions than those of the user."""
        place = names_digest(user_key.tenant, user_key.user)
        known = self._user_ids.get(place)
        if known and (rows := self._pool.query(query.format(user=known), *values)):
            return rows
        found = self._pool.query("SELECT id FROM users WHERE place = %s", place)
        if not found or found[0][0] == known:
            return []
        if len(self._user_ids) >= _MAX_USER_IDS:
            self._user_ids.clear()
        # Of an erased user it finds nothing: ids are never used again.
        self._user_ids[place] = found[0][0]
        return self._pool.query(query.format(user=found[0][0]), *values)

    def _load_user(
        self, user_key: UserKey, words: Iterable[bytes], filters: SearchFilter
    ) -> tuple[_UserStatistics, _Condition] | None:
        """Load a user with these words and those of the filter, and the condition of a search; None
        if nothing can satisfy it."""
        wanted = list({*words, *_filter_words(filters)})
        model = (
            b""
            if filters.model is None
            else names_digest(user_key.user, filters.model, user_key.tenant)
        )
        rows = self._read_of_user(
            user_key,
            "SELECT users.id, documents, length, changes, "
            "(SELECT id FROM conversations WHERE place = %s), words.word, words.id, words.count "
            "FROM users LEFT JOIN words ON words.user_id = {user} AND word = ANY(%s::bytea[]) "
            "WHERE users.id = {user}",
            *(model, wanted),
        )
        if not rows:
            return None
        user, documents, length, changes, conversation = rows[0][:5]
        known = {row[5]: (row[6], row[7]) for row in rows if row[5] is not None}
        found = _UserStatistics(user, documents, length, changes, known, conversation)
        where = _Condition.build(found, filters)
        return None if where is None else (found, where)

    def statistics(self, user_key: UserKey, terms: Sequence[str]) -> TermStatistics:
        asked = {term: term_word(term) for term in terms}
        loaded = self._load_user(user_key, asked.values(), NO_FILTER)
        if loaded is None or not loaded[0].documents:
            return TermStatistics(0, 0.0, dict.fromkeys(asked, 0))
        found, _ = loaded
        counts = {term: found.words.get(word, (0, 0))[1] for term, word in asked.items()}
        return TermStatistics(found.documents, found.length / found.documents, counts)

    def find_matching(
        self, user_key: UserKey, terms: Sequence[str], filters: SearchFilter, limit: int
    ) -> list[Document]:
        asked = {term_word(term) for term in terms}
        loaded = self._load_user(user_key, asked, filters)
        if loaded is None or limit < 1:
            return []
        found, where = loaded
        known = sorted((count, id) for word, (id, count) in found.words.items() if word in asked)
        if not known:
            return []
        weights = [(id, _idf(found.documents, count)) for count, id in known]
        score, scores = _bm25_expression(weights, found.length / found.documents)
        rare = select_rarest(known, max(_MAX_SCORED, limit))
        has = "words && %s::bigint[]"
        # OFFSET 0 keeps the planner from moving conditions or orders in or out: unlike this
        # method, it does not know how often a word occurs in a user's exchanges.
        if known[0][0] <= _SCAN_THRESHOLD:
            chosen = (
                f"(SELECT {_SCORING_COLUMNS} FROM exchanges WHERE {where.text} AND {has} OFFSET 0)"
            )
        else:
            chosen = f"(SELECT * FROM {_newest_first(where)} AS newest WHERE {has})"
        rows = self._pool.query(
            f"SELECT {_DOCUMENT_COLUMNS} FROM (SELECT * FROM {chosen} AS chosen ORDER BY at DESC, "
            f"id DESC LIMIT %s) AS candidates ORDER BY {score} DESC, id DESC LIMIT %s",
            *(*where.values, rare, max(_MAX_SCORED, limit), *scores, limit),
        )
        rest = [id for _, id in known if id not in rare]
        if len(rows) < limit and rest:
            rows += self._pool.query(
                f"SELECT {_DOCUMENT_COLUMNS} FROM (SELECT * FROM {_newest_first(where)} AS newest "
                f"WHERE {has} AND NOT {has} LIMIT %s) AS candidates "
                f"ORDER BY {score} DESC, id DESC",
                *(*where.values, rest, rare, limit - len(rows), *scores),
            )
        return _to_documents(rows)

    def with_neighbours(
        self, user_key: UserKey, documents: Sequence[Document], reach: int
    ) -> list[Document]:
        spans = _merge_spans(((each.conversation, each.number) for each in documents), reach)
        rows = self._read_of_user(
            user_key,
            f"SELECT {_DOCUMENT_COLUMNS} FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) "
            f"AS span (conversation, low, high), LATERAL (SELECT {_DOCUMENT_COLUMNS} "
            "FROM exchanges WHERE user_id = {user} AND conversation_id = conversation "
            "AND number BETWEEN low AND high ORDER BY number OFFSET 0) AS its ORDER BY 2, 3",
            *([span[part] for span in spans] for part in range(3)),
        )
        return _to_documents(rows)

    def documents(self, user_key: UserKey, ids: Sequence[int]) -> list[Document]:
        return _to_documents(
            self._read_of_user(
                user_key,
                f"SELECT {_DOCUMENT_COLUMNS} FROM exchanges WHERE id = ANY(%s::bigint[]) "
                "AND user_id = {user} ORDER BY id",
                list(ids),
            )
        )

    def list_ids(
        self, user_key: UserKey, filters: SearchFilter, *, skip: int, limit: int
    ) -> list[int]:
        loaded = self._load_user(user_key, (), filters)
        if loaded is None:
            return []
        _, where = loaded
        rows = self._pool.query(
            f"SELECT id FROM exchanges WHERE {where.text} AND length > 0 "
            "ORDER BY at DESC, clock DESC, id DESC LIMIT %s OFFSET %s",
            *(*where.values, max(limit, 0), max(skip, 0)),
        )
        return [id for (id,) in rows]

    def find_nearest(
        self, user_key: UserKey, embedder: str, vector: Vectors, filters: SearchFilter, limit: int
    ) -> list[tuple[int, float]]:
        """Compare all vectors of the user. Many vectors are searched in memory, because pgvector
        would read them from its pages each time. For very many there is an index of pgvector, for
        searches without a filter: with one, it might find too few."""
        loaded = self._load_user(user_key, (), filters)
        if loaded is None or limit < 1:
            return []
        found, where = loaded
        if (
            self._uses_pgvector
            and found.documents >= self._index_vectors_from
            and filters == NO_FILTER
            and (near := self._find_nearest_by_index(found.id, embedder, vector, limit)) is not None
        ):
            return near
        size = found.documents * vector.nbytes
        if self._uses_pgvector and (
            found.documents <= _MATRIX_THRESHOLD or size > self._vector_memory
        ):
            return self._find_nearest_by_pgvector(where, embedder, vector, limit)
        rows = self._pool.query("SELECT id FROM embedders WHERE place = %s", names_digest(embedder))
        if not rows:
            return []
        matrix = self._vector_cache.get((found.id, rows[0][0]), len(vector))
        with matrix.lock:
            self._update_matrix(matrix, found, rows[0][0])
        self._vector_cache.trim()
        chosen = None if filters == NO_FILTER else self._select_ids(where)
        return matrix.find_nearest(np.asarray(vector, np.float32), limit, chosen)

    def token_vectors(
        self, user_key: UserKey, embedder: str, ids: Sequence[int]
    ) -> dict[int, bytes]:
        rows = self._read_of_user(
            user_key,
            "SELECT exchange_id, packed FROM token_vectors WHERE exchange_id = ANY(%s::bigint[]) "
            "AND embedder_id = (SELECT id FROM embedders WHERE place = %s) AND user_id = {user}",
            *(list(ids), names_digest(embedder)),
        )
        return {id: bytes(packed) for id, packed in rows}

    def _find_nearest_by_index(
        self, user: int, embedder: str, vector: Vectors, limit: int
    ) -> list[tuple[int, float]] | None:
        rows = self._pool.run(
            nearest_by_index, user, embedder, len(vector), format_pgvector(vector), limit
        )
        return None if rows is None else [(id, cosine) for id, cosine in rows]

    def _find_nearest_by_pgvector(
        self, where: _Condition, embedder: str, vector: Vectors, limit: int
    ) -> list[tuple[int, float]]:
        user, *rest = where.values
        chosen = f"AND exchange_id IN (SELECT id FROM exchanges WHERE {where.text}) "
        asked = format_pgvector(vector)
        rows = self._pool.query(
            "SELECT exchange_id, 1 - (vector <=> %s::vector) FROM vectors "
            "WHERE user_id = %s AND embedder_id = (SELECT id FROM embedders WHERE place = %s) "
            f"{chosen if rest else ''} ORDER BY vector <=> %s::vector, exchange_id DESC LIMIT %s",
            *(asked, user, names_digest(embedder), *(where.values if rest else ()), asked, limit),
        )
        return [(id, cosine) for id, cosine in rows]

    def _update_matrix(self, matrix: VectorMatrix, found: _UserStatistics, embedder: int) -> None:
        pgvector = self._uses_pgvector
        vector = "vector_send(vector)" if pgvector else "vector"
        scope = "FROM vectors WHERE user_id = %s AND embedder_id = %s"
        if matrix.generation != found.changes:
            rows = self._pool.query(f"SELECT number {scope} ORDER BY number", found.id, embedder)
            matrix.retain(np.array([number for (number,) in rows], np.int64))
            matrix.generation = found.changes
        while True:
            rows = self._pool.query(
                f"SELECT number, exchange_id, {vector} {scope} AND number > %s "
                "ORDER BY number LIMIT %s",
                *(found.id, embedder, matrix.last, _VECTORS_PER_READ),
            )
            if rows:
                numbers, ids, data = zip(*rows, strict=True)
                matrix.extend(numbers, ids, list(map(_decode_pgvector, data)) if pgvector else data)
            if len(rows) < _VECTORS_PER_READ:
                return

    def _select_ids(self, where: _Condition) -> Any:
        rows = self._pool.query(f"SELECT id FROM exchanges WHERE {where.text}", *where.values)
        return np.array([id for (id,) in rows], np.int64)


def format_pgvector(vector: Vectors) -> str:
    """Format a vector for pgvector, with all significant digits of float32."""
    return f"[{','.join(f'{value:.9g}' for value in vector.tolist())}]"


def _decode_pgvector(vector: bytes) -> bytes:
    """Convert pgvector's binary form (two numbers of two bytes, then big-endian) to float32."""
    return np.frombuffer(vector, ">f4", offset=4).astype("<f4").tobytes()


@dataclass(frozen=True, slots=True)
class _Condition:
    text: str
    values: tuple[Any, ...]

    @classmethod
    def build(cls, found: _UserStatistics, filters: SearchFilter) -> _Condition | None:
        """Build the condition of a search; None if nothing can satisfy it."""
        conditions: list[tuple[str, Any]] = [("user_id = %s", found.id)]
        if filters.model is not None:
            conditions.append(("conversation_id = %s", found.conversation))
        if filters.since is not None:
            conditions.append(("at >= %s", to_microseconds(filters.since)))
        if filters.until is not None:
            conditions.append(("at < %s", to_microseconds(filters.until)))
        words = [found.words.get(word, (None, 0))[0] for word in _filter_words(filters)]
        if words:
            conditions.append(("words @> %s::bigint[]", words))
        if None in words or (filters.model is not None and found.conversation is None):
            return None
        return cls(
            " AND ".join(text for text, _ in conditions), tuple(value for _, value in conditions)
        )


def _merge_spans(places: Iterable[tuple[int, int]], reach: int) -> list[tuple[int, int, int]]:
    """Return conversations with disjoint ranges of numbers that cover all places."""
    spans: list[tuple[int, int, int]] = []
    for conversation, number in sorted(places):
        low, high = number - reach, number + reach
        if spans and spans[-1][0] == conversation and low <= spans[-1][2] + 1:
            low = spans.pop()[1]
        spans.append((conversation, low, high))
    return spans


def _filter_words(filters: SearchFilter) -> list[bytes]:
    intent = [] if filters.intent is None else [intent_word(filters.intent)]
    return [*intent, *(slot_word(name, value) for name, value in filters.slots.items())]


def _newest_first(where: _Condition) -> str:
    """Select exchanges in the order of an index, newest first."""
    return (
        f"(SELECT {_SCORING_COLUMNS} FROM exchanges WHERE {where.text} "
        "ORDER BY at DESC, id DESC OFFSET 0)"
    )


def _idf(documents: int, count: int) -> float:
    """Return log(1 + (N - n + ½) / (n + ½)), as in Lucene's BM25: never negative."""
    return math.log(1 + (documents - count + 0.5) / (count + 0.5))


def _bm25_expression(weights: Sequence[tuple[int, float]], average: float) -> tuple[str, list[Any]]:
    """Return BM25 as an expression with its values: Σ idf / (1 + k₁ (1 - b + b |d| / average))."""
    terms = " + ".join(
        "CASE WHEN %s::bigint = ANY(words) THEN %s::float8 ELSE 0 END" for _ in weights
    )
    values: list[Any] = [value for weight in weights for value in weight]
    shape = (1 + _K1 * (1 - _B), _K1 * _B / (average or 1.0))
    return f"({terms}) / (%s::float8 + %s::float8 * length)", [*values, *shape]


def _to_documents(rows: Sequence[Row]) -> list[Document]:
    terms = load_terms([row[3] for row in rows])
    return [
        Document(id, conversation, number, tuple(its_terms))
        for (id, conversation, number, _), its_terms in zip(rows, terms, strict=True)
    ]
