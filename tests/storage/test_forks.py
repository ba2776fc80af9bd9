"""What a forked process must find: free locks, whole modules, everything that it needs."""

from __future__ import annotations

import ast
import os
import threading
from pathlib import Path

import pytest

import anaphora
from anaphora.storage import forks
from anaphora.storage.forks import (
    ForkAware,
    LazyProperty,
    fork_safe_lock,
    forks_delayed,
    register_fork_aware,
)
from tests.support.forked_process import TIMEOUT, run_forked

PACKAGE = Path(anaphora.__file__).parent

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


@pytest.fixture
def beside():
    """Runs a function in a thread until it sets its event, and lets it end after the test."""
    threads, over = [], threading.Event()

    def begin(function):
        begun = threading.Event()
        thread = threading.Thread(target=function, args=(begun, over))
        thread.start()
        threads.append(thread)
        assert begun.wait(TIMEOUT)

    yield begin
    over.set()
    for thread in threads:
        thread.join()


def test_a_child_finds_a_lock_free_that_another_thread_holds(beside):
    lock = fork_safe_lock()

    def hold(begun, over):
        with lock:
            begun.set()
            over.wait(TIMEOUT)

    beside(hold)

    def child():
        with lock:
            return 0

    assert run_forked(child) == 0
    assert not lock.acquire(blocking=False)  # in the parent it is held as before


def test_who_forks_while_it_holds_a_lock_holds_it_in_the_child_as_well():
    lock, free = fork_safe_lock(), []

    def child():
        thread = threading.Thread(target=lambda: free.append(lock.acquire(blocking=False)))
        thread.start()
        thread.join()
        lock.release()
        return 0 if free == [False] else 1

    with lock:
        assert run_forked(child) == 0


def test_the_child_of_a_child_finds_its_locks_free(beside):
    lock = fork_safe_lock()

    def hold(begun, over):
        with lock:
            begun.set()
            over.wait(TIMEOUT)

    beside(hold)

    def grandchild():
        with lock:
            return 0

    assert run_forked(lambda: run_forked(grandchild)) == 0


def test_a_fork_waits_for_who_holds_it_off(beside):
    is_loaded = False

    def load(begun, over):
        nonlocal is_loaded
        with forks_delayed():
            begun.set()
            while not forks._forking.locked():  # the fork has begun
                over.wait(0.001)
            is_loaded = True

    beside(load)
    assert run_forked(lambda: 0 if is_loaded else 1) == 0


def test_who_holds_forks_off_may_fork():
    def child():
        with forks_delayed():
            return 0

    with forks_delayed():
        assert run_forked(child) == 0


def test_who_never_lets_go_holds_no_fork_off_for_ever(beside, monkeypatch, caplog):
    monkeypatch.setattr(forks, "_PATIENCE", 0.01)

    def load(begun, over):
        with forks_delayed():
            begun.set()
            over.wait(TIMEOUT)

    beside(load)

    def child():
        with forks_delayed():
            return 0

    assert run_forked(child) == 0
    assert "is importing or loading" in caplog.text


def test_a_fork_waits_once_however_much_is_made_meanwhile(beside, monkeypatch, caplog):
    monkeypatch.setattr(forks, "_PATIENCE", 0.01)
    made = []

    class MakesAnother(ForkAware):
        def before_fork(self):
            if len(made) < 5:
                made.append(MakesAnother())
                register_fork_aware(made[-1])

    def load(begun, over):
        with forks_delayed():
            begun.set()
            over.wait(TIMEOUT)

    waits = []
    wait_for = forks._gate._changed.wait_for
    monkeypatch.setattr(
        forks._gate._changed,
        "wait_for",
        lambda true, seconds: (waits.append(seconds), wait_for(true, seconds))[1],
    )
    beside(load)
    first = MakesAnother()
    register_fork_aware(first)
    assert run_forked(lambda: 0) == 0
    assert len(made) == 5
    assert sum(waits) <= 0.01


class Fails(ForkAware):
    def before_fork(self):
        raise RuntimeError("broken")


class Counts(ForkAware):
    def __init__(self):
        self.before = self.after = self.in_child = 0

    def before_fork(self):
        self.before += 1

    def after_fork(self):
        self.after += 1

    def after_fork_in_child(self):
        self.in_child += 1


