"""The planner of an agent with declared memories."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from anaphora.agents.context.main_context import Section
from anaphora.agents.execution.parts import AgentParts
from anaphora.agents.execution.services import AgentView, MemoryUpdate, Plan
from anaphora.agents.functions.function import AgentFunction, CallError, FunctionSet
from anaphora.agents.memories.conversation import count_units, join_texts, last_exchanges
from anaphora.agents.memories.declarations import (
    Declarations,
    GenerativeMemory,
    MachineState,
    Memory,
    PartMemory,
    SemanticMemory,
    StateMemory,
)
from anaphora.agents.memories.entries import entries_model
from anaphora.agents.memories.generative import GenerativeRun
from anaphora.agents.memories.section_cache import SectionCache
from anaphora.agents.memories.semantic import find_similar
from anaphora.agents.memories.state_machine import current_state
from anaphora.agents.memories.state_memory import (
    format_section,
    is_complete,
    is_due,
    memory_functions,
    update_state_memory,
)
from anaphora.agents.state.state import AgentState
from anaphora.errors import AgentError, AnaphoraError

__all__ = ["DeclaredMemories"]

_DIALOG_SHARE = 0.5  # characters of the dialog in an update, per token of the window
_REFLECTION_SHARE = 2.5  # characters of memories, of which fewer are sent if they do not fit

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DeclaredMemories:
    """Plans prompts from declared memories, and updates these after each event. See
    :class:`~anaphora.agents.execution.services.Planner`.

    Raises :class:`AgentError` if a state names a tool that does not exist.
    """

    declarations: Declarations
    parts: AgentParts
    instructions: str
    _cache: SectionCache = field(default_factory=SectionCache, repr=False, compare=False)

    def __post_init__(self) -> None:
        known = {*self.declarations.by_name, *[one.name for one in self._all_functions()]}
        for memory in self.declarations.state_memories.values():
            if memory.update != "every_turn":  # some functions are offered only later
                known |= {f"write_{memory.name}", f"correct_{memory.name}"}
        for state in self.declarations.states:
            for name in state.tools or ():
                if name not in known:
                    raise AgentError(
                        f"the state '{state.name}' names the tool '{name}', which is neither a "
                        "function nor a memory"
                    )

    @property
    def has_updates(self) -> bool:
        return any(
            isinstance(one, GenerativeMemory)
            or (isinstance(one, PartMemory) and one.part == "graph")
            or (isinstance(one, StateMemory) and one.update == "every_turn")
            for one in self.declarations.memories
        )

    def plan(self, view: AgentView) -> Plan:
        machine = self.machine_state(view.state)
        used = self._used(machine)
        functions = FunctionSet(tuple(self._functions(view, machine, used)))
        prompt = "" if machine is None else machine.prompt.strip()
        instructions = "\n\n".join(filter(None, [self.instructions.strip(), prompt]))
        last = count_units(view.state.queue, last_exchanges(used))
        return Plan(
            instructions,
            functions,
            tuple([one for memory in used for one in self._sections(view, memory)]),
            last,
            shows_core=any(isinstance(one, PartMemory) and one.part == "core" for one in used),
        )

    def machine_state(self, state: AgentState) -> MachineState | None:
        """Return the present state of the state machine; None without one."""
        memories = self.declarations.state_memories
        complete = {name for name, one in memories.items() if is_complete(state, one)}
        return current_state(self.declarations.states, complete)

    def update(self, update: MemoryUpdate) -> None:
        """Update each memory; one that fails stays as it was, and does not affect the others."""
        question, answer = join_texts(update, limit=self._longest)
        if not question:
            return
        dialog = f"User: {question}\nAssistant: {answer}"
        for memory in self.declarations.memories:
            try:
                self._update(update, memory, dialog)
            except AnaphoraError as error:
                _log.warning("the memory '%s' is not updated: %s", memory.name, error)

    def check_value(self, name: str, value: Any) -> Any:
        memory = self.declarations.state_memories.get(name)
        if memory is None:
            raise AgentError(f"the agent declares no memory '{name}' of the type state")
        if value is None:
            return None
        try:
            given = value if isinstance(value, dict) else {"text": value}
            return memory.schema.merge(None, given)
        except CallError as error:
            raise AgentError(f"the memory '{name}' cannot have this value: {error}") from error

    @property
    def uses_core(self) -> bool:
        memories = self.declarations.memories
        return any(isinstance(one, PartMemory) and one.part == "core" for one in memories)

    @property
    def shown_memories(self) -> frozenset[str]:
        return frozenset(self.declarations.state_memories)

    @property
    def recall_models(self) -> tuple[str, ...]:
        generative = self.declarations.generative_memories
        return tuple([entries_model(self.parts.name, one.name) for one in generative])

    def _update(self, update: MemoryUpdate, memory: Memory, dialog: str) -> None:
        match memory:
            case StateMemory(update="every_turn"):
                state, memories = update.view.state, self.declarations.state_memories
                if is_due(state, memory, memories):
                    others = [one for one in memories.values() if one.name != memory.name]
                    update_state_memory(update, memory, others, dialog=dialog)
            case GenerativeMemory():
                run = self._generative_run(update.view, memory)
                run.update(update, *join_texts(update, limit=self._longest))
            case PartMemory(part="graph") if self.parts.graph is not None:
                self.parts.graph.update(update)

    @property
    def _longest(self) -> int:
        """The most characters of what the user, or the agent, said in an update."""
        return int(_DIALOG_SHARE * self.parts.window / 2)

    @property
    def _reflection_length(self) -> int:
        """The most characters of memories in a reflection."""
        return int(_REFLECTION_SHARE * self.parts.window)

    def _used(self, machine: MachineState | None) -> Sequence[Memory]:
        memories = self.declarations.memories
        if machine is None or machine.uses is None:
            return memories
        return [one for one in memories if one.name in machine.uses]

    def _functions(
        self, view: AgentView, machine: MachineState | None, used: Sequence[Memory]
    ) -> list[AgentFunction]:
        tools = None if machine is None else machine.tools
        offered = [self._find_core("send_message")]
        if any(one.shown is not None for one in view.state.queue):
            offered.append(self._find_core("read_more"))
        source = used if tools is None else self.declarations.memories
        for memory in source:
            of_memory = self._memory_functions(view.state, memory)
            offered += [
                one
                for one in of_memory
                if tools is None or memory.name in tools or one.name in tools
            ]
        offered += [one for one in self.parts.others if tools is None or one.name in tools]
        return list({one.name: one for one in offered}.values())

    def _memory_functions(self, state: AgentState, memory: Memory) -> list[AgentFunction]:
        match memory:
            case StateMemory():
                return memory_functions(state, memory, self.declarations.state_memories)
            case PartMemory(part="core"):
                return [one for one in self.parts.core if one.name != "read_more"]
            case PartMemory(part="recall"):
                return list(self.parts.recall)
            case PartMemory(part="archive"):
                return list(self.parts.archive)
            case PartMemory(part="graph") if self.parts.graph is not None:
                return self.parts.graph.functions()
        return []

    def _sections(self, view: AgentView, memory: Memory) -> list[Section]:
        match memory:
            case StateMemory():
                return [format_section(view.state, memory)]
            case SemanticMemory():
                find = partial(
                    find_similar,
                    self.parts.memory,
                    view,
                    memory,
                    visible=self._visible_questions(view),
                )
                return [self._cache.get(view, memory.name, find)]
            case GenerativeMemory():
                run = self._generative_run(view, memory)
                return [self._cache.get(view, memory.name, run.section)]
            case PartMemory(part="graph") if self.parts.graph is not None:
                find = partial(self.parts.graph.section, view)
                return [self._cache.get(view, memory.name, find)]
        return []

    def _generative_run(self, view: AgentView, memory: GenerativeMemory) -> GenerativeRun:
        limit, visible = self._reflection_length, self._visible_questions(view)
        return GenerativeRun(self.parts.memory, memory, view, limit, visible)

    def _visible_questions(self, view: AgentView) -> frozenset[str]:
        """Return what the user says in the part of the queue that the prompt shows."""
        exchanges = last_exchanges(self._used(self.machine_state(view.state)))
        asked = [one.text for one in view.state.queue if one.is_user_message]
        return frozenset(asked if exchanges is None else asked[-exchanges - 1 :])

    def _find_core(self, name: str) -> AgentFunction:
        return next(one for one in self.parts.core if one.name == name)

    def _all_functions(self) -> list[AgentFunction]:
        own = [
            one
            for memory in self.declarations.memories
            for one in self._memory_functions(AgentState(), memory)
        ]
        return [*own, *self.parts.others]
