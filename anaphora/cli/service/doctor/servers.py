"""Check the servers in which a deployment keeps its data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime

from anaphora.cli.service.doctor.finding import Finding, check_clock, error, ok, warning
from anaphora.errors import StoreError

__all__ = ["check_postgres", "check_redis"]


def check_redis(url: str, clock: Callable[[], datetime]) -> Iterator[Finding]:
    """Check the Redis servers of the store: whether they answer, their clocks, and settings by
    which they may lose conversations."""
    from anaphora.stm.stores.redis.store import RedisStore
    from anaphora.stm.stores.urls import store_at

    subject = "store"
    try:
        with closing(store_at(url)) as store:
            before = clock()
            assert isinstance(store, RedisStore), "the URL is that of a Redis server"
            state = store.server_state()
            after = clock()
    except StoreError as failure:
        yield error(subject, str(failure))
        return
    yield ok(subject, f"Redis {', '.join(state.versions)} answers")
    yield check_clock(subject, max(state.times, key=lambda time: abs(time - before)), before, after)
    for risk in state.risks:
        message, _, hint = risk.partition(": ")
        yield warning(subject, message, hint)


def check_postgres(
    url: str, clock: Callable[[], datetime], *, needs_vectors: bool
) -> Iterator[Finding]:
    """Check the PostgreSQL server of the long-term memory: whether it answers, its clock, and the
    extension pgvector, which searches by meaning need to be fast."""
    subject = "memory"
    try:
        from anaphora.ltm.retrieval.postgres.server_state import read_server_state
    except ImportError:
        yield error(
            subject, "PostgreSQL needs its client", "install it: pip install 'anaphora[postgres]'"
        )
        return
    try:
        before = clock()
        state = read_server_state(url)
        after = clock()
    except StoreError as failure:
        yield error(subject, str(failure))
        return
    yield ok(subject, f"PostgreSQL {state.version} answers")
    yield check_clock(subject, state.time, before, after)
    if state.is_replica:
        yield error(subject, "the server is a replica", "name the primary in the URL")
    if not needs_vectors or state.has_pgvector:
        yield ok(subject, f"pgvector is {'there' if state.has_pgvector else 'not needed'}")
    elif state.can_have_pgvector:
        yield warning(
            subject,
            "the extension pgvector is not created, so searches by meaning are slow",
            "let a superuser do: CREATE EXTENSION vector SCHEMA public",
        )
    else:
        yield warning(
            subject,
            "the server has no pgvector, so searches by meaning are slow",
            "install it there, such as with apt install postgresql-17-pgvector",
        )
