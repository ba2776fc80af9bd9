"""The update of declared memories after an event."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from anaphora.agents.context.blocks import CoreMemory
from anaphora.agents.execution.services import AgentServices, AgentView
from anaphora.agents.state.messages import Message
from anaphora.agents.state.records import (
    MemoriesUpdated,
    MemoryChanged,
    MessageAdded,
    MessageSent,
    Record,
    UsageCounted,
)
from anaphora.agents.state.state import AgentState, replay
from anaphora.agents.store.store import AgentKey
from anaphora.chat_model.messages import ChatMessage, Completion, ToolSchema
from anaphora.errors import AnaphoraError

__all__ = ["MemoryUpdateRun"]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class MemoryUpdateRun:
    """Lets the planner update the memories that ``state`` owes. All changes are stored at once; if
    the planner fails, none is."""

    services: AgentServices
    key: AgentKey
    state: AgentState
    messages: Sequence[Message] = ()
    sent: Sequence[str] = ()
    _used: list[Record] = field(default_factory=list)
    _changes: list[Record] = field(default_factory=list)

    @property
    def view(self) -> AgentView:
        core = CoreMemory(self.services.blocks, self.state.blocks)
        at = self.messages[0].at if self.messages else self.services.clock()
        return AgentView(self.key, replay(self.state, self._changes), core, at)

    def run(self) -> AgentState:
        """Update the memories; return the state afterwards."""
        event = self.state.owed
        records = self.services.store.event_records(self.key, event)
        self.messages = [one.message for one in records if isinstance(one, MessageAdded)]
        self.sent = [one.text for one in records if isinstance(one, MessageSent)]
        try:
            self.services.planner.update(self)
        except AnaphoraError as error:
            _log.warning("the memories of '%s' are not updated: %s", self.services.name, error)
            self._changes.clear()
        done = [*self._used, *self._changes, MemoriesUpdated(event)]
        state = replay(self.state, done)
        self.services.store.append(self.key, done, state)
        return state

    def ask(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = (), *, purpose: str
    ) -> Completion:
        completion = self.services.model.complete(messages, tools)
        used = completion.usage
        self._used.append(
            UsageCounted(
                self.state.owed,
                purpose,
                used.prompt_tokens,
                used.completion_tokens,
                used.seconds,
                self.services.clock(),
            )
        )
        return completion

    def change(self, name: str, value: Any) -> None:
        masked = self.services.mask_data(value)
        self._changes.append(MemoryChanged(name, masked, self.state.turn))
