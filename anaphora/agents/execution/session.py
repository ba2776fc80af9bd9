"""An agent with a user, while it is locked: its state, and what is not stored yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from datetime import datetime

from msgspec.structs import replace

from anaphora.agents.context.blocks import CoreMemory
from anaphora.agents.context.fitting import fit_message
from anaphora.agents.context.summary import collect_exchanges, split_exchange
from anaphora.agents.execution.services import AgentServices, AgentView, Plan
from anaphora.agents.state.messages import Message
from anaphora.agents.state.records import EventBegun, MessageAdded, Record, UsageCounted
from anaphora.agents.state.state import AgentState, RunningEvent, apply_record
from anaphora.agents.store.store import AgentKey
from anaphora.chat_model.messages import Completion

__all__ = ["AgentSession"]

_EVENT_SHARE, _RESULT_SHARE = 0.25, 0.15  # of the window: the most that one message shows


@dataclass(slots=True)
class AgentSession:
    """The ``state`` of an agent with a user; :meth:`commit` stores what has changed it."""

    services: AgentServices
    key: AgentKey
    state: AgentState
    _staged: list[Record] = field(default_factory=list)
    _planned: tuple[AgentState, Plan] | None = None

    def stage(self, *records: Record) -> None:
        """Apply records to the state; :meth:`commit` stores them."""
        for record in records:
            self.state = apply_record(self.state, record)
            self._staged.append(record)

    def commit(self) -> None:
        """Store all staged records, all or nothing."""
        if self._staged:
            self.services.store.append(self.key, self._staged, self.state)
            self._staged = []

    @property
    def event(self) -> RunningEvent:
        """The running event."""
        assert self.state.event is not None
        return self.state.event

    @property
    def view(self) -> AgentView:
        """The agent as memories see it."""
        core, event = CoreMemory(self.services.blocks, self.state.blocks), self.state.event
        return AgentView(self.key, self.state, core, self.now() if event is None else event.at)

    @property
    def plan(self) -> Plan:
        """The plan of the next step."""
        if self._planned is None or self._planned[0] is not self.state:
            self._planned = self.state, self.services.planner.plan(self.view)
        return self._planned[1]

    def add(self, message: Message) -> None:
        """Stage a message; of a long one, the prompt shows only the beginning."""
        number = self.state.number + 1
        message = replace(message, number=number)
        characters = self.services.limits.result if message.kind == "result" else None
        model = self.services.model
        share = _RESULT_SHARE if message.kind == "result" else _EVENT_SHARE
        fitted = fit_message(
            message, model, characters=characters, tokens=int(share * model.window)
        )
        self.stage(MessageAdded(fitted))

    def add_event(self, text: str, name: str, *, call_id: str = "") -> None:
        """Stage a message of the kind "event"."""
        text = self.services.mask(text)
        self.add(Message("event", text, self.now(), self.event.id, name=name, call_id=call_id))

    def record_exchange(self, records: Sequence[Record]) -> None:
        """Add what was said in the records of an event to the long-term memory, which ignores it
        if it has it already."""
        begun = [one for one in records if isinstance(one, EventBegun)][-1]
        for exchange in collect_exchanges(records):
            for n, part in enumerate(split_exchange(exchange)):
                said = replace_fields(part, at=begun.at, clock=begun.clock + n)
                self.services.memory.add(self.key, said)

    def read_message(self, number: int) -> Message | None:
        """Return a message of the log, also one that has left the queue."""
        for message in self.state.queue:
            if message.number == number:
                return message
        found = self.services.store.records(self.key, after=number - 1, until=number)
        return found[0].message if found and isinstance(found[0], MessageAdded) else None

    def count_usage(self, completion: Completion, purpose: str) -> None:
        """Stage the usage of a call of the model."""
        used = completion.usage
        self.stage(
            UsageCounted(
                self.event.id,
                purpose,
                used.prompt_tokens,
                used.completion_tokens,
                used.seconds,
                self.now(),
            )
        )

    def now(self) -> datetime:
        """Return the time."""
        return self.services.clock()
