"""A command in a pseudo-terminal, as a user types into it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress

__all__ = ["Terminal"]


def take_terminal() -> None:
    """Make the standard input the controlling terminal, whose keys send signals, and restore the
    default handling of Ctrl-C, which a background shell may ignore or block."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """``anaphora`` with these arguments in a pseudo-terminal."""

    def __init__(self, home: str, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "anaphora", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=os.environ | {"XDG_STATE_HOME": home, "TERM": "xterm"},
            start_new_session=True,
            preexec_fn=take_terminal,
        )
        os.close(slave)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, text: str, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self._master], [], [], max(0, end - time.monotonic()))
            assert ready, f"{text!r} did not come; so far: {self.seen!r}"
            self.seen += os.read(self._master, 4096).decode("utf-8", "replace")
        self.seen = self.seen.split(text, 1)[1]

    def press_ctrl_c(self, until: str) -> None:
        """Press Ctrl-C, more than once if needed: readline misses one just before it waits for a
        key."""
        for _ in range(60):
            self.type("\x03")
            with suppress(AssertionError):
                return self.wait_for(until, seconds=2)
        raise AssertionError(f"{until!r} did not come")

    def leave_by_ctrl_c(self) -> int:
        """Press Ctrl-C until the command ends; return its exit code."""
        for _ in range(5):
            self.type("\x03")
            with suppress(subprocess.TimeoutExpired):
                return self.process.wait(20)
        raise AssertionError("it goes on")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)
