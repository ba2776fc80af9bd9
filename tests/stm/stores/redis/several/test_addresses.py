"""The URLs of clusters and of services of Sentinel."""

from __future__ import annotations

from contextlib import closing

import pytest

from anaphora import StoreError
from anaphora.stm.stores.redis.urls import hide_password, parse_hosts
from anaphora.stm.stores.urls import store_at


def test_the_nodes_of_a_cluster():
    found = parse_hosts("redis+cluster://one:7000,two,[::1]:7001,[::2]/")
    assert found.hosts == (("one", 7000), ("two", 6379), ("::1", 7001), ("::2", 6379))
    assert found.options == {"ssl": False}


def test_the_service_of_sentinels_and_a_database():
    found = parse_hosts("redis+sentinel://one,two:26380/my%20bot/2")
    assert found.hosts == (("one", 26379), ("two", 26380))
    assert (found.service, found.options["db"]) == ("my bot", 2)
    assert parse_hosts("redis+sentinel://one/bot?db=3").options["db"] == 3
    assert "db" not in parse_hosts("redis+sentinel://one/bot/").options


def test_user_and_password_are_those_of_the_servers():
    found = parse_hosts(
        "redis+sentinel://ann:s%40cret@one,two/bot?sentinel_username=ben&sentinel_password=p%26"
    )
    assert (found.options["username"], found.options["password"]) == ("ann", "s@cret")
    assert found.sentinel_options == {"ssl": False, "username": "ben", "password": "p&"}
    assert "cret" not in repr(found)
    assert parse_hosts("redis+cluster://one?password=x").options["password"] == "x"


def test_tls_is_for_the_servers_and_the_sentinels():
    url = "rediss+sentinel://one/bot?ssl_ca_certs=/ca.pem&ssl_check_hostname=false"
    found = parse_hosts(url)
    tls = {"ssl": True, "ssl_ca_certs": "/ca.pem", "ssl_check_hostname": False}
    assert found.sentinel_options == tls
    assert found.options == tls
    assert parse_hosts("rediss+cluster://one").options == {"ssl": True}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis+cluster://ann:secret@one:1,two:2?x=y", "redis+cluster://ann@one:1,two:2"),
        ("redis+sentinel://:secret@one,two/bot", "redis+sentinel://one,two/bot"),
        ("redis+cluster://[::1]:1,two", "redis+cluster://[::1]:1,two"),
    ],
)
def test_messages_do_not_show_the_password(url, shown):
    assert hide_password(url) == shown


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("redis+cluster://me:secret@one,two/1", "a Redis Cluster has no databases"),
        ("redis+cluster://me:secret@one?db=1", "no option 'db'"),
        ("redis+cluster://me:secret@one?ssl_ca_certs=x", "no option 'ssl_ca_certs'"),
        ("redis+cluster://me:secret@one?sentinel_password=x", "no option 'sentinel_password'"),
        ("redis+cluster://me:secret@one,,two", "redis+cluster://me@one,,two' is not the URL"),
        ("redis+cluster://me:secret@one:99999", "is not the URL of a Redis server"),
        ("redis+cluster://me:secret@", "is not the URL of a Redis server"),
        ("redis+sentinel://me:secret@one,two", "name the service that the Sentinels watch"),
        ("redis+sentinel://me:secret@one,two/bot/x", "name the service"),
        ("redis+sentinel://me:secret@one:x/bot", "is not the URL of a Redis server"),
        ("redis+sentinel://me:secret@one/bot?db=x", "is not the URL of a Redis server"),
        ("redis+cluter://me:secret@one", "begins with 'redis+cluter:'; write memory:"),
    ],
)
def test_what_is_no_url_is_reported_without_its_password(url, message):
    with pytest.raises(StoreError) as told:
        store_at(url)
    assert message in str(told.value)
    assert "secret" not in str(told.value)


def test_nothing_connects_before_the_first_command():
    for url in ("redis+cluster://127.0.0.1:1", "redis+sentinel://127.0.0.1:1/bot"):
        with closing(store_at(url)):
            pass
