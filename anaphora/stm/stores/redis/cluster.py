"""The nodes of a Redis Cluster, of which each has a part of the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    RedisClusterException,
    RedisError,
    SlotNotCoveredError,
    TryAgainError,
)

from anaphora.stm.stores.redis.replication import Replication
from anaphora.stm.stores.redis.topology import CONNECT_TIMEOUT, Word, send
from anaphora.stm.stores.redis.urls import ServerAddresses
from anaphora.storage.forks import fork_safe_lock

__all__ = ["Cluster"]

_new_node: Any = ClusterNode  # the library leaves its types out
_REDIRECTIONS = 5  # that a command follows before the next attempt
_PASSING = {"READONLY", "TRYAGAIN", "CLUSTERDOWN"}  # errors while nodes or slots change places


class Cluster:
    """The :class:`~anaphora.stm.stores.redis.topology.Topology` of a cluster. It connects with the
    first command, follows redirections, and learns the layout anew after errors."""

    def __init__(self, addresses: ServerAddresses, answer_timeout: float) -> None:
        self._addresses = addresses
        self._answer_timeout = answer_timeout
        self._client: Any = None  # typed as Any: the library leaves out some types
        self._of_parents: list[Any] = []
        self._connecting = fork_safe_lock()

    def send(self, key: bytes, words: Sequence[Word], replication: Replication | None) -> Any:
        client = self._client or self._connect()
        try:
            node = client.get_node_from_key(key)
        except SlotNotCoveredError as error:
            raise ClusterDownError(f"CLUSTERDOWN {error}") from error
        asking = False
        for _ in range(_REDIRECTIONS):
            server = client.get_redis_connection(node)
            try:
                return send(server, words, replication, asking=asking)
            except AskError as error:  # MovedError is one
                asking = not isinstance(error, MovedError)
                if not asking:
                    self._refresh((error.host, error.port))
                node = client.get_node(host=error.host, port=error.port)
                if node is None:  # it has just joined
                    raise TryAgainError(str(error)) from error
        raise TryAgainError("the nodes of the cluster do not agree on who has a key")

    def primaries(self) -> Sequence[Any]:
        client = self._client or self._connect()
        return [client.get_redis_connection(node) for node in client.get_primaries()]

    def layout(self) -> object:
        self._refresh()
        return frozenset(_own_slots(server) for server in self.primaries())

    def recover(self, error: RedisError, code: str | None) -> bool:
        lost = isinstance(error, redis.ConnectionError | redis.TimeoutError)
        if lost or code in ("READONLY", "CLUSTERDOWN"):
            self._refresh()
        return code in _PASSING

    def explain(self, error: RedisError) -> str | None:
        return None

    def replace_connections(self) -> None:
        self._of_parents.append(self._client)  # not to be closed: the parent uses them
        self._client = None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _connect(self) -> Any:
        with self._connecting:
            if self._client is None:
                nodes = [_new_node(host, port) for host, port in self._addresses.hosts]
                try:
                    self._client = RedisCluster(
                        startup_nodes=nodes,
                        require_full_coverage=False,
                        socket_timeout=self._answer_timeout,
                        socket_connect_timeout=CONNECT_TIMEOUT,
                        protocol=2,
                        **self._addresses.options,
                    )
                except RedisClusterException as error:
                    raise _cause(error) from error
                except IndexError:  # it has no primary: the cluster is not made yet
                    raise ClusterDownError("CLUSTERDOWN no node has slots") from None
            return self._client

    def _refresh(self, *more: tuple[str, int]) -> None:
        """Ask the nodes for the layout."""
        client = self._client
        if client is None:
            return
        try:
            client.nodes_manager.initialize(additional_startup_nodes_info=list(more))
        except (RedisClusterException, IndexError):  # none is of use: begin with those of the URL
            self._client = None


def _own_slots(server: Any) -> tuple[str, ...]:
    """Return the id and the slots of a node, with those that are being moved."""
    answer = server.execute_command("CLUSTER NODES")
    own = next(node for node in answer.values() if "myself" in node["flags"])
    return own["node_id"], str(own["slots"]), str(own["migrations"])


def _cause(error: BaseException) -> RedisError:
    """Return the error of the last node that was tried, which the library wraps."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, RedisError):
            return inner
        inner = inner.__cause__ or inner.__context__
    return redis.ConnectionError(str(error))
