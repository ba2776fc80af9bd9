"""The context of a call of the agent's own functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anaphora.agents.context.blocks import CoreMemory
from anaphora.agents.functions.function import FunctionContext
from anaphora.agents.state.messages import Message
from anaphora.agents.state.records import Record

__all__ = ["RunContext"]


@dataclass(frozen=True, slots=True)
class RunContext(FunctionContext):
    """What the agent's own functions need: they ``emit`` records, which are stored together with
    the result. ``may_repeat``: the call may have run before a crash."""

    core: CoreMemory
    event: str
    emit: Callable[[Record], None]
    may_repeat: bool
    read_message: Callable[[int], Message | None]
