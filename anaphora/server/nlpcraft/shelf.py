"""Where the states of enlisted questions are, for every worker that shares the store.

A question is two notes on the shelf of its user: the state it was enlisted with and, beside it,
the state it is ready with. Each has one writer, so that nothing is overwritten: a question is
cancelled by taking the first note away, and a second one without its first counts for nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta

from anaphora.grammar.request import Company, User
from anaphora.intents.whose import shelf_of
from anaphora.server.nlpcraft.states import ErrorCode, State, failed, milliseconds, read_state
from anaphora.server.views import as_json
from anaphora.stm.stores.store import Store

__all__ = ["BEAT", "Full", "Shelf", "beat"]

KEPT = timedelta(minutes=10)
BEAT = timedelta(seconds=10)
"""How often a worker with questions to answer says that it is alive."""

_LOST_AFTER = timedelta(minutes=1)  # without a beat
_MOST_STATES = 100  # of a user
_MOST_WAITING = 20  # of them not ready yet
_BEATS = "nlpcraft-workers"
_READY = "="  # behind the id, in the name of the second note: no id has it

_log = logging.getLogger(__name__)


class Full(Exception):  # noqa: N818 - a state, as Conflict is
    """Too many questions are waiting."""


def beat(store: Store, worker: str, at: datetime) -> None:
    """Say that a worker is alive."""
    store.put_note(_BEATS, worker, str(milliseconds(at)), KEPT)


class Shelf:
    """The questions of one user (of one tenant); ``clock`` tells which are too old."""

    def __init__(
        self, store: Store, *, tenant: str, user: str, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._clock = clock
        company = Company(tenant) if tenant else None
        self._name = shelf_of(User(user, company=company), "nlpcraft")

    def enlist(self, state: State) -> None:
        """Keep a new question; the oldest that are ready make room.

        Raises :class:`Full` if too many of the user are waiting.
        """
        states = self.states()
        ready = [earlier.srv_req_id for earlier in states if earlier.is_ready]
        waiting = len(states) - len(ready)
        if waiting >= _MOST_WAITING:
            raise Full(f"{_MOST_WAITING} questions of this user are waiting for their answers")
        self._drop(ready[_MOST_STATES - 1 - waiting :])
        self._put(state.srv_req_id, state)

    def is_enlisted(self, id: str) -> bool:
        """Whether nobody has cancelled the question."""
        return self._store.note(self._name, id) is not None

    def ready(self, state: State) -> None:
        """Keep what has become of a question, unless it was cancelled."""
        id = state.srv_req_id
        if self.is_enlisted(id):
            self._put(id + _READY, state)
            if not self.is_enlisted(id):  # cancelled between the two
                self._store.drop_note(self._name, id + _READY)

    def states(self) -> list[State]:
        """The questions of the last ten minutes, newest first. One whose worker is gone is ready,
        with an error."""
        now = self._clock()
        oldest = milliseconds(now - KEPT)
        notes = self._store.notes(self._name)
        found, stale = [], []
        for id in notes:
            if id.endswith(_READY):
                if id.removesuffix(_READY) not in notes:
                    stale.append(id)
                continue
            state = self._read(notes.get(id + _READY)) or self._read(notes[id])
            if state is None or state.update_tstamp < oldest:
                stale += [id, id + _READY]
            else:
                found.append(state)
        for name in stale:
            self._store.drop_note(self._name, name)
        found.sort(key=lambda state: state.create_tstamp, reverse=True)
        if all(state.is_ready for state in found):
            return found
        beats = self._store.notes(_BEATS)
        return [self._unless_lost(state, beats, now) for state in found]

    def cancel(self, ids: Collection[str] | None) -> None:
        """Forget questions, all of them or these: those that wait are not asked any more."""
        there = [state.srv_req_id for state in self.states()]
        self._drop(id for id in there if ids is None or id in ids)

    def _drop(self, ids: Iterable[str]) -> None:
        for id in ids:
            self._store.drop_note(self._name, id)
            self._store.drop_note(self._name, id + _READY)

    def _put(self, name: str, state: State) -> None:
        self._store.put_note(self._name, name, as_json(state.to_plain()).decode(), KEPT)

    def _read(self, note: str | None) -> State | None:
        if note is None:
            return None
        state = read_state(note)
        if state is None:
            _log.warning("a note on the shelf of enlisted questions is no question: left out")
        return state

    def _unless_lost(self, state: State, beats: Mapping[str, str], now: datetime) -> State:
        if state.is_ready:
            return state
        last = beats.get(state.probe_id, "")
        heard = int(last) if last.isdecimal() else 0
        # A question may be enlisted a moment before the first beat.
        if max(heard, state.create_tstamp) >= milliseconds(now - _LOST_AFTER):
            return state
        return failed(state, ErrorCode.SYSTEM, "the worker that was to answer is gone", now)
