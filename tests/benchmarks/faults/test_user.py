"""What a simulated user records of its requests."""

from __future__ import annotations

import asyncio
import random
from typing import Never

import httpx

from benchmarks.faults.operations import Operation
from benchmarks.faults.user import SimulatedUser


def test_a_request_that_is_given_up_may_have_happened() -> None:
    async def talk() -> list[Operation]:
        is_asked = asyncio.Event()

        async def answer(request: httpx.Request) -> Never:
            is_asked.set()
            await asyncio.Event().wait()
            raise AssertionError

        recorded: list[Operation] = []
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            user = SimulatedUser(
                "u001", 1, lambda: ["http://bot"], http, recorded.append, random.Random(1)
            )
            running = asyncio.create_task(user.run())
            await is_asked.wait()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        return recorded

    (operation,) = asyncio.run(talk())
    assert operation.outcome == "unknown"
