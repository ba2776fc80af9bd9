"""Sections that were computed for the present event: its steps share one search."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from anaphora.agents.context.main_context import Section
from anaphora.agents.execution.services import AgentView
from anaphora.storage.forks import fork_safe_lock

__all__ = ["SectionCache"]

_SIZE = 1_024


class SectionCache:
    """The sections of the last events."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._sections: OrderedDict[Hashable, Section] = OrderedDict()

    def get(self, view: AgentView, name: str, compute: Callable[[], Section]) -> Section:
        """Return the section of the memory ``name`` for the event of ``view``, and what the user
        said last."""
        event = view.state.event
        if event is None:
            return compute()
        key = (view.key, event.id, event.clock, name, view.question)
        with self._lock:
            known = self._sections.get(key)
        if known is not None:
            return known
        section = compute()
        with self._lock:
            self._sections[key] = section
            while len(self._sections) > _SIZE:
                self._sections.popitem(last=False)
        return section
