"""The engine in an event loop: order, threads, async handlers, cancellation."""

from __future__ import annotations

import asyncio
import inspect
import threading
from functools import wraps
from textwrap import dedent

import pytest

from anaphora import (
    AnaphoraError,
    Answer,
    AsyncEngine,
    Conflict,
    Engine,
    HandlerError,
    Question,
    Reject,
    UnknownModel,
    parse_model,
)
from tests.support.weather_models import WEATHER

TEA = """
    id: tea
    elements: [{id: tea}, {id: city, values: [Tokyo, Kyoto]}]
    intents: ["intent=tea term={# == 'tea'} term(city)~{# == 'city'}?"]
    responses: {tea: "tea"}
"""
LIMIT = 60  # seconds; a loaded machine is slow, what hangs never ends


def in_loop(test):
    """Run an async test in an event loop of its own."""

    @wraps(test)
    def run(*args, **kwargs):
        async def limited():
            async with asyncio.timeout(LIMIT):
                await test(*args, **kwargs)

        asyncio.run(limited())

    return run


def threads_of_the_engine() -> int:
    return sum(one.name.startswith("anaphora-engine") for one in threading.enumerate())


def test_it_has_the_surface_of_the_engine():
    for name, member in vars(Engine).items():
        if name.startswith("_"):
            continue
        twin = getattr(AsyncEngine, name)
        assert twin.__doc__, name
        if callable(member):
            expected, actual = map(inspect.signature, (member, twin))
            assert list(actual.parameters) == list(expected.parameters), name
            for key, parameter in expected.parameters.items():
                assert actual.parameters[key].default == parameter.default
                assert actual.parameters[key].kind == parameter.kind


@in_loop
async def test_it_answers_and_remembers(bot):
    async with AsyncEngine(bot(WEATHER)) as engine:
        await engine.ask("weather in Tokyo now")
        reply = await engine.ask("and in Kyoto?", explain=True)
        assert reply.slots["city"].value == "Kyoto"
        assert reply.explanation is not None
        assert (await engine.explain("and in Tokyo?")).status == "matched"
        assert {one.entity.element for one in await engine.memory()} == {"weather", "city", "date"}
        await engine.forget()
        assert (await engine.conversation()).is_empty
        assert await engine.active_model() == "weather"
        assert engine.model().id == "weather"


@in_loop
async def test_a_bot_that_cannot_block_is_answered_without_a_thread(bot):
    before = threads_of_the_engine()
    async with AsyncEngine(bot(WEATHER)) as engine:
        await engine.ask("weather in Tokyo")
        assert threads_of_the_engine() == before

        @engine.on("weather")
        def answer(city: str) -> str:
            return city

        assert (await engine.ask("weather in Tokyo")).text == "Tokyo"
        assert threads_of_the_engine() == before + 1


@in_loop
async def test_a_handler_that_blocks_does_not_block_the_loop(bot):
    async with AsyncEngine(bot(WEATHER)) as engine:
        released = threading.Event()

        @engine.on("weather")
        def answer() -> str:
            return "released" if released.wait(LIMIT) else "blocked"

        asked = asyncio.create_task(engine.ask("weather in Tokyo"))
        await asyncio.sleep(0)
        released.set()  # runs only if the loop is free
        assert (await asked).text == "released"


@in_loop
async def test_questions_of_one_conversation_are_answered_in_their_order(bot):
    async with AsyncEngine(bot(WEATHER), threads=8) as engine:
        seen: list[int] = []
        inside: list[int] = []

        @engine.on("weather")
        def answer(match, text: str) -> None:
            inside.append(1)
            assert len(inside) == 1
            seen.append(int(text.split()[-1]))
            inside.pop()

        asked = [engine.ask(f"weather in Tokyo {number}") for number in range(50)]
        await asyncio.gather(*asked)
        assert seen == list(range(50))


@in_loop
async def test_different_conversations_are_answered_side_by_side(bot):
    async with AsyncEngine(bot(WEATHER)) as engine:
        both = threading.Barrier(2, timeout=LIMIT)

        @engine.on("weather")
        def answer() -> str:
            both.wait()
            return "met"

        asked = (engine.ask("weather in Tokyo", user=user) for user in "ab")
        assert [reply.text for reply in await asyncio.gather(*asked)] == ["met", "met"]


@in_loop
async def test_waiting_questions_need_no_thread(bot):
    async with AsyncEngine(bot(WEATHER), threads=2) as engine:
        go_on = threading.Event()

        @engine.on("weather")
        def answer(user: str) -> str:
            if user == "slow":
                go_on.wait(LIMIT)
            return user

        slow = [asyncio.create_task(engine.ask("weather in Tokyo", user="slow")) for _ in range(20)]
        await asyncio.sleep(0)
        assert (await engine.ask("weather in Tokyo", user="quick")).text == "quick"
        go_on.set()
        await asyncio.gather(*slow)


