"""The chain of steps that answers one event of one agent."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from datetime import datetime

from msgspec.structs import replace

from anaphora.agents.answer import AgentStep, ContextSize, collect_step
from anaphora.agents.context.blocks import CoreMemory
from anaphora.agents.context.fitting import fit_message
from anaphora.agents.context.main_context import (
    render_messages,
    render_summary,
    render_system,
)
from anaphora.agents.context.queue import Room, plan_flush, visible_messages
from anaphora.agents.context.summary import collect_exchanges
from anaphora.agents.execution.decision import (
    Action,
    AskModel,
    CallFunctions,
    End,
    WarnOfPressure,
    decide_next,
    find_open_calls,
)
from anaphora.agents.execution.functions import (
    FunctionContext,
    describe_failure,
    parse_arguments,
)
from anaphora.agents.execution.services import AgentServices, AgentView, Plan
from anaphora.agents.state.messages import FunctionCall, Message
from anaphora.agents.state.records import (
    EventBegun,
    EventEnded,
    Flushed,
    MessageAdded,
    MessageSent,
    Record,
    Shortened,
    Summarized,
    UsageCounted,
)
from anaphora.agents.state.state import PRESSURE_ALERT, AgentState, RunningEvent, apply_record
from anaphora.agents.store.store import AgentKey
from anaphora.chat_model.messages import ChatMessage, Completion, ToolSchema
from anaphora.errors import AgentError, ChatModelError, ContextLengthError

__all__ = ["EventRun", "RunContext"]

_EVENT_SHARE, _RESULT_SHARE = 0.25, 0.15  # of the window: the most that one message shows
_PRESSURE_WARNING = (
    "The conversation is about to exceed its memory: its oldest messages will soon be hidden and "
    "summarized. Save what matters now, with core_memory_append, core_memory_replace or "
    "archival_memory_insert. Do not mention this to the user."
)
_SAVING_FUNCTIONS = ("core_memory_append", "core_memory_replace", "archival_memory_insert")
_EMPTY_WARNING = "Your last answer was empty. Call a function; send_message answers the user."
_INTERRUPTED = "it was interrupted: it may have run or not; find out before you call it again"
_SMALLEST_QUEUE = 256  # tokens
_MAX_SHRINKS = 3  # of the window, when the endpoint counts more tokens than we do
_SHRINK = 0.85
_MAX_RESULT = 1_000_000  # characters of a function result that the log keeps

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunContext(FunctionContext):
    """The context of a call of the agent's own functions: they ``emit`` records, which are stored
    together with the result."""

    core: CoreMemory
    event: str
    emit: Callable[[Record], None]
    read_message: Callable[[int], Message | None]


@dataclass(slots=True)
class EventRun:
    """Runs the steps of the running event of ``state``; :meth:`commit` stores what they change.

    ``is_resumed``: another process began the event and died. ``on_step`` is called with each
    finished step, after it has been stored; ``on_text`` with the pieces of the model's text as they
    arrive.
    """

    services: AgentServices
    key: AgentKey
    state: AgentState
    is_resumed: bool = False
    on_step: Callable[[AgentStep], object] | None = None
    on_text: Callable[[str], object] | None = None
    _staged: list[Record] = field(default_factory=list)
    _begun: float = 0.0
    _window: int = 0
    _planned: tuple[AgentState, Plan] | None = None

    def run(self) -> None:
        """Run the chain to its end.

        Raises :class:`ChatModelError` if the model cannot be reached or its answer cannot be used,
        and :class:`AgentError` if the prompt does not fit the window; what happened before is
        stored, and the event has ended as failed.
        """
        model = self.services.model
        self._begun, self._window = self.services.monotonic(), model.window - model.max_tokens
        while True:
            match self._decide():
                case CallFunctions(calls):
                    self._call_functions(calls)
                case WarnOfPressure():
                    self.add_event_message(
                        _PRESSURE_WARNING, "system_alert", call_id=PRESSURE_ALERT
                    )
                    self.commit()
                case AskModel():
                    self._ask_model()
                case End() as end:
                    self._end(end)
                    return

    def interrupt(self) -> None:
        """End the running event as failed, because its user does not wait for the answer."""
        for call in find_open_calls(self.state, self.event):
            self._add(
                Message(
                    "result",
                    _INTERRUPTED,
                    self._now(),
                    self.event.id,
                    name=call.name,
                    call_id=call.id,
                    failed=True,
                )
            )
        self._fail("interrupted")

    def stage(self, *records: Record) -> None:
        """Apply records to the state; :meth:`commit` stores them."""
        for record in records:
            self.state = apply_record(self.state, record)
            self._staged.append(record)

    def commit(self) -> None:
        """Store all staged records, all or nothing."""
        if self._staged:
            self.services.store.append(self.key, self._staged, self.state)
            self._staged = []

    @property
    def event(self) -> RunningEvent:
        assert self.state.event is not None
        return self.state.event

    @property
    def view(self) -> AgentView:
        core, event = CoreMemory(self.services.blocks, self.state.blocks), self.state.event
        return AgentView(self.key, self.state, core, self._now() if event is None else event.at)

    def measure(self) -> ContextSize:
        """Return the size of the next prompt."""
        plan, model = self._plan(), self.services.model
        system = [self._render_system(plan)]
        messages = visible_messages(self.state.queue, plan.last)
        return ContextSize(
            window=model.window,
            reserved=model.max_tokens,
            system=model.count(system),
            functions=model.count(system, plan.functions.schemas) - model.count(system),
            summary=self.state.summary_tokens if plan.last is None else 0,
            messages=sum([one.tokens for one in messages]),
        )

    def add_event_message(self, text: str, name: str, *, call_id: str = "") -> None:
        """Stage a message of the kind "event"."""
        text = self.services.mask(text)
        self._add(Message("event", text, self._now(), self.event.id, name=name, call_id=call_id))

    # -- actions -------------------------------------------------------------------------------

    def _decide(self) -> Action:
        plan = self._plan()
        return decide_next(
            self.state,
            plan.functions,
            self.services.limits,
            is_pressed=_can_save(plan) and self._room(plan).is_pressed(self._queue_tokens(plan)),
            seconds=self.services.monotonic() - self._begun,
        )

    def _ask_model(self) -> None:
        try:
            completion = self._complete()
        except (AgentError, ChatModelError) as error:
            self._fail(self.services.mask(str(error)))
            raise
        self._count_usage(completion, "step")
        number = self.state.number + 1
        calls = [
            FunctionCall(f"call_{number}_{n}", call.name, self.services.mask(call.arguments))
            for n, call in enumerate(completion.calls)
        ]
        text = self.services.mask(completion.content.strip())
        self._add(Message("assistant", text, self._now(), self.event.id, calls=tuple(calls)))
        if calls:
            return  # stored before a call that must not run twice, or with the results
        if text and self.event.kind == "user_message" and not self.event.sent:
            # A model that forgets send_message has answered all the same.
            self.stage(MessageSent(self.event.id, text, self._now()))
        if not text:
            self.add_event_message(_EMPTY_WARNING, "system_alert")
        self.commit()
        self._report_step()

    def _call_functions(self, calls: Sequence[FunctionCall]) -> None:
        """Run calls. Those that are repeatable are stored together with their results; the others
        before they run, and after."""
        for call in calls:
            function = self._plan().functions.get(call.name)
            is_repeatable = function is None or function.repeatable
            if not is_repeatable:
                self.commit()
            if self.is_resumed and not is_repeatable:
                text, failed = _INTERRUPTED, True
            else:
                text, failed = self._call(call)
            self.is_resumed = False  # only the first call may have been interrupted
            result = Message(
                "result",
                self.services.mask(text)[:_MAX_RESULT],
                self._now(),
                self.event.id,
                name=call.name,
                call_id=call.id,
                failed=failed,
            )
            self._add(result)
            if not is_repeatable:
                self.commit()
        self.commit()
        self._report_step()

    def _call(self, call: FunctionCall) -> tuple[str, bool]:
        """Call a function; return its result as text, and whether it failed."""
        emitted: list[Record] = []
        view = self.view
        context = RunContext(
            *(
                self.key.user,
                self.key.tenant,
                self.key.model,
                view.at,
                f"{self.event.id}:{call.id}",
            ),
            core=view.core,
            event=self.event.id,
            emit=emitted.append,
            read_message=self._read_message,
        )
        try:
            arguments = parse_arguments(call)
            result = self._plan().functions.find(call.name).call(context, arguments)
        except Exception as error:  # whatever the user's function raises
            if not isinstance(error, AgentError):
                _log.info("the function %s failed", call.name, exc_info=True)
            return describe_failure(error), True
        self.stage(*emitted)
        return _format_result(result), False

    def _end(self, end: End) -> None:
        if self.event.kind == "user_message" and not self.event.sent:
            text = self.services.texts.get("quota" if end.reason == "quota" else "unfinished")
            self.stage(MessageSent(self.event.id, text, self._now()))
        self._record_exchange()
        self.stage(EventEnded(self.event.id, end.reason, end.detail))
        self.commit()

    def _fail(self, detail: str) -> None:
        self._record_exchange()
        self.stage(EventEnded(self.event.id, "failed", detail))
        self.commit()

    def _record_exchange(self) -> None:
        """Add what was said to the long-term memory, which ignores it if it has it already."""
        self.commit()
        records = self.services.store.event_records(self.key, self.event.id)
        begun = max(n for n, one in enumerate(records) if isinstance(one, EventBegun))
        is_retry = any(isinstance(one, EventEnded) for one in records[:begun])
        for exchange in collect_exchanges(records[begun:] if is_retry else records):
            self.services.memory.add(
                self.key, replace_fields(exchange, at=self.event.at, clock=self.event.clock)
            )

    def _report_step(self) -> None:
        if self.on_step is None:
            return
        queue = self.state.queue
        answer = next(one for one in reversed(queue) if one.kind == "assistant")
        self.on_step(collect_step(answer, queue))

    # -- the model -----------------------------------------------------------------------------

    def ask(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = (), *, purpose: str
    ) -> Completion:
        """Call the model for another purpose than a step, and count its usage."""
        completion = self.services.model.complete(messages, tools)
        self._count_usage(completion, purpose)
        return completion

    def _complete(self) -> Completion:
        """Call the model with a prompt that fits. If the endpoint counts more tokens than we do,
        try again with a smaller window."""
        for attempt in range(_MAX_SHRINKS + 1):
            plan = self._plan()
            self._make_room(self._room(plan), plan)
            left = self.services.limits.seconds - (self.services.monotonic() - self._begun)
            try:
                return self.services.model.complete(
                    self._render_prompt(plan),
                    plan.functions.schemas,
                    timeout=max(1.0, left),
                    on_text=self.on_text,
                )
            except ContextLengthError:
                if attempt == _MAX_SHRINKS:
                    raise
                self._window = int(self._window * _SHRINK)
        raise AssertionError("unreachable")

    def _make_room(self, room: Room, plan: Plan) -> None:
        """Evict messages until the queue fits, and shorten what cannot leave."""
        if plan.last is not None:
            self._drop_invisible(plan.last)
        while self._queue_tokens(plan) > room.queue:
            flushed = plan_flush(self.state.queue, self.state.summary_tokens, room)
            if flushed is None:
                self._shorten_longest(room)
                continue
            self.stage(flushed)
            self.commit()
            self._summarize()

    def _drop_invisible(self, last: int) -> None:
        """Evict what is not shown any more; it needs no summary."""
        queue, shown = self.state.queue, visible_messages(self.state.queue, last)
        if len(queue) > 2 * len(shown):
            until = shown[0].number - 1
            self.stage(Flushed(until), Summarized(until, "", 0, ""))

    def _shorten_longest(self, room: Room) -> None:
        """Shorten the longest message. Raises :class:`AgentError` if all are short."""
        texts = [one for one in self.state.queue if one.kind != "assistant"]
        longest = max(texts, key=lambda one: one.tokens, default=None)
        if longest is None or min(longest.shown or len(longest.text), len(longest.text)) <= 200:
            raise AgentError(
                f"the last exchange of the agent '{self.services.name}' does not fit the "
                f"{room.queue:,} tokens that its instructions leave: use a larger window"
            )
        fitted = fit_message(longest, self.services.model, tokens=longest.tokens // 2)
        self.stage(Shortened(longest.number, fitted.shown or len(fitted.text), fitted.tokens))

    def _summarize(self) -> None:
        """Summarize what has left the queue since the last summary."""
        state = self.state
        records = self.services.store.records(self.key, after=state.summarized, until=state.flushed)
        exchanges = collect_exchanges(records)
        text, by = state.summary, ""
        if exchanges:
            text, by = self.services.summarizer(self.ask).summarize(state.summary, exchanges)
            text = self.services.mask(text)
        shown = render_summary(replace(state, summary=text))
        tokens = self.services.model.count([shown]) if shown else 0
        self.stage(Summarized(state.flushed, text, tokens, by))
        self.commit()

    def _queue_tokens(self, plan: Plan) -> int:
        if plan.last is None:
            return self.state.queue_tokens
        return sum([one.tokens for one in visible_messages(self.state.queue, plan.last)])

    def _render_prompt(self, plan: Plan) -> list[ChatMessage]:
        summary = render_summary(self.state)
        queue = visible_messages(self.state.queue, plan.last)
        return [
            self._render_system(plan),
            *([] if summary is None or plan.last is not None else [summary]),
            *render_messages(queue),
        ]

    def _render_system(self, plan: Plan) -> ChatMessage:
        view = self.view
        passages = self.services.count_passages(self.key)
        core = view.core if plan.shows_core else CoreMemory((), {})
        return render_system(plan.instructions, core, plan.sections, self.state, passages, view.at)

    def _room(self, plan: Plan) -> Room:
        """Return the room of a prompt. Raises :class:`AgentError` if there is none for a dialog."""
        fixed = self.services.model.count([self._render_system(plan)], plan.functions.schemas)
        room = Room(self._window, fixed)
        if room.queue < _SMALLEST_QUEUE:
            raise AgentError(
                f"instructions, core memory and functions of the agent '{self.services.name}' take "
                f"{fixed:,} of the {self._window:,} tokens that a prompt may have: use a larger "
                "window, fewer functions or smaller blocks"
            )
        return room

    def _count_usage(self, completion: Completion, purpose: str) -> None:
        used = completion.usage
        self.stage(
            UsageCounted(
                self.event.id,
                purpose,
                used.prompt_tokens,
                used.completion_tokens,
                used.seconds,
                self._now(),
            )
        )

    # -- messages ------------------------------------------------------------------------------

    def _plan(self) -> Plan:
        if self._planned is None or self._planned[0] is not self.state:
            self._planned = self.state, self.services.planner.plan(self.view)
        return self._planned[1]

    def _add(self, message: Message) -> None:
        """Stage a message; of a long one, the prompt shows only the beginning."""
        number = self.state.number + 1
        message = replace(message, number=number)
        characters = self.services.limits.result if message.kind == "result" else None
        model = self.services.model
        share = _RESULT_SHARE if message.kind == "result" else _EVENT_SHARE
        fitted = fit_message(
            message, model, characters=characters, tokens=int(share * model.window)
        )
        self.stage(MessageAdded(fitted))

    def _read_message(self, number: int) -> Message | None:
        found = self.services.store.records(self.key, after=number - 1, until=number)
        message = found[0].message if found and isinstance(found[0], MessageAdded) else None
        return next((one for one in self.state.queue if one.number == number), message)

    def _now(self) -> datetime:
        return self.services.clock()


def _can_save(plan: Plan) -> bool:
    """Whether the model has a function to save what it is about to lose sight of."""
    return any(plan.functions.get(name) is not None for name in _SAVING_FUNCTIONS)


def _format_result(result: object) -> str:
    """Format the result of a function as text."""
    if result is None:
        return "done"
    if isinstance(result, str):
        return result
    try:
        return json.dumps(result, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(result)
