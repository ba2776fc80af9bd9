"""What was said in an event, as exchanges of the long-term memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anaphora.agents.context.summary import collect_exchanges, split_exchange
from anaphora.agents.execution.services import AgentServices
from anaphora.agents.state.records import EventBegun, Record
from anaphora.agents.store.store import AgentKey

__all__ = ["record_event"]


def record_event(services: AgentServices, key: AgentKey, records: Sequence[Record]) -> None:
    """Add what was said in an event to the long-term memory, which ignores it if it has it
    already."""
    begun = [one for one in records if isinstance(one, EventBegun)][-1]
    for exchange in collect_exchanges(records):
        for n, part in enumerate(split_exchange(exchange)):
            services.memory.add(key, replace(part, at=begun.at, clock=begun.clock + n))
