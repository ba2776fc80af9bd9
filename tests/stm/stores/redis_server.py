"""A real Redis server for tests: on a free port, with data of its own, restartable, stoppable."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

PATIENCE = 30.0  # seconds; a loaded machine is slow, a broken server is never up


class RedisServer:
    """A server that keeps what it was told in a folder of its own, also over a restart.

    ``options`` come after its own ones on the command line (``"--maxmemory", "2mb"``). It is a
    context manager: it runs inside of the block, and its folder goes at the end.
    """

    def __init__(self, *options: str) -> None:
        self.options = options
        self.folder = Path(tempfile.mkdtemp(prefix="redis-", dir="/tmp"))
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def socket(self) -> str:
        """The path of its Unix socket."""
        return str(self.folder / "redis.sock")

    @property
    def unix_url(self) -> str:
        return f"unix://{self.socket}"

    @contextmanager
    def client(self, **options: object) -> Iterator[redis.Redis]:
        """A client of its own, to look and to meddle with."""
        with redis.Redis.from_url(self.unix_url, **options) as client:
            yield client

    def start(self) -> RedisServer:
        """Start it (again, on the same port and with the same data), and wait until it answers."""
        for _ in range(10):  # another process may take the free port before the server does
            self.port = self.port or _free_port()
            self.process = self._launch()
            if self._answers():
                return self
            self.port = 0
        pytest.fail(f"redis-server does not start:\n{self._log()}")

    def stop(self) -> None:
        """Let it end as an operator would: what it knows is written first."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once (kill -9)."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def __enter__(self) -> RedisServer:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _launch(self) -> subprocess.Popen[bytes]:
        command = [
            _binary(),
            *("--bind", "127.0.0.1", "--port", str(self.port), "--unixsocket", self.socket),
            *("--dir", str(self.folder), "--save", "", "--appendonly", "yes"),
            *("--logfile", str(self.folder / "log"), *self.options),
        ]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def _answers(self) -> bool:
        assert self.process is not None
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with self.client(password=self._password()) as client:
                    if client.info("server")["process_id"] == self.process.pid:
                        return True
            except redis.ConnectionError:  # not yet there, or still loading
                time.sleep(0.01)
        self.kill()
        return False

    def _password(self) -> str | None:
        if "--requirepass" not in self.options:
            return None
        return self.options[self.options.index("--requirepass") + 1]

    def _end(self, how: signal.Signals) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGCONT)  # one that a test has stopped
            os.kill(self.process.pid, how)
        self.process.wait(PATIENCE)
        self.process = None

    def _log(self) -> str:
        log = self.folder / "log"
        return log.read_text()[-2_000:] if log.exists() else "it wrote no log"


def until(reached: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.002)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """One server for all tests that do not harm it."""
    with RedisServer() as server:
        yield server


def _binary() -> str:
    found = shutil.which("redis-server")
    if found is None:
        pytest.fail("these tests need a real Redis server: apt-get install redis-server")
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
