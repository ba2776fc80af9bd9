"""Open stores by their URLs: ``memory:``, ``sqlite:///path``, ``redis://…``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import StoreError
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.store import Store
from anaphora.storage.logical_clock import utc_now

__all__ = ["database_file", "store_at"]

_EXAMPLES = (
    "memory:, sqlite:///relative.db, sqlite:////absolute.db, redis://host:6379/0, "
    "rediss://host:6379/0, unix:///path/of/redis.sock, redis+cluster://host:6379,host:6379 or "
    "redis+sentinel://host:26379,host:26379/service"
)
_DATABASE = re.compile(r"/?\d*")
_SERVICE = re.compile(r"/[^/]+(/\d*)?")
# Options that are passed to the Redis client, which checks their values.
_CLIENT_OPTIONS = ("username", "password")
_SENTINEL_OPTIONS = ("sentinel_username", "sentinel_password")
_TLS_OPTIONS = (
    "ssl_ca_certs",
    "ssl_cert_reqs",
    "ssl_certfile",
    "ssl_check_hostname",
    "ssl_keyfile",
)


def store_at(url: str, *, clock: Callable[[], datetime] = utc_now) -> Store:
    """Open the store at ``url``: ``memory:``, ``sqlite:///relative.db``,
    ``sqlite:////absolute.db``, ``redis://host:port/db``, ``rediss://…`` (with TLS),
    ``unix:///socket``, ``redis+cluster://host:port,host:port`` or
    ``redis+sentinel://host:port,host:port/service/db`` (with TLS ``rediss+…``).

    The query of the URL holds options: for all stores ``wait`` (how many seconds a question waits
    for the lock), for SQLite ``synchronous`` (full, normal), for Redis ``lease``, ``patience``,
    ``replica_timeout`` (seconds), ``min_replicas``, ``prefix`` and some options of its client
    (``db``, ``ssl_ca_certs``, …). ``clock`` returns the time, with a time zone.

    Raises :class:`StoreError` if the URL is invalid or the store cannot be used.
    """
    parts = _parse_url(url)
    return _OPENERS[parts.scheme](parts, clock)


def database_file(url: str) -> Path | None:
    """Return the file of a ``sqlite:`` URL; None for the URL of any other store.

    Raises :class:`StoreError` for an invalid URL.
    """
    parts = _parse_url(url)
    return _parse_file(parts) if parts.scheme == "sqlite" else None


def _parse_url(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise StoreError(f"this is not the URL of a store ({error}); write {_EXAMPLES}") from error
    if parts.scheme not in _OPENERS:
        raise StoreError(f"no store has a URL that begins {_url_prefix(url)}; write {_EXAMPLES}")
    if parts.scheme == "sqlite" and not url.partition(":")[2].startswith("//"):
        raise StoreError("write three slashes before the path of a file: sqlite:///bot.db")
    return parts


def _open_memory(parts: SplitResult, clock: Callable[[], datetime]) -> Store:
    if parts.netloc or parts.path:
        raise StoreError("a store in memory has no name: write memory:")
    return MemoryStore(clock, **_parse_options(parts, {"wait": _parse_seconds}))


def _open_sqlite(parts: SplitResult, clock: Callable[[], datetime]) -> Store:
    from anaphora.stm.stores.sqlite.store import SqliteStore

    path = _parse_file(parts)
    options = _parse_options(parts, {"wait": _parse_seconds, "synchronous": str})
    return SqliteStore(path, clock=clock, **options)


def _parse_file(parts: SplitResult) -> Path:
    if parts.netloc:
        raise StoreError(
            f"write three slashes before the path of a file: sqlite:///{parts.netloc}{parts.path}"
        )
    path = unquote(parts.path.removeprefix("/"))
    if not path or path.endswith("/"):
        raise StoreError("this URL names no file: sqlite:///relative.db, sqlite:////absolute.db")
    if path == ":memory:":
        raise StoreError("for conversations in memory, write memory:")
    if "\0" in path:
        raise StoreError("the name of a file cannot contain NUL")
    return Path(path)


def _open_redis(parts: SplitResult, clock: Callable[[], datetime]) -> Store:
    from anaphora.stm.stores.redis.store import RedisStore

    _check_redis_path(parts)
    of_client = _redis_client_options(parts.scheme)
    known: dict[str, Callable[[str], Any]] = {
        **dict.fromkeys(("wait", "lease", "patience"), _parse_seconds),
        "min_replicas": _parse_count,
        "replica_timeout": _parse_seconds,
        **dict.fromkeys(("prefix", *of_client), str),
    }
    options = _parse_options(parts, known)
    query = urlencode({name: options.pop(name) for name in of_client if name in options})
    url = f"{parts.scheme}://{parts.netloc}{parts.path}?{query}"
    return RedisStore(url, clock=clock, **options)


def _check_redis_path(parts: SplitResult) -> None:
    if parts.scheme.endswith("+cluster"):
        if parts.path.strip("/"):
            raise StoreError(
                "a Redis Cluster has no databases: write redis+cluster://host:6379,host:6379"
            )
    elif parts.scheme.endswith("+sentinel"):
        if not _SERVICE.fullmatch(parts.path):
            raise StoreError(
                "name the service that the Sentinels watch, and a database by its number: "
                "redis+sentinel://host:26379,host:26379/service/0"
            )
    elif parts.scheme != "unix" and not _DATABASE.fullmatch(parts.path):
        raise StoreError("a Redis database is a number: redis://host:6379/0")


def _redis_client_options(scheme: str) -> tuple[str, ...]:
    return (
        *(() if scheme.endswith("+cluster") else ("db",)),
        *_CLIENT_OPTIONS,
        *(_SENTINEL_OPTIONS if scheme.endswith("+sentinel") else ()),
        *(_TLS_OPTIONS if scheme.startswith("rediss") else ()),
    )


_OPENERS: Mapping[str, Callable[[SplitResult, Callable[[], datetime]], Store]] = {
    "memory": _open_memory,
    "sqlite": _open_sqlite,
    "redis": _open_redis,
    "rediss": _open_redis,
    "unix": _open_redis,
    "redis+cluster": _open_redis,
    "rediss+cluster": _open_redis,
    "redis+sentinel": _open_redis,
    "rediss+sentinel": _open_redis,
}


def _parse_options(parts: SplitResult, known: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    """Parse the options in the query, each with its function in ``known``."""
    if parts.fragment:
        raise StoreError("write # as %23 in the URL of a store")
    options: dict[str, Any] = {}
    for name, text in parse_qsl(parts.query, keep_blank_values=True):
        if name not in known:
            hint = did_you_mean(name, known) or f"there are: {', '.join(known)}"
            raise StoreError(f"a store at {parts.scheme}: has no option '{name}'; {hint}")
        if name in options:
            raise StoreError(f"the URL of the store has the option '{name}' twice")
        try:
            options[name] = known[name](text)
        except ValueError as error:
            raise StoreError(f"the option '{name}' of the store: {error}") from error
    return options


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= 86_400:
        raise ValueError(f"'{text}' is not a number of seconds between 0 and 86400")
    return seconds


def _parse_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 3):
        raise ValueError(f"'{text}' is not a number between 0 and 99")
    return int(text)


def _url_prefix(url: str) -> str:
    """Describe the beginning of a URL, without a password."""
    scheme, colon, _ = url.partition(":")
    return f"with {scheme + colon!r}" if colon else "without memory:, sqlite: or redis:"
