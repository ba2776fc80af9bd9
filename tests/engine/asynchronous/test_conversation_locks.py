"""Whose turn it is among the requests of one worker."""

from __future__ import annotations

import asyncio

import pytest

from anaphora import Conflict
from anaphora.engine.asynchronous.conversation_locks import AsyncConversationLocks


def test_each_conversation_lets_one_in_at_a_time_in_their_order() -> None:
    async def play() -> list[str]:
        turns, entered = AsyncConversationLocks(), []

        async def enter(name: str) -> None:
            await turns.acquire("tea")
            entered.append(name)
            await asyncio.sleep(0)
            entered.append(name)
            turns.release("tea")

        await asyncio.gather(*(enter(name) for name in "abc"))
        assert not len(turns)
        return entered

    assert asyncio.run(play()) == ["a", "a", "b", "b", "c", "c"]


def test_another_conversation_is_not_waited_for() -> None:
    async def play() -> None:
        turns = AsyncConversationLocks()
        await turns.acquire("tea")
        await asyncio.wait_for(turns.acquire("lamp"), 30)

    asyncio.run(play())


def test_a_turn_that_does_not_come_in_time_is_a_conflict() -> None:
    async def play() -> None:
        turns = AsyncConversationLocks(timeout=0.01)
        await turns.acquire("tea")
        with pytest.raises(Conflict, match=r"busy for 0\.01 seconds"):
            await turns.acquire("tea")
        turns.release("tea")
        assert not len(turns)

    asyncio.run(play())


def test_one_who_leaves_the_line_does_not_hold_up_those_behind() -> None:
    async def play() -> None:
        turns = AsyncConversationLocks()
        await turns.acquire("tea")
        waiting = [asyncio.create_task(turns.acquire("tea")) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        turns.release("tea")
        await asyncio.wait_for(waiting[1], 30)
        turns.release("tea")
        assert not len(turns)

    asyncio.run(play())
