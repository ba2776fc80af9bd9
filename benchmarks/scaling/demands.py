"""What a question costs, in processor time: of a worker and of a store.

Processor time hardly depends on what else the machine does, unlike questions per second.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Thread
from time import monotonic, process_time, sleep

from anaphora import Engine
from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.redis_server import RedisServer

__all__ = ["Demand", "Measured", "StoreUnderTest", "measure", "stores"]

_FIRST, _NEXT = "How much is a coffee at Starbucks?", "And a large tea?"
_USERS = 100  # of each thread, in turns


@dataclass(frozen=True, slots=True)
class Demand:
    """Seconds of processor time per question."""

    worker: float
    store: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Questions ``per_second`` and the processor time of each."""

    per_second: float
    demand: Demand


@dataclass(frozen=True, slots=True)
class StoreUnderTest:
    """The URL of a store and the process of its server (0: none)."""

    url: str
    server: int = 0


@contextmanager
def stores() -> Iterator[dict[str, StoreUnderTest]]:
    """Start servers, and yield the stores by name."""
    with ExitStack() as stack:
        redis = stack.enter_context(RedisServer())
        postgres = stack.enter_context(
            PostgresServer(with_pgvector(), autovacuum="on", fsync="on", full_page_writes="on")
        )
        assert redis.process
        assert postgres.process
        yield {
            "memory": StoreUnderTest("memory:"),
            "Redis": StoreUnderTest(redis.url, redis.process.pid),
            "PostgreSQL": StoreUnderTest(postgres.url, postgres.process.pid),
        }


def measure(
    engine: Engine, store: StoreUnderTest, *, workers: int, threads: int, seconds: float
) -> Measured:
    """Let forked workers ask in several threads each, after a warm-up of the same time."""
    pipes = [os.pipe() for _ in range(workers)]
    children = []
    for number, (_, write) in enumerate(pipes):
        child = os.fork()
        if not child:
            _work(engine, f"{os.getpid()}-{number}", threads, seconds, write)
        children.append(child)
    sleep(seconds)
    before = _store_seconds(store.server)
    sleep(seconds)
    after = _store_seconds(store.server)
    at_store = sum(after[pid] - before.get(pid, 0.0) for pid in after)  # some have ended
    asked, at_workers, per_second = 0, 0.0, 0.0
    for child, (read, write) in zip(children, pipes, strict=True):
        os.close(write)
        with os.fdopen(read) as told:
            number_text, processor, taken = told.read().split()
        os.waitpid(child, 0)
        asked += int(number_text)
        at_workers += float(processor)
        per_second += int(number_text) / float(taken)
    return Measured(per_second, Demand(at_workers / asked, at_store / (per_second * seconds)))


def _work(engine: Engine, name: str, threads: int, seconds: float, write: int) -> None:
    """Ask until the time is over, and tell how many questions took how much time."""
    asked = [0] * threads
    over = False

    def ask(thread: int) -> None:
        for number in count():
            if over:
                return
            text = _FIRST if number < _USERS else _NEXT
            engine.ask(text, user=f"{name}-{thread}-{number % _USERS}")
            asked[thread] += 1

    try:
        running = [Thread(target=ask, args=(thread,), daemon=True) for thread in range(threads)]
        for each in running:
            each.start()
        sleep(seconds)
        before, begun, spent = sum(asked), monotonic(), process_time()
        sleep(seconds)
        number, taken = sum(asked) - before, monotonic() - begun
        os.write(write, f"{number} {process_time() - spent} {taken}".encode())
        over = True
        for each in running:
            each.join()
    finally:
        os.kill(os.getpid(), signal.SIGKILL)  # what the parent has opened is the parent's to close


def _store_seconds(server: int) -> dict[int, float]:
    """Return the processor time of a server and of each process that it has started."""
    if not server:
        return {}
    found, parents = [server], _parents()
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return {pid: _seconds(pid) for pid in found}


def _parents() -> dict[int, int]:
    numbers = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    return {pid: parent for pid in numbers if (parent := _parent(pid))}


def _parent(pid: int) -> int:
    """Return the parent of a process; 0 if it has ended."""
    try:
        return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _seconds(pid: int) -> float:
    """Return the processor time of all threads of a process, to the nanosecond."""
    total = 0
    for thread in (Path("/proc") / str(pid) / "task").glob("*/schedstat"):
        with suppress(OSError):  # it has just ended
            total += int(thread.read_text().split()[0])
    return total / 1e9
