"""The stores of an engine, given as such or by their URLs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from inspect import iscoroutinefunction

from anaphora.engine.long_term.protocol import LongTerm
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.store import Store

__all__ = ["resolve_long_term", "resolve_store"]


def resolve_store(store: Store | str | None, clock: Callable[[], datetime]) -> Store:
    """The store of conversations, in the memory of this process if none is named."""
    if store is None:
        return MemoryStore(clock)
    if not isinstance(store, str):
        return store
    from anaphora.stm.stores.urls import store_at

    return store_at(store, clock=clock)


def resolve_long_term(
    long_term: LongTerm | str | None, clock: Callable[[], datetime]
) -> LongTerm | None:
    """The long-term memory, if there is one."""
    if long_term is None:
        return None
    if not isinstance(long_term, str):
        if not hasattr(long_term, "add") or iscoroutinefunction(getattr(long_term, "latest", None)):
            raise TypeError(f"a long-term memory is a LongTermMemory or a URL, not {long_term!r}")
        return long_term
    from anaphora.ltm.memory import LongTermMemory  # only where it is wanted: the core has none

    return LongTermMemory(long_term, clock=clock)
