"""A Redis store in an event loop: the promises of the store, and no thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from anaphora import Conflict, StoreError
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.store import RedisStore
from tests.stm.stores.event_loops import count_up_in_loop, in_loop, side
from tests.stm.stores.redis.lock_holder import count_up
from tests.stm.stores.redis.test_store import commands
from tests.support.redis_server import RedisServer, redis_server  # noqa: F401 - a fixture

TIMEOUT = timedelta(minutes=5)
ANN = ConversationKey("ann", "weather")
NAMES = KeySpace("anaphora")


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[redis.Redis]:  # noqa: F811
    with redis_server.client() as client:
        client.flushall()
        yield client


@pytest.fixture
def open_store(
    redis_server: RedisServer,  # noqa: F811
    client: redis.Redis,
) -> Iterator[Callable[..., RedisStore]]:
    """Stores that know nothing of each other, as those of different processes."""
    made: list[RedisStore] = []

    def open_one(**options: Any) -> RedisStore:
        made.append(RedisStore(redis_server.url, **options))
        return made[-1]

    yield open_one
    for store in made:
        store.close()


def test_a_question_costs_two_commands_and_all_share_a_connection(open_store, client):
    store, keys = open_store(), [ConversationKey(f"user {n}", "weather") for n in range(30)]

    async def ask_all():
        await asyncio.gather(*(count_up_in_loop(store, key) for key in keys))

    async def test():
        await count_up_in_loop(store)  # connects; the server learns the scripts
        loop = asyncio.get_running_loop()

        def act():
            asyncio.run_coroutine_threadsafe(ask_all(), loop).result()

        assert await asyncio.to_thread(commands, client, act) == ["EVALSHA"] * 60
        assert [one["cmd"] for one in client.client_list()].count("evalsha") == 1

    in_loop(test, store)


def test_one_that_has_lost_its_lock_changes_nothing(open_store, client):
    store = open_store()

    async def ask():
        async with side(store).open(ANN, TIMEOUT) as session:
            client.delete(NAMES.session_keys(ANN, "").lock)
            assert count_up(store, ANN) == 1
            session.commit(replace(session.conversation, questions=9))

    async def test():
        with pytest.raises(Conflict, match="nothing was changed"):
            await ask()

    in_loop(test, store)
    assert store.peek(ANN).questions == 1


def test_a_damaged_record_is_put_in_quarantine(open_store, client):
    store = open_store()
    count_up(store, ANN)
    client.set(NAMES.record_key(ANN), b"{", keepttl=True)

    async def test():
        assert await count_up_in_loop(store) == 1

    in_loop(test, store)
    assert [item.key for item in store.quarantine.items()] == [ANN]


def test_password_database_and_socket_are_those_of_the_url():
    with RedisServer("--requirepass", "s3cret") as server:
        urls = [
            f"redis://:s3cret@127.0.0.1:{server.port}/3",
            f"{server.unix_url}?password=s3cret&db=3",
        ]
        for asked, url in enumerate(urls, 1):
            with closing(RedisStore(url)) as store:

                async def test(store: RedisStore = store, asked: int = asked) -> None:
                    assert await count_up_in_loop(store) == asked

                in_loop(test, store)
        with closing(RedisStore(f"redis://:wrong@127.0.0.1:{server.port}/3")) as store:

            async def refused(store: RedisStore = store) -> None:
                with pytest.raises(StoreError, match="check user and password"):
                    await count_up_in_loop(store)

            in_loop(refused, store)


def test_servers_that_need_more_than_one_connection_are_left_to_threads():
    for url in ("redis+cluster://one", "redis+sentinel://one/bot"):
        with closing(RedisStore(url)) as store:
            assert store.asynchronous is None
    with closing(RedisStore("redis://one", min_replicas=1)) as store:
        assert store.asynchronous is None


def test_a_server_that_was_never_there_is_reported():
    away = RedisStore("redis://127.0.0.1:1")

    async def test():
        with pytest.raises(StoreError, match="cannot be reached"):
            await count_up_in_loop(away)

    in_loop(test, away)
