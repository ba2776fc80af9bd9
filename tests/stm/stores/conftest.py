"""The kinds of stores that the contract suite runs against."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.store import Store
from anaphora.stm.stores.urls import store_at
from tests.conftest import Clock
from tests.stm.stores.store_homes import StoreHome
from tests.support.postgres_server import PostgresServer, postgres_server  # noqa: F401 - a fixture
from tests.support.redis_cluster import redis_cluster  # noqa: F401 - a fixture
from tests.support.redis_sentinel import redis_sentinels  # noqa: F401 - a fixture
from tests.support.redis_server import redis_server  # noqa: F401 - a fixture

_IN_MEMORY = {"memory": 10_000, "memory, packed": 0}  # how many may be unpacked
_FILES = ["sqlite", "sqlite with locks of processes"]
_SERVERS = {  # the fixture, and the options of the stores
    "redis": ("redis_server", ""),
    "redis cluster": ("redis_cluster", ""),
    "redis cluster with replicas": ("redis_cluster", "min_replicas=1&replica_timeout=30"),
    "redis behind sentinel": ("redis_sentinels", ""),
}
_WITH_REPLICAS, *_SEVERAL = (
    pytest.param(kind, marks=pytest.mark.cluster)
    for kind in ("redis cluster with replicas", "redis cluster", "redis behind sentinel")
)
_runs = count()


@pytest.fixture(params=[*_IN_MEMORY, *_FILES, "redis", _WITH_REPLICAS, "postgres"])
def home(request, new_home) -> Iterator[StoreHome]:
    """A home of any kind of store."""
    with new_home(request.param) as made:
        yield made


@pytest.fixture(params=[*_FILES, "redis", *_SEVERAL, "postgres"])
def lasting(request, new_home) -> Iterator[StoreHome]:
    """A home whose stores outlive a process."""
    with new_home(request.param) as made:
        yield made


@pytest.fixture(params=[*_FILES, "redis"])
def looping(request, new_home) -> Iterator[StoreHome]:
    """A home whose stores have a side for event loops."""
    with new_home(request.param) as made:
        yield made


@pytest.fixture(params=[*_IN_MEMORY, *_FILES])
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
        if kind in _IN_MEMORY:
            return _in_memory(clock, _IN_MEMORY[kind])
        if kind in _SERVERS:
            fixture, options = _SERVERS[kind]
            return _in_redis(request.getfixturevalue(fixture).url, options)
        if kind == "postgres":
            return _in_postgres(request.getfixturevalue("postgres_server"))
        if kind != "sqlite":  # as where locks of open files are not known (macOS)
            monkeypatch.delattr(fcntl, "F_OFD_SETLK", raising=False)
        return _in_files(tmp_path, clock)

    return make


def _in_memory(clock: Clock, most_unpacked: int) -> StoreHome:
    def make(place: int, options: str) -> Store:
        limits = {name: float(value) for name, value in parse_qsl(options)}
        return MemoryStore(clock, max_unpacked=most_unpacked, **limits)

    return StoreHome(make, False, clock)


def _in_files(folder: Path, clock: Clock) -> StoreHome:
    def make(place: int, options: str) -> Store:  # not waiting for the disk is quicker
        url = f"sqlite:///{folder}/{place}.db?synchronous=normal&{options}"
        return store_at(url, clock=clock)

    return StoreHome(make, True, clock)


def _in_redis(url: str, fixed: str) -> StoreHome:
    prefix = f"contract-{next(_runs)}"
    return StoreHome(
        lambda place, options: store_at(f"{url}?prefix={prefix}-{place}&{fixed}&{options}"),
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
