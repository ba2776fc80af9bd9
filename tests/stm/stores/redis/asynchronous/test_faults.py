"""What a Redis server and its network may suffer while an event loop asks, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from anaphora import StoreError
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.redis.store import RedisStore
from tests.support.real_server import WAIT_LIMIT
from tests.support.redis_server import RedisServer

TIMEOUT = timedelta(minutes=5)
ROOMS = [ConversationKey(f"room {number}", "weather") for number in range(4)]


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    # A commit is on the disk before it is acknowledged, so that kill -9 can take none back.
    with RedisServer("--appendfsync", "always") as server:
        yield server


class Load:
    """Questions without a pause, from tasks of two stores, in a few conversations."""

    def __init__(self, *urls: str) -> None:
        self.stores = [RedisStore(url, wait=WAIT_LIMIT, patience=WAIT_LIMIT) for url in urls]
        self.answered: Counter[ConversationKey] = Counter()
        self.seen: dict[ConversationKey, list[int]] = {key: [] for key in ROOMS}
        self.stop = False

    async def ask(self, store: RedisStore, key: ConversationKey) -> None:
        assert store.asynchronous is not None
        async with store.asynchronous.open(key, TIMEOUT) as session:
            asked = session.conversation.questions + 1
            session.commit(replace(session.conversation, questions=asked))
            await asyncio.sleep(0)
        self.answered[key] += 1
        self.seen[key].append(asked)

    async def _ask_on(self, store: RedisStore, random: Random) -> None:
        while not self.stop:
            await self.ask(store, random.choice(ROOMS))

    async def go_on(self, questions: int) -> None:
        """Wait until so many more have been answered."""
        goal = self.answered.total() + questions
        while self.answered.total() < goal:
            await asyncio.sleep(0.001)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        for store in self.stores:  # a server that was never there is not waited for
            await asyncio.to_thread(store.peek, ROOMS[0])
        async with asyncio.TaskGroup() as tasks:
            for number, store in enumerate(self.stores * 4):
                tasks.create_task(self._ask_on(store, Random(number)))
            try:
                yield
            finally:
                self.stop = True

    async def close(self) -> None:
        for store in self.stores:
            assert store.asynchronous is not None
            await store.asynchronous.close()
            store.close()

    def check(self) -> None:
        """Every question took effect once, and each saw the one before."""
        found = {key: kept.questions for key in ROOMS if (kept := self.stores[0].peek(key))}
        assert found == dict(self.answered)
        for key, seen in self.seen.items():
            assert sorted(seen) == list(range(1, self.answered[key] + 1))


def under_load(
    fault: Callable[[Load], Coroutine[Any, Any, None]], server: RedisServer, *urls: str
) -> None:
    with server.client() as client:
        client.flushall()

    async def main() -> None:
        load = Load(*urls)
        try:
            async with asyncio.timeout(2 * WAIT_LIMIT), load.running():
                await fault(load)
            await asyncio.to_thread(load.check)
        finally:
            await load.close()

    asyncio.run(main())


def test_a_server_that_is_restarted_killed_or_paused_loses_nothing(server: RedisServer) -> None:
    async def fault(load: Load) -> None:
        for happens in (server.restart, server.kill, None):
            await load.go_on(25)
            if happens is not None:
                await asyncio.to_thread(happens)
                if happens == server.kill:
                    await asyncio.to_thread(server.start)
        with server.client() as client:
            client.client_pause(50)
            await load.go_on(25)

    under_load(fault, server, server.url, server.url)


def test_connections_that_are_cut_lose_nothing(server: RedisServer) -> None:
    async def fault(load: Load) -> None:
        random = Random(5)
        with server.client() as client:
            for _ in range(12):
                await load.go_on(random.randrange(1, 12))
                client.client_kill_filter(_type="normal", skipme=True)

    under_load(fault, server, server.url, server.unix_url)


def test_lost_commands_and_lost_answers_lose_nothing_and_repeat_nothing(
    server: RedisServer,
) -> None:
    async def main() -> None:
        network = _Network(server.socket)
        async with await asyncio.start_server(network.carry, "127.0.0.1", 0) as listener:
            port = listener.sockets[0].getsockname()[1]
            load = Load(*[f"redis://127.0.0.1:{port}/0"] * 2)
            async with asyncio.timeout(2 * WAIT_LIMIT), load.running():
                network.is_faulty = True
                await load.go_on(100)
                network.is_faulty = False
            await asyncio.to_thread(load.check)
            assert network.faults > 10
            await load.close()

    with server.client() as client:
        client.flushall()
    asyncio.run(main())


class _Network:
    """Carries bytes to a server and back; when it is faulty, it cuts connections in the middle of
    questions and of answers."""

    def __init__(self, to: str) -> None:
        self._to, self._random = to, Random(11)
        self.is_faulty, self.faults = False, 0

    async def carry(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        answers, far = await asyncio.open_unix_connection(self._to)
        ways = [self._carry(near, far), self._carry(answers, back)]
        try:
            await asyncio.wait(
                [asyncio.create_task(way) for way in ways], return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for writer in (far, back):
                writer.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                if self.is_faulty and self._random.random() < 0.1:
                    self.faults += 1
                    writer.write(data[: self._random.randrange(len(data))])
                    await writer.drain()
                    return
                writer.write(data)
                await writer.drain()


def test_a_server_that_stays_away_fails_the_question_and_keeps_nothing_of_it(
    server: RedisServer,
) -> None:
    store = RedisStore(server.url, patience=0.1)

    async def ask_while_it_dies() -> None:
        assert store.asynchronous is not None
        async with store.asynchronous.open(ROOMS[0], TIMEOUT) as session:
            await asyncio.to_thread(server.kill)
            session.commit(replace(session.conversation, questions=99))

    async def main() -> None:
        assert store.asynchronous is not None
        async with store.asynchronous.open(ROOMS[0], TIMEOUT) as session:
            before = session.conversation.questions
            session.commit(replace(session.conversation, questions=before + 1))
        with pytest.raises(StoreError, match="cannot be reached"):
            await ask_while_it_dies()
        await asyncio.to_thread(server.start)
        kept = await asyncio.to_thread(store.peek, ROOMS[0])
        assert kept.questions == before + 1
        await store.asynchronous.close()
        store.close()

    asyncio.run(main())
