"""The prompt of an agent in the window of its model: its size, and how room is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from anaphora.agents.answer import ContextSize
from anaphora.agents.context.blocks import CoreMemory
from anaphora.agents.context.fitting import SHORTEST, count_message, fit_message, shown_length
from anaphora.agents.context.main_context import render_message, render_summary, render_system
from anaphora.agents.context.queue import Room, plan_flush, visible_messages
from anaphora.agents.context.summary import collect_exchanges
from anaphora.agents.execution.services import AskModel
from anaphora.agents.execution.session import AgentSession
from anaphora.agents.state.messages import Message
from anaphora.agents.state.records import (
    BlockChanged,
    Flushed,
    Record,
    Shortened,
    Summarized,
)
from anaphora.agents.state.state import AgentState, replay
from anaphora.chat_model.messages import ChatMessage
from anaphora.errors import AgentError

__all__ = ["CrowdedError", "PromptWindow", "measure_context"]

_SMALLEST_QUEUE = 256  # tokens
_LARGEST_FIXED = 0.85  # of the prompt: the most that edits of core memory may lead to
_SUMMARY_SHARE = 0.15  # of the window: the most that the summary takes
_SHRINK = 0.85


class CrowdedError(AgentError):
    """The last exchange alone does not fit the window."""


@dataclass(slots=True)
class PromptWindow:
    """Fits the prompt of ``session`` into the window. ``ask`` calls the model for summaries."""

    session: AgentSession
    ask: AskModel
    size: int = field(init=False)
    _rendered: dict[tuple[int, int | None], ChatMessage] = field(default_factory=dict)
    _fixed: tuple[AgentState, ChatMessage, int] | None = None

    def __post_init__(self) -> None:
        model = self.session.services.model
        self.size = model.window - model.max_tokens

    def shrink(self) -> None:
        """Assume a smaller window, because the endpoint counts more tokens than we do."""
        self.size = int(self.size * _SHRINK)

    @property
    def is_pressed(self) -> bool:
        """Whether it is time to warn the model."""
        if self.session.services.model.is_cut_off:
            return False
        return self._room().is_pressed(self._queue_tokens())

    def fit(self) -> list[ChatMessage]:
        """Return the prompt, after making room for it.

        Raises :class:`CrowdedError` or another :class:`AgentError` if it cannot fit.
        """
        # An endpoint that is down reports that better than a count by estimates, for which nothing
        # shall leave the queue.
        if not self.session.services.model.is_cut_off:
            self._make_room()
        state, plan = self.session.state, self.session.plan
        summary = render_summary(state)
        return [
            self._measure_fixed()[0],
            *([] if summary is None or plan.last is not None else [summary]),
            *[self._render(one) for one in visible_messages(state.queue, plan.last)],
        ]

    def _render(self, message: Message) -> ChatMessage:
        """Render a message of the queue once for all steps: 500 of them take 5 ms."""
        key = message.number, message.shown
        rendered = self._rendered.get(key)
        if rendered is None:
            rendered = self._rendered[key] = render_message(message)
        return rendered

    def _measure_fixed(self) -> tuple[ChatMessage, int]:
        """Return the system message, and the tokens of it and of the declared functions; they are
        asked for twice in each step."""
        session = self.session
        if self._fixed is None or self._fixed[0] is not session.state:
            system = _render_system(session)
            tokens = session.services.model.count([system], session.plan.functions.schemas)
            self._fixed = session.state, system, tokens
        return self._fixed[1:]

    def _make_room(self) -> None:
        """Evict messages until the queue fits, and shorten what cannot leave."""
        session, room = self.session, self._room()
        if session.plan.last is not None:
            self._drop_invisible(session.plan.last)
        if session.state.summarized < session.state.flushed:
            self._summarize()  # a process died before it had a summary
        while self._queue_tokens() > room.queue:
            flushed = plan_flush(session.state.queue, session.state.summary_tokens, room)
            if flushed is None:
                self._shorten_longest(room)
                continue
            session.stage(flushed)
            session.commit()
            self._summarize()

    def _drop_invisible(self, last: int) -> None:
        """Evict what is not shown any more; it needs no summary."""
        queue = self.session.state.queue
        shown = visible_messages(queue, last)
        if len(queue) > 2 * len(shown):
            until = shown[0].number - 1
            self.session.stage(Flushed(until), Summarized(until, "", 0, ""))

    def _shorten_longest(self, room: Room) -> None:
        """Shorten the longest message. Raises :class:`CrowdedError` if all are short."""
        services = self.session.services
        long = [one for one in self.session.state.queue if shown_length(one) > SHORTEST]
        longest = max(long, key=lambda one: one.tokens, default=None)
        if longest is None:
            raise CrowdedError(
                f"the last exchange of the agent '{services.name}' does not fit the "
                f"{room.queue:,} tokens that its instructions leave: use a larger window"
            )
        half = longest.tokens // 2
        fitted = fit_message(longest, services.model, tokens=half, shortest=SHORTEST)
        self.session.stage(Shortened(longest.number, shown_length(fitted), fitted.tokens))

    def _summarize(self) -> None:
        """Summarize what has left the queue since the last summary."""
        session, services, state = self.session, self.session.services, self.session.state
        records = services.store.records(session.key, after=state.summarized, until=state.flushed)
        exchanges = collect_exchanges(records)
        text, by = state.summary, ""
        if exchanges:
            text, by = services.summarizer(self.ask).summarize(state.summary, exchanges)
            text = services.mask(text)
        most = int(_SUMMARY_SHARE * services.model.window)
        while (tokens := self._count_summary(text)) > most and text:
            text = text[: int(len(text) * min(0.9, most / tokens))]
        session.stage(Summarized(state.flushed, text, tokens, by))
        session.commit()

    def _count_summary(self, text: str) -> int:
        shown = render_summary(replace(self.session.state, summary=text))
        return count_message(shown, self.session.services.model) if shown else 0

    def _queue_tokens(self) -> int:
        state, last = self.session.state, self.session.plan.last
        if last is None:
            return state.queue_tokens
        return sum([one.tokens for one in visible_messages(state.queue, last)])

    def _room(self) -> Room:
        """Return the room of a prompt. Raises :class:`AgentError` if there is none for a dialog."""
        services, (_, fixed) = self.session.services, self._measure_fixed()
        room = Room(self.size, fixed)
        if room.queue < _SMALLEST_QUEUE:
            raise AgentError(
                f"instructions, core memory and functions of the agent '{services.name}' take "
                f"{fixed:,} of the {self.size:,} tokens that a prompt may have: use a larger "
                "window, fewer functions or smaller blocks"
            )
        return room


def measure_context(session: AgentSession) -> ContextSize:
    """Return the size of the next prompt, by part."""
    state, plan, model = session.state, session.plan, session.services.model
    system = [_render_system(session)]
    messages = visible_messages(state.queue, plan.last)
    return ContextSize(
        window=model.window,
        reserved=model.max_tokens,
        system=model.count(system),
        functions=model.count(system, plan.functions.schemas) - model.count(system),
        summary=state.summary_tokens if plan.last is None else 0,
        messages=sum([one.tokens for one in messages]),
    )


def _render_system(session: AgentSession) -> ChatMessage:
    plan, view = session.plan, session.view
    passages = session.services.count_passages(session.key)
    core = view.core if plan.shows_core else CoreMemory((), {})
    return render_system(plan.instructions, core, plan.sections, session.state, passages, view.at)


def check_core_room(session: AgentSession, records: Sequence[Record]) -> str:
    """Return the problem if changes of core memory would leave too little room for a dialog; ""
    otherwise. A change that makes core memory smaller is always allowed."""
    if not any(isinstance(record, BlockChanged) for record in records):
        return ""
    model, tools = session.services.model, session.plan.functions.schemas
    changed = AgentSession(session.services, session.key, replay(session.state, records))
    before = model.count([_render_system(session)], tools)
    after = model.count([_render_system(changed)], tools)
    most = int((model.window - model.max_tokens) * _LARGEST_FIXED)
    if after <= max(most, before):
        return ""
    return (
        f"instructions, functions and core memory would take {after:,} tokens; at most {most:,} "
        "leave room for a dialog: shorten a block, or use archival_memory_insert"
    )
