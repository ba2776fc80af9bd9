"""What does each store cost per question: in a dialog, and alone?

Redis and PostgreSQL are real servers on this machine, reached over the loopback interface.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count

import pytest
from msgspec.structs import replace

from anaphora import Engine, Store, store_at
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.records import dump, load
from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.redis_server import RedisServer

STORES = (
    "memory",
    "sqlite",
    "sqlite without fsync",
    "redis",
    "postgres",
    "postgres without fsync",
)
TIMEOUT = timedelta(minutes=5)


@contextmanager
def opened(name, folder) -> Iterator[Store]:
    if name == "redis":
        with RedisServer() as server, store_of(server.url) as store:
            yield store
        return
    if name.startswith("postgres"):
        fsync = "off" if "without" in name else "on"
        settings = {"autovacuum": "on", "fsync": fsync, "full_page_writes": fsync}
        with PostgresServer(with_pgvector(), **settings) as server, store_of(server.url) as store:
            yield store
        return
    urls = {
        "memory": "memory:",
        "sqlite": f"sqlite:///{folder}/bot.db",
        "sqlite without fsync": f"sqlite:///{folder}/bot.db?synchronous=normal",
    }
    with store_of(urls[name]) as store:
        yield store


@contextmanager
def store_of(url) -> Iterator[Store]:
    store = store_at(url)
    try:
        yield store
    finally:
        store.close()


@pytest.fixture
def store(request, tmp_path):
    with opened(request.param, tmp_path) as store:
        yield store


@pytest.fixture(scope="module")
def conversation():
    """A conversation after three questions."""
    engine = Engine("cafe")
    for question in ("How much is a coffee at Starbucks?", "And a large tea?", "And at Costa?"):
        assert engine.ask(question).status == "matched"
    return engine.store.peek(ConversationKey("user", "cafe"))


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_ask(benchmark, store):
    """Follow-ups, each in another conversation than the one before."""
    engine = Engine("cafe", store=store)
    users = [f"user {number}" for number in range(500)]
    for user in users:
        engine.ask("How much is a coffee at Starbucks?", user=user)
    turn = count()

    def follow_up():
        return engine.ask("And a large tea?", user=users[next(turn) % len(users)])

    reply = benchmark.pedantic(follow_up, rounds=1_000, warmup_rounds=50)
    assert reply.status == "matched"


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_open_and_commit(benchmark, store, conversation):
    """The store alone: open, change and commit a conversation."""

    def turn():
        with store.open(conversation.key, TIMEOUT) as session:
            asked = session.conversation.questions + 1
            session.commit(replace(conversation, questions=asked))

    benchmark.pedantic(turn, rounds=1_000, warmup_rounds=50)
    assert store.peek(conversation.key).questions == 1_050


def test_writing_a_record(benchmark, conversation):
    assert load(benchmark(dump, conversation)) == conversation


def test_reading_a_record(benchmark, conversation):
    assert benchmark(load, dump(conversation)) == conversation
