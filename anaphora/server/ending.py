"""How a process that answers questions ends: what is under way is finished, and nothing can keep
the process from ending in time."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import connection, parent_process
from types import FrameType
from typing import Any

from anaphora.server.middleware import Door

__all__ = ["INTERRUPTED", "SIGNALS", "end_well", "end_with_parent"]

INTERRUPTED = 130  # as a shell says it
SIGNALS = (signal.SIGINT, signal.SIGTERM)

_MARGIN = 3.0  # seconds beyond the grace, to close the store and to send spans


def end_well(door: Door, *, grace: float) -> None:
    """From now on the first signal to end also closes the ``door``, a second Ctrl-C ends at once,
    and so does time: a handler that never returns would keep its thread, and that the process.

    To be called in the main thread once the server has taken the signals.
    """
    for sign in SIGNALS:
        _put_before(sign, door, grace)


def end_with_parent() -> None:
    """End this process when the one that started it is gone, however it went: a worker that
    nobody supervises would keep the port."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="anaphora-parent", daemon=True).start()


def _put_before(sign: signal.Signals, door: Door, grace: float) -> None:
    usual: Any = signal.getsignal(sign)

    def end(number: int, frame: FrameType | None) -> None:
        if not door.is_open and number == signal.SIGINT:
            os._exit(INTERRUPTED)
        if door.is_open:
            door.close()
            _end_in(grace + _MARGIN)
        if callable(usual):
            usual(number, frame)

    signal.signal(sign, end)


def _end_in(seconds: float, leave: Callable[[int], Any] = os._exit) -> None:
    timer = threading.Timer(seconds, leave, [1])
    timer.daemon = True
    timer.start()
