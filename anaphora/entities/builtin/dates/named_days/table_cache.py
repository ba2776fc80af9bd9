"""The cache of the tables of named days, which are read and compiled when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from anaphora.storage.cache import Cache
from anaphora.storage.shipped_tables import table_parts

__all__ = ["keep_tables_in", "load_cached"]

T = TypeVar("T")

_cache: Cache | None = None


def keep_tables_in(cache: Cache) -> None:
    """Keep the tables that are compiled from now on in a cache. Nothing is loaded yet: that is left
    to the first text."""
    global _cache
    _cache = cache


def load_cached(
    part: str, key: tuple[str, ...], kind: type[T], compile_table: Callable[[], T]
) -> T:
    """Load a table that is shipped or in the cache of :func:`keep_tables_in`, else compile and
    keep it."""
    kept = table_parts(_cache, "dates", *key)
    data = kept(part, lambda: msgspec.to_builtins(compile_table()))
    try:
        return msgspec.convert(data, kind)
    except msgspec.MsgspecError:  # foreign data
        return compile_table()
