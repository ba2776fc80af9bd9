"""Queue questions by NLPCraft's rules, answer them with the engine, and report their states."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync

from anaphora.core.request import Request, User
from anaphora.engine.identity import conversation_key
from anaphora.errors import AnaphoraError, HandlerError, StoreError
from anaphora.server.nlpcraft.question_queue import QuestionQueue
from anaphora.server.nlpcraft.schemas import QuestionState
from anaphora.server.nlpcraft.state_store import StateStore, send_heartbeat
from anaphora.server.nlpcraft.states import (
    ErrorCode,
    UserId,
    to_milliseconds,
    with_error,
    with_reply,
)
from anaphora.server.problems import ProblemError, to_problem

if TYPE_CHECKING:
    from anaphora.server.service.service import Service

__all__ = ["NlpcraftUser", "QuestionDispatcher", "SubmittedQuestion"]

_SAVE_GRACE = 2.0  # seconds after the deadline, to save the results of the questions
_RETRY_DELAYS = (0.0, 0.5, 2.0, 8.0)  # seconds before each attempt to save an answer

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NlpcraftUser:
    """A user: as the engine knows them, and their id in NLPCraft's API."""

    user: User
    usr_id: UserId


@dataclass(frozen=True, slots=True)
class SubmittedQuestion:
    """A question as submitted."""

    who: NlpcraftUser
    model: str
    text: str
    request: Request
    explain: bool


class QuestionDispatcher:
    """Answers the questions of one worker."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._store = service.engine.store
        self._clock = service.clock
        self._worker = token_hex(8)
        self._queue = QuestionQueue(heartbeat=self._send_heartbeat)

    async def ask(self, asked: SubmittedQuestion) -> str:
        """Enqueue a question and return its id.

        Raises :class:`QueueFullError`, :class:`UnknownModel`, :class:`StoreError`.
        """
        state, states = self._enlisted_state(asked), self._state_store(asked.who)

        async def work() -> QuestionState:
            if not await run_sync(states.is_enlisted, state.srv_req_id):
                return state
            try:
                ready = await self._answer(asked, state)
            except ProblemError as refusal:
                ready = with_error(state, ErrorCode.SYSTEM, refusal.detail, self._clock())
            await self._save_result(states, ready)
            return ready

        async def give_up() -> None:
            reason = "the service was shut down before it could answer"
            failed = with_error(state, ErrorCode.SYSTEM, reason, self._clock())
            await run_sync(states.save_ready, failed)

        with self._queue.reserve(conversation_key(asked.who.user, asked.model)) as slot:
            await run_sync(states.enlist, state)
            slot.submit(work, give_up=give_up)
        return state.srv_req_id

    async def ask_and_wait(self, asked: SubmittedQuestion) -> QuestionState:
        """Enqueue a question and wait for its result.

        Raises :class:`QueueFullError`, :class:`UnknownModel`.
        """
        state = self._enlisted_state(asked)
        with self._queue.reserve(conversation_key(asked.who.user, asked.model)) as slot:
            task = slot.submit(lambda: self._answer(asked, state))
        return await asyncio.shield(task)  # it continues if the client disconnects

    async def states(
        self, who: NlpcraftUser, ids: Collection[str] | None, *, limit: int | None = None
    ) -> list[QuestionState]:
        """Return the questions of a user, newest first; only those with these ``ids``, if given."""
        found = await run_sync(self._state_store(who).states)
        return [state for state in found if ids is None or state.srv_req_id in ids][:limit]

    async def cancel(self, who: NlpcraftUser, ids: Collection[str] | None) -> None:
        """Cancel questions of a user: those with these ``ids``, or all. Waiting questions are not
        asked, and the answers to the others are dropped."""
        await run_sync(self._state_store(who).cancel, ids)

    async def close(self) -> None:
        """Wait for the queued questions until the deadline of the shutdown."""
        deadline = self._service.deadline
        deadline.start(self._service.settings.shutdown_grace)
        await self._queue.close(deadline.left + _SAVE_GRACE)

    def _enlisted_state(self, asked: SubmittedQuestion) -> QuestionState:
        self._service.engine.model(asked.model)
        now = to_milliseconds(self._clock())
        assert asked.request.id is not None
        return QuestionState(
            srv_req_id=asked.request.id,
            usr_id=asked.who.usr_id,
            mdl_id=asked.model,
            probe_id=self._worker,
            txt=asked.text,
            status="QRY_ENLISTED",
            create_tstamp=now,
            update_tstamp=now,
        )

    async def _answer(self, asked: SubmittedQuestion, state: QuestionState) -> QuestionState:
        try:
            reply = await self._service.ask(
                asked.text,
                user=asked.who.user,
                model=asked.model,
                request=asked.request,
                explain=asked.explain,
            )
        except ProblemError:
            raise
        except AnaphoraError as error:
            is_bots = isinstance(error, HandlerError)
            code = ErrorCode.UNEXPECTED if is_bots else ErrorCode.SYSTEM
            return with_error(state, code, to_problem(error).detail, self._clock())
        except Exception:
            _log.exception("a question could not be answered")
            self._service.metrics.count_failure("internal")
            reason = "something went wrong; the log of the service says what"
            return with_error(state, ErrorCode.SYSTEM, reason, self._clock())
        return with_reply(state, reply, self._clock())

    async def _save_result(self, states: StateStore, ready: QuestionState) -> None:
        """Save the result of a question; retry while the store is unavailable for a moment."""
        for pause in _RETRY_DELAYS:
            await asyncio.sleep(pause)
            try:
                return await run_sync(states.save_ready, ready)
            except StoreError as error:
                _log.warning("the answer to a question cannot be stored: %s", error)
        _log.error("the answer to the question %s is lost", ready.srv_req_id)
        return None

    def _state_store(self, who: NlpcraftUser) -> StateStore:
        return StateStore(self._store, who.user, clock=self._clock)

    async def _send_heartbeat(self) -> None:
        await run_sync(send_heartbeat, self._store, self._worker, self._clock())
