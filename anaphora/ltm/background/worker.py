"""Background thread that runs a callback on demand and at intervals."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from weakref import WeakMethod

# Two threads that import spaCy at the same time may find it half initialized.
import spacy  # noqa: F401

__all__ = ["BackgroundWorker"]

# Seconds without further wake-ups before the work starts, and the maximum delay: the thread shares
# the interpreter with those that answer questions.
_DEBOUNCE, _MAX_DELAY = 0.05, 1.0
_POLL_INTERVAL = 5.0  # seconds, for work left by other processes

_log = logging.getLogger(__name__)


class BackgroundWorker:
    """Calls the method ``work`` in a thread: soon after :meth:`wake`, and at intervals. The thread
    starts with the first wake-up. It ends with :meth:`stop`, or when the object that ``work`` is
    bound to is garbage-collected."""

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
        self.reset()

    def wake(self) -> None:
        """Schedule a run. Takes a microsecond."""
        if self._thread is None:
            self._start()
        if not self._wake_event.is_set():
            self._wake_event.set()

    def wait(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Wait until ``condition``, which is checked after each run, holds; False if it does not
        within ``timeout`` seconds (None: no limit)."""
        self.wake()
        with self._round_finished:
            return self._round_finished.wait_for(
                lambda: condition() or self._stopping.is_set(), timeout
            ) and (condition() or not self._stopping.is_set())

    def stop(self, timeout: float) -> bool:
        """Let a running call finish and start no other; False if it has not finished within
        ``timeout`` seconds."""
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

    def reset(self) -> None:
        """Start over without a thread, as in a forked process."""
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
        except Exception:  # the thread must survive any error
            _log.exception("unexpected error in the background worker of the long-term memory")
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
