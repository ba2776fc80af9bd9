"""The promises of a store in an event loop, without a thread for a question."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from anaphora import Conflict, StoreError
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.store import Store
from tests.stm.stores.event_loops import count_up_in_loop, in_loop, side
from tests.stm.stores.store_homes import ANN, TIMEOUT, count_up, questions


def test_threads_and_loops_share_conversations_and_notes(looping):
    store = looping.store()
    store.put_note("models", "ann", "weather", TIMEOUT)
    count_up(store, ANN)

    async def test():
        assert await count_up_in_loop(store) == 2
        assert await side(store).get_note("models", "ann") == "weather"
        assert await side(store).get_note("models", "ben") is None

    in_loop(test, store)
    assert count_up(store, ANN) == 3


def test_tasks_and_threads_of_several_stores_take_turns(looping):
    """Each question takes effect once, and sees the one before."""
    stores = [looping.store(), looping.store()]

    async def test():
        with ThreadPoolExecutor(2) as pool:
            loop = asyncio.get_running_loop()
            asked = [loop.run_in_executor(pool, count_up, stores[0], ANN) for _ in range(20)]
            asked += [asyncio.create_task(count_up_in_loop(stores[n % 2])) for n in range(20)]
            assert sorted(await asyncio.gather(*asked)) == list(range(1, 41))

    in_loop(test, *stores)


def test_many_conversations_go_on_side_by_side(looping):
    store, keys = looping.store(), [ConversationKey(f"user {n}", "weather") for n in range(40)]

    async def test():
        for asked in (1, 2, 3):
            counted = await asyncio.gather(*(count_up_in_loop(store, key) for key in keys))
            assert set(counted) == {asked}

    in_loop(test, store)
    assert {questions(store, key) for key in keys} == {3}


def test_a_question_waits_only_so_long_and_then_leaves_the_queue(looping):
    first, hasty = looping.store(), looping.store("wait=0.03")

    async def test():
        async with side(first).open(ANN, TIMEOUT):
            with pytest.raises(Conflict, match="busy"):
                await count_up_in_loop(hasty)
        assert await count_up_in_loop(hasty) == 1

    in_loop(test, first, hasty)


def test_tasks_of_one_store_wait_for_each_other_only_so_long(looping):
    store = looping.store("wait=0.03")

    async def test():
        async with side(store).open(ANN, TIMEOUT):
            with pytest.raises(Conflict, match="busy"):
                await count_up_in_loop(store)
        assert await count_up_in_loop(store) == 1

    in_loop(test, store)


def test_a_question_that_fails_or_is_cancelled_leaves_nothing(looping):
    store = looping.store()

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
        assert list(store.keys()) == []
        assert await count_up_in_loop(store) == 1

    in_loop(test, store)


def test_whenever_a_question_is_cancelled_its_conversation_is_whole_and_free(looping):
    """It is stored or not, and the next question sees which."""
    store = looping.store()

    async def test():
        for steps in range(30):
            before = questions(store, ANN)
            task = asyncio.create_task(count_up_in_loop(store))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            asked = await count_up_in_loop(store)
            assert asked in ((before + 2,) if not task.cancelled() else (before + 1, before + 2))

    in_loop(test, store)


def test_a_forked_process_goes_on_by_itself(looping):
    store = looping.store()

    async def test():
        await count_up_in_loop(store)
        if not (child := os.fork()):
            os._exit(_in_child(store))
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert await count_up_in_loop(store) == 3

    in_loop(test, store)


def _in_child(store: Store) -> int:
    answers: list[int] = []
    thread = threading.Thread(target=lambda: answers.append(asyncio.run(count_up_in_loop(store))))
    thread.start()  # this one still has the loop of the parent
    thread.join()
    return 0 if answers == [2] else 1


def test_another_loop_can_go_on(looping):
    store, answers = looping.store(), []

    async def test():
        answers.append(await count_up_in_loop(store))

    in_loop(test, store)
    in_loop(test, store)
    assert answers == [1, 2]


def test_loops_of_several_threads_share_a_store(looping):
    store = looping.store()

    def ask():
        async def test():
            for _ in range(10):
                await count_up_in_loop(store)

        in_loop(test, store)

    with ThreadPoolExecutor(3) as pool:
        for asked in [pool.submit(ask) for _ in range(3)]:
            asked.result()
    assert questions(store, ANN) == 30


def test_a_closed_store_says_so(looping):
    store = looping.store()
    store.close()

    async def test():
        with pytest.raises(StoreError, match="closed"):
            await count_up_in_loop(store)

    in_loop(test)
