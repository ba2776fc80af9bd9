"""Load on servers, and how long a run is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphora.stm.stores.urls import store_at
from tests.stm.stores.redis.several.load import PATIENCE, Load
from tests.support.long_form import is_long_form


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """Chooses the second number for the long form, ``pytest -m cluster``."""
    is_long = is_long_form(request, "cluster")
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
