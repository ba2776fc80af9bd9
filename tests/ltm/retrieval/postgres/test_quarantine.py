"""Damaged rows and erased data in the recall store in PostgreSQL."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import psycopg
import pytest

from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from anaphora.ltm.retrieval.store import JournalPosition
from tests.ltm.retrieval.postgres.database import assert_consistent, shorten
from tests.ltm.retrieval.store_contract import (
    ANN,
    BEN,
    OF_ANN,
    add_exchanges,
    make_exchange,
    make_new_exchange,
    make_question,
    make_summary,
    matching,
    questions,
    stack_vectors,
    vector,
)
from tests.support.postgres_server import PostgresServer


def test_no_table_contains_data_of_an_erased_user(postgres_server, schema, store):
    for key in (ANN._replace(user="zelda-secret"), BEN):
        secret = f"{key.user}-secret"
        exchange = make_exchange(
            f"my {secret}", secret * 300, intent=secret, slots={secret: (secret,)}, minute=1
        )
        store.add(
            [make_new_exchange(key, exchange), make_new_exchange(key, make_exchange("more of it"))],
            mark=JournalPosition(key.user, 1),
        )
        *_, (id, _), _ = store.find_unembedded("m", 9)  # the first of the two
        store.put_vectors("m", [id], stack_vectors(vector(1, 2, 3)))
        parts = store.history(key).exchanges[:1]
        assert store.compress(key, parts, [make_summary(parts, f"about {secret}")])
    zelda = ANN._replace(user="zelda-secret")
    store.add([make_new_exchange(zelda, "and zelda-secret")])
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}; ANALYZE")
        users = dict(client.execute("SELECT name, id FROM users").fetchall())
        before = everything(client, schema)
        assert any("zelda" in row for _, row in before)
        assert store.erase(OF_ANN._replace(user="zelda-secret")) == 3
        after = everything(client, schema)
    gone = users[b"zelda-secret"]
    assert not [row for _, row in after if "zelda" in row]
    assert not [row for _, row in after if json.loads(row).get("user_id") == gone]
    kept = Counter(table for table, _ in after)
    alone = ("users", "conversations", "summaries", "vectors", "unembedded")
    assert [kept[name] for name in alone] == [1] * 5  # those of the other one
    assert kept["exchanges"] == 2


def test_planner_statistics_contain_no_user_data(postgres_server, schema, store):
    for key in (ANN, BEN):
        add_exchanges(store, key, *["secret"] * 20)
        parts = store.history(key).exchanges[:2]
        assert store.compress(key, parts, [make_summary(parts, "secret")])
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}; ANALYZE")
        known = client.execute(
            "SELECT tablename || '.' || attname FROM pg_stats WHERE schemaname = %s", (schema,)
        ).fetchall()
    assert ("exchanges.at",) in known
    for column in ("users.name", "exchanges.record", "exchanges.terms", "words.word"):
        assert (column,) not in known


def everything(client: psycopg.Connection, schema: str) -> list[tuple[str, str]]:
    """Every row of every table as JSON, its bytes as text."""
    found = []
    for (table,) in client.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)
    ).fetchall():
        cursor = client.execute(f"SELECT * FROM {schema}.{table}")
        names = [column.name for column in cursor.description]
        for row in cursor:
            shown = (as_shown(value) if isinstance(value, bytes) else str(value) for value in row)
            values = [
                value if isinstance(value, int) else text
                for value, text in zip(row, shown, strict=True)
            ]
            found.append((table, json.dumps(dict(zip(names, values, strict=True)))))
    return found


def as_shown(data: bytes) -> str:
    import zlib

    with suppress(zlib.error):
        data = zlib.decompress(data)
    return data.decode("utf-8", "replace")


def test_a_damaged_exchange_is_quarantined_and_can_be_released(postgres_server, schema, store):
    ids = [
        store.add([make_new_exchange(ANN, word)]) or store.find_unembedded("m", 9)[-1][0]
        for word in ("one", "two", "three")
    ]
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        ((whole,),) = client.execute("SELECT record FROM exchanges WHERE number = 2").fetchall()
        client.execute("UPDATE exchanges SET record = '\\x7b' WHERE number = 2")
        assert [id for id, _ in store.find_unembedded("m", 9)] == [ids[0], ids[2]]
        assert questions(store.history(ANN).exchanges) == ["one", "three"]
        assert (store.history(ANN).size, matching(store, OF_ANN, "two")) == (2, [])
        (item,) = store.quarantined(9)
        assert (item.kind, item.key) == ("exchange", ANN)
        assert not store.release(item.id)  # still unreadable
        client.execute(
            "UPDATE quarantine SET row_data = jsonb_set(row_data, '{record}', to_jsonb(%s::bytea))",
            (whole,),
        )
    assert store.release(item.id)
    assert questions(store.exchanges(ANN, first=1, last=9)) == ["one", "two", "three"]
    assert (store.history(ANN).size, matching(store, OF_ANN, "two")) == (3, ["two"])
    assert [id for id, _ in store.find_unembedded("m", 9)] == ids


@pytest.mark.parametrize("late", [(25,), (35,), (25, 26, 35), (5, 15, 25, 35, 45)])
@pytest.mark.parametrize("gone", [("q30",), ("q20", "q30"), ("q10", "q50")])
@pytest.mark.parametrize("compressed", [0, 3])
def test_a_released_exchange_takes_its_place_beside_late_ones(
    postgres_server, schema, store, late, gone, compressed
):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30, 40, 50)])
    if compressed:
        shorten(store, ANN, compressed)
    damage(postgres_server, schema, store, gone)
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in late])
    for item in reversed(store.quarantined(9)):
        assert store.release(item.id)
    clocks = sorted((10, 20, 30, 40, 50, *late))
    assert [one.clock for one in store.exchanges(ANN, first=1, last=99)] == clocks
    history = store.history(ANN)
    assert [one.clock for one in history.exchanges] == clocks[-len(history.exchanges) :]
    for short in history.summaries:
        among = store.exchanges(ANN, first=short.first, last=short.last)
        assert {10, 20, 30} <= {one.clock for one in among}
        assert short.last < history.exchanges[0].number
    assert_consistent(postgres_server, schema)


def test_a_released_duplicate_is_not_stored(postgres_server, schema, store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30)])
    damage(postgres_server, schema, store, ["q20"])
    store.add([make_new_exchange(ANN, make_question(20))])
    assert store.release(store.quarantined(9)[0].id)
    assert questions(store.history(ANN).exchanges) == ["q10", "q20", "q30"]
    assert store.count_quarantined() == 0
    assert_consistent(postgres_server, schema)


def test_a_quarantined_summary_is_renumbered_with_its_exchanges(postgres_server, schema, store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30, 40)])
    shorten(store, ANN, 2)
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        ((whole,),) = client.execute("SELECT record FROM summaries").fetchall()
        client.execute("UPDATE summaries SET record = '\\x7b'")
        assert store.history(ANN).summaries == ()
        client.execute(
            "UPDATE quarantine SET row_data = jsonb_set(row_data, '{record}', to_jsonb(%s::bytea))",
            (whole,),
        )
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (5, 15)])
    assert store.release(store.quarantined(9)[0].id)
    (short,) = store.history(ANN).summaries
    among = store.exchanges(ANN, first=short.first, last=short.last)
    assert [one.clock for one in among] == [10, 15, 20]


def damage(
    server: PostgresServer, schema: str, store: PostgresRecallStore, gone: Sequence[str]
) -> None:
    """Damage the exchanges of Ann with these questions, which puts them in quarantine, and mend
    them there."""
    whole = {}
    with server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        for id, record in client.execute("SELECT id, record FROM exchanges").fetchall():
            if any(f'"{question}"'.encode() in record for question in gone):
                whole[id] = record
                client.execute("UPDATE exchanges SET record = '\\x7b' WHERE id = %s", (id,))
        store.latest(ANN, 99)
        for id, record in whole.items():
            client.execute(
                "UPDATE quarantine SET row_data = jsonb_set(row_data, '{record}', "
                "to_jsonb(%s::bytea)) WHERE source_id = %s",
                (record, id),
            )
    assert store.count_quarantined() == len(gone)


def test_a_damaged_row_blocks_neither_compression_nor_search_nor_erasure(
    postgres_server, schema, store
):
    store.add([make_new_exchange(ANN, word) for word in ("one", "two", "three", "four")])
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        client.execute("UPDATE exchanges SET terms = '\\xff' WHERE number = 1")
        client.execute("UPDATE exchanges SET record = '\\x7b' WHERE number = 2")
    parts = store.history(ANN).exchanges[:2]
    assert store.compress(ANN, parts, [make_summary(parts, "in short")])
    assert matching(store, OF_ANN, "four") == ["four"]
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        client.execute("UPDATE summaries SET record = '\\x7b'")
    assert store.history(ANN).summaries == ()
    assert store.count_quarantined() == 2
    assert store.erase(OF_ANN) == 3
    assert store.count_quarantined() == 0
