"""What a Redis server, its network and its data may suffer without a memory being lost."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from random import Random

import pytest
import redis
from msgspec.structs import replace

from anaphora import Conflict, StoreError, UnconfirmedError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.store import RedisStore
from tests.stm.stores.redis.faulty_proxy import Fault, proxy
from tests.stm.stores.redis.lock_holder import count_up
from tests.support.real_server import WAIT_LIMIT, wait_until
from tests.support.redis_server import RedisServer

TIMEOUT = timedelta(minutes=5)
ANN = ConversationKey("ann", "weather")
ROOMS = [ConversationKey(f"room {number}", "weather") for number in range(3)]
NAMES = KeySpace("anaphora")


@pytest.fixture
def server() -> Iterator[RedisServer]:
    # A commit is on the disk before it is acknowledged, so that kill -9 can take none back.
    with RedisServer("--appendfsync", "always") as server:
        yield server


@pytest.fixture
def store(server: RedisServer) -> Iterator[RedisStore]:
    store = RedisStore(server.url, wait=WAIT_LIMIT, patience=WAIT_LIMIT)
    yield store
    store.close()


class Fire:
    """Questions without a pause, from threads of several stores, in a few conversations."""

    def __init__(self, stores: list[RedisStore]) -> None:
        self.stores = stores
        self.answered: Counter[ConversationKey] = Counter()
        self.failed: list[Exception] = []
        self.handled: Counter[ConversationKey] = Counter()
        self.stop = threading.Event()
        self._mutex = threading.Lock()

    def ask(self, store: RedisStore, key: ConversationKey) -> None:
        try:
            with store.open(key, TIMEOUT) as session:
                with self._mutex:
                    self.handled[key] += 1
                asked = session.conversation.questions + 1
                session.commit(replace(session.conversation, questions=asked))
        except (StoreError, Conflict) as error:
            self.failed.append(error)
        else:
            with self._mutex:
                self.answered[key] += 1

    def _ask_on(self, store: RedisStore, random: Random) -> None:
        while not self.stop.is_set():
            self.ask(store, random.choice(ROOMS))

    @contextmanager
    def burning(self) -> Iterator[Fire]:
        with ThreadPoolExecutor(2 * len(self.stores)) as pool:
            asking: list[Future[None]] = [
                pool.submit(self._ask_on, store, Random(number))
                for number, store in enumerate(self.stores * 2)
            ]
            try:
                yield self
            finally:
                self.stop.set()
            for done in asking:
                done.result(2 * WAIT_LIMIT)

    def go_on(self, questions: int) -> None:
        """Wait until so many more have been answered."""
        goal, deadline = self.answered.total() + questions, time.monotonic() + 2 * WAIT_LIMIT
        while self.answered.total() < goal:
            assert time.monotonic() < deadline, "nothing is answered any more"
            time.sleep(0.001)

    def check(self, faults: int, what: str, capsys: pytest.CaptureFixture[str]) -> None:
        """Nothing lost, nothing twice, nothing failed, and one handler a question."""
        found = {key: kept.questions for key in ROOMS if (kept := self.stores[0].peek(key))}
        lost = sum(max(self.answered[key] - found.get(key, 0), 0) for key in ROOMS)
        with capsys.disabled():
            print(
                f"\n  {what}: {self.handled.total()} questions, {faults} faults, "
                f"{len(self.failed)} failed, {lost} lost"
            )
        assert found == dict(self.answered)
        assert self.handled == self.answered
        assert self.failed == []


@pytest.fixture
def fire(server: RedisServer) -> Iterator[Fire]:
    stores = [RedisStore(server.url, wait=60, patience=WAIT_LIMIT) for _ in range(3)]
    yield Fire(stores)
    for store in stores:
        store.close()


def test_a_server_that_is_restarted_under_fire_loses_nothing(server, fire, capsys):
    with fire.burning():
        for _ in range(3):
            fire.go_on(100)
            server.restart()
    fire.check(3, "restart under fire", capsys)


def test_a_server_that_is_killed_under_fire_loses_nothing(server, fire, capsys):
    with fire.burning():
        for _ in range(5):
            fire.go_on(100)
            server.kill()
            server.start()
    fire.check(5, "kill -9 of the server under fire", capsys)


def test_connections_that_are_cut_under_fire_lose_nothing(server, fire, capsys):
    random, cut = Random(5), 0
    with server.client() as client, fire.burning():
        for _ in range(40):
            fire.go_on(random.randrange(1, 20))
            cut += client.client_kill_filter(_type="normal", skipme=True)
    fire.check(cut, "CLIENT KILL under fire", capsys)


def test_a_server_that_pauses_loses_nothing(server, fire, capsys):
    with server.client() as client, fire.burning():
        for _ in range(5):
            fire.go_on(50)
            client.client_pause(100)
    fire.check(5, "CLIENT PAUSE under fire", capsys)


def test_lost_commands_and_lost_answers_lose_nothing_and_repeat_nothing(server, capsys):
    random = Random(11)

    def fault() -> Fault:
        return random.choice(["question lost", "answer lost", None, None])

    with proxy(server.socket, fault) as network:
        stores = [RedisStore(network.url, wait=60, patience=WAIT_LIMIT) for _ in range(2)]
        for store in stores:  # a server that was never there is not waited for
            store.peek(ANN)
        fire = Fire(stores)
        with fire.burning():
            fire.go_on(150)
        fire.check(network.faults, "lost commands and answers", capsys)
        for store in stores:
            store.close()


def test_a_commit_whose_answer_was_lost_is_kept_once_though_others_went_on(server, store):
    count_up(store, ANN)  # and the server knows the scripts
    faults: Iterator[Fault] = iter([None, "answer lost"])  # of the turn and of the commit
    between: list[int] = []

    def fault() -> Fault:
        try:
            return next(faults)
        except StopIteration:  # the commit comes again
            between.append(count_up(store, ANN))
            return None

    with proxy(server.socket, fault) as network:
        unlucky = RedisStore(network.url, patience=WAIT_LIMIT)
        assert count_up(unlucky, ANN) == 2
        unlucky.close()
    assert between == [3]
    assert store.peek(ANN).questions == 3


def test_a_server_that_restarts_while_a_handler_works_is_not_noticed(server, store):
    with store.open(ANN, TIMEOUT) as session:
        server.kill()
        server.start()
        session.commit(replace(session.conversation, questions=1))
    assert store.peek(ANN).questions == 1


def ask_while(store: RedisStore, happens: Callable[[], object]) -> None:
    """A question during which something happens."""
    with store.open(ANN, TIMEOUT) as session:
        happens()
        session.commit(replace(session.conversation, questions=99))


def test_a_server_that_stays_away_fails_the_question_and_keeps_nothing_of_it(server):
    store = RedisStore(server.url, patience=0.2)
    count_up(store, ANN)
    with pytest.raises(UnconfirmedError, match=r"cannot be reached.* may be stored all the same"):
        ask_while(store, server.kill)
    server.start()
    assert store.peek(ANN).questions == 1
    with server.client() as client:
        client.delete(NAMES.session_keys(ANN, "").lock)  # or wait for the end of the lease
    assert count_up(store, ANN) == 2
    store.close()


def test_a_server_that_came_back_without_its_data_keeps_nothing_of_a_question_before(store, server):
    """Somebody else may have answered in between, as far as anyone can tell."""
    with (
        server.client() as client,
        pytest.raises(Conflict, match="nothing was changed"),
    ):
        ask_while(store, client.flushall)
    assert store.peek(ANN) is None


def test_a_server_that_is_still_reading_its_data_is_waited_for():
    slow = ("--key-load-delay", "2000", "--loading-process-events-interval-bytes", "1024")
    with RedisServer() as server:
        store = RedisStore(server.url, patience=WAIT_LIMIT)
        for number in range(100):
            count_up(store, ConversationKey(f"user {number}", "weather"))
        server.stop()
        server.options = slow
        with ThreadPoolExecutor(1) as pool:
            starting = pool.submit(server.start)
            assert count_up(store, ConversationKey("user 7", "weather")) == 2
            starting.result(WAIT_LIMIT)
        store.close()


def test_a_full_memory_fails_questions_before_their_handlers(server, store):
    count_up(store, ANN)
    with server.client() as client, full(client):
        with pytest.raises(StoreError, match="out of memory: raise its maxmemory"):
            count_up(store, ANN)
        with pytest.raises(StoreError, match="out of memory"):
            store.put_note("models", "ann", "weather", TIMEOUT)
        with pytest.raises(StoreError, match="out of memory"):
            store.ping()
        assert store.peek(ANN).questions == 1
    assert count_up(store, ANN) == 2


def test_a_memory_that_fills_up_while_a_handler_works_keeps_the_conversation_as_it_was(
    server, store
):
    count_up(store, ANN)
    with server.client() as client:
        with pytest.raises(StoreError, match="maxmemory"):
            ask_while(store, lambda: client.config_set("maxmemory", 1))
        assert store.peek(ANN).questions == 1
        assert not client.exists(NAMES.session_keys(ANN, "").lock)
        client.config_set("maxmemory", 0)
    assert count_up(store, ANN) == 2


@contextmanager
def full(client: redis.Redis) -> Iterator[None]:
    client.config_set("maxmemory", 1)
    try:
        yield
    finally:
        client.config_set("maxmemory", 0)


def test_a_replica_is_told_from_a_primary(server, store):
    count_up(store, ANN)
    with server.client() as client:
        client.replicaof("127.0.0.1", 1)
        with pytest.raises(StoreError, match="it is a replica: name the primary"):
            count_up(store, ANN)
        with pytest.raises(StoreError, match="it is a replica"):
            store.ping()
        assert store.peek(ANN).questions == 1
        client.replicaof("NO", "ONE")
    assert count_up(store, ANN) == 2


def test_a_server_that_cannot_write_to_its_disk_says_so():
    with RedisServer("--dbfilename", "taken") as server, server.client() as client:
        store = RedisStore(server.url)
        count_up(store, ANN)
        (server.folder / "taken" / "by something").mkdir(parents=True)
        client.config_set("save", "3600 1")
        client.bgsave()
        wait_until(lambda: client.info("persistence")["rdb_last_bgsave_status"] != "ok")
        with pytest.raises(StoreError, match="cannot write to its disk"):
            count_up(store, ANN)
        assert store.peek(ANN).questions == 1
        client.config_set("save", "")
        assert count_up(store, ANN) == 2
        store.close()


@pytest.mark.parametrize("record", [b"", b"{", b"\xff\x00", b"x\x9c\x00", b"[]", b'{"format": 2}'])
def test_a_conversation_whose_record_is_corrupt_begins_anew_and_the_rest_goes_on(
    server, store, caplog, record
):
    ben = ConversationKey("ben", "weather")
    count_up(store, ben)
    with server.client() as client:
        client.set(NAMES.record_key(ANN), record)
    with caplog.at_level(logging.ERROR):
        assert store.peek(ANN) == Conversation.empty(ANN)
        assert count_up(store, ANN) == 1
    assert {record.user for record in caplog.records} == {"ann"}
    assert set(store.keys()) == {ANN, ben}
    assert count_up(store, ANN) == 2
    assert count_up(store, ben) == 2


def test_a_record_of_a_later_version_is_left_alone(server, store):
    record = b'{"format": 99, "user": "ann", "model": "weather"}'
    with server.client() as client:
        client.set(NAMES.record_key(ANN), record)
        for _ in range(2):  # the turn was given back
            with pytest.raises(StoreError, match="later version"):
                count_up(store, ANN)
        with pytest.raises(StoreError, match="later version"):
            store.peek(ANN)
        assert client.get(NAMES.record_key(ANN)) == record


@pytest.mark.parametrize(
    ("name", "act"),
    [
        (NAMES.record_key(ANN), lambda store: count_up(store, ANN)),
        (NAMES.record_key(ANN), lambda store: store.peek(ANN)),
        (NAMES.session_keys(ANN, "").lock, lambda store: count_up(store, ANN)),
        (NAMES.session_keys(ANN, "").next, lambda store: count_up(store, ANN)),
        (NAMES.namespace_key("models"), lambda store: store.get_note("models", "ann")),
        (NAMES.namespace_key("models"), lambda store: store.list_notes("models")),
        (NAMES.namespace_key("models"), lambda store: store.delete_note("models", "ann")),
        (
            NAMES.namespace_key("models"),
            lambda store: store.put_note("models", "ann", "x", TIMEOUT),
        ),
    ],
)
def test_a_key_that_holds_something_else_is_reported_and_stops_nothing_else(
    server, store, name: bytes, act: Callable[[RedisStore], object]
):
    with server.client() as client:
        client.zadd(name, {"something else": 1})
        with pytest.raises(StoreError, match="delete it, or use another prefix"):
            act(store)
        assert client.type(name) == b"zset"
        assert count_up(store, ConversationKey("ben", "weather")) == 1
        client.delete(name)
    act(store)


def test_a_note_that_is_no_text_is_reported(server, store):
    with server.client() as client:
        client.hset(NAMES.namespace_key("models"), "ann", b"\xff")
    with pytest.raises(StoreError, match="note cannot be read"):
        store.get_note("models", "ann")
    with pytest.raises(StoreError, match="note cannot be read"):
        store.list_notes("models")


def test_the_scripts_may_be_flushed_at_any_time(server, store):
    with server.client() as client:
        for number in range(1, 5):
            client.script_flush()
            with store.open(ANN, TIMEOUT) as session:
                client.script_flush()
                session.commit(replace(session.conversation, questions=number))
    assert store.peek(ANN).questions == 4
