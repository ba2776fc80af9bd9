"""Rounds that are fair to all who take part in them."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["gc_frozen", "rotate"]


def rotate(names: Sequence[str], number: int) -> list[str]:
    """The names in the order of that round: each begins once."""
    first = number % len(names) if names else 0
    return [*names[first:], *names[:first]]


@contextmanager
def gc_frozen() -> Iterator[None]:
    """What is there now is none of the garbage collection's business within the block."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
