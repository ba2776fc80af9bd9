"""The garbage collection of the process."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["held_back"]


@contextmanager
def held_back() -> Iterator[None]:
    """Nothing is collected within the block, in which much is made that stays: to look through
    all of it several times would take a fifth of the time. Where the collection is off, it stays
    so."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            # Among the oldest objects at once: no collection has to look through them for that.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
