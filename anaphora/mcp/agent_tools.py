"""The MCP tools for agents with memories, whose docstrings the calling model reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from anaphora.agents.agent import Agent
from anaphora.core.name_hints import did_you_mean
from anaphora.errors import AgentError
from anaphora.ltm.retrieval.store import UserKey
from anaphora.mcp import agent_schemas as schemas
from anaphora.mcp.tools import to_result, tool_errors

__all__ = ["AgentTools"]

_Agent = Annotated[
    str, Field(description="The name of an agent, as `agents` lists them. Default: the first.")
]
_User = Annotated[
    str, Field(description="Who talks to the agent. Omit it if you act for one user only.")
]
_Page = Annotated[int, Field(ge=1, description="The page of the results, from 1.")]


class AgentTools:
    """The tools of ``agents``, of which there is at least one. ``user`` is the default user.

    The methods block, so they run in threads. They raise the agents' errors as ``ToolError``.
    """

    def __init__(self, agents: Iterable[Agent], user: str) -> None:
        self._agents = {agent.name: agent for agent in agents}
        self._user = user

    def agents(self) -> Annotated[CallToolResult, schemas.Agents]:
        """List the agents: language models that remember their users from one conversation to the
        next."""
        found = schemas.to_agents(list(self._agents.values()))
        return to_result(str(found), found)

    def send_message(
        self,
        text: Annotated[str, Field(description="The message, in the words of the user.")],
        agent: _Agent = "",
        user: _User = "",
    ) -> Annotated[CallToolResult, schemas.AgentReply]:
        """Send a message of a user to an agent and return what it says; this may take minutes.

        The agent remembers the user: do not repeat what was said before. `steps` has its thoughts
        and the functions that it called.
        """
        with tool_errors():
            found, user = self._resolve(agent, user)
            answer = found.send(text, user=user)
            reply = schemas.to_reply(answer, agent=found.name, user=user)
            return to_result(str(reply), reply)

    def agent_memory(
        self, agent: _Agent = "", user: _User = ""
    ) -> Annotated[CallToolResult, schemas.AgentMemory]:
        """Show what an agent always knows of a user: its core memory, its declared memories, and
        the summary of the older conversation."""
        with tool_errors():
            memory = schemas.to_memory(*self._resolve(agent, user))
            return to_result(str(memory), memory)

    def agent_search(
        self,
        query: Annotated[str, Field(min_length=1, description="What to look for.")],
        where: Annotated[
            Literal["conversation", "archive"],
            Field(description="What was said, or documents and notes."),
        ] = "conversation",
        agent: _Agent = "",
        user: _User = "",
        page: _Page = 1,
    ) -> Annotated[CallToolResult, schemas.FoundTexts]:
        """Search the conversation of an agent with a user, or its documents and notes."""
        with tool_errors():
            source, user = self._resolve(agent, user)
            if where == "conversation":
                found = schemas.to_said(source.recall(query, user=user, page=page))
            elif query.strip():
                found = schemas.to_passages(source.search_archive(query, user=user, page=page))
            else:
                raise AgentError("the query is empty")
            return to_result(str(found), found)

    def agent_facts(
        self,
        entity: Annotated[str, Field(description="A person, a place or anything else.")],
        agent: _Agent = "",
        user: _User = "",
    ) -> Annotated[CallToolResult, schemas.Facts]:
        """Show the facts about an entity that an agent has learned from a user."""
        with tool_errors():
            source, user = self._resolve(agent, user)
            if source.graph is None:
                raise AgentError(f"the agent '{source.name}' has no knowledge graph")
            facts = source.graph.neighbourhood(UserKey(user), entity)
            found = schemas.to_facts(facts)
            return to_result(str(found), found)

    def _resolve(self, name: str, user: str) -> tuple[Agent, str]:
        agent = self._agents.get(name) if name else next(iter(self._agents.values()))
        if agent is None:
            hint = did_you_mean(name, self._agents, label="there are")
            raise AgentError(f"there is no agent '{name}'; {hint}")
        return agent, user or self._user
