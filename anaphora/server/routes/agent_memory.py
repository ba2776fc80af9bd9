"""The memories of agents: core memory, queue, recall memory, archive, steps, usage, graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from anaphora.api import agents as api
from anaphora.api.long_term_memory import RecallPage
from anaphora.core.request import User
from anaphora.engine.identity import tenant_id
from anaphora.ltm.retrieval.store import UserKey
from anaphora.server.problems import ProblemError
from anaphora.server.routes.agents import AgentName, get_agents
from anaphora.server.routes.authentication import Caller, require_scope
from anaphora.server.routes.common import get_service, json_response, read_body
from anaphora.server.schemas.agent_requests import (
    AgentArchiveQuery,
    AgentDocument,
    AgentGraphQuery,
    AgentRecallQuery,
    AgentSourceQuery,
    AgentStepsQuery,
    BlockValue,
    MemoryValue,
)
from anaphora.server.schemas.agent_serializers import (
    serialize_answer,
    serialize_archive_page,
    serialize_core,
    serialize_entities,
    serialize_facts,
    serialize_queue,
    serialize_sources,
    serialize_usage,
)
from anaphora.server.schemas.memory_serializers import serialize_recall_page
from anaphora.server.schemas.openapi import describe
from anaphora.server.schemas.requests import UserQuery

if TYPE_CHECKING:
    from anaphora.agents.agent import Agent

__all__ = ["router"]

_ReadCaller = Annotated[Caller, Depends(require_scope("read"))]
_PollCaller = Annotated[Caller, Depends(require_scope("read", bucket="poll"))]
_WriteCaller = Annotated[Caller, Depends(require_scope("write"))]
_UserQuery = Annotated[UserQuery, Query()]
_Label = Annotated[str, Path(description="The label of the block.", examples=["human"])]
_MemoryName = Annotated[str, Path(description="The name of the memory.", examples=["character"])]

router = APIRouter(prefix="/v1/agents/{agent}", tags=["agents"])


@router.get(
    "/core",
    summary="Show the core memory of an agent",
    **describe("showCore", api.AgentCore, "unknown-agent", "invalid-request"),
)
async def core(
    request: Request, caller: _PollCaller, agent: AgentName, query: _UserQuery
) -> Response:
    """Return the blocks that are part of every prompt for a user, and the values of the declared
    memories."""
    found, user = get_agents(request).get(agent), caller.engine_user(query.user)
    return json_response(await _load_core(request, found, user))


@router.put(
    "/core/{label}",
    summary="Edit a block of the core memory",
    **describe(
        "editBlock",
        api.AgentCore,
        "unknown-agent",
        "not-found",
        "conflict",
        "agent-refused",
        body=BlockValue,
    ),
)
async def edit_block(
    request: Request, caller: _WriteCaller, agent: AgentName, label: _Label
) -> Response:
    """Set the value of a block, also of one that the agent may not edit. An answer in progress is
    finished first."""
    body = await read_body(request, BlockValue)
    found, user = get_agents(request).get(agent), caller.engine_user(body.user)
    _check_name(label, [block.label for block in found.blocks], "block", "blocks")
    return await _edit_core(request, found, user, partial(found.edit_block, label, body.value))


@router.put(
    "/memories/{name}",
    summary="Edit a declared memory",
    **describe(
        "editMemory",
        api.AgentCore,
        "unknown-agent",
        "not-found",
        "conflict",
        "agent-refused",
        body=MemoryValue,
    ),
)
async def edit_memory(
    request: Request, caller: _WriteCaller, agent: AgentName, name: _MemoryName
) -> Response:
    """Set the value of a declared memory of the type `state`, also of one that is written once. An
    answer in progress is finished first."""
    body = await read_body(request, MemoryValue)
    found, user = get_agents(request).get(agent), caller.engine_user(body.user)
    _check_name(name, found.memory_names, "memory", "memories")
    return await _edit_core(request, found, user, partial(found.edit_memory, name, body.value))


@router.get(
    "/queue",
    summary="Show the messages in the prompt of an agent",
    **describe("showQueue", api.AgentQueue, "unknown-agent", "invalid-request"),
)
async def queue(
    request: Request, caller: _PollCaller, agent: AgentName, query: _UserQuery
) -> Response:
    """Return the messages that the next prompt for a user contains, the summary of those that it
    does not contain any more, and the tokens of its parts."""
    found, user = get_agents(request).get(agent), caller.engine_user(query.user)

    def load() -> api.AgentQueue:
        tenant = tenant_id(user)
        size = found.context_size(user.id, tenant=tenant)
        state = found.state(user.id, tenant=tenant)
        return serialize_queue(state, size, agent=agent, user=user.id)

    return json_response(await get_service(request).run(load))


@router.get(
    "/steps",
    summary="Show the last events of an agent",
    **describe("showSteps", api.AgentAnswers, "unknown-agent", "invalid-request"),
)
async def steps(
    request: Request,
    caller: _PollCaller,
    agent: AgentName,
    query: Annotated[AgentStepsQuery, Query()],
) -> Response:
    """Return what the agent did with the last events of a user, oldest first, also with the one
    that it is processing."""
    found, user = get_agents(request).get(agent), caller.engine_user(query.user)

    def load() -> api.AgentAnswers:
        answers = found.answers(user.id, tenant=tenant_id(user), limit=query.limit)
        shown = [serialize_answer(one, agent=agent, user=user.id) for one in answers]
        return api.AgentAnswers(agent, user.id, tuple(shown))

    return json_response(await get_service(request).run(load))


@router.get(
    "/usage",
    summary="Show what the model of an agent was used for",
    **describe("showUsage", api.AgentUsage, "unknown-agent", "invalid-request"),
)
async def usage(
    request: Request, caller: _PollCaller, agent: AgentName, query: _UserQuery
) -> Response:
    """Return the calls and tokens of the language model for a user: in all, and on the last day."""
    found, user = get_agents(request).get(agent), caller.engine_user(query.user)

    def load() -> api.AgentUsage:
        state = found.state(user.id, tenant=tenant_id(user))
        return serialize_usage(state, agent=agent, user=user.id)

    return json_response(await get_service(request).run(load))


@router.get(
    "/recall",
    summary="Search the conversation with an agent",
    **describe("recallAgent", RecallPage, "unknown-agent", "invalid-request"),
)
async def recall(
    request: Request,
    caller: _ReadCaller,
    agent: AgentName,
    query: Annotated[AgentRecallQuery, Query()],
) -> Response:
    """Search everything that a user and the agent said; without a query, list it, newest first."""
    found, user = get_agents(request).get(agent), caller.engine_user(query.user)

    def search() -> RecallPage:
        page = found.recall(query.q, user=user.id, tenant=tenant_id(user), page=query.page)
        return serialize_recall_page(page, user.id)

    return json_response(await get_service(request).run(search))


@router.get(
    "/archive",
    summary="Search the archival memory of an agent",
    **describe("searchArchive", api.AgentArchivePage, "unknown-agent", "invalid-request"),
)
async def search_archive(
    request: Request,
    caller: _ReadCaller,
    agent: AgentName,
    query: Annotated[AgentArchiveQuery, Query()],
) -> Response:
    """Search the documents of the agent and its notes for a user; without a query, list their
    sources."""
    found, user = get_agents(request).get(agent), caller.engine_user(query.user)

    def search() -> api.AgentArchivePage:
        tenant = tenant_id(user)
        if query.q.strip():
            page = found.search_archive(query.q, user=user.id, tenant=tenant, page=query.page)
            return serialize_archive_page(page, found, user.id)
        own, shared = found.sources(user.id, tenant=tenant), found.sources()
        return serialize_sources(own, shared, agent=agent, user=user.id)

    return json_response(await get_service(request).run(search))


@router.post(
    "/archive",
    summary="Add a text to the archival memory of an agent",
    **describe(
        "addToArchive", api.ArchiveChange, "unknown-agent", "agent-refused", body=AgentDocument
    ),
)
async def add_to_archive(request: Request, caller: _WriteCaller, agent: AgentName) -> Response:
    """Add a text to the archival memory, in place of what its source had before. For all users,
    which needs the scope `admin`, or for one."""
    from anaphora.agents.archive.document import Document

    body = await read_body(request, AgentDocument)
    found, owner = get_agents(request).get(agent), _archive_owner(caller, body.user)
    document = Document.from_text(body.source, body.text)
    request.scope["anaphora.text"] = body.text
    added = await get_service(request).run_to_completion(lambda: found.load([document], **owner))
    return json_response(api.ArchiveChange(agent, body.source, owner["user"], added))


@router.delete(
    "/archive",
    summary="Remove a source from the archival memory of an agent",
    **describe("removeFromArchive", api.ArchiveChange, "unknown-agent", "invalid-request"),
)
async def remove_from_archive(
    request: Request,
    caller: _WriteCaller,
    agent: AgentName,
    query: Annotated[AgentSourceQuery, Query()],
) -> Response:
    """Remove all passages of a source: of all users, which needs the scope `admin`, or of one."""
    found, owner = get_agents(request).get(agent), _archive_owner(caller, query.user)
    removed = await get_service(request).run_to_completion(
        lambda: found.remove(query.source, **owner)
    )
    return json_response(api.ArchiveChange(agent, query.source, owner["user"], removed))


@router.get(
    "/graph",
    summary="Show a part of the knowledge graph",
    **describe("showGraph", api.AgentGraph, "unknown-agent", "no-graph", "invalid-request"),
)
async def graph(
    request: Request,
    caller: _ReadCaller,
    agent: AgentName,
    query: Annotated[AgentGraphQuery, Query()],
) -> Response:
    """Return the facts around an entity that hold at a time; without an entity, the entities that
    were mentioned most and last."""
    found, user = get_agents(request).get(agent), caller.engine_user(query.user)
    graph = found.graph
    if graph is None:
        raise ProblemError(
            "no-graph",
            "The agent has no knowledge graph; its file can declare one ('type: graph').",
        )

    def load() -> api.AgentGraph:
        owner = UserKey(user.id, tenant_id(user))
        if query.entity is None:
            entities = graph.entities(owner, at=query.at)
            return serialize_entities(entities, agent=agent, user=user.id)
        facts = graph.neighbourhood(
            owner, query.entity, depth=1 if query.depth == 1 else 2, at=query.at
        )
        return serialize_facts(facts, query.entity, agent=agent, user=user.id)

    return json_response(await get_service(request).run(load))


async def _load_core(request: Request, found: Agent, user: User) -> api.AgentCore:
    def load() -> api.AgentCore:
        tenant = tenant_id(user)
        core, memories = found.core(user.id, tenant=tenant), found.memories(user.id, tenant=tenant)
        return serialize_core(core, memories, agent=found.name, user=user.id)

    return await get_service(request).run(load)


async def _edit_core(
    request: Request, found: Agent, user: User, edit: Callable[..., None]
) -> Response:
    """Edit the core memory of a user when no answer is in progress, and return it."""
    owned = partial(edit, user=user.id, tenant=tenant_id(user))
    await get_agents(request).change(found, user, owned)
    return json_response(await _load_core(request, found, user))


def _check_name(name: str, known: Sequence[str], kind: str, kinds: str) -> None:
    """Raise :class:`ProblemError` if an agent has no block or memory with this name."""
    if name not in known:
        listed = ", ".join(known) or "none"
        raise ProblemError("not-found", f"The agent has no such {kind}; its {kinds} are {listed}.")


def _archive_owner(caller: Caller, named: str | None) -> dict[str, Any]:
    """Return the owner of an archive, as arguments of the agent.

    Raises :class:`ProblemError` for an archive that the key may not change.
    """
    if named is not None:
        user = caller.engine_user(named)
        return {"user": user.id, "tenant": tenant_id(user)}
    if not caller.is_admin or caller.key.user is not None:
        raise ProblemError(
            "forbidden",
            "The archive that all users share needs a key with the scope 'admin'; name a user.",
        )
    return {"user": None}
