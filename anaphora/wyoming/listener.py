"""The addresses of a server: ``tcp://HOST:PORT`` and ``unix:///PATH``."""

from __future__ import annotations

import socket
import stat
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from anaphora.errors import AnaphoraError

__all__ = ["Address", "TcpAddress", "UnixAddress", "bind", "is_local", "parse_uri"]

_EXAMPLES = "write tcp://127.0.0.1:10500 or unix:///run/anaphora.sock"


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """An address of a network; ``port`` 0 stands for a free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"tcp://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class UnixAddress:
    """The path of a socket."""

    path: Path

    def __str__(self) -> str:
        return f"unix://{self.path}"


Address: TypeAlias = TcpAddress | UnixAddress


def parse_uri(uri: str) -> Address:
    """Parse a URI. Raises :class:`AnaphoraError` for an invalid one."""
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _invalid(uri) from None
    if parts.scheme == "tcp" and host and port is not None and not parts.path.strip("/"):
        return TcpAddress(host, port)
    if parts.scheme == "unix" and not parts.netloc and parts.path.startswith("/"):
        return UnixAddress(Path(parts.path))
    raise _invalid(uri)


def is_local(address: Address) -> bool:
    """Whether only this machine reaches an address."""
    if isinstance(address, UnixAddress):
        return True
    try:
        return address.host == "localhost" or ip_address(address.host).is_loopback
    except ValueError:
        return False


def bind(address: Address) -> socket.socket:
    """Bind a socket, which does not listen yet.

    Raises :class:`AnaphoraError` for an address that is in use or not of this machine, and for a
    path where another file is.
    """
    if isinstance(address, UnixAddress):
        _remove_stale_socket(address)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    else:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        # asyncio turns Nagle's algorithm off only if the protocol is named. Else answers on a
        # connection that stays open take 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if isinstance(address, UnixAddress):
            listener.bind(str(address.path))
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address.host, address.port))
    except OSError as error:
        listener.close()
        raise AnaphoraError(f"cannot listen at {address}: {error.strerror or error}") from error
    return listener


def _remove_stale_socket(address: UnixAddress) -> None:
    """Remove the socket of a server that no longer runs."""
    try:
        mode = address.path.lstat().st_mode
    except OSError:
        return  # nothing is there, or binding reports it
    if not stat.S_ISSOCK(mode):
        raise AnaphoraError(f"cannot listen at {address}: another file is there")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(address.path))
        except OSError:
            address.path.unlink(missing_ok=True)
            return
    raise AnaphoraError(f"cannot listen at {address}: another server uses it")


def _invalid(uri: str) -> AnaphoraError:
    return AnaphoraError(f"'{uri}' is not an address of a server: {_EXAMPLES}")