def test_one_that_fails_at_a_fork_holds_up_no_other(caplog):
    fails, counts = Fails(), Counts()
    register_fork_aware(fails)
    register_fork_aware(counts)
    assert run_forked(lambda: 0 if counts.in_child == 1 else 1) == 0
    assert (counts.before, counts.after, counts.in_child) == (1, 1, 0)
    assert "cannot be prepared for a fork" in caplog.text


def test_what_is_made_while_a_fork_waits_follows_it_too():
    made = Counts()

    class Late(ForkAware):
        def before_fork(self):
            thread = threading.Thread(target=register_fork_aware, args=(made,))
            thread.start()
            thread.join()

    late = Late()
    register_fork_aware(late)
    assert run_forked(lambda: made.in_child - 1) == 0
    assert (made.before, made.after) == (1, 1)


_PRIMITIVES = {
    "threading": {
        "Barrier",
        "BoundedSemaphore",
        "Condition",
        "Event",
        "Lock",
        "RLock",
        "Semaphore",
        "Thread",
        "Timer",
        "local",
    },
    "_thread": {"RLock", "allocate_lock"},
    "functools": {"cached_property"},  # has a lock for all objects of a class in Python 3.11
    "queue": {"LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"},
    "concurrent.futures": {"ProcessPoolExecutor", "ThreadPoolExecutor"},
    "os": {"register_at_fork"},
}
_RENEWED = {  # why no child can meet those of these modules as another thread left them
    "storage/forks.py": "the registry itself",
    "storage/waiting.py": "locks those of others",
    "storage/sqlite/loop_writers.py": "made anew in a child by the store",
    "storage/byte_range_locks.py": "paused by its store before a fork",
    "storage/sqlite/database.py": "paused by its store before a fork, made anew in the child",
    "stm/stores/memory.py": "paused before a fork",
    "stm/stores/locks.py": "every store starts with new locks in a child",
    "stm/stores/leases.py": "made anew in a child by the store",
    "ltm/background/worker.py": "made anew in a child by the memory",
    "ltm/ingestion/ingestion_queue.py": "made anew in a child by the memory",
    "ltm/ingestion/journal.py": "paused before a fork, made anew in the child",
    "storage/postgres/connection.py": "made anew in a child",
    "ltm/summarizers/chat_completions.py": "lives as long as a call",
    "engine/samples/process_pool.py": "in a process that was spawned and forks nothing",
    "server/service/deadline.py": "of one request, which no forked process goes on with",
    "server/processes/shutdown.py": "a thread of a service, which nothing waits for",
    "server/service/service.py": "starts its threads with the first request, after all forks",
    "server/service/agents.py": "starts its threads with the first event, after all forks",
    "engine/asynchronous/async_engine.py": "of an event loop, which no forked process goes on with",
    "wyoming/question_runner.py": "of an event loop, which no forked process goes on with",
}


def _primitives_in(path):
    """The lines on which a module makes, or imports, something that a fork may break."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in _PRIMITIVES.get(node.value.id, ()):
                yield node.lineno
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            if names & _PRIMITIVES.get(node.module or "", set()):
                yield node.lineno


def test_a_lazy_property_is_computed_once_for_each_object():
    class Reader:
        def __init__(self, text):
            self.text = text

        @LazyProperty
        def words(self):
            """The words."""
            return self.text.split()

    one, other = Reader("a b"), Reader("c")
    assert one.words is one.words
    assert (one.words, other.words) == (["a", "b"], ["c"])
    assert Reader.words.__doc__ == "The words."


def test_no_module_has_a_lock_that_a_fork_may_leave_locked_for_ever():
    found = {
        path.relative_to(PACKAGE).as_posix(): list(_primitives_in(path))
        for path in PACKAGE.rglob("*.py")
    }
    having = {path: lines for path, lines in found.items() if lines}
    new = {path: lines for path, lines in having.items() if path not in _RENEWED}
    assert not new, "take fork_safe_lock(), or register_fork_aware and say here what renews it"
    assert not _RENEWED.keys() - having.keys(), "these have none any more"


def test_the_check_for_locks_finds_them(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        "import threading\nfrom functools import cached_property\nlock = threading.Lock()\n"
    )
    assert list(_primitives_in(module)) == [2, 3]
