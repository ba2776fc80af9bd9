"""The MCP server: the tools of an engine, and a resource for each of its models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from inspect import cleandoc
from typing import Any
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resources import FunctionResource
from mcp_types import ToolAnnotations

from anaphora.agents.agent import Agent
from anaphora.engine.engine import Engine
from anaphora.mcp.agent_tools import AgentTools
from anaphora.mcp.model_page import describe_model
from anaphora.mcp.tools import Tools
from anaphora.version import __version__

__all__ = ["create_server"]

_INSTRUCTIONS = """\
A dialog bot that understands incomplete questions: it remembers earlier questions and completes \
a follow-up from them. Pass on the user's own words with the tool `ask`, one question per \
call, and don't complete them yourself. `memory` shows what is remembered, `reset` forgets it, \
`explain` explains an answer."""
_AGENT_INSTRUCTIONS = """\
 `send_message` talks to an agent: a language model that remembers its users; `agent_memory`, \
`agent_search` and `agent_facts` show what it knows."""


def create_server(
    engine: Engine, *, agents: Iterable[Agent] = (), user: str = "user"
) -> MCPServer[Any]:
    """Create an MCP server for ``engine`` and ``agents``. ``user`` is the default user of its
    tools.

    ``run()`` serves it over the standard input and output; it is an ``MCPServer`` of the official
    SDK with all its features. It does not close the engine and the agents.
    """
    agents = tuple(agents)
    server: MCPServer[Any] = MCPServer(
        "anaphora",
        title="Anaphora",
        version=__version__,
        instructions=_INSTRUCTIONS + (_AGENT_INSTRUCTIONS if agents else ""),
        log_level="WARNING",
    )
    tools = Tools(engine, user)
    reads = ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    # A handler may have any effect, such as ordering a pizza.
    asks = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False)
    forgets = ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    )
    _add(server, tools.ask, "Ask the bot", asks)
    _add(server, tools.explain, "Explain an answer", reads)
    _add(server, tools.memory, "Show the memory", reads)
    _add(server, tools.reset, "Forget", forgets)
    _add(server, tools.models, "List the models", reads)
    if agents:
        # A function of an agent may have any effect.
        _add_agent_tools(server, AgentTools(agents, user), reads=reads, sends=asks)
    for model in engine.models:
        server.add_resource(
            FunctionResource(
                uri=f"anaphora://models/{quote(model.id, safe='')}",
                name=model.id,
                title=model.name or model.id,
                description=model.description or f"What the model {model.id} understands",
                mime_type="text/markdown",
                fn=partial(_about, engine, model.id),
            )
        )
    return server


def _add_agent_tools(
    server: MCPServer[Any], tools: AgentTools, *, reads: ToolAnnotations, sends: ToolAnnotations
) -> None:
    _add(server, tools.agents, "List the agents", reads)
    _add(server, tools.send_message, "Send a message to an agent", sends)
    _add(server, tools.agent_memory, "Show the memory of an agent", reads)
    _add(server, tools.agent_search, "Search the memory of an agent", reads)
    _add(server, tools.agent_facts, "Show facts that an agent knows", reads)


def _add(
    server: MCPServer[Any], tool: Callable[..., Any], title: str, annotations: ToolAnnotations
) -> None:
    server.add_tool(
        tool, title=title, description=cleandoc(tool.__doc__ or ""), annotations=annotations
    )


def _about(engine: Engine, id: str) -> str:
    return describe_model(engine.model(id))
