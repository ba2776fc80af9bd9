"""What an agent remembers, as declared: memories by name, and a state machine over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from anaphora.agents.execution.graph_memory import GRAPH_POSITION
from anaphora.agents.memories.state_schema import StateSchema
from anaphora.errors import AgentError

__all__ = [
    "PART_FUNCTIONS",
    "ConversationMemory",
    "Declarations",
    "GenerativeMemory",
    "MachineState",
    "Memory",
    "PartMemory",
    "Reflection",
    "SemanticMemory",
    "StateMemory",
    "Weights",
]


@dataclass(frozen=True, slots=True)
class ConversationMemory:
    """The ``last`` exchanges before the present event; None: all that fit, older ones as a
    summary."""

    name: str
    last: int | None = None


@dataclass(frozen=True, slots=True)
class SemanticMemory:
    """The ``k`` earlier exchanges that are most similar to what the user says."""

    name: str
    k: int = 4


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the three parts of the score of a generative memory."""

    recency: float = 1.0
    relevance: float = 1.0
    importance: float = 1.0


@dataclass(frozen=True, slots=True)
class Reflection:
    """When to reflect: as soon as the importance of new entries sums up to ``after_importance``, or
    after ``every`` turns (None: never for that reason)."""

    after_importance: int | None = 150
    every: int | None = None


@dataclass(frozen=True, slots=True)
class GenerativeMemory:
    """Entries with a time and an importance, of which ``k`` are retrieved by recency, relevance and
    importance; and insights into them."""

    name: str
    k: int = 8
    weights: Weights = field(default_factory=Weights)
    reflect: Reflection = field(default_factory=Reflection)


@dataclass(frozen=True, slots=True)
class StateMemory:
    """A value with a ``schema``, written by the model with a function.

    ``update`` "once": until it is complete, by the model in the dialog; "every_turn": after each
    message of the user, by a call of its own; "on_demand": by the model in the dialog, at any time.
    It is updated only when the memory ``after`` is complete. ``whole``: an incomplete value is
    refused; otherwise fields are collected one by one. ``prompt`` says what belongs in it.
    """

    name: str
    schema: StateSchema
    update: Literal["once", "every_turn", "on_demand"] = "on_demand"
    whole: bool = False
    after: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class PartMemory:
    """A part of an agent that manages its own memory: the ``core`` blocks, ``recall``, ``archive``
    or the knowledge ``graph``, with the functions that edit or search it."""

    name: str
    part: Literal["core", "recall", "archive", "graph"]


PART_FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "core": ("send_message", "core_memory_append", "core_memory_replace", "pause_heartbeats"),
    "recall": ("conversation_search", "conversation_search_date"),
    "archive": ("archival_memory_insert", "archival_memory_search"),
    "graph": ("knowledge_graph_search",),
}
"""The names of the functions of each part."""

Memory: TypeAlias = (
    ConversationMemory | SemanticMemory | GenerativeMemory | StateMemory | PartMemory
)


@dataclass(frozen=True, slots=True)
class MachineState:
    """A state of an agent, which lasts ``until`` a memory is complete ("": for good) and is
    followed by ``next`` ("": the next one declared).

    ``prompt`` is added to the instructions, ``uses`` are the memories that the model sees (None:
    all), ``tools`` what it can call: names of functions, or of memories for theirs (None: all that
    the memories in use have, and all other functions).
    """

    name: str
    prompt: str = ""
    until: str = ""
    next: str = ""
    uses: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Declarations:
    """The memories of an agent, and the states that it goes through (none: always the same).

    Raises :class:`AgentError` for a name that is used twice, is not declared or is no word, for
    states that follow each other in a circle or end at once, and for memories that wait for each
    other.
    """

    memories: tuple[Memory, ...]
    states: tuple[MachineState, ...] = ()

    def __post_init__(self) -> None:
        for names in ([one.name for one in self.memories], [one.name for one in self.states]):
            for name in names:
                if not name.isidentifier():
                    raise AgentError(f"'{name}' cannot be a name: use a word like 'quest'")
                if names.count(name) > 1:
                    raise AgentError(f"two declarations are called '{name}': rename one")
        for name in self.state_memories:
            self._check_order(name)
        if any(isinstance(one, PartMemory) and one.part == "graph" for one in self.memories):
            self._check_graph_name()
        for state in self.states:
            if state.until and not self._find_state_memory(state.until).schema.missing(None):
                raise AgentError(
                    f"the state '{state.name}' ends at once: no field of '{state.until}' is "
                    "required"
                )
            for name in state.uses or ():
                if name not in self.by_name:
                    raise AgentError(f"the state '{state.name}' uses no declared memory '{name}'")
        _check_sequence(self.states)

    @property
    def by_name(self) -> Mapping[str, Memory]:
        return {one.name: one for one in self.memories}

    @property
    def state_memories(self) -> Mapping[str, StateMemory]:
        return {one.name: one for one in self.memories if isinstance(one, StateMemory)}

    @property
    def generative_memories(self) -> tuple[GenerativeMemory, ...]:
        return tuple([one for one in self.memories if isinstance(one, GenerativeMemory)])

    def _check_order(self, name: str) -> None:
        """Check that a memory does not wait for itself."""
        waiting = [name]
        while after := self._find_state_memory(waiting[-1]).after:
            if after in waiting:
                raise AgentError(f"the memories {', '.join(waiting)} wait for each other")
            waiting.append(after)

    def _check_graph_name(self) -> None:
        """Check that no value is stored under the name that the graph uses."""
        memory = self.by_name.get(GRAPH_POSITION)
        if isinstance(memory, StateMemory | GenerativeMemory):
            raise AgentError(f"only a memory of type graph can be called '{GRAPH_POSITION}'")

    def _find_state_memory(self, name: str) -> StateMemory:
        try:
            return self.state_memories[name]
        except KeyError:
            raise AgentError(f"there is no memory '{name}' of the type state") from None


def _check_sequence(states: Sequence[MachineState]) -> None:
    """Check that states that end lead to one that does not."""
    by_name = {one.name: at for at, one in enumerate(states)}
    for state in states:
        if state.next and state.next not in by_name:
            raise AgentError(f"the state '{state.name}' is followed by no state '{state.next}'")
    for start in range(len(states)):
        at, seen = start, set[int]()
        while at < len(states) and states[at].until:
            if at in seen:
                raise AgentError(
                    f"the states after '{states[start].name}' follow each other in a circle"
                )
            seen.add(at)
            at = by_name[states[at].next] if states[at].next else at + 1