@in_loop
async def test_switching_and_asking_keep_their_order(bot, tmp_path):
    models = [parse_model(dedent(text)) for text in (WEATHER, TEA)]
    for store in ("memory:", f"sqlite:///{tmp_path}/bot.db"):
        async with AsyncEngine(Engine(*models, store=store)) as engine:
            replies = await asyncio.gather(
                engine.ask("weather in Tokyo"),
                engine.switch("tea"),
                engine.ask("tea"),
                engine.switch("weather"),
                engine.ask("and in Kyoto?"),
            )
            asked = [replies[0], replies[2], replies[4]]
            assert [reply.intent for reply in asked] == ["weather", "tea", "weather"], store


@in_loop
async def test_the_errors_of_the_engine_are_raised(bot):
    async with AsyncEngine(bot(WEATHER, TEA)) as engine:
        with pytest.raises(UnknownModel):
            await engine.ask("tea", model="coffee")
        with pytest.raises(TypeError):
            await engine.ask(None)
        with pytest.raises(HandlerError):
            engine.on("nothing")
        assert (await engine.ask("tea", model="tea")).text == "tea"


class TestAsyncHandlers:
    @in_loop
    async def test_they_run_in_the_loop_of_the_question(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:
            loop = asyncio.get_running_loop()

            @engine.on("weather")
            async def answer(city: str, date: str = "now") -> str:
                await asyncio.sleep(0)
                assert asyncio.get_running_loop() is loop
                return f"{city} {date}"

            assert (await engine.ask("weather in Tokyo")).text == "Tokyo now"

    @in_loop
    async def test_they_may_reject_and_fail(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:

            @engine.on("weather")
            async def answer(city: str) -> str:
                if city == "Tokyo":
                    raise Reject("not there")
                raise RuntimeError("broken")

            assert (await engine.ask("weather in Tokyo")).reason == "not there"
            with pytest.raises(HandlerError, match="broken"):
                await engine.ask("weather in Kyoto")
            assert not await engine.memory()

    @in_loop
    async def test_hooks_and_fallbacks_may_be_async(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:

            @engine.hook("result")
            async def result(match, result) -> str:
                await asyncio.sleep(0)
                return "changed"

            @engine.on_fallback
            async def fallback(text: str) -> str:
                return f"what is {text}?"

            assert (await engine.ask("weather in Tokyo")).text == "changed"
            assert (await engine.ask("bananas")).text == "what is bananas?"

    @in_loop
    async def test_they_may_ask_in_other_conversations_even_with_one_thread(self, bot):
        async with AsyncEngine(bot(WEATHER, TEA), threads=1) as engine:

            @engine.on("weather", model="weather")
            async def weather() -> str:
                return (await engine.ask("tea", model="tea")).text

            @engine.on("tea", model="tea")
            async def tea() -> str:
                return "nested"

            assert (await engine.ask("weather in Tokyo", model="weather")).text == "nested"

    @in_loop
    async def test_they_cannot_ask_in_their_own_conversation(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:

            @engine.on("weather")
            async def weather() -> str:
                return (await engine.ask("weather in Kyoto")).text

            with pytest.raises(HandlerError) as caught:
                await engine.ask("weather in Tokyo")
            assert isinstance(caught.value.__cause__, Conflict)

    @in_loop
    async def test_tasks_that_they_start_may_ask_once_they_have_ended(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:
            answered = asyncio.Event()
            later: list[asyncio.Task] = []

            async def ask_later():
                await answered.wait()
                return await engine.ask("and in Kyoto?")

            @engine.on("weather")
            async def weather(city: str) -> str:
                if city == "Tokyo":
                    later.append(asyncio.create_task(ask_later()))
                return city

            await engine.ask("weather in Tokyo")
            answered.set()
            assert (await later[0]).text == "Kyoto"

    @in_loop
    async def test_two_that_ask_in_each_others_conversations_get_a_conflict(self, bot):
        async with AsyncEngine(bot(WEATHER), wait=0.2) as engine:
            inside = asyncio.Barrier(2)

            @engine.on("weather")
            async def weather(city: str, user: str) -> str:
                if city == "Tokyo":
                    await inside.wait()
                    await engine.ask("weather in Kyoto", user="b" if user == "a" else "a")
                return city

            asked = (engine.ask("weather in Tokyo", user=user) for user in "ab")
            results = await asyncio.gather(*asked, return_exceptions=True)
            causes = {type(one.__cause__) for one in results if isinstance(one, HandlerError)}
            assert causes == {Conflict}

    def test_the_plain_engine_does_not_run_them(self, bot):
        engine = AsyncEngine(bot(WEATHER))

        @engine.on("weather")
        async def answer() -> str:
            return "never"

        with pytest.raises(HandlerError, match="AsyncEngine"):
            engine.engine.ask("weather in Tokyo")


class TestCancellation:
    @in_loop
    async def test_a_question_that_waits_leaves_no_trace_and_no_gap(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:
            go_on = threading.Event()
            seen: list[str] = []

            @engine.on("weather")
            def answer(city: str, text: str) -> None:
                seen.append(text)
                go_on.wait(LIMIT)

            texts = [f"weather in {city}" for city in ("Tokyo", "Kyoto", "Osaka")]
            first, second, third = (asyncio.create_task(engine.ask(text)) for text in texts)
            await asyncio.sleep(0)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            assert not third.done()
            go_on.set()
            await asyncio.gather(first, third)
            assert texts[1] not in seen
            assert (await engine.conversation()).questions == 2

    @in_loop
    async def test_a_question_that_is_being_answered_is_not_remembered(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:
            await engine.ask("weather in Tokyo")
            began, go_on = asyncio.Event(), threading.Event()
            loop = asyncio.get_running_loop()
            order: list[str] = []

            @engine.on("weather")
            def answer(city: str) -> str:
                order.append(f"{city} begins")
                loop.call_soon_threadsafe(began.set)
                go_on.wait(LIMIT)
                order.append(f"{city} ends")
                return city

            cancelled = asyncio.create_task(engine.ask("and in Kyoto?"))
            await began.wait()
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            following = asyncio.create_task(engine.ask("and now?"))
            await asyncio.sleep(0)
            go_on.set()
            reply = await following
            assert reply.slots["city"].value == "Tokyo"  # Kyoto is not remembered
            assert order == ["Kyoto begins", "Kyoto ends", "Tokyo begins", "Tokyo ends"]
            assert (await engine.conversation()).questions == 2

    @in_loop
    async def test_an_async_handler_is_cancelled(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:
            began, cleaned = asyncio.Event(), asyncio.Event()

            @engine.on("weather")
            async def answer() -> str:
                began.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    cleaned.set()
                return "never"

            asked = asyncio.create_task(engine.ask("weather in Tokyo"))
            await began.wait()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asked, timeout=0)
            await cleaned.wait()
            assert (await engine.conversation()).is_empty

    @in_loop
    async def test_nothing_is_left_behind(self, bot):
        async with AsyncEngine(bot(WEATHER)) as engine:

            @engine.on("weather")
            async def answer() -> str:
                await asyncio.sleep(0)
                return "sunny"

            tasks = [
                asyncio.create_task(engine.ask("weather in Tokyo", user=str(number % 3)))
                for number in range(60)
            ]
            await asyncio.sleep(0)
            for task in tasks[::2]:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(reply.text == "sunny" for reply in results[1::2])
            assert (await engine.ask("weather in Tokyo", user="0")).text == "sunny"
            assert not len(engine._queue)


@in_loop
async def test_many_questions_are_answered_as_their_replies_are_requested(bot):
    async with AsyncEngine(bot(WEATHER)) as engine:
        questions = ["weather in Tokyo", Question("and in Kyoto?"), "bananas"]
        statuses = [reply.status async for reply in engine.ask_many(questions)]
        assert statuses == ["matched", "matched", "rejected"]


@in_loop
async def test_what_the_bot_says_is_in_order_too(bot):
    text = """
        id: tables
        entities: [date]
        dialog_acts: true
        elements:
          - {id: find, synonyms: [find]}
          - {id: book}
          - {id: name, id_synonym: false, values: [Kiku, Sora]}
        intents:
          - {id: find, slots: {find: find}}
          - {id: book, slots: {book: book, name: name}, response: "{{ name }}"}
    """
    async with AsyncEngine(bot(text)) as engine:
        said = Answer(offers=[{"name": "Kiku"}], then="book")
        _, reply = await asyncio.gather(engine.say(said, intent="find"), engine.ask("book it"))
        assert reply.text == "Kiku"


@in_loop
async def test_closing_waits_for_running_questions_and_refuses_new_ones(bot):
    engine = AsyncEngine(bot(WEATHER))
    go_on = threading.Event()

    @engine.on("weather")
    def answer() -> str:
        go_on.wait(LIMIT)
        return "answered"

    asked = asyncio.create_task(engine.ask("weather in Tokyo"))
    await asyncio.sleep(0)
    closing = asyncio.create_task(engine.close())
    await asyncio.sleep(0)
    assert not closing.done()
    go_on.set()
    assert (await asked).text == "answered"
    await closing
    with pytest.raises(AnaphoraError, match="closed"):
        await engine.ask("weather in Tokyo")


@in_loop
async def test_copies_share_conversations_and_close_nothing(bot):
    async with AsyncEngine(bot(WEATHER)) as engine:
        async with engine.with_long_term(None) as copied:
            await copied.ask("weather in Tokyo")
        assert (await engine.ask("and in Kyoto?")).status == "matched"
        assert engine.with_fallback(None).models == engine.models


def test_one_engine_serves_several_event_loops(bot):
    engine = AsyncEngine(bot(WEATHER))

    @engine.on("weather")
    async def answer(city: str) -> str:
        return city

    assert asyncio.run(engine.ask("weather in Tokyo")).text == "Tokyo"
    assert asyncio.run(engine.ask("and in Kyoto?")).text == "Kyoto"


def test_wrong_arguments_are_explained(bot):
    with pytest.raises(TypeError, match=r"AsyncEngine\(Engine\('weather'\)\)"):
        AsyncEngine("weather")
    with pytest.raises(ValueError, match="at least one thread"):
        AsyncEngine(bot(WEATHER), threads=0)
