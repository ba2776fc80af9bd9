"""Pause the garbage collector while many objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["gc_paused"]

_MOST_UNSEEN = 400_000  # objects (some 100 MB)


class _PromotedObjects:
    """``count`` objects were promoted to the oldest generation without a collection, since full
    collection number ``collection``."""

    count = 0
    collection = 0


class _FrozenObjects:
    """There were frozen objects after full collection number ``collection``."""

    collection = -1


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the garbage collector within the block, which creates many objects that live long, or
    as long as the block: traversing them again and again would take a sixth of the time, or most of
    it. A collector that is off stays off."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not _has_frozen_objects():
            _promote_young_objects()
        gc.enable()


def _has_frozen_objects() -> bool:
    """Whether objects are frozen. Counting a million takes 50 ms, so they are not counted again
    before the next full collection."""
    done: int = gc.get_stats()[-1]["collections"]
    if _FrozenObjects.collection != done and gc.get_freeze_count():
        _FrozenObjects.collection = done
    return _FrozenObjects.collection == done


def _promote_young_objects() -> None:
    """Move new objects to the oldest generation without traversing them. Run a full collection
    after every ``_MOST_UNSEEN`` of them, so that garbage among them is freed in the end."""
    done = gc.get_stats()[-1]["collections"]
    if done != _PromotedObjects.collection:
        _PromotedObjects.count, _PromotedObjects.collection = 0, done
    _PromotedObjects.count += gc.get_count()[0]
    if _PromotedObjects.count > _MOST_UNSEEN:
        gc.collect()
    else:
        gc.freeze()
        gc.unfreeze()
