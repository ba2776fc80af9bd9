"""Event loops that write share transactions, and wait neither for the disk nor for others."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from weakref import ref

import pytest

from anaphora import Conflict, StoreError
from anaphora.storage.byte_range_locks import ByteRangeLocks
from anaphora.storage.sqlite import loop_writers
from anaphora.storage.sqlite.database import Database
from anaphora.storage.sqlite.loop_writers import LoopWriters
from tests.stm.stores.store_homes import PATIENCE

_SCHEMA = (("CREATE TABLE words (word TEXT UNIQUE NOT NULL)",),)


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "words.db"


@pytest.fixture
def database(path) -> Iterator[Database]:
    with ExitStack() as at_end:
        locks = ByteRangeLocks(path.with_name("locks"), permissions_of=path)
        at_end.callback(locks.close)
        database = Database(path, schema=_SCHEMA, synchronous="normal")
        at_end.callback(database.close)
        database.open(locks, wait=PATIENCE)
        yield database


@pytest.fixture
def writers(database) -> Iterator[LoopWriters]:
    with closing(LoopWriters(database)) as writers:
        yield writers


def adding(word: str | int) -> Callable[[sqlite3.Connection], object]:
    return lambda connection: connection.execute("INSERT INTO words VALUES (?)", (word,))


def words(database: Database) -> set[str]:
    return {word for (word,) in database.read("SELECT word FROM words")}


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(PATIENCE):
            await test()

    asyncio.run(limited())


class Gate:
    """Holds up the commits of a database; ``entered`` when one waits."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()
        self.sizes: list[int] = []
        commit = database._commit

        def held(batch: Any) -> None:
            self.sizes.append(len(batch.tasks))
            self.entered.set()
            assert self.opened.wait(PATIENCE)
            commit(batch)

        monkeypatch.setattr(database, "_commit", held)


def test_what_is_written_during_a_commit_shares_the_next_one(database, writers, monkeypatch):
    gate = Gate(database, monkeypatch)

    async def test():
        first = asyncio.create_task(writers.write(adding("one")))
        await asyncio.to_thread(gate.entered.wait, PATIENCE)
        others = [asyncio.create_task(writers.write(adding(f"word {n}"))) for n in range(9)]
        await asyncio.sleep(0)
        assert not first.done()  # and the loop goes on meanwhile
        gate.opened.set()
        await asyncio.gather(first, *others)

    run(test)
    assert gate.sizes == [1, 9]
    assert len(words(database)) == 10


@pytest.mark.parametrize("patience", [PATIENCE, 0.0], ids=["by the loop", "by a thread"])
def test_another_program_that_writes_is_waited_for_without_stopping_the_loop(
    path, database, writers, monkeypatch, patience
):
    monkeypatch.setattr(loop_writers, "_PATIENCE", patience)

    async def test():
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            written = asyncio.create_task(writers.write(adding("one")))
            for _ in range(50):
                await asyncio.sleep(0.0005)
            assert not written.done()
            other.execute("COMMIT")
        await written

    run(test)
    assert words(database) == {"one"}


def test_only_the_write_at_fault_fails(database, writers):
    def refuse(connection: sqlite3.Connection) -> None:
        raise Conflict("not this one")

    async def test():
        works = [adding("one"), refuse, adding(2**70), adding("two"), adding("one")]
        ended = await asyncio.gather(
            *(writers.write(work) for work in works), return_exceptions=True
        )
        kinds = [type(one) if isinstance(one, BaseException) else None for one in ended]
        assert [kind is None for kind in kinds] == [True, False, False, True, False]
        assert kinds[1] is Conflict
        assert all(isinstance(ended[at], StoreError) for at in (2, 4))

    run(test)
    assert words(database) == {"one", "two"}


def test_a_write_that_is_cancelled_before_its_transaction_is_not_done(
    database, writers, monkeypatch
):
    gate = Gate(database, monkeypatch)

    async def test():
        first = asyncio.create_task(writers.write(adding("one")))
        await asyncio.to_thread(gate.entered.wait, PATIENCE)
        second = asyncio.create_task(writers.write(adding("two")))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.wait([second])
        gate.opened.set()
        await first

    run(test)
    assert words(database) == {"one"}


def test_a_write_that_is_cancelled_during_its_commit_ends_with_it(database, writers, monkeypatch):
    gate = Gate(database, monkeypatch)

    async def test():
        written = asyncio.create_task(writers.write(adding("one")))
        await asyncio.to_thread(gate.entered.wait, PATIENCE)
        for _ in range(2):  # even if somebody insists
            written.cancel()
            await asyncio.sleep(0.001)
        assert not written.done()
        gate.opened.set()
        await asyncio.wait([written])
        assert written.cancelled()

    run(test)
    assert words(database) == {"one"}


def test_threads_and_loops_write_for_each_other(database, writers):
    async def test():
        threads = [asyncio.to_thread(database.write, adding(f"thread {n}")) for n in range(20)]
        await asyncio.gather(*threads, *(writers.write(adding(f"task {n}")) for n in range(20)))

    run(test)
    assert len(words(database)) == 40


def test_a_loop_that_waits_for_the_commit_of_another_does_not_hold_it_up(
    database, writers, monkeypatch
):
    monkeypatch.setattr(loop_writers, "_PATIENCE", 0.0)
    begun, waited_for = threading.Event(), threading.Event()
    begin, write_queued = database.begin_queued, database.write_queued

    def begin_slowly():
        end = begin()
        if end is not None:
            begun.set()
            assert waited_for.wait(PATIENCE)
        return end

    def wait():
        waited_for.set()
        write_queued()

    monkeypatch.setattr(database, "begin_queued", begin_slowly)
    monkeypatch.setattr(database, "write_queued", wait)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(run, lambda: writers.write(adding("one")))
        assert begun.wait(PATIENCE)
        run(lambda: writers.write(adding("two")))
        other.result()
    assert words(database) == {"one", "two"}


def test_whoever_has_nothing_to_write_waits_for_nobody(path, database):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        database.write_queued()


def test_a_loop_is_not_kept_after_its_last_write(database, writers):
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(writers.write(adding("one")))
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()
    dead = ref(loop)
    del loop
    writers.close()  # its threads may still be about to drop it
    for thread in threading.enumerate():
        if thread.name.startswith("anaphora-"):
            thread.join(PATIENCE)
    gc.collect()
    assert dead() is None


def test_after_closing_a_write_is_done_or_says_why_not(database, writers):
    async def test():
        writers.close()
        await writers.write(adding("one"))  # in the loop itself
        database.close()
        with pytest.raises(StoreError, match="closed"):
            await writers.write(adding("two"))

    run(test)
