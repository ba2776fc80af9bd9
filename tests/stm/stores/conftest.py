"""The kinds of stores that the contract suite runs against."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from anaphora.stm.stores.store import Store
from anaphora.stm.stores.urls import store_at
from tests.conftest import Clock
from tests.stm.stores.store_homes import StoreHome
from tests.support.postgres_server import PostgresServer, postgres_server  # noqa: F401 - a fixture
from tests.support.redis_server import RedisServer, redis_server  # noqa: F401 - a fixture

_FILES = ["sqlite", "sqlite with locks of processes"]
_runs = count()


@pytest.fixture(params=["memory", *_FILES, "redis", "postgres"])
def home(request, new_home) -> Iterator[StoreHome]:
    """A home of any kind of store."""
    with new_home(request.param) as made:
        yield made


@pytest.fixture(params=[*_FILES, "redis", "postgres"])
def lasting(request, new_home) -> Iterator[StoreHome]:
    """A home whose stores outlive a process."""
    with new_home(request.param) as made:
        yield made


@pytest.fixture(params=["memory", *_FILES])
def clocked(request, new_home) -> Iterator[StoreHome]:
    """A home whose time is the ``clock`` fixture."""
    with new_home(request.param) as made:
        yield made


@pytest.fixture
def store(home):
    return home.store()


@pytest.fixture
def new_home(request, clock, tmp_path, monkeypatch) -> Callable[[str], StoreHome]:
    """Makes a home of the named kind."""

    def make(kind: str) -> StoreHome:
        if kind == "memory":
            return _in_memory(clock)
        if kind == "redis":
            return _in_redis(request.getfixturevalue("redis_server"))
        if kind == "postgres":
            return _in_postgres(request.getfixturevalue("postgres_server"))
        if kind != "sqlite":  # as where locks of open files are not known (macOS)
            monkeypatch.delattr(fcntl, "F_OFD_SETLK", raising=False)
        return _in_files(tmp_path, clock)

    return make


def _in_memory(clock: Clock) -> StoreHome:
    return StoreHome(lambda _, options: store_at(f"memory:?{options}", clock=clock), False, clock)


def _in_files(folder: Path, clock: Clock) -> StoreHome:
    def make(place: int, options: str) -> Store:  # not waiting for the disk is quicker
        url = f"sqlite:///{folder}/{place}.db?synchronous=normal&{options}"
        return store_at(url, clock=clock)

    return StoreHome(make, True, clock)


def _in_redis(server: RedisServer) -> StoreHome:
    prefix = f"contract-{next(_runs)}"
    return StoreHome(
        lambda place, options: store_at(f"{server.url}?prefix={prefix}-{place}&{options}"),
        True,
        None,
    )


def _in_postgres(server: PostgresServer) -> StoreHome:
    schema = server.schema()
    return StoreHome(
        lambda place, options: store_at(f"{server.url}?schema={schema}_{place}&{options}"),
        True,
        None,
    )
