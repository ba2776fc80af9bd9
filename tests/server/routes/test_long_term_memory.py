"""The long-term memory over HTTP: histories, what is found in them, erasing a user."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from anaphora.api.conversations import Conversation
from anaphora.api.long_term_memory import History, RecallPage
from anaphora.api.operations import Health
from anaphora.errors import AnaphoraError, StoreError
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.summarizers.first_words import FirstWords
from anaphora.server.app import create_app
from anaphora.server.auth.keys import ALL_SCOPES, generate_key
from anaphora.server.processes.startup import check_settings
from anaphora.server.settings.model import MemorySettings, Settings
from anaphora.stm.conversation import ConversationKey
from tests.conftest import Clock
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve, Shop
from tests.server.server_process import ServerProcess, wait_until, write_bot

ACME, ACME_KEPT = generate_key("acme", tenant="acme", scopes=ALL_SCOPES)
OTHER, OTHER_KEPT = generate_key("other", tenant="other", scopes=ALL_SCOPES)


@pytest.fixture
def memory(shop: Shop, tmp_path: Path) -> Iterator[LongTermMemory]:
    """A memory that summarizes when there are more than thirty words."""
    with LongTermMemory(
        f"sqlite:///{tmp_path / 'memory.db'}",
        summarizer=FirstWords(),
        settings=HistorySettings(max_size=30, segment=2, verbatim=1, share=0.5),
        journal=tmp_path / "journal",
        clock=shop.clock,
    ) as memory:
        yield memory


@pytest.fixture
def api(serve: Serve, shop: Shop, memory: LongTermMemory) -> TestClient:
    return serve(of=shop.engine.with_long_term(memory))


def ask(api: TestClient, text: str, **rest: Any) -> None:
    answer = api.post("/v1/ask", json={"user": "ann", "text": text, **rest})
    assert answer.status_code == 200, answer.text


def found(api: TestClient, **query: Any) -> list[str]:
    answer = api.get("/v1/recall", params={"user": "ann", **query})
    assert answer.status_code == 200, answer.text
    assert_described(RecallPage, answer.json())
    return [passage["exchange"]["question"] for passage in answer.json()["passages"]]


def wrong(answer: Any) -> tuple[str, str]:
    """What kind of problem it is, and where."""
    plain = answer.json()
    return plain["type"].rpartition(":")[2], plain.get("errors", [{}])[0].get("where", "")


class TestHistory:
    def test_it_tells_what_was_said(self, api: TestClient, now: Clock) -> None:
        ask(api, "I'd like a large tea")
        now.pass_time(minutes=1)
        ask(api, "And a coffee")
        plain = api.get("/v1/history", params={"user": "ann"}).json()
        assert_described(History, plain)
        first, second = plain["exchanges"]
        assert first == {
            "number": 1,
            "question": "I'd like a large tea",
            "answer": "One large tea for ann.",
            "at": "2026-01-05T09:00:00Z",
            "status": "matched",
            "intent": "order",
            "slots": {"order": ["I'd like"], "drink": ["tea"], "size": ["large"]},
            "language": "en",
            "truncated": {},
        }
        assert (second["number"], second["slots"]["size"]) == (2, ["large"])
        assert (plain["user"], plain["model"], plain["summaries"]) == ("ann", "tea", [])
        assert (plain["size"], plain["unit"]) == (18, "words")

    def test_what_is_old_is_summarized(self, api: TestClient, memory: LongTermMemory) -> None:
        for drink in ("tea", "coffee", "chai", "espresso", "tea"):
            ask(api, f"I'd like a large {drink}")
        assert memory.flush(60)
        plain = api.get("/v1/history", params={"user": "ann"}).json()
        assert_described(History, plain)
        summary = plain["summaries"][0]
        assert (summary["first"], summary["level"], summary["by"]) == (1, 1, "cut")
        assert summary["last"] < plain["exchanges"][0]["number"]
        assert plain["size"] <= 30

    def test_each_model_has_its_own(self, api: TestClient) -> None:
        ask(api, "I'd like a tea")
        plain = api.get("/v1/history", params={"user": "ann", "model": "lamp"}).json()
        assert (plain["model"], plain["exchanges"]) == ("lamp", [])
        assert wrong(api.get("/v1/history?model=none")) == ("unknown-model", "")


class TestOffer:
    def test_it_is_shown_until_somebody_answers_it(self, api: TestClient, now: Clock) -> None:
        ask(api, "I'd like a large tea")
        now.pass_time(hours=1)
        ask(api, "And a coffee")
        plain = api.get("/v1/conversation", params={"user": "ann"}).json()
        assert_described(Conversation, plain)
        offer = plain["offer"]
        assert (offer["question"], offer["said_at"]) == ("And a coffee", "2026-01-05T09:00:00Z")
        assert [one["value"] for one in offer["entities"]] == ["I'd like", "tea", "large"]
        ask(api, "no")
        assert api.get("/v1/conversation", params={"user": "ann"}).json()["offer"] is None


class TestRecall:
    @pytest.fixture(autouse=True)
    def said(self, api: TestClient, now: Clock) -> None:
        ask(api, "I'd like a large tea")
        now.pass_time(hours=1)
        ask(api, "I'd like a small coffee")
        now.pass_time(hours=1)
        ask(api, "switch on the lamp", model="lamp")

    def test_it_is_found_by_its_words(self, api: TestClient) -> None:
        assert found(api, text="coffee")[0] == "I'd like a small coffee"

    def test_a_passage_tells_its_model_its_score_and_its_neighbours(self, api: TestClient) -> None:
        query: dict[str, Any] = {"user": "ann", "text": "coffee", "size": 1}
        (passage,) = api.get("/v1/recall", params=query).json()["passages"]
        assert passage["model"] == "tea"
        assert passage["score"] > 0
        assert [one["number"] for one in passage["before"]] == [1]
        (passage,) = api.get("/v1/recall", params=query | {"neighbours": 0}).json()["passages"]
        assert passage["before"] == passage["after"] == []

    def test_yesterday_is_that_of_the_zone(self, api: TestClient) -> None:
        evening = {"text": "yesterday", "at": "2026-01-06T20:00:00Z"}
        assert len(found(api, **evening)) == 3
        assert found(api, **evening, time_zone="Asia/Tokyo") == []  # it is the 7th there
        wrong_zone = api.get("/v1/recall?text=tea&time_zone=Mars")
        assert wrong(wrong_zone) == ("invalid-request", "query.time_zone")

    def test_without_a_text_all_is_told_newest_first(self, api: TestClient) -> None:
        everything = ["switch on the lamp", "I'd like a small coffee", "I'd like a large tea"]
        assert found(api) == everything
        assert found(api, size=2) == everything[:2]
        assert found(api, size=2, page=2) == everything[2:]
        more = [api.get(f"/v1/recall?user=ann&size=2&page={n}").json()["more"] for n in (1, 2)]
        assert more == [True, False]

    def test_it_is_found_by_time_intent_and_slots(self, api: TestClient) -> None:
        since, end = "2026-01-05T10:00:00Z", "2026-01-05T11:00:00+00:00"
        assert found(api, since=since, until=end) == ["I'd like a small coffee"]
        assert found(api, until=since) == ["I'd like a large tea"]
        assert found(api, intent="on") == ["switch on the lamp"]
        assert found(api, model="lamp") == ["switch on the lamp"]
        assert found(api, slots='{"size": "large"}') == ["I'd like a large tea"]
        assert found(api, slots='{"size": "large", "drink": "coffee"}') == []

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("since", "2026-01-05"),
            ("until", "yesterday"),
            ("how", "magic"),
            ("page", "0"),
            ("size", "101"),
            ("slots", "size=large"),
            ("slots", '{"size": 1}'),
            ("slots", '{"size": "a", "size": "b"}'),
            ("slots", json.dumps({f"slot {number}": "" for number in range(21)})),
            ("slots", json.dumps({"size": "x" * 501})),
            ("language", "\u202e"),
            ("language", "en\n"),
            ("language", "x" * 40),
            ("neighbors", "1"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, api: TestClient, name: str, value: str) -> None:
        answer = api.get("/v1/recall", params={name: value})
        assert wrong(answer) == ("invalid-request", f"query.{name}")

    def test_how_many_slots_there_may_be_is_told_and_no_store_has_failed(
        self, api: TestClient
    ) -> None:
        slots = {f"slot {number}": "large" for number in range(1_500)}
        answer = api.get("/v1/recall", params={"slots": json.dumps(slots)})
        assert wrong(answer) == ("invalid-request", "query.slots")
        assert "1500 slots; at most 20 are allowed" in answer.json()["detail"]
        most = dict(list(slots.items())[:20])
        assert api.get("/v1/recall", params={"slots": json.dumps(most)}).json()["passages"] == []
        assert 'kind="store-unavailable"' not in api.get("/metrics").text

    def test_meaning_needs_an_embedder(self) -> None:
        kept = MemorySettings(url="memory:")
        with TestClient(create_app(Settings(models=("cafe",), memory=kept))) as api:
            answer = api.get("/v1/recall?text=tea&how=meaning")
            assert wrong(answer) == ("invalid-request", "query.how")
            assert "memory.embedder" in answer.json()["detail"]

    def test_the_log_says_why_a_search_failed(
        self, serve: Serve, shop: Shop, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Broken:
            name, dimension = "broken", 2

            def embed(self, texts: Any) -> Any:
                raise AnaphoraError("the weights are gone")

        with LongTermMemory("memory:", embedder=Broken()) as memory:
            api = serve(of=shop.engine.with_long_term(memory))
            assert wrong(api.get("/v1/recall?text=tea"))[0] == "internal"
        assert "the weights are gone" in caplog.text


class TestQuarantine:
    def test_health_counts_what_was_put_aside(
        self, api: TestClient, memory: LongTermMemory, tmp_path: Path
    ) -> None:
        ask(api, "I'd like a large tea")
        assert memory.flush()
        assert api.get("/health").json()["quarantined"] == 0
        with closing(sqlite3.connect(tmp_path / "memory.db")) as file, file:
            file.execute("UPDATE exchanges SET rest = x'7b'")
        assert found(api) == []
        assert memory.flush()
        plain = api.get("/health").json()
        assert_described(Health, plain)
        assert plain["quarantined"] == 1

    def test_a_question_that_was_too_long_is_kept_in_part(
        self, api: TestClient, memory: LongTermMemory
    ) -> None:
        text = "tea " * 10_000
        ask(api, text)
        (exchange,) = api.get("/v1/history", params={"user": "ann"}).json()["exchanges"]
        assert exchange["status"] == "rejected"
        assert len(exchange["question"]) <= 10_000
        assert exchange["truncated"] == {"question": len(text)}


class TestErasing:
    def test_a_user_is_erased_everywhere(self, api: TestClient, tmp_path: Path) -> None:
        ask(api, "I'd like a large tea")
        ask(api, "switch on the lamp", model="lamp")
        api.put("/v1/active-model", json={"user": "ann", "model": "lamp"})
        ask(api, "I'd like a tea", user="bob")
        answer = api.delete("/v1/user", params={"user": "ann"})
        assert answer.json() == {"user": "ann", "exchanges": 2, "agent_records": 0}
        assert found(api) == []
        assert api.get("/v1/active-model?user=ann").json()["model"] == "tea"
        for model in ("tea", "lamp"):
            query = {"user": "ann", "model": model}
            assert api.get("/v1/history", params=query).json()["exchanges"] == []
            assert api.get("/v1/conversation", params=query).json()["questions"] == 0
        assert found(api, user="bob") == ["I'd like a tea"]
        assert b"large tea" not in (tmp_path / "memory.db").read_bytes()

    def test_it_needs_no_long_term_memory(self, serve: Serve) -> None:
        api = serve()
        ask(api, "I'd like a tea")
        erased = {"user": "ann", "exchanges": 0, "agent_records": 0}
        assert api.delete("/v1/user?user=ann").json() == erased
        assert api.get("/v1/conversation?user=ann").json()["questions"] == 0


def test_no_tenant_recalls_or_erases_what_another_was_told(
    serve: Serve, shop: Shop, memory: LongTermMemory
) -> None:
    engine = shop.engine.with_long_term(memory)
    ours, theirs = (
        serve(of=engine, keys=(ACME_KEPT, OTHER_KEPT), headers={"x-api-key": key})
        for key in (ACME, OTHER)
    )
    ask(ours, "I'd like a tea")
    assert found(theirs) == []
    assert theirs.get("/v1/history?user=ann").json()["exchanges"] == []
    assert theirs.delete("/v1/user?user=ann").json()["exchanges"] == 0
    assert found(ours) == ["I'd like a tea"]


def test_without_a_long_term_memory_there_is_nothing_to_show(serve: Serve) -> None:
    api = serve()
    for path in ("/v1/history", "/v1/recall"):
        answer = api.get(path)
        assert (answer.status_code, wrong(answer)) == (404, ("no-memory", ""))
        assert "--memory URL" in answer.json()["detail"]
    assert "memory" not in api.get("/ready").json()["checks"]


def test_questions_are_answered_while_the_long_term_memory_is_away(
    api: TestClient, memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert api.get("/ready").json()["checks"]["memory"] == "ok"

    def fail(*arguments: Any, **options: Any) -> Any:
        raise StoreError("it is away")

    for name in ("add", "ping", "history", "latest"):
        monkeypatch.setattr(memory.store, name, fail)
    ask(api, "I'd like a tea")
    ready = api.get("/ready")
    assert (ready.status_code, ready.json()["status"]) == (200, "ok")
    assert ready.json()["checks"]["memory"] == "failed"
    assert wrong(api.get("/v1/history?user=ann")) == ("store-unavailable", "")
    wait_until(lambda: memory.status().failures, "the failure")
    metrics = api.get("/metrics").text
    assert "anaphora_memory_waiting 1.0" in metrics
    assert 'anaphora_memory_failures_total{work="keep"}' in metrics
    monkeypatch.undo()
    assert found(api, text="tea") == ["I'd like a tea"]


def test_metrics_count_what_is_kept(api: TestClient, memory: LongTermMemory) -> None:
    ask(api, "I'd like a tea")
    assert memory.flush(60)
    for _ in range(2):
        metrics = api.get("/metrics").text
        assert 'anaphora_memory_exchanges_total{outcome="kept"} 1.0' in metrics
    assert "anaphora_memory_waiting 0.0" in metrics


def test_services_on_one_memory_find_what_each_was_told(
    api: TestClient, serve: Serve, shop: Shop, memory: LongTermMemory, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with LongTermMemory(url, journal=tmp_path / "journal", clock=shop.clock) as another:
        beside = serve(of=shop.engine.with_long_term(another))
        ask(api, "I'd like a tea")
        assert memory.flush(60)
        ask(beside, "And a coffee")
        assert another.flush(60)
        for one in (api, beside):
            assert found(one) == ["And a coffee", "I'd like a tea"]
        assert beside.delete("/v1/user?user=ann").json()["exchanges"] == 2
        assert found(api) == []


def test_what_a_service_was_told_outlives_it(tmp_path: Path) -> None:
    write_bot(tmp_path)
    journal = tmp_path / "journal"
    env = {"ANAPHORA_MEMORY__JOURNAL": str(journal)}
    with ServerProcess(
        tmp_path, "counter.yaml", "--memory", "sqlite:///memory.db", env=env
    ) as served:
        for _ in range(6):
            served.ask("apples", user="ann")
        served.ask("pears", user="ann")
        served.stop()
    with LongTermMemory(f"sqlite:///{tmp_path / 'memory.db'}", journal=journal) as memory:
        kept = memory.store.latest(ConversationKey("ann", "counter"), 10)
    assert [exchange.question for exchange in kept] == ["pears", *itertools.repeat("apples", 6)]


def test_workers_cannot_share_a_memory_of_their_own() -> None:
    kept = MemorySettings(url="memory:")
    with pytest.raises(AnaphoraError, match="cannot share the long-term memory"):
        check_settings(Settings(workers=2, store="sqlite:///stm.db", memory=kept))
