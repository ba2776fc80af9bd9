"""Processes the events of agents: one at a time for each user, and each event once."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from anaphora.agents.answer import AgentAnswer, AgentStep, collect_answer
from anaphora.agents.execution.event_run import EventRun
from anaphora.agents.execution.memory_update import MemoryUpdateRun
from anaphora.agents.execution.services import AgentServices
from anaphora.agents.execution.session import AgentSession
from anaphora.agents.state.messages import EventKind
from anaphora.agents.state.records import EventBegun, MessageAdded, Record
from anaphora.agents.state.state import AgentState
from anaphora.agents.store.store import AgentKey
from anaphora.errors import AgentError, AnaphoraError, ChatModelError
from anaphora.ltm.background.worker import BackgroundWorker
from anaphora.storage.forks import ForkAware, register_fork_aware
from anaphora.storage.logical_clock import next_tick, to_microseconds

__all__ = ["EventProcessor", "NewEvent"]

_CLOSE_TIMEOUT = 10.0  # seconds for an update in the background
_STILL_WAITING = "The user still waits for an answer to this earlier message: "

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event with its ``id``, and what happened before it without the agent (``context``)."""

    kind: EventKind
    text: str
    id: str
    context: str = ""


class EventProcessor(ForkAware):
    """Processes events with ``services``. After an event, memories are updated in the background,
    unless ``waits_for_updates``."""

    def __init__(self, services: AgentServices, *, waits_for_updates: bool = False) -> None:
        self._services, self._store = services, services.store
        self._waits_for_updates = waits_for_updates
        self._owing: deque[AgentKey] = deque()  # agents whose memories must be updated
        self._updater = BackgroundWorker(
            self._update_owing, name="anaphora-agents", debounce=0.0, poll_interval=None
        )
        register_fork_aware(self)

    def process(
        self,
        key: AgentKey,
        event: NewEvent,
        on_step: Callable[[AgentStep], object] | None = None,
        on_text: Callable[[str], object] | None = None,
    ) -> AgentAnswer:
        """Process an event, or return its answer if it has been answered before. What a process
        that died has left is finished first."""
        self._services.model.reconnect()  # it may be back
        with self._store.lock(key):
            state = self._store.load(key)
            earlier = self.finish_earlier(key, state, event.id)
            records = self._store.event_records(key, event.id)
            _check_same(event, records, self._services.mask)
            answer = collect_answer(event.id, records)
            if answer.ended in ("", "failed"):
                session = AgentSession(self._services, key, self._store.load(key))
                self._begin(session, event, is_new=not records)
                EventRun(session, on_step=on_step, on_text=on_text).run()
                self._schedule_update(key)
                answer = collect_answer(event.id, self._store.event_records(key, event.id))
        if self._owing:
            self._updater.wake()
        return replace(answer, earlier=earlier)

    def finish_earlier(
        self, key: AgentKey, state: AgentState, event: str = ""
    ) -> tuple[AgentAnswer, ...]:
        """Finish what a process that died has left of an agent, which is locked: the running event
        and updates of memories. Return the answer to that event unless it is ``event``."""
        earlier: tuple[AgentAnswer, ...] = ()
        if state.event is not None:
            session = AgentSession(self._services, key, state)
            try:
                EventRun(session, is_resumed=True).run()
            except (AgentError, ChatModelError) as error:
                _log.warning("an unfinished event has failed: %s", error)
            if state.event.id != event:
                records = self._store.event_records(key, state.event.id)
                earlier = (collect_answer(state.event.id, records),)
            state = session.state
        self._update_memories(key, state)
        return earlier

    def flush(self, timeout: float | None) -> bool:
        """Wait until all memories are updated; False if that takes more than ``timeout``
        seconds."""
        return not self._owing or self._updater.wait(lambda: not self._owing, timeout)

    def close(self) -> None:
        """Finish the update that is running. Others are made before the next event."""
        self._updater.stop(_CLOSE_TIMEOUT)

    def after_fork_in_child(self) -> None:
        self._owing.clear()
        self._updater.reset()

    def _begin(self, session: AgentSession, event: NewEvent, *, is_new: bool) -> None:
        """Store an event; one that has failed before is only taken up again."""
        failed = session.state.unrecorded
        if failed and failed != event.id:
            session.record_exchange(self._store.event_records(session.key, failed))
        now = self._services.clock()
        clock = next_tick(to_microseconds(now), session.state.clock, self._services.memory.clock)
        session.stage(EventBegun(event.id, event.kind, now, clock, is_retry=not is_new))
        if is_new:
            if event.context:
                session.add_event(event.context, "system_alert")
            session.add_event(event.text, event.kind)
        elif not session.state.queue or session.state.queue[-1].event != event.id:
            # Others came between: the model must not answer the last of these instead.
            text = f"{_STILL_WAITING}{json.dumps(event.text, ensure_ascii=False)}"
            session.add_event(text, "system_alert")
        session.commit()

    def _schedule_update(self, key: AgentKey) -> None:
        if self._waits_for_updates:
            self._update_memories(key, self._store.load(key))
        elif self._services.planner.has_updates:
            self._owing.append(key)

    def _update_memories(self, key: AgentKey, state: AgentState) -> None:
        """Update the memories of an agent, which is locked, after its last event."""
        if state.owed and self._services.planner.has_updates:
            MemoryUpdateRun(self._services, key, state).run()

    def _update_owing(self) -> None:
        """Update memories in the background. What fails is tried again before the next event."""
        while self._owing and not self._updater.stopping:
            key = self._owing[0]
            try:
                with self._store.lock(key):
                    self._update_memories(key, self._store.load(key))
            except AnaphoraError as error:
                _log.warning("memories of '%s' are not updated: %s", self._services.name, error)
            with suppress(IndexError):
                self._owing.popleft()


def _check_same(event: NewEvent, records: Iterable[Record], mask: Callable[[str], str]) -> None:
    """Raise :class:`AgentError` if the id of an event was used for another one."""
    known = [
        one.message
        for one in records
        if isinstance(one, MessageAdded) and one.message.kind == "event"
    ]
    same = [one for one in known if one.name == event.kind and one.text == mask(event.text)]
    if known and not same:
        raise AgentError(
            f"the id '{event.id}' belongs to another message: give each message its own, and only "
            "a repetition the same"
        )
