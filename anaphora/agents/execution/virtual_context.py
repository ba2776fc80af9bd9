"""The planner of an agent that manages its own memory, as MemGPT does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anaphora.agents.execution.graph_memory import GraphMemory
from anaphora.agents.execution.services import AgentView, MemoryUpdate, Plan
from anaphora.agents.functions.function import FunctionSet
from anaphora.errors import AgentError

__all__ = ["VirtualContext"]


@dataclass(frozen=True, slots=True)
class VirtualContext:
    """The same ``instructions`` and ``functions`` at each step, the whole queue, and what the
    knowledge ``graph`` tells of the last message, if there is one."""

    instructions: str
    functions: FunctionSet
    graph: GraphMemory | None = None

    @property
    def has_updates(self) -> bool:
        return self.graph is not None and bool(self.graph.every)

    def plan(self, view: AgentView) -> Plan:
        sections = () if self.graph is None else (self.graph.section(view),)
        return Plan(self.instructions, self.functions, sections)

    def update(self, update: MemoryUpdate) -> None:
        """Let the model find facts; it edits its other memories itself."""
        if self.graph is not None:
            self.graph.update(update)

    def check_value(self, name: str, value: Any) -> Any:
        raise AgentError(f"the agent declares no memory '{name}'")

    @property
    def uses_core(self) -> bool:
        return True

    @property
    def shown_memories(self) -> frozenset[str]:
        return frozenset()

    @property
    def recall_models(self) -> tuple[str, ...]:
        return ()
