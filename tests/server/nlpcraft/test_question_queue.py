"""Lines of questions: their order, their bounds, and how they end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from anaphora.server.nlpcraft.question_queue import QuestionQueue
from anaphora.server.nlpcraft.state_store import QueueFullError
from anaphora.server.nlpcraft.states import QueryState
from anaphora.stm.conversation import ConversationKey

STATE = QueryState("id", "ann", "weather", "worker", "weather", 0, 0)


def take(
    desk: QuestionQueue, user: str, work: Callable[[], Awaitable[QueryState]], **more: Any
) -> asyncio.Future[QueryState]:
    with desk.reserve(ConversationKey(user, "weather")) as place:
        return place.submit(work, **more)


async def done() -> QueryState:
    return STATE


async def forever() -> QueryState:
    await asyncio.Event().wait()
    raise AssertionError


def test_one_line_goes_on_in_order_and_others_beside_it() -> None:
    async def run() -> list[str]:
        desk, seen, gate = QuestionQueue(), [], asyncio.Event()

        def work(name: str) -> Callable[[], Awaitable[QueryState]]:
            async def job() -> QueryState:
                if name == "a1":
                    await gate.wait()
                seen.append(name)
                return STATE

            return job

        first = [take(desk, "a", work(f"a{number}")) for number in (1, 2, 3)]
        await take(desk, "b", work("b1"))
        gate.set()
        await asyncio.gather(*first)
        await take(desk, "a", work("a4"))
        await desk.close(5)
        return seen

    assert asyncio.run(run()) == ["b1", "a1", "a2", "a3", "a4"]


def test_work_that_fails_leaves_the_line_to_the_next() -> None:
    async def run() -> None:
        async def broken() -> QueryState:
            raise OSError("no route")

        desk = QuestionQueue()
        first, second = take(desk, "a", broken), take(desk, "a", done)
        assert await second == STATE
        with pytest.raises(OSError, match="no route"):
            await first
        take(desk, "a", broken)  # nobody waits for it
        assert await take(desk, "a", done) == STATE
        await desk.close(5)

    asyncio.run(run())


def test_there_are_so_many_places_and_each_is_given_back() -> None:
    async def run() -> None:
        desk = QuestionQueue(max_questions=3, max_per_user=2)
        gate = asyncio.Event()

        async def waiting() -> QueryState:
            await gate.wait()
            return STATE

        jobs = [take(desk, "a", waiting), take(desk, "a", waiting)]
        with pytest.raises(QueueFullError, match="2 questions of this user"):
            take(desk, "a", done)
        with pytest.raises(OSError, match="store"), desk.reserve(ConversationKey("b", "weather")):
            raise OSError("the store is away")
        jobs.append(take(desk, "b", waiting))
        with pytest.raises(QueueFullError, match="3 questions"):
            take(desk, "c", done)
        gate.set()
        await asyncio.gather(*jobs)
        for user in "abcabc":
            assert await take(desk, user, done) == STATE
        await desk.close(5)

    asyncio.run(run())


def test_the_end_waits_for_the_lines_and_takes_no_more() -> None:
    async def run() -> None:
        desk, seen, given_up = QuestionQueue(), [], []

        async def slow() -> QueryState:
            await asyncio.sleep(0)
            seen.append(1)
            return STATE

        async def give_up() -> None:
            given_up.append(1)

        for _ in range(5):
            take(desk, "a", slow, give_up=give_up)
        await desk.close(30)
        assert (len(seen), given_up) == (5, [])
        with pytest.raises(QueueFullError, match="shutting down"):
            take(desk, "a", done)

    asyncio.run(run())


def test_what_is_left_when_time_is_up_is_given_up_all_of_it() -> None:
    async def run() -> None:
        desk, given_up = QuestionQueue(), []

        def giving_up(name: str) -> Callable[[], Awaitable[None]]:
            async def give_up() -> None:
                given_up.append(name)
                if name == "first":
                    raise OSError("the store is away")

            return give_up

        jobs = [
            take(desk, "a", forever, give_up=giving_up("first")),
            take(desk, "a", done, give_up=giving_up("second")),
            take(desk, "b", forever, give_up=giving_up("third")),
        ]
        await desk.close(0)
        assert given_up == ["first", "second", "third"]
        assert all(job.cancelled() for job in jobs)

    asyncio.run(run())


def test_a_worker_gives_signs_of_life_while_there_is_something_to_do() -> None:
    async def run() -> None:
        beats, gate = [], asyncio.Event()

        async def beat() -> None:
            beats.append(1)
            gate.set()
            if len(beats) == 1:
                raise OSError("the store is away")

        desk = QuestionQueue(heartbeat=beat)
        assert beats == []
        take(desk, "a", forever)
        await asyncio.wait_for(gate.wait(), 30)
        await desk.close(0)

    asyncio.run(run())
