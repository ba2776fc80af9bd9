"""How large does a long-term memory in PostgreSQL get, and what does it cost then?

    python -m benchmarks.ltm.partitions --exchanges 1000000 --partitions 64 --vectors 200000

Fills plain tables by SQL with users of 1,000 exchanges each, spreads them over partitions by the
store's own method, and measures sizes, writing, searching, erasing and vacuuming. With
``--vectors``, one user gets as many vectors of 384 dimensions, in clusters as embeddings are, and
an index of pgvector, which is compared with the exact search. The server runs on this machine, with
its data below /tmp.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from statistics import median
from time import perf_counter

import numpy as np
import psycopg

from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.measure import WORDS
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.indexing import exchange_terms
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.ltm.retrieval.store import NO_FILTER, NewExchange, UserKey
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.postgres.text_encoding import names_digest
from tests.support.postgres_server import PostgresServer, with_pgvector

_PER_USER = 1_000  # exchanges
_VOCABULARY = 480  # words of a user
_WORDS = 20  # of an exchange: the first ones of every second exchange, the last ones of a few
_DIMENSION = 384
_LOADED_INDEXES = ("exchanges", "words")


def main() -> None:
    options = _parse_options()
    server = PostgresServer(
        with_pgvector(), shared_buffers="1GB", max_wal_size="8GB", maintenance_work_mem="1GB",
        max_locks_per_transaction="1024", max_parallel_maintenance_workers="0",
    )  # fmt: skip
    with server, server.client() as client:
        store = PostgresRecallStore(server.url, settings=HistorySettings(), schema="large")
        with closing(store):
            if options.exchanges:
                _measure_exchanges(client, store, options.exchanges, options.partitions)
        if options.vectors:
            store = PostgresRecallStore(
                server.url, settings=HistorySettings(), schema="many", index_vectors_from=10_000
            )
            with closing(store):
                _measure_vectors(store, options.vectors)


def _measure_exchanges(
    client: psycopg.Connection, store: PostgresRecallStore, exchanges: int, partitions: int
) -> None:
    store.ping()
    client.execute("SET search_path TO large, public")
    users = exchanges // _PER_USER
    _report("filled, in s", _timed(lambda: _fill(client, users)))
    spread = _timed(lambda: store.partition(partitions))
    _report(f"spread over {partitions} partitions, in s", spread)
    _report("vacuumed for the first time, in s", _timed(lambda: client.execute("VACUUM ANALYZE")))
    _report_sizes(client, exchanges)
    _measure(store, users)
    _measure_erasure(store, users)


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--exchanges", type=int, default=1_000_000, help="0: none")
    parser.add_argument("--partitions", type=int, default=64, help="1: one of each")
    parser.add_argument("--vectors", type=int, default=0)
    return parser.parse_args()


def _fill(client: psycopg.Connection, users: int) -> None:
    """Fill plain tables. Their indexes are dropped before: :meth:`PostgresRecallStore.partition`
    does not need them, and builds new ones."""
    dropped = client.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid), conname, "
        "pg_get_constraintdef(pg_constraint.oid), indrelid::regclass::text FROM pg_index "
        "LEFT JOIN pg_constraint ON conindid = indexrelid "
        "WHERE indrelid = ANY(%s::regclass[])",
        [list(_LOADED_INDEXES)],
    ).fetchall()
    for index, _, constraint, _, table in dropped:
        client.execute(
            f"ALTER TABLE {table} DROP CONSTRAINT {constraint}"
            if constraint
            else f"DROP INDEX {index}"
        )
    with client.cursor().copy(
        "COPY users (id, place, tenant, name, documents, length) FROM STDIN"
    ) as rows:
        for n in range(1, users + 1):
            row = (n, names_digest("", f"u{n}"), b"", f"u{n}".encode(), _PER_USER)
            rows.write_row((*row, _PER_USER * _WORDS))
    with client.cursor().copy(
        "COPY conversations (id, user_id, place, model, last, first, verbatim, size, measure) "
        "FROM STDIN"
    ) as rows:
        for n in range(1, users + 1):
            place = names_digest(*_key(n))
            row = (n, n, place, b"m", _PER_USER, _PER_USER - 20, 21, 800, WORDS.name.encode())
            rows.write_row(row)
    client.execute(
        "INSERT INTO words (id, user_id, word, count) OVERRIDING SYSTEM VALUE "
        f"SELECT u::bigint * {_VOCABULARY} + w, u, ('tw' || w)::bytea, {_PER_USER} / (w / 5 + 2) "
        f"FROM generate_series(1, {users}) AS u, generate_series(0, {_VOCABULARY - 1}) AS w"
    )
    # Word i of exchange e is one of 2, 4, 6, … so that some are frequent and some are rare.
    places = [f"({i * (i + 1)} + (e * {7 + 2 * i} + u) % {2 * (i + 1)})" for i in range(_WORDS)]
    ids = ", ".join(f"u::bigint * {_VOCABULARY} + {place}" for place in places)
    terms = " || '\",\"w' || ".join(places)
    for start in range(1, users + 1, 500):
        client.execute(
            "INSERT INTO exchanges (id, user_id, conversation_id, number, at, size, length, words, "
            "terms, record, clock, terms_version) OVERRIDING SYSTEM VALUE "
            f"SELECT e::bigint * {users} + u, u, u, e, 1700000000000000 + e * 60000000::bigint, 40,"
            f" {_WORDS}, ARRAY[{ids}], convert_to('[\"w' || {terms} || '\"]', 'UTF8'), "
            'convert_to(\'{"question":"\' || md5(e::text || u) || md5(u::text || e) || '
            '\'","answer":"\' || repeat(md5(e::text), 5) || \'","at":1700000000000000}\', '
            "'UTF8'), e, 99 "
            f"FROM generate_series({start}, {min(start + 499, users)}) AS u, "
            f"generate_series(1, {_PER_USER}) AS e"
        )
    for table in ("users", "conversations", "words", "exchanges"):
        client.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
        )


def _report_sizes(client: psycopg.Connection, exchanges: int) -> None:
    for table in ("exchanges", "words"):
        heap, indexes = client.execute(
            "SELECT sum(pg_table_size(leaf)), sum(pg_indexes_size(leaf)) FROM "
            "(SELECT inhrelid AS leaf FROM pg_inherits WHERE inhparent = %s::regclass "
            "UNION ALL SELECT %s::regclass) AS leaves",
            (table, table),
        ).fetchone()
        _report(f"{table}: bytes of the table per exchange", int(heap) / exchanges)
        _report(f"{table}: bytes of its indexes per exchange", int(indexes) / exchanges)


def _measure(store: PostgresRecallStore, users: int) -> None:
    random = np.random.default_rng(1)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    clock = iter(range(10**9, 2 * 10**9))

    def new() -> NewExchange:
        said = " ".join(f"w{word}" for word in random.integers(0, _VOCABULARY, _WORDS))
        exchange = Exchange(said, "Yes.", at, clock=next(clock))
        return NewExchange(_key(random.integers(1, users + 1)), exchange, exchange_terms(exchange))

    def user() -> UserKey:
        return UserKey(f"u{random.integers(1, users + 1)}")

    def search() -> None:
        words = [f"w{word}" for word in random.integers(0, _VOCABULARY, 8)]
        of = user()
        found = store.find_matching(of, words, NO_FILTER, 100)
        store.with_neighbours(of, found[:30], 2)

    batches = [[new() for _ in range(1_000)] for _ in range(5)]
    added = median(_timed(lambda batch=batch: store.add(batch)) for batch in batches)
    _report("exchanges added per s, in batches of 1,000", 1_000 / added)
    _report("add one exchange, in ms", _median_ms(lambda: store.add([new()]), 200))
    _report("search, in ms", _median_ms(search, 300))
    key = _key(1)
    _report("working history, in ms", _median_ms(lambda: store.history(key), 300))


def _measure_erasure(store: PostgresRecallStore, users: int) -> None:
    gone = iter(range(1, users))
    erase = _median_ms(lambda: store.erase(UserKey(f"u{next(gone)}")), 5)
    _report("erase a user and vacuum the tables, in ms", erase)


def _measure_vectors(store: PostgresRecallStore, count: int) -> None:
    random = np.random.default_rng(2)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    of, key = UserKey("many"), ConversationKey("many", "m")
    centres = random.standard_normal((count // 100, _DIMENSION)).astype(np.float32)

    def like(rows: int) -> np.ndarray:
        made = centres[random.integers(0, len(centres), rows)]
        made = made + 0.7 * random.standard_normal(made.shape).astype(np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    for _ in range(0, count, 10_000):
        store.add([NewExchange(key, Exchange("x", "", at), ("x",)) for _ in range(10_000)])
    while waiting := store.find_unembedded("bench", 2_000):
        store.put_vectors("bench", [id for id, _ in waiting], like(len(waiting)))
    asked = like(50)
    first = _timed(lambda: store.find_nearest(of, "bench", asked[0], NO_FILTER, 100))
    _report("first exact search (loads the vectors), in s", first)
    turn = iter(asked)
    exact = [_nearest(store, of, vector, 100) for vector in asked]
    in_memory = _median_ms(lambda: _nearest(store, of, next(turn), 100), 50)
    _report("exact search in memory, in ms", in_memory)
    _report("index built, in s", _timed(lambda: store.index_vectors("bench")))
    for limit in (100, 1_000):
        taken = median(
            _timed(lambda v=vector, n=limit: _nearest(store, of, v, n)) for vector in asked
        )
        _report(f"search by the index for {limit}, in ms", taken * 1e3)
    shares = [
        len(set(_nearest(store, of, vector, 100)) & set(ids)) / 100
        for vector, ids in zip(asked, exact, strict=True)
    ]
    _report("share of the 100 nearest that the index finds", sum(shares) / len(shares))


def _nearest(store: PostgresRecallStore, of: UserKey, vector: np.ndarray, limit: int) -> list[int]:
    return [id for id, _ in store.find_nearest(of, "bench", vector, NO_FILTER, limit)]


def _key(user: int) -> ConversationKey:
    return ConversationKey(f"u{user}", "m")


def _timed(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def _median_ms(work: Callable[[], object], times: int) -> float:
    return median(_timed(work) for _ in range(times)) * 1e3


def _report(what: str, figure: float) -> None:
    print(f"{what}: {figure:.4g}", flush=True)


if __name__ == "__main__":
    main()
