"""A conversation that cannot be read is put aside: it can be seen, restored, dropped and erased."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from anaphora import Company, Conflict, Engine, Store, User
from anaphora.server.observability.instrumented_store import InstrumentedStore
from anaphora.stm import records
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import dump
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.postgres.store import PostgresStore
from anaphora.stm.stores.quarantine import quarantine_of
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.store import RedisStore
from anaphora.stm.stores.sqlite.store import SqliteStore
from anaphora.storage.sqlite.text_encoding import encode_text
from tests.conftest import Clock
from tests.stm.stores.redis.test_store import commands
from tests.stm.stores.store_homes import ANN, BEN, TIMEOUT, count_up, noise, questions
from tests.support.earlier_records import EarlierFields
from tests.support.postgres_server import PostgresServer
from tests.support.real_server import wait_until
from tests.support.redis_server import RedisServer

NAMES = KeySpace("anaphora")
NEEDED = (
    *("eval", "evalsha", "get", "set", "del", "exists", "pexpire", "pttl", "scan"),
    *("hset", "hget", "hgetall", "hdel"),
)
DAMAGED = b'{"format": 3, "us'


@dataclass
class Room:
    """A place where stores are, and where records can be damaged."""

    store: Callable[[], Any]
    write: Callable[[ConversationKey, bytes], None]
    contents: Callable[[], bytes]

    def damage(self, store: Store, key: ConversationKey, record: bytes = DAMAGED) -> None:
        """Damage a conversation, and ask in it."""
        count_up(store, key)
        self.write(key, record)
        assert count_up(store, key) == 1


@pytest.fixture(params=["sqlite", "redis", "postgres"])
def room(request, tmp_path: Path, clock: Clock) -> Iterator[Room]:
    with ExitStack() as stack:
        if request.param == "sqlite":
            yield _in_sqlite(stack, tmp_path, clock)
        elif request.param == "postgres":
            yield _in_postgres(stack, request.getfixturevalue("postgres_server"))
        else:
            server = request.getfixturevalue("redis_server")
            yield _in_redis(stack, server)


def _in_sqlite(stack: ExitStack, folder: Path, clock: Clock) -> Room:
    path = folder / "bot.db"

    def write(key: ConversationKey, record: bytes) -> None:
        with closing(sqlite3.connect(path)) as file, file:
            values = (record, encode_text(key.user))
            file.execute("UPDATE conversations SET record = ? WHERE user = ?", values)

    def contents() -> bytes:
        return b"".join(file.read_bytes() for file in folder.iterdir())

    def store() -> SqliteStore:
        return stack.enter_context(closing(SqliteStore(path, clock=clock, synchronous="normal")))

    return Room(store, write, contents)


def _in_redis(stack: ExitStack, server: RedisServer) -> Room:
    client = stack.enter_context(server.client())
    client.flushall()

    def write(key: ConversationKey, record: bytes) -> None:
        client.set(NAMES.record_key(key), record, keepttl=True)

    def contents() -> bytes:
        return b"".join(key + (client.dump(key) or b"") for key in client.scan_iter())

    def store() -> RedisStore:
        return stack.enter_context(closing(RedisStore(server.url)))

    return Room(store, write, contents)


def _in_postgres(stack: ExitStack, server: PostgresServer) -> Room:
    client = stack.enter_context(server.client())
    schema = server.schema()

    def write(key: ConversationKey, record: bytes) -> None:
        client.execute(
            f"UPDATE {schema}.stm_conversations SET record = %s WHERE name = %s",
            (record, key.user.encode("utf-8", "surrogatepass")),
        )

    def contents() -> bytes:
        tables = ("stm_conversations", "stm_notes", "stm_quarantine")
        rows = [client.execute(f"SELECT * FROM {schema}.{table}").fetchall() for table in tables]
        return repr(rows).encode()

    def store() -> PostgresStore:
        return stack.enter_context(closing(PostgresStore(server.url, schema=schema)))

    return Room(store, write, contents)


@pytest.fixture
def store(room: Room) -> Any:
    return room.store()


def test_a_conversation_that_cannot_be_read_is_put_aside_and_the_log_says_so(room, store, caplog):
    assert (store.quarantine.count(), list(store.quarantine.items())) == (0, [])
    room.damage(store, ANN)
    assert store.quarantine.count() == 1
    (item,) = store.quarantine.items()
    assert item.key == ANN
    assert "not a record of a conversation" in item.reason
    assert item.at.utcoffset() == timedelta()
    (told,) = [each for each in caplog.records if "put in quarantine" in each.getMessage()]
    assert (told.user, told.model, told.tenant) == ANN


def test_it_stops_no_other_conversation_nor_its_own(room, store):
    count_up(store, BEN)
    room.damage(store, ANN)
    assert count_up(store, ANN) == 2
    assert count_up(store, BEN) == 2
    assert store.quarantine.count() == 1


def test_another_process_sees_and_drops_it(room, store):
    room.damage(store, ANN)
    other = room.store()
    (item,) = other.quarantine.items()
    assert other.quarantine.discard(item.id)
    assert not other.quarantine.discard(item.id)
    assert (store.quarantine.count(), list(store.quarantine.items())) == (0, [])


def test_what_was_put_aside_is_listed_up_to_a_limit(room, store):
    for number in range(130):
        room.damage(store, ConversationKey(f"user {number}", "weather"))
    assert store.quarantine.count() == 130
    assert len({item.key for item in store.quarantine.items()}) == 130
    assert len(store.quarantine.items(120)) == 120
    assert list(store.quarantine.items(0)) == []


def test_one_that_can_be_read_by_now_is_restored(room, store, monkeypatch):
    count_up(store, ANN)
    record = dump(Conversation(*ANN[:2], questions=7, data={"said": "Tokyo"}))
    room.write(ANN, record)
    with monkeypatch.context() as earlier:  # a version that cannot read it
        earlier.setattr(records, "_ConversationFields", EarlierFields)
        with store.open(ANN, TIMEOUT) as session:
            assert session.conversation.questions == 0
            session.commit(session.conversation)
        (item,) = store.quarantine.items()
        assert not store.quarantine.release(item.id)
    assert room.store().quarantine.release(item.id)
    assert store.peek(ANN).data == {"said": "Tokyo"}
    assert count_up(store, ANN) == 8
    assert store.quarantine.count() == 0


def test_one_that_is_still_unreadable_or_unknown_is_not_restored(room, store):
    room.damage(store, ANN)
    (item,) = store.quarantine.items()
    assert not store.quarantine.release(item.id)
    assert store.quarantine.count() == 1
    for unknown in ("", "77", "nobody", "²"):
        assert not store.quarantine.release(unknown)
        assert not store.quarantine.discard(unknown)


def test_one_whose_user_has_gone_on_is_not_restored_over_the_newer_one(room, store, monkeypatch):
    count_up(store, ANN)
    with monkeypatch.context() as earlier:
        earlier.setattr(records, "_ConversationFields", EarlierFields)
        assert not store.peek(ANN).questions
        with store.open(ANN, TIMEOUT) as session:
            session.commit(replace(session.conversation, data={"said": "Rome"}))
    (item,) = store.quarantine.items()
    with pytest.raises(Conflict, match="'ann' has continued with 'weather' since"):
        store.quarantine.release(item.id)
    assert store.peek(ANN).data == {"said": "Rome"}
    assert store.quarantine.count() == 1


def test_the_record_of_another_conversation_is_put_aside_too(room, store):
    room.damage(store, ANN, dump(Conversation("ben", "weather", questions=3)))
    (item,) = store.quarantine.items()
    assert (item.key, item.reason) == (ANN, "it is the record of another conversation")
    assert not store.quarantine.release(item.id)
    assert questions(store, ANN) == 1


@pytest.mark.parametrize("user", ["ann", "ben"])
def test_who_is_erased_leaves_nothing_in_quarantine(room, store, user):
    said = noise(300)
    misplaced = dump(Conversation("ben", "weather", data={"said": said}))
    room.damage(store, ANN, misplaced)
    room.damage(store, ConversationKey("eve", "weather"))
    assert said.encode() in room.contents()
    Engine("weather", store=store).erase(user=user)
    assert said.encode() not in room.contents()
    assert [item.key.user for item in store.quarantine.items()] == ["eve"]


def test_who_is_erased_leaves_nothing_of_a_model_that_is_gone(room, store):
    gone = ConversationKey("ann", "gone")
    room.damage(store, gone, b"zanzibarian")
    with store.open(gone, TIMEOUT) as session:
        session.commit(Conversation.empty(gone))
    Engine("weather", store=store).erase(user="ann")
    assert store.quarantine.count() == 0
    assert b"zanzibarian" not in room.contents()


def test_the_same_user_of_another_tenant_keeps_theirs(room, store):
    theirs = User("ann", company=Company("acme"))
    room.damage(store, ConversationKey("ann", "weather", "acme"))
    engine = Engine("weather", store=store)
    engine.erase(user="ann")
    assert store.quarantine.count() == 1
    engine.erase(user=theirs)
    assert store.quarantine.count() == 0


def test_a_conversation_that_is_forgotten_is_no_longer_in_quarantine(room, store):
    room.damage(store, ANN)
    room.damage(store, ConversationKey("ann", "cafe"))
    room.damage(store, BEN)
    store.forget(ANN)
    assert {item.key for item in store.quarantine.items()} == {ConversationKey("ann", "cafe"), BEN}
    Engine("cafe", store=store).forget(user="ann")
    assert {item.key for item in store.quarantine.items()} == {BEN}


def test_forgetting_the_entities_alone_leaves_it_in_quarantine(room, store):
    room.damage(store, ANN)
    Engine("weather", store=store).forget(user="ann", what="entities")
    assert store.quarantine.count() == 1


def test_a_damaged_conversation_can_be_forgotten_at_once(room, store):
    count_up(store, ANN)
    room.write(ANN, b"zanzibarian")
    Engine("weather", store=store).forget(user="ann")
    assert store.quarantine.count() == 0
    assert store.peek(ANN) is None


def test_names_of_any_characters_come_back(room, store):
    key = ConversationKey("a/{}%\n😀\ud800", "we:ather", "ten ant")
    room.damage(store, key)
    (item,) = store.quarantine.items()
    assert item.key == key
    store.forget(key)
    assert store.quarantine.count() == 0


def test_a_store_that_is_watched_has_the_quarantine_of_its_store(room, store):
    room.damage(store, ANN)
    found = quarantine_of(InstrumentedStore(store))
    assert found is not None
    assert found.count() == 1


@pytest.mark.parametrize("store", [MemoryStore(), InstrumentedStore(MemoryStore()), object()])
def test_a_store_without_records_has_none(store):
    assert quarantine_of(store) is None


# -- in SQLite ---------------------------------------------------------------------------------


class TestDamagedNames:
    """What a name is of cannot be read any more."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "bot.db"

    @pytest.fixture
    def store(self, path: Path, clock: Clock) -> Iterator[SqliteStore]:
        with closing(SqliteStore(path, clock=clock)) as store:
            yield store

    def meddle(self, path: Path, statement: str, *values: Any) -> None:
        with closing(sqlite3.connect(path)) as file, file:
            file.execute(statement, values)

    def test_the_record_says_whose_it_is(self, path, store):
        count_up(store, ANN)
        self.meddle(path, "UPDATE conversations SET user = x'ff'")
        assert list(store.keys()) == []
        (item,) = store.quarantine.items()
        assert item.key == ANN
        assert store.quarantine.release(item.id)
        assert questions(store, ANN) == 1

    def test_a_compressed_record_is_erased_with_its_user_and_no_other(self, path, store):
        data = {"said": "word " * 1_000}
        with store.open(ANN, TIMEOUT) as session:
            session.commit(replace(session.conversation, questions=1, data=data))
        self.meddle(path, "UPDATE conversations SET user = x'ff'")
        engine = Engine("weather", store=store)
        engine.erase(user="ben")
        assert store.quarantine.count() == 1
        engine.erase(user="ann")
        assert store.quarantine.count() == 0

    def test_one_that_may_be_anyones_is_erased_with_the_first(self, path, store):
        count_up(store, ANN)
        self.meddle(path, "UPDATE conversations SET user = x'ff', record = x'ff'")
        assert list(store.keys()) == []
        (item,) = store.quarantine.items()
        assert item.key is None
        Engine("weather", store=store).erase(user="ben")
        assert store.quarantine.count() == 0

    def test_what_an_earlier_version_put_aside_is_listed(self, path, store, clock):
        store.close()
        values = ("", "ann", "weather", DAMAGED, 2**62, "no record")
        self.meddle(path, "ALTER TABLE quarantine DROP COLUMN at")
        self.meddle(path, "PRAGMA user_version = 3")
        self.meddle(
            path,
            "INSERT INTO quarantine (tenant, user, model, record, expires, reason) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            *values,
        )
        with closing(SqliteStore(path, clock=clock)) as migrated:
            (item,) = migrated.quarantine.items()
            assert (item.key, item.reason) == (ANN, "no record")
            assert item.at.year >= 2026

    def test_a_damaged_row_of_the_quarantine_itself_stops_no_listing(self, path, store):
        count_up(store, ANN)
        self.meddle(path, "UPDATE conversations SET record = x'ff'")
        count_up(store, ANN)
        self.meddle(path, "UPDATE quarantine SET at = 'soon', reason = x'ff', record = 5")
        (item,) = store.quarantine.items()
        assert (item.key, item.reason) == (ANN, "unknown")
        self.meddle(path, "UPDATE quarantine SET at = ?", 2**62)
        assert len(store.quarantine.items()) == 1
        assert not store.quarantine.release(item.id)

    def test_what_has_expired_is_not_counted(self, path, store, clock):
        count_up(store, ANN)
        self.meddle(path, "UPDATE conversations SET record = x'ff'")
        count_up(store, ANN)
        clock.pass_time(minutes=6)
        (count, items) = store.quarantine.count(), store.quarantine.items()
        assert (count, list(items)) == (0, [])


