"""The URLs of Redis servers: one server, a cluster, or a service of Sentinel.

``redis://user:password@host:port/db``, ``redis+cluster://user:password@host:port,host:port``,
``redis+sentinel://user:password@host:port,host:port/service/db``; with TLS the scheme begins with
``rediss``. The options in the query are those of the Redis client, and for Sentinel also
``sentinel_username`` and ``sentinel_password``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from redis import connection

_parse_url: Any = connection.parse_url  # the library leaves its type out

__all__ = ["CLUSTER_SCHEMES", "SENTINEL_SCHEMES", "ServerAddresses", "hide_password", "parse_hosts"]

CLUSTER_SCHEMES = ("redis+cluster", "rediss+cluster")
SENTINEL_SCHEMES = ("redis+sentinel", "rediss+sentinel")

_DEFAULT_PORTS = {"cluster": 6379, "sentinel": 26379}
_HOST = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[^:\[\]]+)(?::(?P<port>\d{1,5}))?")
_SENTINEL_OPTIONS = {"sentinel_username": "username", "sentinel_password": "password"}


@dataclass(frozen=True, slots=True)
class ServerAddresses:
    """The hosts of a cluster or of the Sentinels of a ``service``, with the keyword arguments for
    connections to the servers and to the Sentinels."""

    hosts: tuple[tuple[str, int], ...]
    service: str
    options: Mapping[str, Any] = field(repr=False)
    sentinel_options: Mapping[str, Any] = field(repr=False)


def parse_hosts(url: str) -> ServerAddresses:
    """Parse the URL of a cluster or of a service of Sentinel.

    Raises :class:`ValueError`, possibly with a part of the password in its message.
    """
    parts = urlsplit(url)
    base, _, kind = parts.scheme.partition("+")
    credentials, at, hosts = parts.netloc.rpartition("@")
    service, _, database = parts.path.strip("/").partition("/")
    if kind == "cluster" and (service or database):
        raise ValueError("a cluster has no databases")
    if kind == "sentinel" and not service:
        raise ValueError("no service")
    plain = [pair for pair in parse_qsl(parts.query) if pair[0] not in _SENTINEL_OPTIONS]
    # The client parses the rest, so that all forms of URLs take the same options.
    options = dict(
        _parse_url(f"{base}://{credentials}{at}host/{database}?{urlencode(plain)}"),
        ssl=base == "rediss",
    )
    for name in ("host", "connection_class", *(("db",) if kind == "cluster" else ())):
        options.pop(name, None)
    tls = {name: value for name, value in options.items() if name.startswith("ssl")}
    own = {
        _SENTINEL_OPTIONS[name]: value
        for name, value in parse_qsl(parts.query)
        if name in _SENTINEL_OPTIONS
    }
    pairs = tuple(_parse_host(host, _DEFAULT_PORTS[kind]) for host in hosts.split(","))
    return ServerAddresses(pairs, unquote(service), options, tls | own)


def hide_password(url: str) -> str:
    """Return the URL of a server for messages: without password and options."""
    try:
        parts = urlsplit(url)
        hosts = _display_hosts(parts)
    except ValueError:
        return "redis://…"
    user = parts.netloc.rpartition("@")[0].partition(":")[0]
    return f"{parts.scheme}://{user + '@' if user else ''}{hosts}{parts.path}"


def _display_hosts(parts: SplitResult) -> str:
    if "+" in parts.scheme:
        return parts.netloc.rpartition("@")[2]
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host


def _parse_host(text: str, default_port: int) -> tuple[str, int]:
    found = _HOST.fullmatch(text.strip())
    if found is None or not 0 < int(found["port"] or default_port) < 65_536:
        raise ValueError(f"'{text}' is not host:port")
    return unquote(found["host"].strip("[]")), int(found["port"] or default_port)
