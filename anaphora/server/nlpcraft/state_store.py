"""Shared storage for the states of queued questions, used by all workers of a store.

A question consists of two notes of its user: its initial state and its final state. Each note has
one writer, so nothing is overwritten. Cancelling a question deletes the first note; a second note
without its first is ignored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta

from anaphora.core.request import User
from anaphora.engine.identity import user_namespace
from anaphora.server.nlpcraft.schemas import QuestionState
from anaphora.server.nlpcraft.states import ErrorCode, parse_state, to_milliseconds, with_error
from anaphora.server.schemas.serializers import to_json_bytes
from anaphora.stm.stores.store import Store

__all__ = ["HEARTBEAT_INTERVAL", "QueueFullError", "StateStore", "send_heartbeat"]

STATE_TTL = timedelta(minutes=10)
HEARTBEAT_INTERVAL = timedelta(seconds=10)
"""The interval between two heartbeats of a worker with questions to answer."""

_WORKER_TIMEOUT = timedelta(minutes=1)  # without a heartbeat
_MAX_STATES = 100  # per user
_MAX_WAITING = 20  # of these, not ready yet
_HEARTBEATS = "nlpcraft-workers"
_READY_SUFFIX = "="  # suffix of the id in the name of the second note: no id contains it

_log = logging.getLogger(__name__)


class QueueFullError(Exception):
    """Too many questions are waiting."""


def send_heartbeat(store: Store, worker: str, at: datetime) -> None:
    """Record that a worker is alive."""
    store.put_note(_HEARTBEATS, worker, str(to_milliseconds(at)), STATE_TTL)


class StateStore:
    """The questions of one user. ``clock`` returns the current time, to find old
    ones."""

    def __init__(self, store: Store, user: User, *, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._namespace = user_namespace(user, "nlpcraft")

    def enlist(self, state: QuestionState) -> None:
        """Store a new question; remove the oldest finished questions to make room.

        Raises :class:`QueueFullError` if too many questions of the user are waiting.
        """
        states = self.states()
        ready = [earlier.srv_req_id for earlier in states if earlier.is_ready]
        waiting = len(states) - len(ready)
        if waiting >= _MAX_WAITING:
            raise QueueFullError(
                f"{_MAX_WAITING} questions of this user are waiting for their answers"
            )
        self._drop(ready[_MAX_STATES - 1 - waiting :])
        self._put(state.srv_req_id, state)

    def is_enlisted(self, id: str) -> bool:
        """Whether the question has not been cancelled."""
        return self._store.get_note(self._namespace, id) is not None

    def save_ready(self, state: QuestionState) -> None:
        """Store the final state of a question unless it was cancelled."""
        id = state.srv_req_id
        if self.is_enlisted(id):
            self._put(id + _READY_SUFFIX, state)
            if not self.is_enlisted(id):  # cancelled between the two writes
                self._store.delete_note(self._namespace, id + _READY_SUFFIX)

    def states(self) -> list[QuestionState]:
        """Return the questions of the last ten minutes, newest first. A question whose worker has
        died is ready, with an error."""
        now = self._clock()
        oldest = to_milliseconds(now - STATE_TTL)
        notes = self._store.list_notes(self._namespace)
        found, stale = [], []
        for id in notes:
            if id.endswith(_READY_SUFFIX):
                if id.removesuffix(_READY_SUFFIX) not in notes:
                    stale.append(id)
                continue
            state = self._read(notes.get(id + _READY_SUFFIX)) or self._read(notes[id])
            if state is None or state.update_tstamp < oldest:
                stale += [id, id + _READY_SUFFIX]
            else:
                found.append(state)
        for name in stale:
            self._store.delete_note(self._namespace, name)
        found.sort(key=lambda state: state.create_tstamp, reverse=True)
        if all(state.is_ready for state in found):
            return found
        beats = self._store.list_notes(_HEARTBEATS)
        return [self._fail_if_lost(state, beats, now) for state in found]

    def cancel(self, ids: Collection[str] | None) -> None:
        """Cancel the questions with these ``ids``, or all. Waiting questions are not asked."""
        there = [state.srv_req_id for state in self.states()]
        self._drop(id for id in there if ids is None or id in ids)

    def _drop(self, ids: Iterable[str]) -> None:
        for id in ids:
            self._store.delete_note(self._namespace, id)
            self._store.delete_note(self._namespace, id + _READY_SUFFIX)

    def _put(self, name: str, state: QuestionState) -> None:
        self._store.put_note(
            self._namespace, name, to_json_bytes(state.to_plain()).decode(), STATE_TTL
        )

    def _read(self, note: str | None) -> QuestionState | None:
        if note is None:
            return None
        state = parse_state(note)
        if state is None:
            _log.warning("a stored note is not the state of a question; it is skipped")
        return state

    def _fail_if_lost(
        self, state: QuestionState, beats: Mapping[str, str], now: datetime
    ) -> QuestionState:
        if state.is_ready:
            return state
        last = beats.get(state.probe_id, "")
        heard = int(last) if last.isdecimal() else 0
        # A question may be stored a moment before the first heartbeat.
        if max(heard, state.create_tstamp) >= to_milliseconds(now - _WORKER_TIMEOUT):
            return state
        return with_error(
            state, ErrorCode.SYSTEM, "the worker that should have answered has ended", now
        )
