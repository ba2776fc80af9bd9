"""Opens the stores of an agent, those that are given as URLs beside each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from anaphora.agents.archive.archive import Archive
from anaphora.agents.graph.graph import KnowledgeGraph
from anaphora.agents.store.store import AgentStore
from anaphora.agents.store.urls import open_agent_store, sibling_url
from anaphora.ltm.memory import LongTermMemory

__all__ = ["AgentStores", "open_stores"]

_BESIDE = "beside"


@dataclass(slots=True)
class AgentStores:
    """The stores of an agent, and how those that were opened for it are closed."""

    memory: LongTermMemory
    store: AgentStore
    archive: Archive
    graph: KnowledgeGraph | None
    closing: list[Callable[[], object]] = field(default_factory=list)


def open_stores(
    memory: LongTermMemory | str,
    store: AgentStore | str | None,
    archive: Archive | str | None,
    graph: KnowledgeGraph | str | None,
    clock: Callable[[], datetime],
) -> AgentStores:
    """Open what is given as a URL. Where a URL is left out, store and archive lie beside the
    memory, and so does the graph if its URL is "beside".

    Raises :class:`~anaphora.errors.StoreError`; then nothing stays open.
    """
    closing: list[Callable[[], object]] = []
    try:
        if not isinstance(memory, LongTermMemory):
            memory = LongTermMemory(memory, summarizer=None, clock=clock)
            closing.append(memory.close)
        if store is None or isinstance(store, str):
            store = open_agent_store(store or sibling_url(memory.url, "agents"))
            closing.append(store.close)
        if archive is None or isinstance(archive, str):
            archive = Archive(archive or sibling_url(memory.url, "archive"), clock=clock)
            closing.append(archive.close)
        if isinstance(graph, str):
            url = sibling_url(memory.url, "graph") if graph == _BESIDE else graph
            graph = KnowledgeGraph(url, clock=clock)
            closing.append(graph.close)
    except BaseException:
        for close in reversed(closing):
            close()
        raise
    return AgentStores(memory, store, archive, graph, closing)
