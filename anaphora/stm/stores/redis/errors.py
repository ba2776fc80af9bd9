"""What an error of a Redis server means, and how to mend it."""

from __future__ import annotations

import re

import redis
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    NoPermissionError,
    RedisError,
)

from anaphora.errors import StoreError

__all__ = ["AccessDeniedError", "InDoubtError", "find_code", "to_store_error"]

_CODES = re.compile(
    r"\b(OOM|MISCONF|READONLY|WRONGTYPE|NOPERM|MOVED|TRYAGAIN|CLUSTERDOWN|NOREPLICAS)\b"
)
_HINTS = {
    "OOM": "it is out of memory: raise its maxmemory",
    "MISCONF": "it cannot write to its disk: make room there",
    "READONLY": "it is a replica: name the primary in the URL",
    "WRONGTYPE": "a key belongs to another program: delete it, or use another prefix",
    "NOPERM": "its user may not do this: grant the keys of the prefix, and @read @write @scripting "
    "(in a cluster also +command +cluster|slots +cluster|nodes +asking; for min_replicas +wait)",
    "MOVED": "it is one node of a cluster: write redis+cluster://host:port in the URL",
    "TRYAGAIN": "its cluster is moving this conversation to another node: try again later",
    "CLUSTERDOWN": "its cluster is not complete: a node is down, and no replica has taken over",
    "NOREPLICAS": "too few of its replicas are up to date: are they running?",
}
_HINTS_BY_TEXT = (
    ("user executing the script can't", _HINTS["NOPERM"]),  # NOPERM inside a script
    (
        "cluster support disabled",
        "it is not a node of a cluster: write redis:// for a single server",
    ),
    (
        "unknown command 'SENTINEL'",
        "it is not a Sentinel: name the Sentinels (port 26379), or write redis:// for a server",
    ),
    (
        "unknown command",
        "it does not know a command: for a Sentinel, write redis+sentinel://host:26379/service",
    ),
)
_HINTS_BY_TYPE: tuple[tuple[type[RedisError] | tuple[type[RedisError], ...], str], ...] = (
    (BusyLoadingError, "it is still reading its data: try again later"),
    (
        (AuthenticationError, AuthorizationError),
        "check user and password in the URL: redis://user:password@host",
    ),
    (redis.ReadOnlyError, _HINTS["READONLY"]),
    (redis.OutOfMemoryError, _HINTS["OOM"]),
    (NoPermissionError, _HINTS["NOPERM"]),
    (redis.exceptions.MovedError, _HINTS["MOVED"]),
    (redis.exceptions.TryAgainError, _HINTS["TRYAGAIN"]),
    (redis.exceptions.ClusterDownError, _HINTS["CLUSTERDOWN"]),
    (redis.TimeoutError, "it does not answer in time: is it overloaded, or the network down?"),
    (redis.ConnectionError, "it cannot be reached: is it running, and is the URL correct?"),
)
_OTHER_HINT = "it refuses a command"


class AccessDeniedError(StoreError):
    """The user of the URL has no permission for a command or a key."""


class InDoubtError(StoreError):
    """A command has failed and may have been executed: the connection was lost before its
    answer."""


def find_code(error: RedisError) -> str | None:
    """Return the code of an error, such as READONLY, also from inside a script."""
    kinds = {redis.ReadOnlyError: "READONLY", redis.exceptions.TryAgainError: "TRYAGAIN"}
    if (code := kinds.get(type(error))) is not None:  # the client cuts it from the message
        return code
    if isinstance(error, redis.exceptions.ClusterDownError):
        return "CLUSTERDOWN"
    found = _CODES.search(str(error))
    return found and found[0]


def to_store_error(
    where: str, error: RedisError, hint: str | None = None, *, in_doubt: bool = False
) -> StoreError:
    """Translate an error of the server at ``where``; ``hint`` is a better one than its type gives.
    ``in_doubt``: the command may have been executed."""
    hint = hint or _hint(error)
    kind = InDoubtError if in_doubt else StoreError
    if hint == _HINTS["NOPERM"]:
        kind = AccessDeniedError
    return kind(f"{where}: {hint} ({error})")


def _hint(error: RedisError) -> str:
    if code := _CODES.search(str(error)):
        return _HINTS[code[0]]
    for text, hint in _HINTS_BY_TEXT:
        if text in str(error):
            return hint
    return next((hint for kind, hint in _HINTS_BY_TYPE if isinstance(error, kind)), _OTHER_HINT)
