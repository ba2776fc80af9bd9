"""The planner of an agent that manages its own memory, as MemGPT does."""

from __future__ import annotations

from dataclasses import dataclass

from anaphora.agents.execution.functions import FunctionSet
from anaphora.agents.execution.services import AgentView, MemoryUpdate, Plan

__all__ = ["VirtualContext"]


@dataclass(frozen=True, slots=True)
class VirtualContext:
    """The same ``instructions`` and ``functions`` at each step, and the whole queue."""

    instructions: str
    functions: FunctionSet

    def plan(self, view: AgentView) -> Plan:
        return Plan(self.instructions, self.functions)

    def update(self, update: MemoryUpdate) -> None:
        """The model edits its memory itself."""
