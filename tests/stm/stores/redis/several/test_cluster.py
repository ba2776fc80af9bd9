"""What a store promises where each node of a cluster has a part of the keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from redis.crc import key_slot

from anaphora import Engine, StoreError, parse_model
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.store import RedisStore
from tests.stm.stores.redis.several.load import TIMEOUT
from tests.stm.stores.store_homes import ANN, count_up
from tests.support.redis_cluster import RedisCluster
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.cluster

TEA = """\
elements: [{id: tea, synonyms: [tea]}]
intents: ["intent=tea term(tea)={# == 'tea'}"]
responses: {tea: yes}
"""
NAMES = KeySpace("anaphora")
CALLS = ("evalsha", "eval", "wait")
NEEDED = (
    "@read",
    "@write",
    "@scripting",
    "command",
    "cluster|slots",
    "cluster|nodes",
    "asking",
    "wait",
)


@pytest.fixture
def cluster(redis_cluster: RedisCluster) -> RedisCluster:
    redis_cluster.flush()
    return redis_cluster


@pytest.fixture
def store(cluster: RedisCluster) -> Iterator[RedisStore]:
    with closing(RedisStore(cluster.url)) as store:
        yield store


def users(store: RedisStore, number: int) -> set[ConversationKey]:
    """So many users with a conversation, on all nodes."""
    keys = {ConversationKey(f"user {n}", "weather") for n in range(number)}
    for key in keys:
        count_up(store, key)
    return keys


@given(user=st.text(), model=st.text(), tenant=st.text(), token=st.text("0123456789abcdef"))
def test_all_keys_of_a_conversation_have_one_slot(user, model, tenant, token):
    keys = NAMES.session_keys(ConversationKey(user, model, tenant), token)
    assert len({key_slot(key) for key in keys}) == 1


def test_a_question_costs_two_commands_and_with_replicas_three(cluster, store):
    with closing(RedisStore(cluster.url, min_replicas=1, replica_timeout=30)) as careful:
        for one, scripts, waits in ((store, 2, 0), (careful, 3, 2)):
            count_up(one, ANN)
            master = cluster.master_of(NAMES.record_key(ANN))
            master.ask("CONFIG RESETSTAT")
            count_up(one, ANN)
            stats = master.ask("INFO", "commandstats")
            calls = {name: stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in CALLS}
            assert calls == {"evalsha": scripts, "eval": 0, "wait": waits}


def test_conversations_lie_on_all_nodes_and_are_listed_from_all(cluster, store):
    keys = users(store, 60)
    assert all(server.ask("DBSIZE") for server in cluster.masters)
    assert set(store.keys()) == keys


def test_conversations_that_move_while_they_are_listed_are_found(cluster, store):
    """From nodes that have not been looked through to one that has been."""
    keys = users(store, 20)
    listed = store.keys()
    found = {next(listed)}
    moves = count()
    for key in keys - found:
        with cluster.moving(key_slot(NAMES.record_key(key))):
            next(moves)
    found.update(listed)
    cluster.wait_until_replicated()
    assert found == keys
    assert next(moves) == 19


def test_a_user_is_erased_from_all_nodes(cluster, store):
    models = [parse_model(f"id: {name}\n{TEA}") for name in ("cafe", "bar", "shop", "kiosk")]
    engine = Engine(*models, store=store)
    for model in models:
        for user in ("ann", "ben"):
            engine.ask("tea", user=user, model=model.id)
    assert [key for key in cluster.all_keys() if "ann" in key] != []
    engine.erase(user="ann")
    left = cluster.all_keys()
    assert [key for key in left if "ann" in key] == []
    assert [key for key in left if "ben" in key] != []


def test_a_damaged_record_is_set_aside_on_another_node(cluster, store):
    count_up(store, ANN)
    name = NAMES.record_key(ANN).decode()
    cluster.master_of(name.encode()).ask("SET", name, "damaged", "KEEPTTL")
    assert count_up(store, ANN) == 1
    assert [item.key for item in store.quarantine.items()] == [ANN]
    store.forget(ANN)
    assert store.quarantine.count() == 0


def test_a_question_during_a_move_waits_for_its_end(cluster, store):
    """As long as its patience lasts; it is refused before its handler runs."""
    count_up(store, ANN)
    slot = key_slot(NAMES.record_key(ANN))
    with (
        closing(RedisStore(cluster.url, patience=0.1)) as hasty,
        cluster.moving(slot),
    ):
        hasty.peek(ANN)
        with pytest.raises(StoreError, match="moving this conversation to another node"):
            count_up(hasty, ANN)
    assert count_up(store, ANN) == 2
    cluster.wait_until_replicated()


def test_a_question_that_began_before_a_move_ends_after_it(cluster, store):
    with store.open(ANN, TIMEOUT) as session:
        with cluster.moving(key_slot(NAMES.record_key(ANN))):
            pass
        session.commit(replace(session.conversation, questions=7))
    assert store.peek(ANN).questions == 7
    cluster.wait_until_replicated()


def test_a_user_of_the_cluster_needs_few_rights(cluster):
    for server in cluster.servers:
        rights = [f"+{right}" for right in (*NEEDED, "wait")]
        server.ask("ACL SETUSER", "bot", "reset", "on", ">pw", "~anaphora:*", *rights)
    url = cluster.url.replace("//", "//bot:pw@")
    with closing(RedisStore(url, min_replicas=1, replica_timeout=30)) as store:
        store.ping()
        assert count_up(store, ANN) == 1
        assert set(store.keys()) == {ANN}
        store.forget(ANN)
        store.scrub("ann")
        assert cluster.all_keys() in ([], ["anaphora:probe"])
    with (
        closing(RedisStore(url.replace("pw@", "other@"))) as store,
        pytest.raises(StoreError, match="check user and password in the URL"),
    ):
        store.ping()


def test_the_url_needs_only_one_node_that_runs(cluster):
    one = cluster.servers[-1].address
    with closing(RedisStore(f"redis+cluster://127.0.0.1:1,{one}")) as store:
        assert count_up(store, ANN) == 1


def test_a_risk_of_one_node_is_reported_once(cluster, store, caplog):
    for server in cluster.masters[:2]:
        server.ask("CONFIG SET", "maxmemory", "1gb", "maxmemory-policy", "allkeys-lru")
    store.ping()
    for server in cluster.masters:
        server.ask("CONFIG SET", "maxmemory", "0", "maxmemory-policy", "noeviction")
    assert caplog.text.count("it evicts keys when its memory is full") == 1


def test_a_node_is_told_from_a_single_server(cluster):
    with closing(RedisStore(cluster.servers[0].url)) as store:
        users = [ConversationKey(f"user {number}", "weather") for number in range(20)]
        with pytest.raises(StoreError, match=r"one node of a cluster: write redis\+cluster://"):
            deque(map(store.peek, users), 0)  # of whom this node has a part


def test_a_single_server_is_told_from_a_cluster(redis_server):
    url = redis_server.url.removesuffix("/0").replace("redis", "redis+cluster")
    with (
        closing(RedisStore(url)) as store,
        pytest.raises(StoreError, match="not a node of a cluster: write redis:// for a single"),
    ):
        store.ping()


def test_nodes_that_are_no_cluster_yet_are_reported():
    with RedisServer("--cluster-enabled", "yes") as node:
        url = f"redis+cluster://127.0.0.1:{node.port}"
        with (
            closing(RedisStore(url)) as store,
            pytest.raises(StoreError, match="its cluster is not complete"),
        ):
            store.ping()


def test_a_cluster_that_cannot_be_reached_is_reported():
    with (
        closing(RedisStore("redis+cluster://127.0.0.1:1,127.0.0.1:2")) as store,
        pytest.raises(StoreError, match="it cannot be reached"),
    ):
        store.ping()
