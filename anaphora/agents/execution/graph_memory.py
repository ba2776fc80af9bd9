"""The knowledge graph as a memory of an agent: in its prompt, and as a function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Annotated, Literal

from pydantic import Field

from anaphora.agents.context.main_context import Section
from anaphora.agents.execution.services import AgentView, MemoryUpdate
from anaphora.agents.functions.context import RunContext
from anaphora.agents.functions.function import AgentFunction
from anaphora.agents.graph.extraction import learn_facts
from anaphora.agents.graph.facts import Fact
from anaphora.agents.graph.graph import KnowledgeGraph
from anaphora.agents.graph.rendering import render_graph
from anaphora.chat_model.messages import ChatMessage, Completion, ToolSchema
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.store import UserKey

__all__ = ["GRAPH_POSITION", "GraphMemory"]

_MAX_ENTITIES = 5  # named in a question, whose facts are shown
_MAX_FACTS = 20  # in a prompt, and in a result
GRAPH_POSITION = "graph"  # name of the memory that tells which exchanges have been read
_MAX_EXCHANGES = 20  # that are read at once


@dataclass(frozen=True, slots=True)
class GraphMemory:
    """Shows the facts about what a question names, offers the graph as a function, and lets the
    model find facts in the exchanges of the long-term ``memory`` after ``every`` turns (0: never).
    """

    graph: KnowledgeGraph
    memory: LongTermMemory
    every: int = 5

    def section(self, view: AgentView) -> Section:
        """Return the facts about the entities that the last message names."""
        owner = UserKey(view.key.user, view.key.tenant)
        facts: dict[int, Fact] = {}
        for entity in self.graph.find(owner, view.question)[:_MAX_ENTITIES]:
            around = self.graph.neighbourhood(owner, entity, limit=_MAX_FACTS)
            facts.update({fact.id: fact for fact in around})
        return Section("known_facts", render_graph(list(facts.values())[:_MAX_FACTS]))

    def functions(self) -> list[AgentFunction]:
        """Build the function that queries the graph."""

        def knowledge_graph_search(
            entity: Annotated[str, Field(description="a name; 'user' is the user")],
            context: RunContext,
            depth: Literal[1, 2] = 1,
            as_of: Annotated[date | None, Field(description="YYYY-MM-DD; now if left out")] = None,
        ) -> str:
            """Look up what is known about a person, place or thing, and what it is linked to."""
            owner = UserKey(context.user, context.tenant)
            at = None if as_of is None else datetime.combine(as_of, time.max, UTC)
            names = self.graph.find(owner, entity) or [entity]
            facts = [
                fact
                for name in names[:_MAX_ENTITIES]
                for fact in self.graph.neighbourhood(
                    owner, name, depth=depth, at=at, limit=_MAX_FACTS
                )
            ]
            return render_graph(facts) or f"Nothing is known about {entity}."

        return [AgentFunction.from_callable(knowledge_graph_search, repeatable=True)]

    def update(self, update: MemoryUpdate) -> None:
        """Let the model find facts in what was said since the last time.

        Raises :class:`~anaphora.errors.ChatModelError` if it cannot be asked.
        """
        view = update.view
        if not self.every or view.state.turn % self.every:
            return
        known = view.state.memories.get(GRAPH_POSITION)
        since = int(known.value) if known else 0
        said = self.memory.latest(view.key, _MAX_EXCHANGES)
        news = [one for one in reversed(said) if one.clock > since]
        if news:
            learn_facts(
                self.graph,
                _CountedModel(update),
                UserKey(view.key.user, view.key.tenant),
                news,
                model=view.key.model,
            )
            update.change(GRAPH_POSITION, news[-1].clock)


@dataclass(frozen=True, slots=True)
class _CountedModel:
    """The model of an agent, whose usage is counted."""

    update: MemoryUpdate

    def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = ()
    ) -> Completion:
        return self.update.ask(messages, tools, purpose="facts")
