"""Shut down a process that answers questions: finish the work under way, and exit in time even if
something blocks."""

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

EXIT_INTERRUPTED = 130  # the convention of shells
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

CLOSE_TIMEOUT = 2.0  # seconds after the grace for the long-term memory to process its journal
_FORCED_EXIT_MARGIN = 6.0  # seconds after the grace for everything: commits, stores, spans


class ForcedExit:
    """Ends the process in time, even if a handler never returns and its thread keeps the process
    alive. The exit code is 1 until :meth:`mark_closed` is called, 0 afterwards."""

    def __init__(self, terminate: Callable[[int], Any] = os._exit) -> None:
        self._terminate = terminate
        self._code = 1

    def start(self, seconds: float) -> None:
        """Start a timer that ends the process after ``seconds``."""
        timer = threading.Timer(seconds, self._end)
        timer.daemon = True
        timer.start()

    def mark_closed(self, *, is_busy: bool) -> None:
        """Record that stores are closed and clients are answered. If a thread still ``is_busy``,
        end at once: no client waits for its result."""
        self._code = 0
        if is_busy:
            self._end()

    def _end(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._terminate(self._code)


def handle_stop_signals(gate: ShutdownGate, *, grace: float) -> ForcedExit:
    """Install the handling of stop signals: the first signal also closes the ``gate``, a second
    Ctrl-C ends the process at once, and a timer limits the shutdown.

    Call this in the main thread after the server has installed its signal handlers.
    """
    forced = ForcedExit()
    for sign in STOP_SIGNALS:
        _prepend_handler(sign, gate, grace, forced)
    return forced


def exit_with_parent() -> None:
    """End this process when its parent ends, however that happens: an orphaned worker would keep
    the port."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="anaphora-parent", daemon=True).start()


def _prepend_handler(
    sign: signal.Signals, gate: ShutdownGate, grace: float, forced: ForcedExit
) -> None:
    usual: Any = signal.getsignal(sign)

    def end(number: int, frame: FrameType | None) -> None:
        if not gate.is_open and number == signal.SIGINT:
            os._exit(EXIT_INTERRUPTED)
        if gate.is_open:
            gate.close(grace)
            forced.start(grace + _FORCED_EXIT_MARGIN)
        if callable(usual):
            usual(number, frame)

    signal.signal(sign, end)
