"""What a forked process needs: locks that it finds free, stores that go on, no half import.

A child has the memory of its parent, but only the thread that forked. A lock that another thread
held then is never released, and a module that another was importing is never complete. Whatever
could meet that registers here.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import Any, Protocol
from weakref import WeakSet

__all__ = ["ForkAware", "fork_safe_lock", "forks_delayed", "register_fork_aware"]

_PATIENCE = 10.0  # seconds that a fork waits for those who hold it off

_log = logging.getLogger(__name__)


class ForkAware(Protocol):
    """What can be forked: it waits until no thread is in the midst of something, and goes on in
    both processes."""

    def before_fork(self) -> None:
        """Wait for the threads that must not be interrupted, and let no other begin."""
        return

    def after_fork(self) -> None:
        """Let the threads of the parent go on."""
        return

    def after_fork_in_child(self) -> None:
        """Go on without the threads of the parent."""
        return


class _ForkGate:
    """Has forks wait until no other thread is inside."""

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
        """Wait for the others for so many seconds, and let nobody enter or leave."""
        thread = threading.get_ident()
        self._changed.acquire()
        if not self._changed.wait_for(lambda: self._depths.keys() <= {thread}, patience):
            _log.warning("a process forks while a thread of it is loading something")

    def open(self) -> None:
        self._changed.release()

    def open_in_child(self) -> None:
        thread = threading.get_ident()
        self._depths = {one: depth for one, depth in self._depths.items() if one == thread}
        self._changed.release()


_registered: WeakSet[ForkAware] = WeakSet()
_locks: WeakSet[Any] = WeakSet()
_forking = threading.Lock()
_registering = threading.Lock()  # nobody who has it waits for another lock
_gate = _ForkGate()
_paused: list[ForkAware] = []


def register_fork_aware(one: ForkAware) -> None:
    """Tell ``one`` of all forks of this process, as long as somebody holds it."""
    with _registering:
        _registered.add(one)


def fork_safe_lock() -> threading.RLock:
    """A lock that a forked process finds free, unless the very thread that forked holds it, which
    then goes on to release it.

    What it guards must be whole, or be mended by whoever takes the lock next, wherever the thread
    that held it has stopped. It costs what any lock does.
    """
    lock = threading.RLock()
    with _registering:
        _locks.add(lock)
    return lock


@contextmanager
def forks_delayed() -> Iterator[None]:
    """Forks wait until the block is left (for ten seconds, for it may be anybody's code): for
    imports and for libraries with locks of their own, which no child could mend."""
    _gate.enter()
    try:
        yield
    finally:
        _gate.leave()


def _before_fork() -> None:
    _forking.acquire()
    known: list[ForkAware] = []
    end = monotonic() + _PATIENCE  # for all rounds, or engines made without end would hold it up
    while True:
        # Last of all, for those who load something may have to wait for a store, not conversely.
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
    except Exception:  # the process forks in any case, and the others must go on
        _log.exception("something cannot be used in a process that forks now")
    else:
        _paused.append(one)


def _after_fork() -> None:
    with ExitStack() as each:  # one that fails holds up no other
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
            # As the standard library does with its own: a lock whose holder is gone may neither
            # be released by another nor even look locked, if it was about to be taken.
            if not lock._is_owned():
                lock._at_fork_reinit()
        _registering.release()
        _gate.open_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
    )
