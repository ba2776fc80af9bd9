"""The garbage collection of the process."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["gc_paused"]

_MOST_UNSEEN = 400_000  # objects (some 100 MB)


class _PromotedObjects:
    """How many objects were put among the oldest ones unseen since the last full collection, and
    which one that was."""

    count = 0
    collection = 0


@contextmanager
def gc_paused() -> Iterator[None]:
    """Nothing is collected within the block, in which much is made that stays: to look through
    all of it several times would take a sixth of the time. Where the collection is off, it stays
    so."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            _promote_young_objects()
        gc.enable()


def _promote_young_objects() -> None:
    """What was made needs no collection to grow old, which would have to look through all of it.
    That must not hide garbage for ever: after enough of it there is a full collection."""
    done = gc.get_stats()[-1]["collections"]
    if done != _PromotedObjects.collection:
        _PromotedObjects.count, _PromotedObjects.collection = 0, done
    _PromotedObjects.count += gc.get_count()[0]
    if _PromotedObjects.count > _MOST_UNSEEN:
        gc.collect()
    else:
        gc.freeze()
        gc.unfreeze()
