"""Helpers of the tests of the recall store in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from tests.ltm.retrieval.store_contract import (
    make_summary,
)
from tests.support.postgres_server import PostgresServer

SETTINGS = HistorySettings()


@contextmanager
def opened(server: PostgresServer, **options) -> Iterator[PostgresRecallStore]:
    with closing(PostgresRecallStore(server.url, settings=SETTINGS, **options)) as store:
        yield store


def shorten(store, key, count: int) -> None:
    """Compress the oldest exchanges, if there are any; others may do so, too."""
    parts = store.history(key).exchanges[:count]
    if parts:
        store.compress(key, parts, [make_summary(parts)])


# Each finds rows whose counts are not those of what they count.
INCONSISTENCIES = {
    "users": (
        "SELECT id FROM users JOIN (SELECT user_id, count(*) AS n, sum(length) AS l "
        "FROM exchanges GROUP BY 1) AS it ON user_id = id WHERE (n, l) <> (documents, users.length)"
    ),
    "users without exchanges": (
        "SELECT id FROM users WHERE NOT EXISTS (SELECT FROM exchanges WHERE user_id = users.id)"
    ),
    "words": (
        "SELECT words.id, count, n FROM words FULL JOIN (SELECT unnest(words) AS word, "
        "count(*) AS n FROM exchanges GROUP BY 1) AS it ON it.word = words.id "
        "WHERE count IS DISTINCT FROM n"
    ),
    "conversations": (
        "SELECT id, last, first, verbatim, size FROM conversations AS c WHERE "
        "verbatim <> (SELECT count(*) FROM exchanges WHERE conversation_id = c.id "
        "AND number >= first) OR size <> (SELECT coalesce(sum(size), 0) FROM exchanges "
        "WHERE conversation_id = c.id AND number >= c.first) + (SELECT coalesce(sum(size), 0) "
        "FROM summaries WHERE conversation_id = c.id AND active) OR NOT EXISTS (SELECT FROM "
        "exchanges WHERE conversation_id = c.id)"
    ),
    "summaries": (
        "SELECT id FROM summaries AS s WHERE NOT EXISTS (SELECT FROM exchanges AS e WHERE "
        "e.conversation_id = s.conversation_id AND number BETWEEN first AND last)"
    ),
    "vectors": (
        "SELECT e.id, m.id FROM exchanges AS e CROSS JOIN embedders AS m WHERE "
        "(SELECT count(*) FROM vectors WHERE exchange_id = e.id AND embedder_id = m.id) + "
        "(SELECT count(*) FROM unembedded WHERE exchange_id = e.id AND embedder_id = m.id) <> 1"
    ),
    "vectors of nothing": (
        "SELECT exchange_id FROM vectors WHERE exchange_id NOT IN (SELECT id FROM exchanges) "
        "UNION SELECT exchange_id FROM unembedded "
        "WHERE exchange_id NOT IN (SELECT id FROM exchanges)"
    ),
}


def assert_consistent(server: PostgresServer, schema: str) -> None:
    with server.client() as client:
        client.execute(f"SET search_path TO {schema}, public")
        wrong = {name: client.execute(query).fetchall() for name, query in INCONSISTENCIES.items()}
    assert wrong == {name: [] for name in INCONSISTENCIES}
