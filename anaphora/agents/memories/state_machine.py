"""The state of an agent, decided from its memories alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from anaphora.agents.memories.declarations import MachineState

__all__ = ["current_state"]


def current_state(states: Sequence[MachineState], complete: Collection[str]) -> MachineState | None:
    """Return the first state, or the one that follows it, and so on, whose ``until`` is not among
    the ``complete`` memories; None without states. The last state of a file does not end."""
    if not states:
        return None
    by_name = {state.name: at for at, state in enumerate(states)}
    at = 0
    while states[at].until in complete and (states[at].next or at + 1 < len(states)):
        at = by_name[states[at].next] if states[at].next else at + 1
    return states[at]
