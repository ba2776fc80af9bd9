"""What the execution of events needs, and how declared memories take part in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from anaphora.agents.context.blocks import Block, CoreMemory
from anaphora.agents.context.main_context import Section
from anaphora.agents.context.summary import RecursiveSummarizer
from anaphora.agents.execution.limits import AgentLimits, AgentTexts
from anaphora.agents.functions.function import FunctionSet
from anaphora.agents.state.messages import Message
from anaphora.agents.state.state import AgentState
from anaphora.agents.store.store import AgentKey, AgentStore
from anaphora.chat_model.chat_model import ChatModel
from anaphora.chat_model.messages import ChatMessage, Completion, ToolSchema
from anaphora.ltm.memory import LongTermMemory

__all__ = [
    "AgentServices",
    "AgentView",
    "AskModel",
    "MemoryUpdate",
    "Plan",
    "Planner",
]


@dataclass(frozen=True, slots=True)
class AgentView:
    """An agent with a user, as memories see it: its ``state``, its core memory, and the ``time``
    of the event. ``question`` is what the user said last."""

    key: AgentKey
    state: AgentState
    core: CoreMemory
    at: datetime

    @property
    def question(self) -> str:
        said = (one.text for one in reversed(self.state.queue) if one.is_user_message)
        return next(said, "")


@dataclass(frozen=True, slots=True)
class Plan:
    """What the model gets at a step: its standing ``instructions``, further ``sections`` of the
    system message, the ``functions`` that it can call, and how many of the ``last`` messages of
    the queue it sees (None: all). ``shows_core``: it sees the core memory."""

    instructions: str
    functions: FunctionSet
    sections: tuple[Section, ...] = ()
    last: int | None = None
    shows_core: bool = True


class AskModel(Protocol):
    """Calls the model of an agent, and counts the usage."""

    def __call__(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = (), *, purpose: str
    ) -> Completion: ...


class MemoryUpdate(Protocol):
    """The update of memories after an event."""

    @property
    def view(self) -> AgentView: ...

    @property
    def messages(self) -> Sequence[Message]:
        """The messages of the event."""

    @property
    def sent(self) -> Sequence[str]:
        """What the agent said to the user."""

    def ask(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = (), *, purpose: str
    ) -> Completion:
        """Call the model. Raises :class:`~anaphora.errors.ChatModelError`."""

    def change(self, name: str, value: Any) -> None:
        """Set the value of a memory (plain data). All changes of an update become visible at
        once."""


class Planner(Protocol):
    """Decides what the model sees, and updates memories after each event."""

    @property
    def has_updates(self) -> bool:
        """Whether :meth:`update` does anything."""

    def plan(self, view: AgentView) -> Plan:
        """Return the plan of the next step."""

    def update(self, update: MemoryUpdate) -> None:
        """Update the memories after an event; it may run again if a process dies. Errors of the
        model leave the memories as they were."""

    def check_value(self, name: str, value: Any) -> Any:
        """Return a value that a user wants to write to a memory (None: none) in its stored form.
        Raises :class:`~anaphora.errors.AgentError` if the memory cannot have it."""

    @property
    def uses_core(self) -> bool:
        """Whether the model ever sees the core memory."""

    @property
    def shown_memories(self) -> frozenset[str]:
        """The names of the memories whose values mean something to people."""

    @property
    def recall_models(self) -> tuple[str, ...]:
        """The conversations of the long-term memory that the memories keep beside the dialog."""


@dataclass(frozen=True, slots=True)
class AgentServices:
    """The parts of an agent that all its users share."""

    name: str
    model: ChatModel
    store: AgentStore
    memory: LongTermMemory
    planner: Planner
    blocks: tuple[Block, ...]
    summarizer: Callable[[AskModel], RecursiveSummarizer]
    limits: AgentLimits
    texts: AgentTexts
    count_passages: Callable[[AgentKey], int]
    clock: Callable[[], datetime]
    monotonic: Callable[[], float]
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def mask_data(self, value: Any) -> Any:
        """Mask all texts in plain data."""
        match value:
            case str():
                return self.mask(value)
            case list() | tuple():
                return [self.mask_data(item) for item in value]
            case dict():
                return {self.mask_data(key): self.mask_data(item) for key, item in value.items()}
        return value

    def mask_arguments(self, arguments: str) -> str:
        """Mask the arguments of a call: JSON may write a secret with escapes."""
        try:
            values = json.loads(arguments)
        except (ValueError, RecursionError):
            return self.mask(arguments)
        masked = self.mask_data(values)
        return arguments if masked == values else json.dumps(masked, ensure_ascii=False)

    def mask(self, text: str) -> str:
        """Replace secrets in a text, and lone surrogates, which no store can keep."""
        for secret in self.secrets:
            text = text.replace(secret, "…")
        return text.encode("utf-8", "replace").decode()
