"""The tools for agents with memories, through the client of the SDK."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from anaphora import Agent
from anaphora.agents.graph.facts import NewFact
from anaphora.ltm.retrieval.store import UserKey
from tests.mcp.conftest import Shop
from tests.mcp.test_tools import good, text
from tests.support.chat_endpoint import ScriptedEndpoint, fault


def use(shop: Shop, served: Agent, tool: str, /, **arguments: Any) -> Any:
    """The result of a tool of a server with an agent."""
    return shop.visit(lambda client: client.call_tool(tool, arguments), agents=[served], user="ann")


def test_there_are_no_such_tools_without_agents(shop: Shop) -> None:
    tools = shop.visit(lambda client: client.list_tools()).tools
    assert not {"agents", "send_message"} & {tool.name for tool in tools}


def test_the_agents_are_listed(shop: Shop, ada: Agent) -> None:
    result = use(shop, ada, "agents")
    assert text(result) == "ada (small)"
    assert good(result)["agents"][0]["blocks"] == ["persona", "human"]


def test_a_message_is_answered_and_remembered(shop: Shop, ada: Agent) -> None:
    result = use(shop, ada, "send_message", text="Hi, I'm Ann.")
    assert text(result) == "Hello, Ann!"
    found = good(result)
    assert (found["ended"], found["agent"], found["user"]) == ("done", "ada", "ann")
    assert found["steps"][0]["thought"] == "A new user."
    assert "Name: Ann." in text(use(shop, ada, "agent_memory"))
    assert good(use(shop, ada, "agent_memory", user="bob"))["core"]["human"] == ""


def test_what_was_said_is_found(shop: Shop, ada: Agent) -> None:
    use(shop, ada, "send_message", text="I moved to Kyoto.")
    ada.flush()
    result = use(shop, ada, "agent_search", query="Kyoto")
    assert text(result) == "[I moved to Kyoto.] Hello, Ann!"
    assert text(use(shop, ada, "agent_search", query="Kyoto", user="bob")) == "Nothing was found."


def test_documents_are_found(shop: Shop, ada: Agent) -> None:
    ada.archive.insert(ada.document_owner, "The temple is golden.", source="guide")
    result = use(shop, ada, "agent_search", query="temple", where="archive")
    assert good(result)["found"][0]["text"] == "The temple is golden."
    assert use(shop, ada, "agent_search", query=" ", where="archive").is_error


def test_facts_are_shown(shop: Shop, ada: Agent) -> None:
    assert ada.graph is not None
    ada.graph.add(
        UserKey("ann"), [NewFact("Ann", "lives in", "Kyoto")], at=datetime(2026, 1, 5, tzinfo=UTC)
    )
    assert text(use(shop, ada, "agent_facts", entity="kyoto")) == "Ann lives in Kyoto"
    assert text(use(shop, ada, "agent_facts", entity="Oslo")) == "Nothing is known."


def test_an_error_is_told(shop: Shop, ada: Agent, endpoint: ScriptedEndpoint) -> None:
    endpoint.play([fault("status 400", "no such model")])
    result = use(shop, ada, "send_message", text="Hi!")
    assert result.is_error
    assert "no such model" in text(result)
    unknown = use(shop, ada, "agent_memory", agent="adam")
    assert unknown.is_error
    assert "ada" in text(unknown)
