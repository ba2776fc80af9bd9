"""Questions without a pause, from threads of several stores, in many conversations."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from random import Random

import pytest
from msgspec.structs import replace

from anaphora import Conflict, StoreError
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.store import Store
from tests.stm.stores.redis.several.history import Question, violations
from tests.support.real_server import WAIT_LIMIT

TIMEOUT = timedelta(minutes=5)
PATIENCE = f"wait=60&patience={WAIT_LIMIT:g}&lease=2"


class Load:
    """``make`` opens a store; there are two threads for each."""

    def __init__(self, make: Callable[[], Store], *, stores: int, conversations: int) -> None:
        self.stores = [make() for _ in range(stores)]
        self.keys = [ConversationKey(f"user {n}", "weather") for n in range(conversations)]
        self.questions: list[Question] = []
        self.refusals: list[Exception] = []
        self.answered = 0
        self._numbers = count()
        self._stop = threading.Event()
        self._mutex = threading.Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        with ThreadPoolExecutor(2 * len(self.stores)) as pool:
            asking: list[Future[None]] = [
                pool.submit(self._ask_on, store, Random(number))
                for number, store in enumerate(self.stores * 2)
            ]
            try:
                yield
            finally:
                self._stop.set()
            for done in asking:
                done.result(2 * WAIT_LIMIT)

    def go_on(self, questions: int) -> None:
        """Wait until so many more have been answered."""
        goal, deadline = self.answered + questions, time.monotonic() + 2 * WAIT_LIMIT
        while self.answered < goal:
            assert time.monotonic() < deadline, "nothing is answered any more"
            time.sleep(0.001)

    def check(self, faults: int, what: str, capsys: pytest.CaptureFixture[str]) -> None:
        """Nothing lost that was answered, nothing twice, and all in order."""
        kept = {key: self._read(key) for key in self.keys}
        found = violations(self.questions, kept)
        with capsys.disabled():
            print(
                f"\n  {what}: {len(self.questions)} questions, {faults} faults, "
                f"{len(self.refusals)} refused, {len(found)} wrong"
            )
        assert found == []

    def close(self) -> None:
        for store in self.stores:
            store.close()

    def _ask_on(self, store: Store, random: Random) -> None:
        while not self._stop.is_set():
            self._ask(store, random.choice(self.keys))

    def _ask(self, store: Store, key: ConversationKey) -> None:
        number, begin = next(self._numbers), time.monotonic()
        saw: Sequence[int] | None = None
        try:
            with store.open(key, TIMEOUT) as session:
                seen: list[int] = list(session.conversation.data.get("asked", ()))
                data = {"asked": [*seen, number]}
                session.commit(replace(session.conversation, data=data, questions=len(seen) + 1))
            saw = seen
        except (StoreError, Conflict) as error:
            self.refusals.append(error)
        with self._mutex:
            self.answered += saw is not None
            self.questions.append(Question(number, key, begin, time.monotonic(), saw))

    def _read(self, key: ConversationKey) -> Sequence[int]:
        kept = self.stores[0].peek(key)
        return () if kept is None else list(kept.data.get("asked", ()))
