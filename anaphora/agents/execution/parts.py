"""The parts of an agent that a planner is made of."""

from __future__ import annotations

from dataclasses import dataclass

from anaphora.agents.execution.graph_memory import GraphMemory
from anaphora.agents.functions.function import AgentFunction, FunctionSet
from anaphora.ltm.memory import LongTermMemory

__all__ = ["AgentParts"]


@dataclass(frozen=True, slots=True)
class AgentParts:
    """The ``name`` of an agent, the ``window`` of its model in tokens, its long-term memory and
    knowledge graph, and its functions by what they serve."""

    name: str
    window: int
    memory: LongTermMemory
    graph: GraphMemory | None
    core: tuple[AgentFunction, ...]
    recall: tuple[AgentFunction, ...]
    archive: tuple[AgentFunction, ...]
    others: tuple[AgentFunction, ...]

    @property
    def all_functions(self) -> FunctionSet:
        """All functions."""
        of_graph = () if self.graph is None else self.graph.functions()
        return FunctionSet((*self.core, *self.recall, *self.archive, *of_graph, *self.others))
