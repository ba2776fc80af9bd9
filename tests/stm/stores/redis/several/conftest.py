"""A cluster and Sentinels that tests share, and how long their runs are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from anaphora.stm.stores.urls import store_at
from tests.stm.stores.redis.several.load import PATIENCE, Load
from tests.support.redis_cluster import RedisCluster
from tests.support.redis_sentinel import SentinelGroup


@pytest.fixture(scope="package")
def cluster() -> Iterator[RedisCluster]:
    with RedisCluster() as cluster:
        yield cluster


@pytest.fixture(scope="package")
def sentinels() -> Iterator[SentinelGroup]:
    with SentinelGroup() as group:
        yield group


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """Chooses the second number for the long form, ``pytest -m cluster``."""
    is_long = request.config.getoption("markexpr") == "cluster"
    return lambda short, long: long if is_long else short


@pytest.fixture
def load_on(request: pytest.FixtureRequest) -> Callable[[str], Load]:
    """Makes load on the servers at a URL, in conversations of its own."""
    prefix = request.node.name.removeprefix("test_")

    def make(url: str, options: str = "min_replicas=1&replica_timeout=3") -> Load:
        whole = f"{url}?prefix={prefix}&{PATIENCE}&{options}"
        load = Load(lambda: store_at(whole), stores=3, conversations=24)
        request.addfinalizer(load.close)
        return load

    return make
