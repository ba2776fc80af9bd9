"""The one thread that works for a long-term memory, and how it is woken, awaited and ended."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from weakref import WeakMethod

__all__ = ["BackgroundWorker"]

# Seconds of quiet after which the work begins, and after which it does in any case: it shares the
# interpreter with those who answer.
_DEBOUNCE, _MAX_DELAY = 0.05, 1.0
_POLL_INTERVAL = 5.0  # seconds, for what other processes have left to do

_log = logging.getLogger(__name__)


class BackgroundWorker:
    """Calls ``work`` in a thread of its own: soon after a :meth:`wake`, and now and then. The
    thread begins with the first wake, and ends with :meth:`stop` or when nobody holds the object
    that ``work`` is a method of."""

    def __init__(
        self,
        work: Callable[[], None],
        *,
        name: str = "anaphora-ltm",
        debounce: float = _DEBOUNCE,
        poll_interval: float | None = _POLL_INTERVAL,
    ) -> None:
        self._work = WeakMethod(work)
        self._name, self._debounce, self._poll_interval = name, debounce, poll_interval
        self._reset()

    def wake(self) -> None:
        """Have the work done soon. Costs a microsecond."""
        if self._thread is None:
            self._start()
        if not self._wake_event.is_set():
            self._wake_event.set()

    def wait(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Wait until ``condition`` holds, which is looked at after each round of the work; False
        if it doesn't within ``timeout`` seconds (None: however long it takes)."""
        self.wake()
        with self._round_finished:
            return self._round_finished.wait_for(
                lambda: condition() or self._stopping.is_set(), timeout
            ) and (condition() or not self._stopping.is_set())

    def stop(self, timeout: float) -> bool:
        """Let the work that is under way end, and no other begin; False if it has not ended
        within ``timeout`` seconds."""
        self._stopping.set()
        self._wake_event.set()
        with self._round_finished:
            self._round_finished.notify_all()
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(timeout)
        return not thread.is_alive()

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def restart_in_child(self) -> None:
        """Go on in a forked process, which has no such thread."""
        self._reset()

    def _reset(self) -> None:
        self._thread: threading.Thread | None = None
        self._start_lock = threading.Lock()
        self._wake_event, self._stopping = threading.Event(), threading.Event()
        self._round_finished = threading.Condition()

    def _start(self) -> None:
        with self._start_lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(
                    target=_run_loop, args=(self,), name=self._name, daemon=True
                )
                self._thread.start()

    def _run_once(self) -> bool:
        work = self._work()
        if work is None:
            return False
        try:
            work()
        except Exception:  # whatever it is: the thread must go on
            _log.exception("the long-term memory failed in a way that nobody foresaw")
        with self._round_finished:
            self._round_finished.notify_all()
        return True


def _run_loop(worker: BackgroundWorker) -> None:
    while True:
        worker._wake_event.wait(worker._poll_interval)
        deadline = time.monotonic() + _MAX_DELAY
        while True:
            worker._wake_event.clear()
            if worker._stopping.wait(worker._debounce):
                return
            if not worker._wake_event.is_set() or time.monotonic() > deadline:
                break
        if not worker._run_once():
            return
