"""The memories of agents over HTTP: what they know of a user, how it is found, edited, erased."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from anaphora.agents.agent import Agent
from anaphora.agents.graph.facts import NewFact
from anaphora.api.agents import (
    AgentArchivePage,
    AgentCore,
    AgentGraph,
    AgentQueue,
    AgentUsage,
    ArchiveChange,
)
from anaphora.api.long_term_memory import Erasure, RecallPage
from anaphora.ltm.retrieval.store import UserKey
from anaphora.server.auth.keys import generate_key
from tests.agents.memories.sample_agents import opened
from tests.conftest import Clock
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve
from tests.server.routes.conftest import hello
from tests.server.test_problems import slug
from tests.support.chat_endpoint import ScriptedEndpoint, call, calls

ADA = "/v1/agents/ada"


@pytest.fixture
def api(agent_api: TestClient) -> TestClient:
    return agent_api


def get(api: TestClient, part: str, kind: type[object], **query: Any) -> Any:
    response = api.get(f"{ADA}/{part}", params={"user": "ann", **query})
    assert response.status_code == 200, response.text
    assert_described(kind, response.json())
    return response.json()


def chat(api: TestClient, text: str) -> None:
    response = api.post(f"{ADA}/messages", json={"user": "ann", "text": text})
    assert response.status_code == 200, response.text


class TestCore:
    def test_it_shows_the_blocks_as_the_agent_has_them(
        self, api: TestClient, endpoint: ScriptedEndpoint
    ) -> None:
        saved = call("core_memory_append", {"name": "human", "content": "Name: Ann."})
        endpoint.play([calls(saved, hello())])
        chat(api, "Hi, I'm Ann.")
        persona, human = get(api, "core", AgentCore)["blocks"]
        assert persona["value"] == "You are a helpful assistant."
        assert (human["label"], human["value"], human["limit"]) == ("human", "Name: Ann.", 2_000)
        bob = get(api, "core", AgentCore, user="bob")["blocks"][1]
        assert bob["value"] == ""

    def test_a_user_may_edit_a_block(self, api: TestClient, ada: Agent) -> None:
        body = {"user": "ann", "value": "Name: Anna."}
        response = api.put(f"{ADA}/core/human", json=body)
        assert_described(AgentCore, response.json())
        assert response.json()["blocks"][1]["value"] == "Name: Anna."
        assert ada.core("ann").value("human") == "Name: Anna."

    def test_a_value_over_the_limit_is_refused(self, api: TestClient) -> None:
        body = {"user": "ann", "value": "x" * 2_001}
        response = api.put(f"{ADA}/core/human", json=body)
        assert slug(response) == "agent-refused"
        assert "2,000" in response.json()["detail"]

    def test_an_unknown_block(self, api: TestClient) -> None:
        response = api.put(f"{ADA}/core/humor", json={"user": "ann", "value": "x"})
        assert slug(response) == "not-found"
        assert "persona, human" in response.json()["detail"]


HERO = """
    memories:
      hero:
        type: state
        schema: {name: text, class: {choices: [elf, dwarf]}}
        update: once
        when: complete
      quest: {type: state}
    """


class TestDeclaredMemories:
    @pytest.fixture
    def keeper(self, endpoint: ScriptedEndpoint) -> Iterator[Agent]:
        with opened(HERO, endpoint) as agent:
            yield agent

    @pytest.fixture
    def api(self, serve: Serve, keeper: Agent) -> TestClient:
        return serve(agents=[keeper])

    def edit(self, api: TestClient, name: str, value: Any) -> Any:
        body = {"user": "ann", "value": value}
        return api.put(f"/v1/agents/sample/memories/{name}", json=body)

    def test_a_user_may_correct_one_that_is_written_once(
        self, api: TestClient, keeper: Agent
    ) -> None:
        keeper.edit_memory("hero", {"name": "Bea", "class": "elf"}, user="ann")
        response = self.edit(api, "hero", {"name": "Bea", "class": "dwarf"})
        assert response.status_code == 200, response.text
        assert_described(AgentCore, response.json())
        (shown,) = response.json()["memories"]
        assert (shown["name"], shown["value"]) == ("hero", {"name": "Bea", "class": "dwarf"})
        assert keeper.memories("ann")["hero"].value["class"] == "dwarf"
        assert not keeper.memories("bob")

    def test_a_text_is_written_and_reset(self, api: TestClient, keeper: Agent) -> None:
        assert self.edit(api, "quest", "Find the cave.").status_code == 200
        assert keeper.memories("ann")["quest"].value == "Find the cave."
        assert self.edit(api, "quest", None).status_code == 200
        assert keeper.memories("ann")["quest"].value is None

    @pytest.mark.parametrize("value", [{"class": "orc"}, {"colour": "red"}, "an elf"])
    def test_a_value_that_does_not_fit_is_refused(
        self, api: TestClient, keeper: Agent, value: Any
    ) -> None:
        response = self.edit(api, "hero", value)
        assert slug(response) == "agent-refused"
        assert "the memory 'hero' cannot have this value" in response.json()["detail"].lower()
        assert not keeper.memories("ann")

    def test_an_unknown_memory(self, api: TestClient) -> None:
        response = self.edit(api, "heroes", "x")
        assert slug(response) == "not-found"
        assert "hero, quest" in response.json()["detail"]

    def test_a_value_is_needed(self, api: TestClient) -> None:
        response = api.put("/v1/agents/sample/memories/quest", json={"user": "ann"})
        assert slug(response) == "invalid-request"


class TestQueue:
    def test_it_shows_what_the_prompt_contains(
        self, api: TestClient, endpoint: ScriptedEndpoint
    ) -> None:
        endpoint.play([hello()])
        chat(api, "Hi!")
        plain = get(api, "queue", AgentQueue)
        event, answer, result = plain["messages"]
        assert (event["kind"], event["name"], event["text"]) == ("event", "user_message", "Hi!")
        assert answer["calls"][0]["name"] == "send_message"
        assert (result["kind"], result["failed"]) == ("result", False)
        assert (plain["hidden"], plain["total"], plain["running"]) == (0, 3, None)
        size = plain["context"]
        assert size["window"] == 8_192
        assert size["messages"] == sum([one["tokens"] for one in plain["messages"]]) > 0
        assert size["system"] > 100


class TestRecall:
    def test_it_finds_what_was_said(
        self, api: TestClient, endpoint: ScriptedEndpoint, ada: Agent
    ) -> None:
        endpoint.play([hello("Nice!"), hello("Rain.")])
        chat(api, "I moved to Kyoto.")
        chat(api, "And the weather?")
        ada.flush()
        found = get(api, "recall", RecallPage, q="Kyoto")["passages"]
        assert found[0]["exchange"]["question"] == "I moved to Kyoto."
        assert found[0]["exchange"]["answer"] == "Nice!"
        everything = get(api, "recall", RecallPage)["passages"]
        assert len(everything) == 2


class TestArchive:
    def test_a_text_is_added_found_and_removed(self, api: TestClient) -> None:
        body = {"user": "ann", "source": "diary", "text": "The temple in Kyoto was golden."}
        added = api.post(f"{ADA}/archive", json=body).json()
        assert_described(ArchiveChange, added)
        assert added["passages"] == 1
        (passage,) = get(api, "archive", AgentArchivePage, q="temple")["passages"]
        assert (passage["source"], passage["shared"]) == ("diary", False)
        assert get(api, "archive", AgentArchivePage, user="bob", q="temple")["passages"] == []
        query = {"user": "ann", "source": "diary"}
        assert api.delete(f"{ADA}/archive", params=query).json()["passages"] == 1
        assert get(api, "archive", AgentArchivePage, q="temple")["total"] == 0

    def test_a_source_is_replaced(self, api: TestClient) -> None:
        for text in ("The first text.", "The second text."):
            api.post(f"{ADA}/archive", json={"user": "ann", "source": "diary", "text": text})
        found = get(api, "archive", AgentArchivePage, q="text")["passages"]
        assert [one["text"] for one in found] == ["The second text."]

    def test_all_users_share_what_has_no_user(self, api: TestClient) -> None:
        body = {"source": "handbook", "text": "The office opens at nine."}
        api.post(f"{ADA}/archive", json=body)
        (passage,) = get(api, "archive", AgentArchivePage, q="office")["passages"]
        assert passage["shared"]
        assert get(api, "archive", AgentArchivePage)["sources"] == [
            {"source": "handbook", "passages": 1, "shared": True}
        ]

    def test_what_all_users_share_needs_an_operator(self, serve: Serve, ada: Agent) -> None:
        key, kept = generate_key("writer", scopes=("read", "write"))
        ann, ann_kept = generate_key("ann", scopes=("write", "admin"), user="ann")
        api = serve(agents=[ada], keys=(kept, ann_kept))
        body = {"source": "handbook", "text": "The office opens at nine."}
        for secret in (key, ann):
            headers = {"x-api-key": secret}
            assert slug(api.post(f"{ADA}/archive", json=body, headers=headers)) == "forbidden"
            removal = api.delete(f"{ADA}/archive?source=handbook", headers=headers)
            assert slug(removal) == "forbidden"
        own = api.post(f"{ADA}/archive", json={**body, "user": "ann"}, headers={"x-api-key": ann})
        assert own.status_code == 200
        other = api.post(f"{ADA}/archive", json={**body, "user": "bob"}, headers={"x-api-key": ann})
        assert slug(other) == "forbidden"


class TestUsage:
    def test_it_counts_in_all_and_by_day(
        self, api: TestClient, endpoint: ScriptedEndpoint, now: Clock
    ) -> None:
        endpoint.play([hello(), hello()])
        chat(api, "Hi!")
        now.pass_time(days=1)
        chat(api, "Hi!")
        plain = get(api, "usage", AgentUsage)
        assert (plain["total"]["calls"], plain["today"]["calls"]) == (2, 1)
        assert plain["day"] == "2026-01-06"


class TestGraph:
    def test_it_shows_entities_and_the_facts_around_one(
        self, api: TestClient, ada: Agent, now: Clock
    ) -> None:
        assert ada.graph is not None
        facts = [NewFact("Ann", "lives in", "Kyoto"), NewFact("Kyoto", "lies in", "Japan")]
        ada.graph.add(UserKey("ann"), facts, at=now())
        listed = get(api, "graph", AgentGraph)
        assert {one["name"] for one in listed["entities"]} == {"Ann", "Kyoto", "Japan"}
        near = get(api, "graph", AgentGraph, entity="ann")["facts"]
        assert [(one["relation"], one["object"]) for one in near] == [("lives in", "Kyoto")]
        assert len(get(api, "graph", AgentGraph, entity="Ann", depth=2)["facts"]) == 2
        before = get(
            api, "graph", AgentGraph, entity="Ann", at=datetime(2020, 1, 1).isoformat() + "Z"
        )
        assert before["facts"] == []
        assert get(api, "graph", AgentGraph, user="bob")["entities"] == []

    def test_an_agent_without_one_says_so(self, serve: Serve, ada: Agent) -> None:
        graph, ada.graph = ada.graph, None
        try:
            response = serve(agents=[ada]).get(f"{ADA}/graph")
        finally:
            ada.graph = graph
        assert slug(response) == "no-graph"
        assert "type: graph" in response.json()["detail"]


class TestErasure:
    def test_a_user_is_erased_everywhere(
        self, api: TestClient, endpoint: ScriptedEndpoint, ada: Agent
    ) -> None:
        endpoint.play([hello()])
        chat(api, "I moved to Kyoto.")
        ada.flush()
        api.post(f"{ADA}/archive", json={"user": "ann", "source": "diary", "text": "Kyoto."})
        plain = api.delete("/v1/user", params={"user": "ann"}).json()
        assert_described(Erasure, plain)
        assert plain["agent_records"] > 3
        assert get(api, "queue", AgentQueue)["total"] == 0
        assert get(api, "recall", RecallPage, q="Kyoto")["passages"] == []
        assert get(api, "archive", AgentArchivePage, q="Kyoto")["passages"] == []