# -- in Redis ----------------------------------------------------------------------------------


class TestRedis:
    @pytest.fixture
    def client(self, redis_server: RedisServer) -> Iterator[redis.Redis]:
        with redis_server.client() as client:
            client.flushall()
            yield client

    @pytest.fixture
    def store(self, redis_server: RedisServer, client: redis.Redis) -> Iterator[RedisStore]:
        with closing(RedisStore(redis_server.url)) as store:
            yield store

    def test_it_stays_as_it_was_found_until_it_would_have_expired(self, client, store):
        count_up(store, ANN)
        client.set(NAMES.record_key(ANN), DAMAGED, px=50_000)
        count_up(store, ANN)
        (name,) = client.keys("anaphora:{quarantine}:q:*")
        assert client.get(name).endswith(b"\n" + DAMAGED)
        assert 0 < client.pttl(name) <= 50_000
        assert 0 < client.pttl(NAMES.quarantine_index) <= 50_000
        assert client.pttl(NAMES.record_key(ANN)) > 50_000

    def test_one_without_expiry_leaves_after_a_month(self, client, store):
        client.set(NAMES.record_key(ANN), DAMAGED)
        count_up(store, ANN)
        (name,) = client.keys("anaphora:{quarantine}:q:*")
        assert 0 < client.pttl(name) <= 30 * 86_400_000

    def test_what_has_expired_is_neither_counted_nor_listed(self, client, store):
        count_up(store, ANN)
        client.set(NAMES.record_key(ANN), DAMAGED, px=50_000)
        count_up(store, ANN)
        (name,) = client.keys("anaphora:{quarantine}:q:*")
        client.delete(name)
        (member,) = client.zrange(NAMES.quarantine_index, 0, -1)
        client.zadd(NAMES.quarantine_index, {member: 1})
        assert (store.quarantine.count(), list(store.quarantine.items())) == (0, [])
        client.set(NAMES.record_key(BEN), DAMAGED, px=50_000)
        count_up(store, BEN)
        assert client.zcard(NAMES.quarantine_index) == 1  # the next one sweeps

    def test_it_is_one_record_however_often_questions_fail_on_it(self, client, store, caplog):
        client.set(NAMES.record_key(ANN), DAMAGED, px=50_000)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError), store.open(ANN, TIMEOUT):
                raise ZeroDivisionError
        assert client.get(NAMES.record_key(ANN)) == DAMAGED
        assert store.quarantine.count() == 1
        assert caplog.text.count("put in quarantine") == 1

    def test_a_damaged_record_costs_one_more_command(self, client, store):
        count_up(store, ANN)
        client.set(NAMES.record_key(ANN), DAMAGED, keepttl=True)
        count_up(store, BEN)
        client.set(NAMES.record_key(BEN), DAMAGED, keepttl=True)
        count_up(store, ANN)  # the server knows the script from now on
        assert commands(client, lambda: count_up(store, BEN)) == ["EVALSHA"] * 3

    def test_its_description_may_be_damaged_too(self, client, store):
        client.set(NAMES.record_key(ANN), DAMAGED, px=50_000)
        count_up(store, ANN)
        (name,) = client.keys("anaphora:{quarantine}:q:*")
        client.set(name, b"\xff")
        (item,) = store.quarantine.items()
        assert (item.key, item.reason) == (None, "its description is damaged, too")
        Engine("weather", store=store).erase(user="ann")
        assert store.quarantine.count() == 0
        assert client.keys("anaphora:{quarantine}:*") == []

    @pytest.mark.parametrize(
        "rules",
        [
            {"keys": ["anaphora:*"], "commands": ["+@all", "-@sortedset"]},
            {"keys": ["anaphora:{/*", "anaphora:notes:*"], "commands": ["+@all"]},
            {"keys": ["anaphora:*"], "commands": [f"+{name}" for name in NEEDED]},
        ],
    )
    def test_a_user_who_has_no_right_to_it_answers_all_the_same(
        self, redis_server, client, caplog, rules
    ):
        client.acl_setuser("bot", enabled=True, reset=True, passwords=["+pw"], **rules)
        with closing(RedisStore(redis_server.url.replace("//", "//bot:pw@"))) as store:
            count_up(store, ANN)
            client.set(NAMES.record_key(ANN), DAMAGED, keepttl=True)
            assert count_up(store, ANN) == 1
            assert count_up(store, ANN) == 2
            assert "a damaged conversation cannot be put in quarantine" in caplog.text
            assert client.keys("*quarantine*") == []
            Engine("weather", store=store).erase(user="ann")
            assert store.peek(ANN) is None

    def test_a_cluster_keeps_it_too(self):
        with RedisServer("--cluster-enabled", "yes") as node, node.client() as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16_383)
            wait_until(lambda: client.cluster("info")["cluster_state"] == "ok")
            with closing(RedisStore(node.url, patience=0)) as store:
                count_up(store, ANN)
                client.set(NAMES.record_key(ANN), DAMAGED, keepttl=True)
                count_up(store, ANN)
                assert [item.key for item in store.quarantine.items()] == [ANN]
                store.forget(ANN)
                assert store.quarantine.count() == 0
