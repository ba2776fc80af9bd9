"""Stores that go on in a process that was forked."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Protocol
from weakref import WeakSet

__all__ = ["Forked", "follow_forks"]


class Forked(Protocol):
    """What can be forked: it waits until no thread is in the midst of something, and goes on in
    both processes."""

    def before_fork(self) -> None: ...
    def after_fork(self) -> None: ...
    def after_fork_in_child(self) -> None: ...


_all: WeakSet[Forked] = WeakSet()
_mutex = threading.Lock()
_paused: list[Forked] = []


def follow_forks(one: Forked) -> None:
    """Tell ``one`` of all forks of this process, as long as somebody holds it."""
    with _mutex:
        _all.add(one)


def _before() -> None:
    _mutex.acquire()
    for one in tuple(_all):
        one.before_fork()
        _paused.append(one)


def _after() -> None:
    _go_on([one.after_fork for one in _paused])


def _after_in_child() -> None:
    _go_on([one.after_fork_in_child for one in _paused])


def _go_on(steps: list[Callable[[], None]]) -> None:
    with ExitStack() as each:  # one that fails holds up no other
        each.callback(_mutex.release)
        for step in steps:
            each.callback(step)
        _paused.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
