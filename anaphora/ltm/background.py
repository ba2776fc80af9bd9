"""The one thread that works for a long-term memory, and how it is woken, awaited and ended."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from weakref import WeakMethod

__all__ = ["Background"]

# Seconds of quiet after which the work begins, and after which it does in any case: it shares the
# interpreter with those who answer.
_QUIET, _AT_LAST = 0.05, 1.0
_LOOKS_EVERY = 5.0  # seconds, for what other processes have left to do

_log = logging.getLogger(__name__)


class Background:
    """Calls ``work`` in a thread of its own: soon after a :meth:`wake`, and now and then. The
    thread begins with the first wake, and ends with :meth:`stop` or when nobody holds the object
    that ``work`` is a method of."""

    def __init__(
        self,
        work: Callable[[], None],
        *,
        name: str = "anaphora-ltm",
        gathered: float = _QUIET,
        looks_every: float | None = _LOOKS_EVERY,
    ) -> None:
        self._work = WeakMethod(work)
        self._name, self._gathered, self._looks_every = name, gathered, looks_every
        self._begin()

    def wake(self) -> None:
        """Have the work done soon. Costs a microsecond."""
        if self._thread is None:
            self._start()
        if not self._wanted.is_set():
            self._wanted.set()

    def wait(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Wait until ``condition`` holds, which is looked at after each round of the work; False
        if it doesn't within ``timeout`` seconds (None: however long it takes)."""
        self.wake()
        with self._round:
            return self._round.wait_for(
                lambda: condition() or self._stopping.is_set(), timeout
            ) and (condition() or not self._stopping.is_set())

    def stop(self, timeout: float) -> bool:
        """Let the work that is under way end, and no other begin; False if it has not ended
        within ``timeout`` seconds."""
        self._stopping.set()
        self._wanted.set()
        with self._round:
            self._round.notify_all()
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(timeout)
        return not thread.is_alive()

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def begin_in_child(self) -> None:
        """Go on in a forked process, which has no such thread."""
        self._begin()

    def _begin(self) -> None:
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._wanted, self._stopping = threading.Event(), threading.Event()
        self._round = threading.Condition()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(
                    target=_run, args=(self,), name=self._name, daemon=True
                )
                self._thread.start()

    def _do(self) -> bool:
        work = self._work()
        if work is None:
            return False
        try:
            work()
        except Exception:  # whatever it is: the thread must go on
            _log.exception("the long-term memory failed in a way that nobody foresaw")
        with self._round:
            self._round.notify_all()
        return True


def _run(background: Background) -> None:
    while True:
        background._wanted.wait(background._looks_every)
        deadline = time.monotonic() + _AT_LAST
        while True:
            background._wanted.clear()
            if background._stopping.wait(background._gathered):
                return
            if not background._wanted.is_set() or time.monotonic() > deadline:
                break
        if not background._do():
            return
