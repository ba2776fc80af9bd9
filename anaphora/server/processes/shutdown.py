"""How a process that answers questions ends: what is under way is finished, and nothing can keep
the process from ending in time."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing import connection, parent_process
from types import FrameType
from typing import Any

from anaphora.server.http.middleware import ShutdownGate

__all__ = [
    "CLOSE_TIMEOUT",
    "EXIT_INTERRUPTED",
    "STOP_SIGNALS",
    "ForcedExit",
    "exit_with_parent",
    "handle_stop_signals",
]

EXIT_INTERRUPTED = 130  # as a shell says it
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

CLOSE_TIMEOUT = 2.0  # seconds beyond the grace for the long-term memory to bring in what waits
_FORCED_EXIT_MARGIN = 6.0  # seconds beyond the grace for everything: commits, stores, spans


class ForcedExit:
    """Ends the process in time: a handler that never returns would keep its thread, and that the
    process. The exit code is 1 until everything :meth:`is_closed`, 0 afterwards."""

    def __init__(self, terminate: Callable[[int], Any] = os._exit) -> None:
        self._terminate = terminate
        self._code = 1

    def start(self, seconds: float) -> None:
        """End the process after so many seconds."""
        timer = threading.Timer(seconds, self._end)
        timer.daemon = True
        timer.start()

    def mark_closed(self, *, is_busy: bool) -> None:
        """Tell that stores are closed and clients answered; ends at once if a thread ``is_busy``
        nevertheless, for nobody waits for its result."""
        self._code = 0
        if is_busy:
            self._end()

    def _end(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._terminate(self._code)


def handle_stop_signals(door: ShutdownGate, *, grace: float) -> ForcedExit:
    """From now on the first signal to end also closes the ``door``, a second Ctrl-C ends at once,
    and so does time.

    To be called in the main thread once the server has taken the signals.
    """
    forced = ForcedExit()
    for sign in STOP_SIGNALS:
        _prepend_handler(sign, door, grace, forced)
    return forced


def exit_with_parent() -> None:
    """End this process when the one that started it is gone, however it went: a worker that
    nobody supervises would keep the port."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="anaphora-parent", daemon=True).start()


def _prepend_handler(
    sign: signal.Signals, door: ShutdownGate, grace: float, forced: ForcedExit
) -> None:
    usual: Any = signal.getsignal(sign)

    def end(number: int, frame: FrameType | None) -> None:
        if not door.is_open and number == signal.SIGINT:
            os._exit(EXIT_INTERRUPTED)
        if door.is_open:
            door.close(grace)
            forced.start(grace + _FORCED_EXIT_MARGIN)
        if callable(usual):
            usual(number, frame)

    signal.signal(sign, end)
