"""The chain of steps that answers one event of one agent."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anaphora.agents.answer import AgentStep, collect_step
from anaphora.agents.execution.calling import (
    MAX_CALLS,
    add_interrupted_results,
    call_functions,
)
from anaphora.agents.execution.decision import (
    Action,
    AskModel,
    CallFunctions,
    End,
    WarnOfPressure,
    decide_next,
    find_open_calls,
)
from anaphora.agents.execution.services import Plan
from anaphora.agents.execution.session import AgentSession
from anaphora.agents.execution.stream_mask import StreamMask
from anaphora.agents.execution.window import CrowdedError, PromptWindow
from anaphora.agents.state.messages import FunctionCall, Message
from anaphora.agents.state.records import EventBegun, EventEnded, MessageSent
from anaphora.agents.state.state import PRESSURE_ALERT
from anaphora.chat_model.messages import ChatMessage, Completion, ToolSchema
from anaphora.chat_model.problems import describe_publicly
from anaphora.errors import AgentError, ChatModelError, ContextLengthError

__all__ = ["EventRun"]

_PRESSURE_WARNING = (
    "The conversation is about to exceed its memory: its oldest messages will soon be hidden and "
    "summarized. Save what matters now, with core_memory_append, core_memory_replace or "
    "archival_memory_insert. Do not mention this to the user."
)
_SAVING_FUNCTIONS = ("core_memory_append", "core_memory_replace", "archival_memory_insert")
_EMPTY_WARNING = "Your last answer was empty. Call a function; send_message answers the user."
_log = logging.getLogger(__name__)
_MAX_SHRINKS = 3  # of the window, when the endpoint counts more tokens than we do


@dataclass(slots=True)
class EventRun:
    """Runs the steps of the running event of a ``session``.

    ``is_resumed``: another process began the event and died. ``on_step`` is called with each
    finished step, after it has been stored; ``on_text`` with the pieces of the model's text as they
    arrive.
    """

    session: AgentSession
    is_resumed: bool = False
    on_step: Callable[[AgentStep], object] | None = None
    on_text: Callable[[str], object] | None = None
    _begun: float = 0.0
    _window: PromptWindow = field(init=False)

    def __post_init__(self) -> None:
        secrets = self.session.services.secrets
        if self.on_text is not None and secrets:
            self.on_text = StreamMask(self.on_text, secrets)
        self._begun = self.session.services.monotonic()
        self._window = PromptWindow(self.session, self._ask)

    def run(self) -> None:
        """Run the chain to its end.

        Raises :class:`ChatModelError` if the model cannot be reached or its answer cannot be used,
        and :class:`AgentError` if the prompt does not fit the window; what happened before is
        stored, and the event has ended as failed.
        """
        try:
            self._run_steps()
        except (AgentError, ChatModelError) as error:
            services = self.session.services
            error.args = (services.mask(str(error)),)
            reason = describe_publicly(error) if isinstance(error, ChatModelError) else str(error)
            if self.session.event.sent:  # the user has an answer, which must not come twice
                _log.warning("an event of '%s' has failed in part: %s", services.name, error)
                self._end(End("partial", reason))
                return
            self._fail(reason)
            raise

    def interrupt(self) -> None:
        """End the running event as failed, because its user does not wait for the answer."""
        session = self.session
        add_interrupted_results(session, find_open_calls(session.state, session.event))
        if session.event.sent:
            self._end(End("partial", "interrupted"))
        else:
            self._fail("interrupted")

    def _run_steps(self) -> None:
        session, has_asked = self.session, False
        while True:
            match self._decide():
                case CallFunctions(calls):
                    is_interrupted = self.is_resumed and not has_asked
                    call_functions(
                        session,
                        calls,
                        may_repeat=self.is_resumed,
                        was_interrupted=is_interrupted,
                    )
                    self.is_resumed = False
                    self._report_step()
                case WarnOfPressure():
                    session.add_event(_PRESSURE_WARNING, "system_alert", call_id=PRESSURE_ALERT)
                    session.commit()
                case AskModel():
                    has_asked = True
                    try:
                        self._ask_for_step()
                    except CrowdedError as error:
                        if not session.event.steps:
                            raise
                        # The next event evicts what is in the way.
                        self._end(End("tokens", str(error)))
                        return
                case End() as end:
                    self._end(end)
                    return

    def _decide(self) -> Action:
        session = self.session
        return decide_next(
            session.state,
            session.plan.functions,
            session.services.limits,
            is_pressed=_can_save(session.plan) and self._window.is_pressed,
            seconds=self._seconds,
        )

    def _ask_for_step(self) -> None:
        """Call the model, and stage its answer. If that calls functions, it is stored with their
        results, or before one that must not run twice."""
        session, services = self.session, self.session.services
        completion = self._complete()
        if isinstance(self.on_text, StreamMask):
            self.on_text.flush()
        session.count_usage(completion, "step")
        event, number = session.event, session.state.number + 1
        calls = [
            FunctionCall(f"call_{number}_{n}", call.name, services.mask_arguments(call.arguments))
            for n, call in enumerate(completion.calls[: MAX_CALLS + 1])
        ]
        text = services.mask(completion.content.strip())
        session.add(Message("assistant", text, session.now(), event.id, calls=tuple(calls)))
        if calls:
            return
        if text and event.kind == "user_message" and not event.sent:
            # A model that forgets send_message has answered all the same.
            session.stage(MessageSent(event.id, text, session.now()))
        if not text:
            session.add_event(_EMPTY_WARNING, "system_alert")
        session.commit()
        self._report_step()

    def _end(self, end: End) -> None:
        session, texts = self.session, self.session.services.texts
        if session.event.kind == "user_message" and not session.event.sent:
            text = texts.get("quota" if end.reason == "quota" else "unfinished")
            session.stage(MessageSent(session.event.id, text, session.now()))
        self._record_exchange()
        session.stage(EventEnded(session.event.id, end.reason, end.detail))
        session.commit()

    def _fail(self, detail: str) -> None:
        """End the event as failed. Its message enters the long-term memory with the answer when it
        is sent again, or without one when another event comes."""
        session = self.session
        session.stage(EventEnded(session.event.id, "failed", detail))
        session.commit()

    def _record_exchange(self) -> None:
        """Add what was said to the long-term memory."""
        session = self.session
        session.commit()
        records = session.services.store.event_records(session.key, session.event.id)
        if session.event.is_recorded:  # the message is there, the answer is not
            begun = max(n for n, one in enumerate(records) if isinstance(one, EventBegun))
            records = records[begun:]
        session.record_exchange(records)

    def _report_step(self) -> None:
        if self.on_step is None:
            return
        queue = self.session.state.queue
        answer = next(one for one in reversed(queue) if one.kind == "assistant")
        self.on_step(collect_step(answer, queue))

    def _complete(self) -> Completion:
        """Call the model with a prompt that fits. If the endpoint counts more tokens than we do,
        try again with a smaller window."""
        session = self.session
        for attempt in range(_MAX_SHRINKS + 1):
            prompt = self._window.fit()
            try:
                return session.services.model.complete(
                    prompt,
                    session.plan.functions.schemas,
                    timeout=self._timeout,
                    on_text=self.on_text,
                )
            except ContextLengthError:
                if attempt == _MAX_SHRINKS:
                    raise
                self._window.shrink()
        raise AssertionError("unreachable")

    def _ask(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = (), *, purpose: str
    ) -> Completion:
        """Call the model for another purpose than a step, and count its usage."""
        model = self.session.services.model
        completion = model.complete(messages, tools, timeout=self._timeout)
        self.session.count_usage(completion, purpose)
        return completion

    @property
    def _seconds(self) -> float:
        """The seconds that the chain has taken."""
        return self.session.services.monotonic() - self._begun

    @property
    def _timeout(self) -> float:
        """How many seconds a call of the model may take."""
        left = self.session.services.limits.seconds - self._seconds
        return min(self.session.services.model.timeout, max(1.0, left))


def _can_save(plan: Plan) -> bool:
    """Whether the model has a function to save what it is about to lose sight of."""
    return any(plan.functions.get(name) is not None for name in _SAVING_FUNCTIONS)
