"""Stores by their URLs: ``memory:``, ``sqlite:///path``, ``redis://…``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from anaphora.errors import StoreError
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.store import Store

__all__ = ["database_file", "store_at"]

_EXAMPLES = (
    "memory:, sqlite:///relative.db, sqlite:////absolute.db, redis://host:6379/0, "
    "rediss://host:6379/0 or unix:///path/of/redis.sock"
)
# What the client of Redis itself may be told; it checks the values.
_DATABASE = re.compile(r"/?\d*")
_CLIENT_OPTIONS = ("db", "username", "password")
_TLS_OPTIONS = (
    "ssl_ca_certs",
    "ssl_cert_reqs",
    "ssl_certfile",
    "ssl_check_hostname",
    "ssl_keyfile",
)


def _utc_now() -> datetime:
    return datetime.now(UTC)


def store_at(url: str, *, clock: Callable[[], datetime] = _utc_now) -> Store:
    """The store at ``url``: ``memory:``, ``sqlite:///relative.db``, ``sqlite:////absolute.db``,
    ``redis://host:port/db``, ``rediss://…`` (with TLS) or ``unix:///socket``.

    Options stand in the query: ``wait`` (for how many seconds a question waits for its turn) for
    all, ``synchronous`` (full, normal) for SQLite, ``lease``, ``patience`` (seconds) and
    ``prefix`` for Redis, as well as some of its client (``db``, ``ssl_ca_certs``, …). ``clock``
    tells the time, with a time zone.

    Raises :class:`StoreError` for a URL that cannot be read, and if the store cannot be used.
    """
    parts = _parse_url(url)
    return _OPENERS[parts.scheme](parts, clock)


def database_file(url: str) -> Path | None:
    """The file of a ``sqlite:`` URL; None for any other URL of a store.

    Raises :class:`StoreError` for a URL that cannot be read.
    """
    parts = _parse_url(url)
    return _parse_file(parts) if parts.scheme == "sqlite" else None


def _parse_url(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise StoreError(f"this is no URL of a store ({error}); write {_EXAMPLES}") from error
    if parts.scheme not in _OPENERS:
        raise StoreError(f"no store has a URL that begins {_url_prefix(url)}; write {_EXAMPLES}")
    if parts.scheme == "sqlite" and not url.partition(":")[2].startswith("//"):
        raise StoreError("a file is named after three slashes: sqlite:///bot.db")
    return parts


def _open_memory(parts: SplitResult, clock: Callable[[], datetime]) -> Store:
    if parts.netloc or parts.path:
        raise StoreError("the store in memory has no name: write memory:")
    return MemoryStore(clock, **_parse_options(parts, {"wait": _parse_seconds}))


def _open_sqlite(parts: SplitResult, clock: Callable[[], datetime]) -> Store:
    from anaphora.stm.stores.sqlite.store import SqliteStore

    path = _parse_file(parts)
    options = _parse_options(parts, {"wait": _parse_seconds, "synchronous": str})
    return SqliteStore(path, clock=clock, **options)


def _parse_file(parts: SplitResult) -> Path:
    if parts.netloc:
        raise StoreError(
            f"a file is named after three slashes: sqlite:///{parts.netloc}{parts.path}"
        )
    path = unquote(parts.path.removeprefix("/"))
    if not path or path.endswith("/"):
        raise StoreError("this URL names no file: sqlite:///relative.db, sqlite:////absolute.db")
    if path == ":memory:":
        raise StoreError("conversations in memory are kept by memory:")
    if "\0" in path:
        raise StoreError("no file has a name with a NUL in it")
    return Path(path)


def _open_redis(parts: SplitResult, clock: Callable[[], datetime]) -> Store:
    from anaphora.stm.stores.redis.store import RedisStore

    if parts.scheme != "unix" and not _DATABASE.fullmatch(parts.path):
        raise StoreError("a database of Redis is a number: redis://host:6379/0")
    of_client = _CLIENT_OPTIONS if parts.scheme != "rediss" else _CLIENT_OPTIONS + _TLS_OPTIONS
    seconds = dict.fromkeys(("wait", "lease", "patience"), _parse_seconds)
    texts: dict[str, Callable[[str], Any]] = dict.fromkeys(("prefix", *of_client), str)
    options = _parse_options(parts, seconds | texts)
    query = urlencode({name: options.pop(name) for name in of_client if name in options})
    url = f"{parts.scheme}://{parts.netloc}{parts.path}?{query}"
    return RedisStore(url, clock=clock, **options)


_OPENERS: Mapping[str, Callable[[SplitResult, Callable[[], datetime]], Store]] = {
    "memory": _open_memory,
    "sqlite": _open_sqlite,
    "redis": _open_redis,
    "rediss": _open_redis,
    "unix": _open_redis,
}


def _parse_options(parts: SplitResult, known: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    """The options in the query, each read by what ``known`` has for it."""
    if parts.fragment:
        raise StoreError("write # as %23 in the URL of a store")
    options: dict[str, Any] = {}
    for name, text in parse_qsl(parts.query, keep_blank_values=True):
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(known)}"
            raise StoreError(f"a store at {parts.scheme}: has no option '{name}'; {hint}")
        if name in options:
            raise StoreError(f"the option '{name}' stands twice in the URL of the store")
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
        raise ValueError(f"'{text}' is no number of seconds between 0 and 86400")
    return seconds


def _url_prefix(url: str) -> str:
    """The beginning of a URL, without any password in it."""
    scheme, colon, _ = url.partition(":")
    return f"with {scheme + colon!r}" if colon else "without memory:, sqlite: or redis:"
