"""Stores by their URLs."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from anaphora import MemoryStore, StoreError, store_at
from anaphora.stm.stores.postgres.store import PostgresStore
from anaphora.stm.stores.redis.store import RedisStore
from anaphora.stm.stores.sqlite.store import SqliteStore
from tests.stm.stores.store_homes import ANN, count_up, questions


def test_conversations_in_memory():
    assert isinstance(store_at("memory:"), MemoryStore)
    assert isinstance(store_at("memory:?wait=3"), MemoryStore)


def test_a_file_where_we_are_and_one_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(store_at("sqlite:///a%20bot.db")) as store:
        assert isinstance(store, SqliteStore)
        count_up(store, ANN)
    with closing(store_at(f"sqlite:///{tmp_path}/a bot.db?synchronous=normal&wait=2.5")) as store:
        assert questions(store, ANN) == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a bot.db", "a bot.db-turns"]


def test_how_carefully_a_file_is_written_stands_in_its_url(tmp_path, monkeypatch):
    told = []
    connect = sqlite3.connect

    def listen(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.set_trace_callback(told.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", listen)
    for query, pragma in (("", "full"), ("?synchronous=normal", "normal")):
        told.clear()
        store_at(f"sqlite:///{tmp_path}/bot.db{query}").close()
        assert f"PRAGMA synchronous = {pragma}" in told


def test_a_server_of_redis(redis_server):
    with closing(store_at(f"{redis_server.url}?prefix=urls&lease=3&wait=5&patience=2")) as store:
        assert isinstance(store, RedisStore)
        count_up(store, ANN)
    with closing(store_at(f"{redis_server.unix_url}?prefix=urls&db=0")) as store:
        assert questions(store, ANN) == 1
    with closing(store_at(f"{redis_server.url}?prefix=other")) as store:
        assert questions(store, ANN) == 0


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "memory:, sqlite:///relative"),
        ("bot.db", "memory:, sqlite:///relative"),
        ("mysql://me:secret@host/db", "begins with 'mysql:'; write memory:"),
        ("http://[::1/bot", "not the URL of a store"),
        ("memory:here", "write memory:"),
        ("memory://host", "write memory:"),
        ("memory:?synchronous=full", "no option 'synchronous'; there are: wait"),
        ("sqlite:", "three slashes"),
        ("sqlite:///", "names no file"),
        ("sqlite:////tmp/", "names no file"),
        ("sqlite://bot.db", "three slashes before the path of a file: sqlite:///bot.db"),
        ("sqlite:///:memory:", "write memory:"),
        ("sqlite:///a%00b.db", "NUL"),
        ("sqlite:///bot.db#1", "%23"),
        ("sqlite:///bot.db?syncronous=full", "did you mean 'synchronous'"),
        ("sqlite:///bot.db?synchronous=off", "full or normal"),
        ("sqlite:///bot.db?wait=long", "the option 'wait' of the store: 'long' is not a number"),
        ("sqlite:///bot.db?wait=nan", "not a number of seconds"),
        ("sqlite:///bot.db?wait=-1", "not a number of seconds"),
        ("sqlite:///bot.db?wait=1&wait=2", "twice"),
        ("sqlite:///bot.db?lease=1", "no option 'lease'"),
        ("redis://me:secret@host/0?leese=1", "did you mean 'lease'"),
        ("redis://me:secret@host/0?ssl_ca_certs=x", "no option 'ssl_ca_certs'"),
        ("redis://me:secret@host:port/0", "URL"),
        ("postgresql://me:secret@host/db?leese=1", "did you mean 'lease'"),
        ("postgresql://me:secret@host/db?sslmod=require", "did you mean 'sslmode'"),
        ("postgresql://me:secret@host/db?lease=0.01", "a lease of 0.01 seconds is not possible"),
        ("postgresql://me:secret@host/db?schema=", "1 to 63 bytes"),
        ("postgresql://me:secret@host:port/db", "not a URL of a PostgreSQL server"),
        ("postgresql://me:se/cret@host/db", "not a URL of a PostgreSQL server"),
    ],
)
def test_what_is_no_url_of_a_store_is_reported_without_its_password(
    url, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError) as told:
        store_at(url)
    assert message in str(told.value)
    assert "secret" not in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_a_server_of_postgresql(postgres_server):
    url, schema = postgres_server.url, postgres_server.schema()
    options = f"schema={schema}&lease=3&wait=5&patience=2&application_name=our%20bot"
    with closing(store_at(f"{url}?{options}")) as store:
        assert isinstance(store, PostgresStore)
        count_up(store, ANN)
        with postgres_server.client() as client:
            names = client.execute("SELECT application_name FROM pg_stat_activity").fetchall()
        assert ("our bot",) in names
    short = url.replace("postgresql:", "postgres:")
    with closing(store_at(f"{short}?schema={schema}")) as store:
        assert questions(store, ANN) == 1
    with closing(store_at(f"{url}?schema={postgres_server.schema()}")) as store:
        assert questions(store, ANN) == 0


def test_who_needs_no_server_needs_no_client_of_it():
    script = (
        "import sys; from anaphora import store_at; store_at('memory:'); "
        "print({'psycopg', 'redis', 'sqlite3'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("bot.db", "begins without memory:, sqlite:, redis: or postgresql:; write"),
        ("sqlite:/bot.db", "three slashes before the path of a file: sqlite:///bot.db"),
        ("redis://localhost/abc", "a Redis database is a number"),
        (
            "sqlite:///nowhere/bot.db",
            r"nowhere/bot.db: No such file or directory; create the folder",
        ),
    ],
)
def test_what_is_nearly_a_url_is_told_how_to_be_one(url, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=message):
        store_at(url)
