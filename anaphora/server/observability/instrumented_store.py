"""A store wrapper that records the duration of operations in metrics and spans."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from datetime import timedelta
from time import perf_counter

from anaphora.server.observability.metrics import Metrics
from anaphora.server.observability.tracing import NO_TRACING, Tracing
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.quarantine import Quarantine, quarantine_of
from anaphora.stm.stores.store import AsyncStore, Session, Store, async_store_of

__all__ = ["InstrumentedStore"]


class InstrumentedStore:
    """Wraps ``store`` and measures its operations.

    The time in which a question holds a conversation does not count: only opening (including the
    wait for the lock) and committing are measured.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._metrics: Metrics | None = None
        self._tracing = NO_TRACING

    def instrument(self, metrics: Metrics, tracing: Tracing) -> None:
        """Start to measure and trace operations."""
        self._metrics, self._tracing = metrics, tracing

    @contextmanager
    def open(self, key: ConversationKey, timeout: timedelta) -> Iterator[Session]:
        held = self._store.open(key, timeout)
        with self._measure("open"):
            session = held.__enter__()
        try:
            yield session
        except BaseException as error:
            # The error of the question takes precedence, whatever the store returns.
            with self._measure("release"):
                held.__exit__(type(error), error, error.__traceback__)
            raise
        with self._measure("commit"):
            held.__exit__(None, None, None)

    def peek(self, key: ConversationKey) -> Conversation | None:
        with self._measure("peek"):
            return self._store.peek(key)

    def forget(self, key: ConversationKey) -> None:
        with self._measure("forget"):
            self._store.forget(key)

    @contextmanager
    def hold_and_forget(self, key: ConversationKey) -> Iterator[int]:
        with self._measure("forget_after"), self._store.hold_and_forget(key) as clock:
            yield clock

    def keys(self) -> Iterator[ConversationKey]:
        return self._store.keys()

    def get_note(self, namespace: str, name: str) -> str | None:
        with self._measure("note"):
            return self._store.get_note(namespace, name)

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        with self._measure("notes"):
            return self._store.list_notes(namespace)

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        with self._measure("put_note"):
            self._store.put_note(namespace, name, text, ttl)

    def delete_note(self, namespace: str, name: str) -> None:
        with self._measure("drop_note"):
            self._store.delete_note(namespace, name)

    def scrub(self, user: str, tenant: str = "") -> None:
        with self._measure("scrub"):
            self._store.scrub(user, tenant)

    @property
    def quarantine(self) -> Quarantine | None:
        return quarantine_of(self._store)

    @property
    def asynchronous(self) -> AsyncStore | None:
        found = async_store_of(self._store)
        return None if found is None else _InstrumentedAsyncStore(found, self._measure)

    def ping(self) -> None:
        with self._measure("ping"):
            self._store.ping()

    def close(self) -> None:
        self._store.close()

    def _measure(self, operation: str) -> AbstractContextManager[None]:
        timed = _StoreTimer(self._metrics, operation)
        if not self._tracing.is_on:
            return timed
        return self._trace(timed, operation)

    @contextmanager
    def _trace(self, timed: _StoreTimer, operation: str) -> Iterator[None]:
        with timed, self._tracing.store(operation):
            yield


class _InstrumentedAsyncStore:
    """The side of a store for event loops, measured in the same way."""

    def __init__(
        self, store: AsyncStore, measure: Callable[[str], AbstractContextManager[None]]
    ) -> None:
        self._store, self._measure = store, measure

    @asynccontextmanager
    async def open(self, key: ConversationKey, timeout: timedelta) -> AsyncIterator[Session]:
        held = self._store.open(key, timeout)
        with self._measure("open"):
            session = await held.__aenter__()
        try:
            yield session
        except BaseException as error:
            with self._measure("release"):
                await held.__aexit__(type(error), error, error.__traceback__)
            raise
        with self._measure("commit"):
            await held.__aexit__(None, None, None)

    async def get_note(self, namespace: str, name: str) -> str | None:
        with self._measure("note"):
            return await self._store.get_note(namespace, name)

    async def close(self) -> None:
        await self._store.close()


class _StoreTimer:
    """Measures a block. A class takes half the time of a generator, which matters for a fast
    store."""

    __slots__ = ("_begin", "_metrics", "_operation")

    def __init__(self, metrics: Metrics | None, operation: str) -> None:
        self._metrics = metrics
        self._operation = operation

    def __enter__(self) -> None:
        self._begin = perf_counter()

    def __exit__(self, *_: object) -> None:
        if self._metrics is not None:
            self._metrics.observe_store(self._operation, perf_counter() - self._begin)
