"""The Redis store: what it costs, how long it keeps, and what it says of a server's faults."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from anaphora import Engine, StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.store import RedisStore
from tests.stm.stores.redis.lock_holder import count_up
from tests.support.real_server import wait_until
from tests.support.redis_server import RedisServer

TIMEOUT = timedelta(minutes=5)
ANN = ConversationKey("ann", "weather")
NAMES = KeySpace("anaphora")


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def client(server: RedisServer) -> Iterator[redis.Redis]:
    with server.client() as client:
        client.flushall()
        yield client


@pytest.fixture
def store(server: RedisServer, client: redis.Redis) -> Iterator[RedisStore]:
    store = RedisStore(server.url)
    yield store
    store.close()


def commands(client: redis.Redis, act: Callable[[], object]) -> list[str]:
    """The commands that clients send to the server while something happens."""
    with client.client() as other, client.monitor() as monitor:
        act()
        other.echo("the end")
        seen = iter(monitor.next_command, None)
        sent = [entry["command"] for entry in _until_the_end(seen) if entry["client_type"] != "lua"]
    return [command.split()[0] for command in sent]


def _until_the_end(seen: Iterator[dict[str, str]]) -> Iterator[dict[str, str]]:
    for entry in seen:
        if entry["command"] == "ECHO the end":
            return
        yield entry


def test_a_question_costs_two_commands(store, client):
    count_up(store, ANN)
    assert commands(client, lambda: count_up(store, ANN)) == ["EVALSHA", "EVALSHA"]


def test_a_question_to_an_engine_costs_two(server, client):
    with Engine("weather", store=RedisStore(server.url)) as engine:
        engine.ask("What is the weather in Tokyo?")
        assert commands(client, lambda: engine.ask("And in Kyoto?")) == ["EVALSHA", "EVALSHA"]


def test_a_question_and_a_note_cost_three(store, client):
    def ask() -> None:
        store.get_note("models", "ann")
        count_up(store, ANN)

    ask()
    assert commands(client, ask) == ["HGET", "EVALSHA", "EVALSHA"]


def test_a_question_that_fails_costs_two_and_leaves_nothing(store, client):
    def fail() -> None:
        with pytest.raises(ZeroDivisionError), store.open(ANN, TIMEOUT):
            raise ZeroDivisionError

    fail()
    assert commands(client, fail) == ["EVALSHA", "EVALSHA"]
    assert client.keys() == []


def test_an_idle_conversation_is_one_key(store, client):
    count_up(store, ANN)
    client.delete(*client.keys("*:d:*"))  # that a commit was kept is known for some seconds
    assert client.keys() == [b"anaphora:{/ann/weather}:c"]


def test_what_tells_a_lost_answer_from_a_lost_question_goes_by_itself(store, client):
    count_up(store, ANN)
    (done,) = client.keys("*:d:*")
    assert 0 < client.pttl(done) <= 20_000


@pytest.mark.parametrize(
    ("timeout", "least"),
    [
        (TIMEOUT, 299_000),
        (timedelta(milliseconds=1), 1),
        (timedelta(0), 1),
        (timedelta(days=36_500), 3_153_599_999_000),
        (timedelta.max, 86_399_999_999_990_000),
    ],
)
def test_a_conversation_stays_a_second_longer_than_its_timeout(store, client, timeout, least):
    with store.open(ANN, timeout) as session:
        session.commit(replace(session.conversation, questions=1))
    left = client.pttl(NAMES.record_key(ANN))
    assert least < left <= timeout // timedelta(milliseconds=1) + 1_000


def test_a_pause_of_exactly_the_timeout_finds_it(store, client):
    count_up(store, ANN)
    client.pexpire(NAMES.record_key(ANN), client.pttl(NAMES.record_key(ANN)) - 300_000)
    assert store.peek(ANN).questions == 1


def test_an_idle_conversation_leaves_by_itself(store, client):
    count_up(store, ANN)
    client.pexpire(NAMES.record_key(ANN), 1)
    wait_until(lambda: not client.exists(NAMES.record_key(ANN)))
    assert store.peek(ANN) is None
    assert list(store.keys()) == []


def test_each_question_puts_the_end_off(store, client):
    count_up(store, ANN)
    client.pexpire(NAMES.record_key(ANN), 60_000)
    count_up(store, ANN)
    assert client.pttl(NAMES.record_key(ANN)) > 60_000


def test_a_shelf_lives_as_long_as_the_longest_of_its_notes(store, client):
    store.put_note("models", "ann", "weather", timedelta(hours=1))
    store.put_note("models", "ben", "cafe", timedelta(minutes=1))
    assert 3_590_000 < client.pttl("anaphora:notes:models") <= 3_601_000
    store.put_note("models", "eve", "cafe", timedelta.max)
    assert client.pttl("anaphora:notes:models") > 10**16
    assert store.list_notes("models") == {"ann": "weather", "ben": "cafe", "eve": "cafe"}


def test_a_shelf_without_notes_is_gone(store, client):
    store.put_note("models", "ann", "weather", TIMEOUT)
    store.delete_note("models", "ann")
    assert client.keys() == []


def test_one_server_serves_many_prefixes(server, client):
    stores = [RedisStore(server.url, prefix=prefix) for prefix in ("a", "a:b", "a*", "a[b]?\\")]
    for number, store in enumerate(stores):
        count_up(store, ConversationKey(f"user {number}", "weather"))
    for number, store in enumerate(stores):
        assert list(store.keys()) == [ConversationKey(f"user {number}", "weather")]
        store.close()


def test_thousands_of_conversations_are_told_once_each(store, client):
    keys = {ConversationKey(f"user {number}", "weather", "tenant") for number in range(3_000)}
    with client.pipeline(transaction=False) as pipeline:
        for key in keys:
            pipeline.set(NAMES.record_key(key), b"{}")
        pipeline.execute()
    found = list(store.keys())
    assert len(found) == len(keys)
    assert set(found) == keys


def test_keys_of_others_are_no_conversations(store, client):
    client.set("anaphora:{not ours}:c", "")
    client.set(b"anaphora:{\xff/\xff/\xff}:c", "")
    count_up(store, ANN)
    assert list(store.keys()) == [ANN]


@pytest.mark.parametrize("prefix", ["", "{a}", "a}"])
def test_a_prefix_with_braces_is_refused(prefix):
    with pytest.raises(StoreError, match="prefix"):
        RedisStore("redis://localhost", prefix=prefix)


ids = st.text(st.characters() | st.sampled_from("%/{}:%2F\0\n\ud800😀"), max_size=8)
keys = st.builds(ConversationKey, ids, ids, ids)


@given(keys)
def test_every_key_can_be_read_back_from_its_name(key):
    assert NAMES.parse_record_key(NAMES.record_key(key)) == key


@given(keys, keys)
def test_no_two_conversations_share_a_name(one, other):
    assert (NAMES.record_key(one) == NAMES.record_key(other)) == (one == other)


@given(keys)
def test_all_names_of_a_conversation_share_one_hash_tag(key):
    names = NAMES.session_keys(key, "0123456789abcdef")
    tags = {name[name.index(b"{") + 1 : name.index(b"}")] for name in names}
    assert len(tags) == 1
    assert tags != {b""}


def test_a_cluster_keeps_them_in_one_slot():
    with RedisServer("--cluster-enabled", "yes") as node, node.client() as client:
        client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16_383)
        wait_until(lambda: client.cluster("info")["cluster_state"] == "ok")
        store = RedisStore(node.url, patience=0)
        for key in (
            ANN,
            ConversationKey("", "", ""),
            ConversationKey("}{", "{}", "a{b}c"),
            ConversationKey("\0\n", "%", "\ud800"),
        ):
            slots = {
                client.cluster("keyslot", name)
                for name in NAMES.session_keys(key, "0123456789abcdef")
            }
            assert len(slots) == 1
            assert count_up(store, key) == 1  # a script with keys in two slots is refused
        store.close()


def test_it_works_over_a_unix_socket(server, client):
    store = RedisStore(server.unix_url)
    count_up(store, ANN)
    assert store.peek(ANN).questions == 1
    store.close()


def test_a_dialog_of_the_weather_model_takes_less_than_a_kilobyte(server, client, capsys):
    with Engine("weather", store=RedisStore(server.url)) as engine:
        for text in (
            "What is the weather in Tokyo now?",
            "And in Kyoto?",
            "And this weekend?",
        ):
            assert engine.ask(text, user="user-4711").status == "matched"
    (record,) = client.keys("*:c")
    length, used = client.strlen(record), client.memory_usage(record)
    with capsys.disabled():
        print(f"\n  three questions to the weather bot: {length} bytes of record, {used} in Redis")
    assert used < 1_024


def test_the_first_ping_warns_of_a_server_that_keeps_nothing(store, client, caplog):
    client.config_set("appendonly", "no")
    try:
        with caplog.at_level(logging.WARNING):
            store.ping()
            store.ping()
    finally:
        client.config_set("appendonly", "yes")
    assert [record.getMessage() for record in caplog.records] == [
        "this Redis server may lose conversations: it loses everything on a restart: set "
        "appendonly to yes"
    ]


def test_the_first_ping_warns_of_a_server_that_evicts(store, client, caplog):
    client.config_set("maxmemory", "100mb")
    client.config_set("maxmemory-policy", "volatile-lru")
    try:
        with caplog.at_level(logging.WARNING):
            store.ping()
    finally:
        client.config_set("maxmemory", "0")
        client.config_set("maxmemory-policy", "noeviction")
    (record,) = caplog.records
    assert "maxmemory-policy, now volatile-lru, to noeviction" in record.getMessage()


def test_ping_says_nothing_of_a_server_that_is_set_up_well(store, caplog):
    with caplog.at_level(logging.WARNING):
        store.ping()
    assert caplog.records == []


def test_a_user_who_may_not_see_the_settings_can_still_ping(server, client, caplog):
    client.acl_setuser("bot", enabled=True, passwords=["+pw"], keys=["anaphora:*"], commands=ACL)
    store = RedisStore(server.url.replace("//", "//bot:pw@"))
    with caplog.at_level(logging.WARNING):
        store.ping()
        count_up(store, ANN)
        store.put_note("models", "ann", "weather", TIMEOUT)
        assert list(store.keys()) == [ANN]
    assert caplog.records == []
    store.close()


ACL = ["+@read", "+@write", "+@scripting", "-@dangerous", "-@admin"]


def test_a_user_who_may_not_write_is_told_what_it_lacks(server, client):
    client.acl_setuser("guest", enabled=True, passwords=["+pw"], keys=["anaphora:*"])
    store = RedisStore(server.url.replace("//", "//guest:pw@"))
    with pytest.raises(StoreError, match="grant the keys of the prefix"):
        count_up(store, ANN)
    store.close()


@pytest.mark.parametrize("user", ["", "default", "nobody"])
def test_a_wrong_password_is_told_at_once_and_never_shown(user):
    with RedisServer("--requirepass", "s3cret") as server:
        store = RedisStore(server.url.replace("//", f"//{user}:wr0ng@"))
        with pytest.raises(StoreError, match="check user and password") as failure:
            count_up(store, ANN)
        store.close()
        assert f"127.0.0.1:{server.port}" in str(failure.value)
        assert "wr0ng" not in str(failure.value)
        store = RedisStore(server.url)
        with pytest.raises(StoreError, match="user:password@host"):
            store.ping()
        store.close()
        store = RedisStore(server.url.replace("//", "//:s3cret@"))
        count_up(store, ANN)
        store.close()


@pytest.mark.parametrize(
    "url", ["redis://:se/cret@host", "redis://:secret@host:port", "http://:secret@h", "redis"]
)
def test_a_url_that_cannot_be_read_says_how_one_looks_and_not_its_password(url):
    with pytest.raises(StoreError, match="redis://host:6379/0") as failure:
        RedisStore(url)
    assert "cret" not in str(failure.value)
    assert failure.value.__cause__ is None


def test_a_server_that_is_not_there_is_told_at_once():
    store = RedisStore("unix:///nowhere/redis.sock?password=secret", patience=3_600)
    with pytest.raises(
        StoreError, match=r"unix:///nowhere/redis\.sock: it cannot be reached"
    ) as no:
        count_up(store, ANN)
    assert "secret" not in str(no.value)
    store.close()


def test_a_closed_store_says_so(server):
    store = RedisStore(server.url)
    count_up(store, ANN)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.peek(ANN)
    with pytest.raises(StoreError, match="closed"):
        count_up(store, ANN)


def test_without_its_client_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    monkeypatch.delitem(sys.modules, "anaphora.stm.stores.redis.connection", raising=False)
    with pytest.raises(StoreError, match=r"pip install 'anaphora\[redis\]'"):
        RedisStore("redis://localhost")


@pytest.mark.parametrize("lease", [0, -1, 0.01, 10**6, float("nan"), float("inf")])
def test_a_lease_of_no_use_is_refused(lease):
    with pytest.raises(StoreError, match="lease"):
        RedisStore("redis://localhost", lease=lease)


def test_an_empty_conversation_is_not_kept(store, client):
    count_up(store, ANN)
    with store.open(ANN, TIMEOUT) as session:
        session.commit(Conversation.empty(ANN))
    assert not client.exists(NAMES.record_key(ANN))


def test_what_is_no_json_is_not_kept_and_the_turn_is_given_back(store):
    count_up(store, ANN)
    with pytest.raises(StoreError, match="cannot be stored"), store.open(ANN, TIMEOUT) as session:
        session.commit(replace(session.conversation, data={"socket": object()}))
    assert count_up(store, ANN) == 2


@pytest.mark.parametrize("record", [b'{"format": 99}', b"\xff"])
def test_a_conversation_that_cannot_be_read_can_be_forgotten(client, store, record):
    client.set(NAMES.record_key(ANN), record)
    store.forget(ANN)
    assert client.get(NAMES.record_key(ANN)) is None
