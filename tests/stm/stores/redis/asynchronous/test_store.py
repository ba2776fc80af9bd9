"""A Redis store in an event loop: the promises of the store, and no thread."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from anaphora import Conflict, StoreError
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.redis.asynchronous.store import AsyncRedisStore
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.store import RedisStore
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


def in_loop(test: Callable[[], Coroutine[Any, Any, None]], *stores: RedisStore) -> None:
    """Run a test in an event loop, and close the connections of the stores in it."""

    async def limited() -> None:
        async with asyncio.timeout(30):
            try:
                await test()
            finally:
                for store in stores:
                    await side(store).close()

    asyncio.run(limited())


def side(store: RedisStore) -> AsyncRedisStore:
    found = store.asynchronous
    assert found is not None
    return found


async def count_up_in_loop(store: RedisStore, key: ConversationKey = ANN) -> int:
    """Answer a question in no time; how many there have been."""
    async with side(store).open(key, TIMEOUT) as session:
        asked = session.conversation.questions + 1
        session.commit(replace(session.conversation, questions=asked))
    return asked


def test_threads_and_loops_share_conversations_and_notes(open_store):
    store = open_store()
    store.put_note("models", "ann", "weather", TIMEOUT)
    count_up(store, ANN)

    async def test():
        assert await count_up_in_loop(store) == 2
        assert await side(store).get_note("models", "ann") == "weather"
        assert await side(store).get_note("models", "ben") is None

    in_loop(test, store)
    assert count_up(store, ANN) == 3


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


def test_tasks_and_threads_of_several_stores_take_turns(open_store):
    """Each question takes effect once, and sees the one before."""
    stores = [open_store(), open_store()]

    async def test():
        with ThreadPoolExecutor(2) as pool:
            loop = asyncio.get_running_loop()
            asked = [loop.run_in_executor(pool, count_up, stores[0], ANN) for _ in range(20)]
            asked += [asyncio.create_task(count_up_in_loop(stores[n % 2])) for n in range(20)]
            assert sorted(await asyncio.gather(*asked)) == list(range(1, 41))

    in_loop(test, *stores)


def test_a_question_waits_only_so_long_and_then_leaves_the_queue(open_store, client):
    first, hasty = open_store(), open_store(wait=0.03)

    async def test():
        async with side(first).open(ANN, TIMEOUT):
            with pytest.raises(Conflict, match="busy"):
                await count_up_in_loop(hasty)
        assert client.keys() == []
        assert await count_up_in_loop(hasty) == 1

    in_loop(test, first, hasty)


def test_a_question_that_fails_or_is_cancelled_leaves_nothing(open_store, client):
    store = open_store()

    async def test():
        async def fail():
            async with side(store).open(ANN, TIMEOUT) as session:
                session.commit(replace(session.conversation, questions=9))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail()
        opened = asyncio.Event()

        async def hang():
            async with side(store).open(ANN, TIMEOUT) as session:
                session.commit(replace(session.conversation, questions=9))
                opened.set()
                await asyncio.Event().wait()

        for wait_until_open in (True, False):  # while it is answered; while it gets the lock
            task = asyncio.create_task(hang())
            await (opened.wait() if wait_until_open else asyncio.sleep(0))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert client.keys() == []
        assert await count_up_in_loop(store) == 1

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


def test_a_forked_process_has_connections_of_its_own(open_store):
    store = open_store()

    async def test():
        await count_up_in_loop(store)
        if not (child := os.fork()):
            os._exit(_in_child(store))
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert await count_up_in_loop(store) == 3

    in_loop(test, store)


def _in_child(store: RedisStore) -> int:
    answers: list[int] = []
    thread = threading.Thread(target=lambda: answers.append(asyncio.run(count_up_in_loop(store))))
    thread.start()  # this one still has the loop of the parent
    thread.join()
    return 0 if answers == [2] else 1


def test_another_loop_can_go_on(open_store):
    store, answers = open_store(), []

    async def test():
        answers.append(await count_up_in_loop(store))

    in_loop(test, store)
    in_loop(test, store)
    assert answers == [1, 2]


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


def test_a_server_that_was_never_there_and_a_closed_store_say_so(open_store):
    away, closed = RedisStore("redis://127.0.0.1:1"), open_store()
    closed.close()

    async def test():
        with pytest.raises(StoreError, match="cannot be reached"):
            await count_up_in_loop(away)
        with pytest.raises(StoreError, match="closed"):
            await count_up_in_loop(closed)

    in_loop(test, away)
