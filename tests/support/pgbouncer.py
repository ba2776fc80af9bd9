"""A real pgbouncer for tests, which gives each transaction whatever session is free."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

import psycopg

from tests.support.postgres_server import PostgresServer
from tests.support.real_server import RealServer


class PgBouncer(RealServer):
    """A pooler in front of a server, with two sessions for all clients."""

    name = "pgbouncer"
    stop_signal, kill_signal = signal.SIGTERM, signal.SIGKILL

    def __init__(self, server: PostgresServer) -> None:
        super().__init__()
        self._server = server

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def _launch(self) -> subprocess.Popen[bytes]:
        binary = pgbouncer_binary()
        assert binary is not None
        settings = self.folder / "pgbouncer.ini"
        settings.write_text(
            f"""
            [databases]
            postgres = host=127.0.0.1 port={self._server.port} user=postgres
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {self.port}
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = 2
            server_reset_query_always = 1
            server_reset_query = DISCARD ALL
            """
        )
        self.folder.chmod(0o755)
        as_nobody = [] if os.geteuid() else ["-u", "nobody"]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [binary, *as_nobody, settings], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def _is_up(self) -> bool:
        try:
            with psycopg.connect(self.url, autocommit=True) as client:
                return client.execute("SELECT 1").fetchone() == (1,)
        except psycopg.OperationalError:
            return False


def pgbouncer_binary() -> str | None:
    """The program, if it is installed."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
