"""Erasing a user leaves nothing of them, wherever it was, while the service goes on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from anaphora import Company, Engine, MemoryStore, Store, User, parse_model, store_at
from anaphora.server.nlpcraft.state_store import StateStore
from anaphora.stm.conversation import Conversation, ConversationKey
from tests.conftest import Clock
from tests.server.conftest import Serve
from tests.server.sample_bots import LAMP, TEA
from tests.server.server_process import WAIT_LIMIT, ServerProcess, wait_until, write_bot
from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.redis_server import RedisServer

ANN = "ann-quixotica"
SAID = "zanzibarian"
MARKS = tuple(text.encode(code) for text in (ANN, SAID) for code in ("utf-8", "utf-16-le"))
NLPCRAFT = "/nlpcraft/api/v1"


def post(server: ServerProcess, path: str, **body: Any) -> dict[str, Any]:
    answer = httpx.post(server.url + path, json=body, timeout=WAIT_LIMIT)
    assert answer.status_code == 200, answer.text
    plain: dict[str, Any] = answer.json()
    return plain


def states(server: ServerProcess) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = post(server, f"{NLPCRAFT}/check", usrExtId=ANN)["states"]
    return found


def say_everything(server: ServerProcess) -> None:
    """Leave words wherever a user can leave them."""
    for _ in range(3):
        server.ask(f"apples {SAID}", user=ANN)
    server.ask("pears and again", user=f"{ANN} {SAID}")
    server.try_ask(f"{SAID} nothing that is understood", user=ANN)
    post(server, f"{NLPCRAFT}/ask/sync", txt=f"apples {SAID}", mdlId="counter", usrExtId=ANN)
    for _ in range(3):
        post(server, f"{NLPCRAFT}/ask", txt=f"pears {SAID}", mdlId="counter", usrExtId=ANN)
    wait_until(
        lambda: all(state["status"] == "QRY_READY" for state in states(server)), "the answers"
    )
    put = httpx.put(
        f"{server.url}/v1/active-model", json={"user": ANN, "model": "lamp"}, timeout=WAIT_LIMIT
    )
    assert put.status_code == 200


def erase(server: ServerProcess, user: str) -> None:
    answer = httpx.delete(f"{server.url}/v1/user", params={"user": user}, timeout=WAIT_LIMIT)
    assert answer.status_code == 200, answer.text


def traces(folder: Path) -> set[str]:
    """The files that hold a word or the id of the user."""
    found = set()
    for path in (path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        if any(mark in data for mark in MARKS):
            found.add(path.name)
    return found


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.thorough), "2"])
def test_no_file_holds_anything_of_an_erased_user(workers: str, tmp_path: Path) -> None:
    write_bot(tmp_path)
    (tmp_path / "lamp.yaml").write_text(LAMP)
    arguments = ("--store", "sqlite:///bot.db", "--memory", "sqlite:///memory.db")
    models = ("counter.yaml", "lamp.yaml")
    with ServerProcess(tmp_path, *models, *arguments, "--workers", workers) as server:
        server.ask("apples", user="bob")
        say_everything(server)
        assert traces(tmp_path) & {"bot.db", "bot.db-wal"}
        wait_until(
            lambda: traces(tmp_path) & {"memory.db", "memory.db-wal"}, "the long-term memory"
        )
        for user in (ANN, f"{ANN} {SAID}"):
            erase(server, user)
        assert traces(tmp_path) == set()
        assert states(server) == []
        assert SAID not in server.errors  # the log
        assert ANN not in server.errors
        metrics = server.get("/metrics").text
        assert SAID not in metrics
        assert ANN not in metrics
        assert server.ask("again", user="bob")["result"]["questions"] == 2
        assert server.process.poll() is None


def test_redis_holds_nothing_of_an_erased_user(tmp_path: Path) -> None:
    write_bot(tmp_path)
    (tmp_path / "lamp.yaml").write_text(LAMP)
    with (
        RedisServer() as redis,
        ServerProcess(tmp_path, "counter.yaml", "lamp.yaml", "--store", redis.url) as server,
        redis.client() as client,
    ):
        say_everything(server)

        def found() -> list[bytes]:
            keys = list(client.scan_iter())
            kept = [(key, client.dump(key) or b"") for key in keys]
            return [key for key, data in kept if any(m in key + data for m in MARKS)]

        assert found()
        for user in (ANN, f"{ANN} {SAID}"):
            erase(server, user)
        assert found() == []


def test_postgresql_holds_nothing_of_an_erased_user(tmp_path: Path) -> None:
    write_bot(tmp_path)
    (tmp_path / "lamp.yaml").write_text(LAMP)
    with (
        PostgresServer(with_pgvector()) as postgres,
        ServerProcess(tmp_path, "counter.yaml", "lamp.yaml", "--store", postgres.url) as server,
        postgres.client() as client,
    ):
        say_everything(server)

        def found() -> list[str]:
            client.execute("SET search_path TO anaphora_conversations")
            tables = ("stm_conversations", "stm_notes", "stm_quarantine")
            kept = {one: repr(client.execute(f"SELECT * FROM {one}").fetchall()) for one in tables}
            return [one for one, rows in kept.items() if any(m in rows.encode() for m in MARKS)]

        assert found()
        for user in (ANN, f"{ANN} {SAID}"):
            erase(server, user)
        assert found() == []


def test_no_text_is_left_in_the_memory_of_the_process(serve: Serve, engine: Engine) -> None:
    # Only here are these two texts made, so that nothing else can hold them.
    user, word = "acilegna-neb"[::-1], "nainodlawak"[::-1]
    api = serve(nlpcraft=True)
    for text in (f"I'd like a large tea {word}", f"{word} nothing at all", f"a coffee {word}"):
        for path in ("ask", "explain"):
            api.post(f"/v1/{path}", json={"text": text, "user": user})
        asked = {"txt": text, "mdlId": "tea", "usrExtId": user}
        for path in ("ask", "ask/sync"):
            assert api.post(f"{NLPCRAFT}/{path}", json=asked).status_code == 200

    def are_ready() -> bool:
        found = api.post(f"{NLPCRAFT}/check", json={"usrExtId": user}).json()["states"]
        return all(state["status"] == "QRY_READY" for state in found)

    wait_until(are_ready, "the answers")
    api.put("/v1/active-model", json={"user": user, "model": "lamp"})
    del asked, text
    assert texts_in_memory(user) > 0
    assert api.delete("/v1/user", params={"user": user}).status_code == 200
    api.get("/health")  # whatever the client keeps is of its last request
    assert texts_in_memory(user) == 0
    assert texts_in_memory(word) == 0


def texts_in_memory(mark: str) -> int:
    """How many texts of this process have ``mark`` in them, beside itself."""
    gc.collect()
    found = {}
    for thing in gc.get_objects():
        for part in gc.get_referents(thing):
            if type(part) is str and part is not mark and mark in part:
                found[id(part)] = part
    return len(found)


class TestStores:
    """What only a store sees: rows that have expired, models that are gone."""

    @pytest.fixture(params=["memory", "sqlite"])
    def store(
        self, request: pytest.FixtureRequest, tmp_path: Path, clock: Clock
    ) -> Iterator[Store]:
        if request.param == "memory":
            yield MemoryStore(clock)
            return
        store = store_at(f"sqlite:///{tmp_path / 'bot.db'}", clock=clock)
        yield store
        store.close()

    def test_what_has_expired_or_belongs_to_a_model_that_is_gone_is_erased_too(
        self, store: Store, tmp_path: Path, clock: Clock
    ) -> None:
        for model in ("tea", "gone"):
            key = ConversationKey(ANN, model)
            with store.open(key, timedelta(minutes=1)) as session:
                data = {"said": SAID}
                session.commit(Conversation(ANN, model, questions=1, data=data))
        store.put_note(f'nlpcraft:["", "{ANN}"]', "question", SAID, timedelta(minutes=1))
        clock.pass_time(hours=1)
        with store.open(ConversationKey(ANN, "other"), timedelta(minutes=1)) as session:
            session.commit(Conversation(ANN, "other", questions=1))
        Engine(parse_model(TEA), store=store, clock=clock).erase(user=ANN)
        assert traces(tmp_path) == set()
        if isinstance(store, MemoryStore):
            assert (len(store._conversations), len(store._namespaces)) == (0, 0)

    def test_what_another_tenant_has_stays(self, store: Store, clock: Clock) -> None:
        theirs = User(ANN, company=Company("acme"))
        engine = Engine(parse_model(TEA), store=store, clock=clock)
        engine.ask("I'd like a tea", user=theirs)
        shelf = StateStore(store, theirs, clock=clock)
        store.put_note(shelf._namespace, "question", "{}", timedelta(minutes=10))
        engine.erase(user=ANN)
        assert engine.conversation(user=theirs).questions == 1
        assert store.list_notes(shelf._namespace)


def test_an_answer_that_comes_after_the_erasure_is_dropped(tmp_path: Path) -> None:
    write_bot(tmp_path)
    with ServerProcess(tmp_path, "counter.yaml", "--store", "sqlite:///bot.db") as server:
        with ThreadPoolExecutor(1) as pool:
            post(server, f"{NLPCRAFT}/ask", txt="apples slowly", mdlId="counter", usrExtId=ANN)
            wait_until((tmp_path / "waiting").exists, "the question")
            post(server, f"{NLPCRAFT}/ask", txt=f"pears {SAID}", mdlId="counter", usrExtId=ANN)
            erasing = pool.submit(erase, server, ANN)
            (tmp_path / "go on").touch()
            erasing.result(WAIT_LIMIT)
        erase(server, ANN)
        assert states(server) == []
        assert traces(tmp_path) == set()
