"""Fair interleaving of rounds."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["gc_frozen", "rotate"]


def rotate(names: Sequence[str], number: int) -> list[str]:
    """The names in the order of a round; each begins one round."""
    first = number % len(names) if names else 0
    return [*names[first:], *names[:first]]


@contextmanager
def gc_frozen() -> Iterator[None]:
    """Freeze the existing objects within the block, so that the garbage collector skips them. Where
    some were frozen before, all stay frozen."""
    are_some_frozen = gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        if not are_some_frozen:
            gc.unfreeze()
