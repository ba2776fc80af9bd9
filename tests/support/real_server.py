"""Base class of real servers for tests, on a free port and with their own data."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Self

import pytest

__all__ = ["WAIT_LIMIT", "RealServer", "free_port", "wait_until"]

WAIT_LIMIT = 60.0  # seconds; a loaded machine is slow, a broken server is never up


class RealServer(ABC):
    """A server whose data survive a restart.

    It is a context manager: it runs inside the block, and its folder is deleted at the end.
    """

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals]  # by which an operator lets it end
    kill_signal: ClassVar[signal.Signals]

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir="/tmp"))
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start the server, or restart it with the same port and data, and wait until it is up."""
        for _ in range(10):  # another process may take the free port before the server does
            self.port = self.port or free_port()
            self.process = self._launch()
            if self._answers():
                return self
            self.port = 0
        log = self.folder / "log"
        said = log.read_text()[-2_000:] if log.exists() else "it wrote no log"
        pytest.fail(f"{self.name} does not start:\n{said}")

    def stop(self) -> None:
        """Stop it as an operator would."""
        self._end(self.stop_signal)

    def kill(self) -> None:
        """Kill it."""
        self._end(self.kill_signal)

    def restart(self) -> None:
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *exc: object) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @abstractmethod
    def _launch(self) -> subprocess.Popen[bytes]:
        """Start the process; its log is to be ``folder / "log"``."""

    @abstractmethod
    def _is_up(self) -> bool:
        """Whether the started process answers."""

    def _answers(self) -> bool:
        assert self.process is not None
        deadline = time.monotonic() + WAIT_LIMIT
        while time.monotonic() < deadline and self.process.poll() is None:
            if self._is_up():
                return True
            time.sleep(0.01)
        self.kill()
        return False

    def _end(self, how: signal.Signals) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)  # one that a test has stopped
            self.process.send_signal(how)
        try:
            self.process.wait(WAIT_LIMIT if how is self.stop_signal else WAIT_LIMIT / 10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(WAIT_LIMIT)
        self.process = None


def wait_until(reached: Callable[[], object]) -> None:
    """Wait until a condition becomes true."""
    deadline = time.monotonic() + WAIT_LIMIT
    while not reached():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.002)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
