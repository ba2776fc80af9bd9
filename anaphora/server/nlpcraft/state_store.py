"""Where the states of enlisted questions are, for every worker that shares the store.

A question is two notes on the shelf of its user: the state it was enlisted with and, beside it,
the state it is ready with. Each has one writer, so that nothing is overwritten: a question is
cancelled by taking the first note away, and a second one without its first counts for nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta

from anaphora.core.request import Company, User
from anaphora.engine.identity import user_namespace
from anaphora.server.nlpcraft.states import (
    ErrorCode,
    QueryState,
    parse_state,
    to_milliseconds,
    with_error,
)
from anaphora.server.schemas.serializers import to_json_bytes
from anaphora.stm.stores.store import Store

__all__ = ["HEARTBEAT_INTERVAL", "QueueFullError", "StateStore", "send_heartbeat"]

STATE_TTL = timedelta(minutes=10)
HEARTBEAT_INTERVAL = timedelta(seconds=10)
"""How often a worker with questions to answer says that it is alive."""

_WORKER_TIMEOUT = timedelta(minutes=1)  # without a beat
_MAX_STATES = 100  # of a user
_MAX_WAITING = 20  # of them not ready yet
_HEARTBEATS = "nlpcraft-workers"
_READY_SUFFIX = "="  # behind the id, in the name of the second note: no id has it

_log = logging.getLogger(__name__)


class QueueFullError(Exception):
    """Too many questions are waiting."""


def send_heartbeat(store: Store, worker: str, at: datetime) -> None:
    """Say that a worker is alive."""
    store.put_note(_HEARTBEATS, worker, str(to_milliseconds(at)), STATE_TTL)


class StateStore:
    """The questions of one user (of one tenant); ``clock`` tells which are too old."""

    def __init__(
        self, store: Store, *, tenant: str, user: str, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._clock = clock
        company = Company(tenant) if tenant else None
        self._namespace = user_namespace(User(user, company=company), "nlpcraft")

    def enlist(self, state: QueryState) -> None:
        """Keep a new question; the oldest that are ready make room.

        Raises :class:`QueueFullError` if too many of the user are waiting.
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
        """Whether nobody has cancelled the question."""
        return self._store.get_note(self._namespace, id) is not None

    def save_ready(self, state: QueryState) -> None:
        """Keep what has become of a question, unless it was cancelled."""
        id = state.srv_req_id
        if self.is_enlisted(id):
            self._put(id + _READY_SUFFIX, state)
            if not self.is_enlisted(id):  # cancelled between the two
                self._store.delete_note(self._namespace, id + _READY_SUFFIX)

    def states(self) -> list[QueryState]:
        """The questions of the last ten minutes, newest first. One whose worker is gone is ready,
        with an error."""
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
        """Forget questions, all of them or these: those that wait are not asked any more."""
        there = [state.srv_req_id for state in self.states()]
        self._drop(id for id in there if ids is None or id in ids)

    def _drop(self, ids: Iterable[str]) -> None:
        for id in ids:
            self._store.delete_note(self._namespace, id)
            self._store.delete_note(self._namespace, id + _READY_SUFFIX)

    def _put(self, name: str, state: QueryState) -> None:
        self._store.put_note(
            self._namespace, name, to_json_bytes(state.to_plain()).decode(), STATE_TTL
        )

    def _read(self, note: str | None) -> QueryState | None:
        if note is None:
            return None
        state = parse_state(note)
        if state is None:
            _log.warning("a note on the shelf of enlisted questions is no question: left out")
        return state

    def _fail_if_lost(
        self, state: QueryState, beats: Mapping[str, str], now: datetime
    ) -> QueryState:
        if state.is_ready:
            return state
        last = beats.get(state.probe_id, "")
        heard = int(last) if last.isdecimal() else 0
        # A question may be enlisted a moment before the first beat.
        if max(heard, state.create_tstamp) >= to_milliseconds(now - _WORKER_TIMEOUT):
            return state
        return with_error(state, ErrorCode.SYSTEM, "the worker that was to answer is gone", now)
