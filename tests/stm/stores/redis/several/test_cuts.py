"""A network that is cut and clocks that are apart, under load: nothing answered is lost, nothing is
twice. Where the servers are cut off from each other, the questions still reach both sides."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from benchmarks.faults.wall_clock import Clocks
from tests.support.network import CLIENTS, Network
from tests.support.real_server import wait_until
from tests.support.redis_cluster import RedisCluster
from tests.support.redis_sentinel import SentinelGroup
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with Network() as network:
        yield network


@pytest.fixture(scope="module")
def clocks(tmp_path_factory) -> Iterator[Clocks]:
    with Clocks(tmp_path_factory.mktemp("clocks")) as clocks:
        yield clocks


@pytest.fixture(scope="module")
def cluster(network: Network, clocks: Clocks) -> Iterator[RedisCluster]:
    with RedisCluster(network=network, environment=clocks.environment) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def sentinels(network: Network, clocks: Clocks) -> Iterator[SentinelGroup]:
    with SentinelGroup(network=network, environment=clocks.environment) as sentinels:
        yield sentinels


@pytest.fixture
def set_apart(clocks: Clocks, rounds):
    """Sets the clocks of servers apart by more than a lease, each anew."""
    most = rounds(2, 10)  # seconds; a clock that goes back holds up the servers for as long

    def set_apart(servers: list[RedisServer], random: Random) -> None:
        for server in servers:
            clocks.set(server.process.pid, random.randint(-most, most))

    return set_apart


@pytest.mark.parametrize(
    "reaching", [CLIENTS, pytest.param(None, marks=pytest.mark.thorough)], ids=["half", "whole"]
)
def test_a_master_that_is_cut_off_while_clocks_are_apart(
    cluster, network, set_apart, load_on, rounds, capsys, reaching
):
    load, faults, random = load_on(cluster.url), rounds(1, 10), Random(11)
    with load.running():
        for _ in range(faults):
            cluster.wait_until_replicated()
            set_apart(cluster.servers, random)
            load.go_on(rounds(30, 200))
            master = random.choice(cluster.masters)
            replica = cluster.replica_of(master)
            with network.cut(master.host, but=reaching):
                wait_until(lambda replica=replica: replica.is_master)
                load.go_on(10)
        cluster.wait_until_replicated()
        load.go_on(30)
    ways = "from its like" if reaching else "from all"
    load.check(faults, f"a master cut off {ways}, clocks apart", capsys)


@pytest.mark.parametrize(
    "reaching", [CLIENTS, pytest.param(None, marks=pytest.mark.thorough)], ids=["half", "whole"]
)
def test_a_primary_that_is_cut_off_behind_sentinel_while_clocks_are_apart(
    sentinels, network, set_apart, load_on, rounds, capsys, reaching
):
    load, faults, random = load_on(sentinels.url), rounds(1, 5), Random(13)
    with load.running():
        for _ in range(faults):
            sentinels.wait_until_replicated()
            set_apart(sentinels.servers, random)
            load.go_on(rounds(30, 200))
            primary = sentinels.primary
            with network.cut(primary.host, but=reaching):
                wait_until(lambda primary=primary: sentinels.primary is not primary)
    ways = "from its like" if reaching else "from all"
    load.check(faults, f"a primary cut off {ways} behind Sentinel, clocks apart", capsys)
