"""Stores in event loops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec.structs import replace

from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.store import AsyncStore, Store, async_store_of
from tests.stm.stores.store_homes import ANN, PATIENCE, TIMEOUT


def side(store: Store) -> AsyncStore:
    """The side of a store for event loops."""
    found = async_store_of(store)
    assert found is not None
    return found


def in_loop(test: Callable[[], Coroutine[Any, Any, None]], *stores: Store) -> None:
    """Run a test in an event loop, and close there what the stores have opened."""

    async def limited() -> None:
        async with asyncio.timeout(PATIENCE):
            try:
                await test()
            finally:
                for store in stores:
                    await side(store).close()

    asyncio.run(limited())


async def count_up_in_loop(store: Store, key: ConversationKey = ANN) -> int:
    """Answer a question in no time; how many there have been."""
    async with side(store).open(key, TIMEOUT) as session:
        asked = session.conversation.questions + 1
        session.commit(replace(session.conversation, questions=asked))
    return asked
