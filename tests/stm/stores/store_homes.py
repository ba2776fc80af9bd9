"""What the contract suite needs of a kind of store: where its stores live, and how time passes."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from msgspec.structs import replace

from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.store import Store
from tests.conftest import Clock
from tests.support.store_location import StoreLocation

TIMEOUT = timedelta(minutes=5)
PATIENCE = 30.0  # seconds; a loaded machine is slow, a broken store never gets there

ANN, BEN = ConversationKey("ann", "weather"), ConversationKey("ben", "weather")


@dataclass
class StoreHome(StoreLocation):
    """A place where stores of one kind live. Each :meth:`store` is another one on the same data
    if they are ``lasting``.

    ``make`` takes the number of the place and the options of a URL. ``clock`` is what makes
    conversations expire, None if it is the server's own time.
    """

    make: Callable[[int, str], Store]
    lasting: bool
    clock: Clock | None

    def store(self, options: str = "") -> Store:
        store = self.make(self.number, options)
        self.stores.callback(store.close)
        return store

    def idle(self, store: Store, timeout: timedelta) -> None:
        """Let more than ``timeout`` pass, with questions of others, by which some stores sweep."""
        if self.clock is not None:
            self.clock.now += timeout + timedelta(microseconds=1)
        for _ in range(10):
            store.forget(ConversationKey("nobody", "none"))


def count_up(store: Store, key: ConversationKey, timeout: timedelta = TIMEOUT) -> int:
    """One question; how many there have been then."""
    with store.open(key, timeout) as session:
        asked = session.conversation.questions + 1
        session.commit(replace(session.conversation, questions=asked))
    return asked


def questions(store: Store, key: ConversationKey) -> int:
    """How many questions of a conversation are kept."""
    kept = store.peek(key) or Conversation.empty(key)
    assert kept.key == key
    return kept.questions


def noise(size: int) -> str:
    """A text that no compression makes shorter than three quarters of its ``size``."""
    return b64encode(Random(size).randbytes(size)).decode()[:size]


def until(true: Callable[[], object]) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.002)
