"""Lines of questions: their order, their bounds, and how they end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from anaphora.server.nlpcraft.question_queue import QuestionQueue
from anaphora.server.nlpcraft.schemas import QuestionState
from anaphora.server.nlpcraft.state_store import QueueFullError
from anaphora.stm.conversation import ConversationKey

STATE = QuestionState(
    srv_req_id="id",
    usr_id="ann",
    mdl_id="weather",
    probe_id="worker",
    txt="weather",
    status="QRY_ENLISTED",
    create_tstamp=0,
    update_tstamp=0,
)


def take(
    queue: QuestionQueue, user: str, work: Callable[[], Awaitable[QuestionState]], **more: Any
) -> asyncio.Task[QuestionState]:
    with queue.reserve(ConversationKey(user, "weather")) as slot:
        return slot.submit(work, **more)


async def done() -> QuestionState:
    return STATE


async def forever() -> QuestionState:
    await asyncio.Event().wait()
    raise AssertionError


def test_one_line_goes_on_in_order_and_others_beside_it() -> None:
    async def run() -> list[str]:
        queue, seen, gate = QuestionQueue(), [], asyncio.Event()

        def work(name: str) -> Callable[[], Awaitable[QuestionState]]:
            async def job() -> QuestionState:
                if name == "a1":
                    await gate.wait()
                seen.append(name)
                return STATE

            return job

        first = [take(queue, "a", work(f"a{number}")) for number in (1, 2, 3)]
        await take(queue, "b", work("b1"))
        gate.set()
        await asyncio.gather(*first)
        await take(queue, "a", work("a4"))
        await queue.close(5)
        return seen

    assert asyncio.run(run()) == ["b1", "a1", "a2", "a3", "a4"]


def test_work_that_fails_leaves_the_line_to_the_next() -> None:
    async def run() -> None:
        async def broken() -> QuestionState:
            raise OSError("no route")

        queue = QuestionQueue()
        first, second = take(queue, "a", broken), take(queue, "a", done)
        assert await second == STATE
        with pytest.raises(OSError, match="no route"):
            await first
        take(queue, "a", broken)  # nobody waits for it
        assert await take(queue, "a", done) == STATE
        await queue.close(5)

    asyncio.run(run())


def test_there_are_so_many_places_and_each_is_given_back() -> None:
    async def run() -> None:
        queue = QuestionQueue(max_questions=3, max_per_user=2)
        gate = asyncio.Event()

        async def waiting() -> QuestionState:
            await gate.wait()
            return STATE

        jobs = [take(queue, "a", waiting), take(queue, "a", waiting)]
        with pytest.raises(QueueFullError, match="2 questions of this user"):
            take(queue, "a", done)
        with pytest.raises(OSError, match="store"), queue.reserve(ConversationKey("b", "weather")):
            raise OSError("the store is away")
        jobs.append(take(queue, "b", waiting))
        with pytest.raises(QueueFullError, match="3 questions"):
            take(queue, "c", done)
        gate.set()
        await asyncio.gather(*jobs)
        for user in "abcabc":
            assert await take(queue, user, done) == STATE
        await queue.close(5)

    asyncio.run(run())


def test_the_end_waits_for_the_lines_and_takes_no_more() -> None:
    async def run() -> None:
        queue, seen, given_up = QuestionQueue(), [], []

        async def slow() -> QuestionState:
            await asyncio.sleep(0)
            seen.append(1)
            return STATE

        async def give_up() -> None:
            given_up.append(1)

        for _ in range(5):
            take(queue, "a", slow, give_up=give_up)
        await queue.close(30)
        assert (len(seen), given_up) == (5, [])
        with pytest.raises(QueueFullError, match="shutting down"):
            take(queue, "a", done)

    asyncio.run(run())


def test_what_is_left_when_time_is_up_is_given_up_all_of_it() -> None:
    async def run() -> None:
        queue, given_up = QuestionQueue(), []

        def giving_up(name: str) -> Callable[[], Awaitable[None]]:
            async def give_up() -> None:
                given_up.append(name)
                if name == "first":
                    raise OSError("the store is away")

            return give_up

        jobs = [
            take(queue, "a", forever, give_up=giving_up("first")),
            take(queue, "a", done, give_up=giving_up("second")),
            take(queue, "b", forever, give_up=giving_up("third")),
        ]
        await queue.close(0)
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

        queue = QuestionQueue(heartbeat=beat)
        assert beats == []
        take(queue, "a", forever)
        await asyncio.wait_for(gate.wait(), 30)
        await queue.close(0)

    asyncio.run(run())
