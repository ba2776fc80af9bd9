"""What a store says of Sentinels, and what it promises behind them."""

from __future__ import annotations

from contextlib import closing

import pytest

from anaphora import StoreError
from anaphora.stm.stores.redis.store import RedisStore
from anaphora.stm.stores.urls import store_at
from tests.stm.stores.redis.several.load import TIMEOUT
from tests.stm.stores.store_homes import ANN, count_up
from tests.support.real_server import WAIT_LIMIT, wait_until
from tests.support.redis_sentinel import SERVICE, SentinelGroup

pytestmark = pytest.mark.cluster

CAREFUL = {"patience": WAIT_LIMIT, "min_replicas": 1, "replica_timeout": WAIT_LIMIT}


@pytest.fixture
def sentinels(redis_sentinels: SentinelGroup) -> SentinelGroup:
    with redis_sentinels.primary.client() as client:
        client.flushall()
    return redis_sentinels


def test_a_question_that_began_before_a_failover_ends_after_it(sentinels):
    with closing(RedisStore(sentinels.url, **CAREFUL)) as careful:
        with careful.open(ANN, TIMEOUT) as session:
            sentinels.fail_over()
            session.commit(session.conversation)
        assert count_up(careful, ANN) == 1


def test_the_database_is_in_the_url(sentinels):
    with closing(store_at(f"{sentinels.url}/3")) as store:
        count_up(store, ANN)
    with sentinels.primary.client() as client:
        assert client.info("keyspace").keys() == {"db3"}


def test_a_dead_sentinel_is_passed_over(sentinels):
    url = sentinels.url.replace("//", "//127.0.0.1:1,")
    with closing(RedisStore(url)) as store:
        assert count_up(store, ANN) == 1


def test_a_password_of_the_server_and_one_of_the_sentinels(sentinels):
    with sentinels.primary.client() as client:
        client.acl_setuser("bot", enabled=True, passwords=["+pw"], keys="*", commands=["+@all"])
    url = sentinels.url.replace("//", "//bot:pw@")
    with closing(RedisStore(url)) as store:
        assert count_up(store, ANN) == 1
    for sentinel in sentinels.sentinels:
        sentinel.ask("ACL SETUSER", "watch", "on", ">secret", "+@all")
    wanted = "sentinel_username=watch&sentinel_password"
    with closing(store_at(f"{url}?{wanted}=secret")) as store:
        assert count_up(store, ANN) == 2
    with (
        closing(store_at(f"{url}?{wanted}=wrong")) as store,
        pytest.raises(StoreError, match="check the password of the Sentinels") as told,
    ):
        store.ping()
    assert "wrong" not in str(told.value)


@pytest.mark.parametrize(
    ("service", "hint"), [("bott", "did you mean 'bot'"), ("x", "they watch: bot")]
)
def test_a_service_that_nobody_watches_is_reported(sentinels, service, hint):
    with (
        closing(RedisStore(sentinels.url_of(service))) as store,
        pytest.raises(StoreError, match=f"watch no service '{service}'; {hint}"),
    ):
        store.ping()


def test_sentinels_that_cannot_be_reached_are_reported():
    with (
        closing(RedisStore("redis+sentinel://127.0.0.1:1,127.0.0.1:2/bot")) as store,
        pytest.raises(StoreError, match="no Sentinel can be reached"),
    ):
        store.ping()


def test_a_server_is_told_from_a_sentinel(sentinels):
    with (
        closing(RedisStore(f"redis+sentinel://127.0.0.1:{sentinels.primary.port}/bot")) as store,
        pytest.raises(StoreError, match="not a Sentinel: name the Sentinels"),
    ):
        store.ping()


def test_a_sentinel_is_told_from_a_server_and_from_a_cluster(sentinels):
    port = sentinels.sentinels[0].port
    for kind in ("redis", "redis+cluster"):
        with (
            closing(RedisStore(f"{kind}://127.0.0.1:{port}")) as store,
            pytest.raises(StoreError, match=r"for a Sentinel, write redis\+sentinel://"),
        ):
            store.ping()


def test_without_a_majority_nobody_takes_over_and_questions_are_refused():
    with SentinelGroup(silence=300) as group, closing(RedisStore(group.url, patience=0)) as store:
        count_up(store, ANN)
        *dead, alive = group.sentinels
        for sentinel in dead:
            sentinel.kill()
        group.primary.kill()
        wait_until(lambda: "down" in alive.ask("SENTINEL", "MASTER", SERVICE)["flags"])
        with pytest.raises(StoreError, match="is down, and no replica has taken over"):
            count_up(store, ANN)
