"""The turns of processes: who waits comes before who asks later, and nothing else is locked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from anaphora import StoreError
from anaphora.storage.byte_range_locks import _QUEUE_OFFSET, ByteRangeLocks
from tests.stm.stores.store_homes import PATIENCE, until

PLACE = 7


@pytest.fixture
def three(tmp_path) -> Iterator[list[ByteRangeLocks]]:
    """As three processes have them."""
    like = tmp_path / "bot.db"
    like.touch()
    with ExitStack() as closing:
        made = [ByteRangeLocks(tmp_path / "turns", permissions_of=like) for _ in range(3)]
        for locks in made:
            closing.callback(locks.close)
        yield made


def is_free(locks: ByteRangeLocks, place: int) -> bool:
    if free := locks._try_lock(place):
        locks.release(place)
    return free


def test_whoever_waits_comes_before_who_asks_again_at_once(three):
    busy, patient, other = three
    assert busy.acquire(PLACE, wait=0)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(patient.acquire, PLACE, wait=PATIENCE)
        until(lambda: not is_free(other, PLACE + _QUEUE_OFFSET))
        busy.release(PLACE)
        assert not busy.acquire(PLACE, wait=0)
        assert waiting.result(PATIENCE)
    until(lambda: is_free(other, PLACE + _QUEUE_OFFSET))


def test_one_that_gives_up_leaves_its_seat_to_the_next(three):
    busy, hasty, other = three
    assert busy.acquire(PLACE, wait=0)
    assert not hasty.acquire(PLACE, wait=0.01)
    assert is_free(other, PLACE + _QUEUE_OFFSET)


def test_closing_while_one_waits_tells_so_and_locks_no_other_file(three, tmp_path):
    busy, closed, other = three
    assert busy.acquire(PLACE, wait=0)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(closed.acquire, PLACE, wait=PATIENCE)
        until(lambda: not is_free(other, PLACE + _QUEUE_OFFSET))
        number = closed._backend.descriptor
        closed.close()
        strange = os.open(tmp_path / "strange", os.O_RDWR | os.O_CREAT)
        assert strange == number
        with pytest.raises(StoreError, match="closed"):
            waiting.result(PATIENCE)
    os.close(strange)
