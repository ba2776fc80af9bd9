"""Checks before the service listens: conflicting settings, an unavailable address, models with
mistakes, an unreachable store."""

from __future__ import annotations

import errno
import socket
import sys
from ipaddress import ip_address
from typing import Any

import structlog

from anaphora.engine.engine import Engine
from anaphora.errors import AnaphoraError, Problem
from anaphora.ltm.factory import build_memory
from anaphora.ltm.memory import LongTermMemory
from anaphora.server.observability.instrumented_store import InstrumentedStore
from anaphora.server.settings.model import Settings
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.store import Store
from anaphora.stm.stores.urls import store_at

__all__ = [
    "bind_socket",
    "check_settings",
    "close_engine",
    "connection_limit",
    "listen",
    "open_engine",
]

_log = structlog.get_logger("anaphora.server")

_IN_MEMORY = "memory:"


def check_settings(settings: Settings) -> None:
    """Raise :class:`~anaphora.errors.AnaphoraError` for settings that would lose conversations or
    give access to everyone."""
    if settings.workers > 1 and settings.store.startswith(_IN_MEMORY):
        raise _startup_error(
            f"{settings.workers} workers cannot share the store '{_IN_MEMORY}': each process "
            "would have a separate memory",
            "keep conversations in a file, Redis or PostgreSQL: --store sqlite:///anaphora.db",
        )
    if settings.workers > 1 and settings.memory.url == _IN_MEMORY:
        raise _startup_error(
            f"{settings.workers} workers cannot share the long-term memory '{_IN_MEMORY}': each "
            "process would have a separate one",
            "keep it in a file or in PostgreSQL: --memory sqlite:///memory.db",
        )
    if settings.workers > 1 and settings.agents and settings.memory.url is None:
        raise _startup_error(
            f"{settings.workers} workers cannot share agents without a long-term memory: each "
            "process would have a separate one",
            "keep it in a file or in PostgreSQL: --memory sqlite:///memory.db",
        )
    if not settings.keys and not settings.open and not _is_loopback(settings.host):
        raise _startup_error(
            f"without keys, everyone who reaches {settings.host} could ask, read and forget",
            "create a key with 'anaphora key', or admit everyone with --open",
        )


def bind_socket(settings: Settings) -> socket.socket:
    """Bind a socket to the address of the settings, without listening yet.

    Raises :class:`~anaphora.errors.AnaphoraError` if the address is not available.
    """
    host, port = settings.host, settings.port
    family, address = _resolve_host(host, port)[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise _address_in_use(settings) from error
        raise _startup_error(f"cannot listen at {host}, port {port}: {error.strerror}") from error
    return listener


def listen(listener: socket.socket, settings: Settings) -> str:
    """Start to listen, and return the URL of the service."""
    try:
        listener.listen(2_048)
    except OSError as error:
        raise _address_in_use(settings) from error
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{settings.root_path}"


def connection_limit(settings: Settings) -> int:
    """Return the maximum number of connections of a worker: ``max_connections``, or less if the
    process may not open as many files. The soft limit is raised if needed. Some files are reserved
    for the store, the logs and the models."""
    if sys.platform == "win32":  # Windows has no such limit
        return settings.max_connections
    import resource

    reserved = 2 * settings.threads + 64
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.max_connections + reserved
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return settings.max_connections
    limit = max(soft - reserved, soft // 2)
    _log.warning(
        "fewer connections than max_connections: the limit on open files is too low",
        connections=limit,
        max_connections=settings.max_connections,
        open_files=soft,
        needed=wanted,
    )
    return limit


def open_engine(settings: Settings) -> tuple[Engine, Store]:
    """Create the engine and the store of the settings, and check that the store responds.

    The store is instrumented unless it is in memory, where an operation takes no longer than
    reading the clock. :func:`close_engine` closes the engine's long-term memory.

    Raises :class:`~anaphora.errors.AnaphoraError` for models with mistakes, and for a store or a
    long-term memory that is invalid or unreachable.
    """
    found = store_at(settings.store)
    store = found if isinstance(found, MemoryStore) else InstrumentedStore(found)
    memory = None
    try:
        store.ping()
        if config := settings.memory.to_config():
            memory = build_memory(config)
            memory.ping()
        engine = Engine(*settings.models, store=store, long_term=memory, cache=settings.cache)
        engine.prepare()
        return engine, store
    except BaseException:
        if memory is not None:
            memory.close()
        store.close()
        raise


def close_engine(engine: Engine, store: Store, *, grace: float = 10.0) -> None:
    """Close the engine and the store of :func:`open_engine`. The long-term memory processes its
    journal for at most ``grace`` seconds; the rest stays in the journal."""
    try:
        store.close()
    finally:
        if isinstance(engine.long_term, LongTermMemory):
            engine.long_term.close(grace)


def _resolve_host(host: str, port: int) -> list[tuple[int, tuple[Any, ...]]]:
    """Resolve a host to address families and addresses."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _startup_error(f"cannot listen at '{host}': {reason}") from error
    return [(family, address) for family, _, _, _, address in found]


def _is_loopback(host: str) -> bool:
    return all(
        ip_address(str(address[0]).partition("%")[0]).is_loopback
        for _, address in _resolve_host(host, 0)
    )


def _address_in_use(settings: Settings) -> AnaphoraError:
    return _startup_error(
        f"port {settings.port} of {settings.host} is in use",
        "choose another with --port, or a free one with --port 0",
    )


def _startup_error(message: str, hint: str = "") -> AnaphoraError:
    return AnaphoraError(str(Problem(message, hint=hint)))
