"""Fork safety: a forked process finds free locks, working stores and complete imports.

A child has the memory of its parent, but only the thread that forked. A lock that another thread
held at that moment is never released, and a module that another thread was importing is never
complete. Objects that could be affected register here.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import Any, Generic, Protocol, Self, TypeVar, overload
from weakref import WeakSet

__all__ = ["ForkAware", "LazyProperty", "fork_safe_lock", "forks_delayed", "register_fork_aware"]

_PATIENCE = 10.0  # seconds that a fork waits for threads that delay it

T = TypeVar("T")

_log = logging.getLogger(__name__)


class ForkAware(Protocol):
    """An object that survives a fork: it waits until no thread is inside a critical section, and
    works on in both processes."""

    def before_fork(self) -> None:
        """Wait for threads in critical sections, and let no other thread enter one."""
        return

    def after_fork(self) -> None:
        """Resume in the parent."""
        return

    def after_fork_in_child(self) -> None:
        """Resume in the child, without the other threads of the parent."""
        return


class _ForkGate:
    """Makes forks wait until no other thread is inside."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._depths: dict[int, int] = {}  # of the threads that are inside

    def enter(self) -> None:
        thread = threading.get_ident()
        with self._changed:
            self._depths[thread] = self._depths.get(thread, 0) + 1

    def leave(self) -> None:
        thread = threading.get_ident()
        with self._changed:
            self._depths[thread] -= 1
            if not self._depths[thread]:
                del self._depths[thread]
                self._changed.notify_all()

    def shut(self, patience: float) -> None:
        """Wait up to ``patience`` seconds for the other threads, and let none enter or leave."""
        thread = threading.get_ident()
        self._changed.acquire()
        if not self._changed.wait_for(lambda: self._depths.keys() <= {thread}, patience):
            _log.warning("a process forks while one of its threads is importing or loading")

    def open(self) -> None:
        self._changed.release()

    def open_in_child(self) -> None:
        thread = threading.get_ident()
        self._depths = {one: depth for one, depth in self._depths.items() if one == thread}
        self._changed.release()


_registered: WeakSet[ForkAware] = WeakSet()
_locks: WeakSet[Any] = WeakSet()
_forking = threading.Lock()
_registering = threading.Lock()  # its holder never waits for another lock
_gate = _ForkGate()
_paused: list[ForkAware] = []


def register_fork_aware(one: ForkAware) -> None:
    """Notify ``one`` of all forks of this process while it is referenced elsewhere."""
    with _registering:
        _registered.add(one)


def fork_safe_lock() -> threading.RLock:
    """Return a lock that is free in a forked process, unless the forking thread itself holds it
    (and will release it).

    The data that it guards must be consistent, or repairable by the next holder, wherever the
    thread that held the lock was stopped. It costs no more than any lock.
    """
    lock = threading.RLock()
    with _registering:
        _locks.add(lock)
    return lock


class LazyProperty(Generic[T]):
    """A property that is computed when it is first read, and then kept.

    ``functools.cached_property`` without the lock that it has in Python 3.11. Two threads may
    compute it at once.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value = self._compute(instance)
        instance.__dict__[self._name] = value
        return value


@contextmanager
def forks_delayed() -> Iterator[None]:
    """Delay forks until the block ends, by ten seconds at most, because it may run foreign code.

    For imports, and for libraries with locks of their own, which a child could not repair.
    """
    _gate.enter()
    try:
        yield
    finally:
        _gate.leave()


def _before_fork() -> None:
    _forking.acquire()
    known: list[ForkAware] = []
    end = monotonic() + _PATIENCE  # for all rounds: new engines could delay it for ever
    while True:
        # Last: a thread that loads something may wait for a store, but not conversely.
        _gate.shut(max(0.0, end - monotonic()))
        _registering.acquire()
        new = [one for one in _registered if one not in known]
        if not new:
            return
        _registering.release()
        _gate.open()
        known += new
        for one in new:
            _pause(one)


def _pause(one: ForkAware) -> None:
    try:
        one.before_fork()
    except Exception:  # the process forks in any case, and the others must be prepared
        _log.exception("an object cannot be prepared for a fork")
    else:
        _paused.append(one)


def _after_fork() -> None:
    with ExitStack() as each:  # a failing callback does not stop the others
        each.callback(_forking.release)
        for one in _paused:
            each.callback(one.after_fork)
        _paused.clear()
        _registering.release()
        _gate.open()


def _after_fork_in_child() -> None:
    with ExitStack() as each:
        each.callback(_forking.release)
        for one in _paused:
            each.callback(one.after_fork_in_child)
        _paused.clear()
        for lock in tuple(_locks):
            # As the standard library does with its own locks: a lock whose holder is gone cannot
            # be released by another thread, and may not even look locked while being acquired.
            if not lock._is_owned():
                lock._at_fork_reinit()
        _registering.release()
        _gate.open_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
    )
