"""A real Redis Cluster for tests: three masters with a replica each, on free ports."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Self

import pytest
import redis
from redis.crc import key_slot

from tests.support.network import CLIENTS, Network
from tests.support.real_server import WAIT_LIMIT, free_port, wait_until
from tests.support.redis_server import RedisServer

_MASTERS = 3


class ClusterServer(RedisServer):
    """One node. What it knows of the others survives a restart."""

    def __init__(
        self, node_timeout: int, network: Network | None, environment: Mapping[str, str] | None
    ) -> None:
        super().__init__(network=network, environment=environment)
        port = free_port() if network is None else network.listen_for(self.host)
        self.options += (
            *("--cluster-enabled", "yes", "--cluster-announce-ip", CLIENTS),
            *("--cluster-port", str(port)),
            *("--cluster-node-timeout", str(node_timeout)),
            *("--cluster-config-file", str(self.folder / "nodes.conf")),
            *("--cluster-replica-validity-factor", "0"),  # however slow the machine is
            *("--repl-diskless-sync-delay", "0"),
        )

    @property
    def address(self) -> str:
        return f"{CLIENTS}:{self.port}"

    def ask(self, *words: str | int) -> Any:
        """Send a command to this node; its result, as text where it is one."""
        with self.client(decode_responses=True) as client:
            return client.execute_command(*words)

    @property
    def id(self) -> str:
        return str(self.ask("CLUSTER MYID"))

    @property
    def is_master(self) -> bool:
        return self.process is not None and self.ask("ROLE")[0] == "master"

    @property
    def is_synchronous(self) -> bool:
        """Whether it is a replica that has everything of its master."""
        return self.process is not None and self.ask("ROLE")[::3] == ["slave", "connected"]


class RedisCluster:
    """A context manager: the cluster runs inside the block. ``node_timeout`` is in milliseconds;
    a master that is silent for longer is replaced by its replica. For ``network`` and
    ``environment`` see :class:`~tests.support.redis_server.RedisServer`."""

    def __init__(
        self,
        node_timeout: int = 1_500,
        *,
        network: Network | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.servers = [
            ClusterServer(node_timeout, network, environment) for _ in range(2 * _MASTERS)
        ]
        self._running = ExitStack()

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(server.address for server in self.servers)

    @property
    def masters(self) -> list[ClusterServer]:
        return [server for server in self.servers if server.is_master and _has_slots(server)]

    def master_of(self, key: bytes) -> ClusterServer:
        """The master that has a key."""
        return self.owner(key_slot(key))

    def replica_of(self, master: ClusterServer) -> ClusterServer:
        return next(one for one in self.servers if one.ask("ROLE")[2:3] == [master.port])

    def owner(self, slot: int) -> ClusterServer:
        for first, last, (_, port, *_), *_ in self._any().ask("CLUSTER SLOTS"):
            if first <= slot <= last:
                return next(server for server in self.servers if server.port == port)
        pytest.fail(f"nobody has slot {slot}")

    def wait_until_replicated(self) -> None:
        """Wait until the cluster is complete and every master has a replica."""
        wait_until(self._is_whole)

    def fail_over(self, master: ClusterServer) -> None:
        """Kill a master, wait for a replica in its place, and let it come back as a replica."""
        master.kill()
        wait_until(lambda: len(self.masters) == _MASTERS)
        master.start()
        self.wait_until_replicated()

    @contextmanager
    def moving(self, slot: int) -> Iterator[ClusterServer]:
        """Move a slot to another master: the move begins before the block, and its keys follow
        after it. The block gets the new owner."""
        old = self.owner(slot)
        new = next(server for server in self.masters if server is not old)
        new.ask("CLUSTER SETSLOT", slot, "IMPORTING", old.id)
        old.ask("CLUSTER SETSLOT", slot, "MIGRATING", new.id)
        yield new
        while keys := old.ask("CLUSTER GETKEYSINSLOT", slot, 100):
            old.ask("MIGRATE", CLIENTS, new.port, "", 0, 5_000, "REPLACE", "KEYS", *keys)
        for server in (new, old, *(one for one in self.masters if one not in (new, old))):
            server.ask("CLUSTER SETSLOT", slot, "NODE", new.id)

    def flush(self) -> None:
        for server in self.masters:
            server.ask("FLUSHALL")

    def all_keys(self) -> list[str]:
        return [key for server in self.masters for key in server.ask("KEYS", "*")]

    def __enter__(self) -> Self:
        with ExitStack() as running:
            for server in self.servers:
                running.enter_context(server)
            self._create()
            self._running = running.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self._running.close()

    def _create(self) -> None:
        addresses = [server.address for server in self.servers]
        options = ("--cluster-replicas", "1", "--cluster-yes")
        run_client("--cluster", "create", *addresses, *options)
        self.wait_until_replicated()

    def _any(self) -> ClusterServer:
        return next(server for server in self.servers if server.process is not None)

    def _is_whole(self) -> bool:
        masters = self.masters
        replicas = [server for server in self.servers if server.is_synchronous]
        slots = {str(server.ask("CLUSTER SLOTS")) for server in masters}
        return (
            len(masters) == len(replicas) == _MASTERS
            and all("cluster_state:ok" in str(_info(server)) for server in self.servers)
            and all(map(_has_replica, masters))
            and len(slots) == 1
        )


@pytest.fixture(scope="session")
def redis_cluster() -> Iterator[RedisCluster]:
    """A shared cluster, for tests that leave it whole."""
    with RedisCluster() as cluster:
        yield cluster


def _has_replica(server: ClusterServer) -> bool:
    """Whether a replica confirms all writes."""
    try:
        return bool(server.ask("WAIT", 1, 100))
    except redis.ResponseError:  # it has just become a replica itself
        return False


def _has_slots(server: ClusterServer) -> bool:
    own = next(line for line in _nodes(server) if "myself" in line)
    return len(own.split()) > 8


def _nodes(server: ClusterServer) -> Sequence[str]:
    with redis.Redis(unix_socket_path=server.socket) as client:
        client.response_callbacks.clear()
        return client.execute_command("CLUSTER NODES").decode().splitlines()


def _info(server: ClusterServer) -> str:
    with redis.Redis(unix_socket_path=server.socket) as client:
        client.response_callbacks.clear()
        return client.execute_command("CLUSTER INFO").decode()


def run_client(*words: str) -> str:
    """Run redis-cli."""
    found = shutil.which("redis-cli")
    if found is None:
        pytest.fail("these tests need redis-cli: apt-get install redis-tools")
    done = subprocess.run([found, *words], capture_output=True, text=True, timeout=WAIT_LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
