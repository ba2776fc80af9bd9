"""The garbage collection while much is made: held back, and garbage is found all the same."""

from __future__ import annotations

import gc
import weakref

import pytest

from anaphora import gc_control
from anaphora.gc_control import gc_paused


class Knot:
    """Garbage that only the collection finds, once nobody else knows it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collections():
    """How many collections there were."""
    seen: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append("full" if info["generation"] == 2 else "young")

    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)


def test_nothing_is_collected_while_much_is_made(collections):
    gc.collect()
    collections.clear()
    with gc_paused():
        made = [[number] for number in range(100_000)]
        assert collections == []
    assert "full" not in collections
    assert gc.isenabled()
    assert len(made) == 100_000


def test_it_goes_on_after_a_mistake():
    with pytest.raises(ValueError, match="mistake"), gc_paused():
        raise ValueError("mistake")
    assert gc.isenabled()


def test_where_it_is_off_it_stays_off():
    gc.disable()
    try:
        with gc_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_is_frozen_stays_frozen():
    gc.freeze()  # for good, as the collected tests are
    frozen = gc.get_freeze_count()
    with gc_paused():
        made = [[number] for number in range(1_000)]
    assert 0 < gc.get_freeze_count() <= frozen  # of which some may have died since
    assert made


def test_frozen_objects_are_counted_once_between_full_collections(monkeypatch):
    counts = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counts.append(7) or 7)
    for number in (1, 2):
        gc.collect()
        for _ in range(3):
            with gc_paused():
                pass
        assert len(counts) == number


def test_garbage_does_not_pile_up(monkeypatch):
    monkeypatch.setattr(gc_control, "_MOST_UNSEEN", 50_000)
    knots = []
    for _ in range(100):
        with gc_paused():
            knot = Knot()
            knot.more = [[number] for number in range(2_000)]
            knots.append(weakref.ref(knot))
            del knot
    alive = [knot for knot in knots if knot() is not None]
    assert len(alive) < 40
