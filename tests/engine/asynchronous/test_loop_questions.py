"""Questions to bots that are only declared, with a store on a server: no thread, same promises."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta
from textwrap import dedent

import pytest

from anaphora import AsyncEngine, Engine, User, parse_model
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.redis.store import RedisStore
from anaphora.stm.stores.sqlite.store import SqliteStore
from anaphora.stm.stores.store import Store
from tests.engine.asynchronous.test_async_engine import TEA, in_loop
from tests.support.redis_server import RedisServer, redis_server  # noqa: F401 - a fixture
from tests.support.weather_models import WEATHER

LAMP = """
    id: lamp
    elements: [{id: light}, {id: "off"}]
    intents: ["intent=off term={# == 'light'} term={# == 'off'}"]
    responses: {"off": "It is dark."}
    confirm: {"off": "Turn it off?"}
"""


@pytest.fixture
def store(redis_server: RedisServer) -> Iterator[RedisStore]:  # noqa: F811
    with redis_server.client() as client:
        client.flushall()
    store = RedisStore(redis_server.url)
    yield store
    store.close()


def engine_of(store: Store, *texts: str) -> AsyncEngine:
    return AsyncEngine(Engine(*(parse_model(dedent(text)) for text in texts), store=store))


def threads() -> int:
    return sum("engine" in one.name for one in threading.enumerate())


@in_loop
async def test_they_need_no_thread_and_keep_their_order(store):
    engine, before = engine_of(store, WEATHER), threads()
    cities = ("Tokyo", "Kyoto", "New York")
    texts = [f"weather in {cities[number % 3]}" for number in range(12)]
    asked = [engine.ask(text, user=user) for text in texts for user in "ab"]
    replies = await asyncio.gather(*asked)
    answered = [reply.slots["city"].value for reply in replies[::2]]
    assert answered == [cities[number % 3] for number in range(12)]
    assert threads() == before
    assert (await engine.conversation(user="a")).questions == 12

    @engine.on("weather")
    def answer(city: str) -> str:
        return threading.current_thread().name

    assert "engine" in (await engine.ask("weather in Tokyo")).text  # handlers run in threads
    await engine.close()


@in_loop
async def test_a_question_that_is_cancelled_is_not_remembered_and_the_next_one_waits(store):
    engine = engine_of(store, WEATHER)
    await engine.ask("weather in Tokyo")
    held = await asyncio.to_thread(_hold, store)
    cancelled = asyncio.create_task(engine.ask("and in Kyoto?"))
    following = asyncio.create_task(engine.ask("and now?"))
    await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    assert not following.done()
    held.set()
    assert (await following).slots["city"].value == "Tokyo"
    assert (await engine.conversation()).questions == 2
    assert not len(engine._queue)
    await engine.close()


def _hold(store: RedisStore) -> threading.Event:
    """Another process holds the conversation, until the event."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store.open(ConversationKey("user", "weather"), timedelta(minutes=5)):
            held.set()
            done.wait(10)

    threading.Thread(target=hold).start()
    held.wait(10)
    return done


@in_loop
async def test_the_active_model_is_found_in_the_loop(store):
    engine, before = engine_of(store, WEATHER, TEA), threads()
    ann = User("ann")
    await asyncio.to_thread(engine.engine.switch, "tea", user=ann)
    assert (await engine.ask("tea", user=ann)).intent == "tea"
    assert (await engine.ask("weather in Tokyo", user="ben")).intent == "weather"
    assert threads() == before
    await engine.close()


def test_a_confirmed_question_is_taken_before_it_is_carried_out(store):
    engine = engine_of(store, LAMP)
    engine.engine.ask("light off", user="ben")  # loads the language

    @in_loop
    async def ask():
        assert (await engine.ask("light off")).confirms
        assert (await engine.ask("yes")).text == "It is dark."
        assert (await engine.ask("yes")).text != "It is dark."
        await engine.close()

    ask()


@pytest.mark.parametrize("steps", [1, 2])
def test_a_question_whose_loop_was_closed_does_not_hold_its_conversation(tmp_path, steps):
    engine = engine_of(SqliteStore(tmp_path / "bot.db", wait=1.0), WEATHER)
    _ask_and_close_loop(engine, steps)

    async def go_on() -> None:
        assert (await engine.ask("weather in Kyoto")).slots["city"].value == "Kyoto"
        assert (await engine.conversation()).questions in (1, 2)
        await engine.close()

    asyncio.run(go_on())


def test_an_engine_is_closed_though_the_loop_of_a_question_was(tmp_path):
    engine = engine_of(SqliteStore(tmp_path / "bot.db"), WEATHER)
    _ask_and_close_loop(engine, 2)
    asyncio.run(asyncio.wait_for(engine.close(), 10))


def _ask_and_close_loop(engine: AsyncEngine, steps: int) -> None:
    """Ask in a loop that is closed after so many steps."""
    loop = asyncio.new_event_loop()
    asked = loop.create_task(engine.ask("weather in Tokyo"))
    for _ in range(steps):
        loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    del asked  # answered or not
