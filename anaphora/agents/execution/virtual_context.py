"""The planner of an agent that manages its own memory, as MemGPT does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anaphora.agents.execution.functions import FunctionSet
from anaphora.agents.execution.services import AgentView, MemoryUpdate, Plan
from anaphora.errors import AgentError

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

    def check_value(self, name: str, value: Any) -> Any:
        raise AgentError(f"the agent declares no memory '{name}'")

    @property
    def recall_models(self) -> tuple[str, ...]:
        return ()
