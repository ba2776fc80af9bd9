"""The transports of the MCP server: the standard input and output, or HTTP."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import TextIOWrapper
from ipaddress import ip_address
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from anaphora.errors import AnaphoraError

__all__ = ["parse_address", "serve_http", "serve_stdio"]

_GRACE = 10  # seconds for requests under way when the server stops


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve over the standard input and output until the input ends. Meanwhile, printed text goes
    to the standard error output, so that it does not mix with the messages.

    Ctrl-C ends the process at once (in the main thread): nothing can wake the thread that waits for
    input, and the stores lose no data.
    """
    with _default_sigint(), _unbuffered_stdout():
        server.run("stdio")


def serve_http(
    server: MCPServer[Any], address: str, *, started: Callable[[str], object] = lambda url: None
) -> None:
    """Serve over streamable HTTP at ``address`` (``127.0.0.1:8090``; port 0 selects a free port)
    until the process receives a stop signal. ``started`` is called with the URL.

    There are no keys, so the server listens only to this machine and refuses requests from web
    pages of other sites. Raises :class:`AnaphoraError` for an address that is invalid, not local,
    or in use.
    """
    host, port = parse_address(address)
    app = server.streamable_http_app(host=host, transport_security=_security(host))
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=_GRACE
    )
    with _listen(host, port) as listener:
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listener.getsockname()[1]}/mcp"
        _Server(config, lambda: started(url)).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that reports when it has started; from then on, signals stop it cleanly."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], object]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell()


def parse_address(address: str) -> tuple[str, int]:
    """Parse ``HOST:PORT``, or a port alone.

    Raises :class:`AnaphoraError` for an invalid address, and for a host other than this machine.
    """
    host, _, digits = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (digits.isascii() and digits.isdecimal() and int(digits) < 65_536):
        raise AnaphoraError(f"'{address}' is not an address: write 127.0.0.1:8090")
    if not _is_loopback(host):
        raise AnaphoraError(
            f"'{host}' is not an address of this machine only: the MCP server has no keys, so it "
            "listens to 127.0.0.1, ::1 or localhost; put an authenticating proxy in front of it"
        )
    return host, int(digits)


@contextmanager
def _unbuffered_stdout() -> Iterator[None]:
    """Write printed text at once. The SDK redirects it only while it serves; buffered text would
    appear later, between the messages."""
    before = sys.stdout
    if before is not sys.__stdout__ or before is None:  # the SDK would not redirect this stream
        yield
        return
    before.flush()
    raw = open(before.fileno(), "wb", buffering=0, closefd=False)  # noqa: SIM115
    prompt = TextIOWrapper(raw, encoding="utf-8", errors="replace", write_through=True)
    with redirect_stdout(prompt):
        yield


@contextmanager
def _default_sigint() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _security(host: str) -> TransportSecuritySettings:
    """Allow only requests that name this machine, to refuse pages of another site whose name
    resolves to it (DNS rebinding)."""
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host}
    hosts = [pattern for name in sorted(names) for pattern in (name, f"{name}:*")]
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{one}" for one in hosts]
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise AnaphoraError(f"cannot listen to {host}:{port}: {error.strerror or error}") from error
