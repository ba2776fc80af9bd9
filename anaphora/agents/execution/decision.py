"""What an agent does next, decided from its state alone.

So a process that takes over from one that was killed goes on where that one was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from anaphora.agents.execution.limits import AgentLimits
from anaphora.agents.functions.function import FunctionSet
from anaphora.agents.state.messages import FunctionCall, Message
from anaphora.agents.state.records import EndReason
from anaphora.agents.state.state import AgentState, RunningEvent

__all__ = [
    "Action",
    "AskModel",
    "CallFunctions",
    "End",
    "WarnOfPressure",
    "decide_next",
    "find_open_calls",
]

_MAX_EMPTY = 3  # answers of the model without any content


@dataclass(frozen=True, slots=True)
class AskModel:
    """Call the model."""


@dataclass(frozen=True, slots=True)
class CallFunctions:
    """Run the calls of the model's last answer that have no result yet."""

    calls: tuple[FunctionCall, ...]


@dataclass(frozen=True, slots=True)
class WarnOfPressure:
    """Tell the model that its window is filling up."""


@dataclass(frozen=True, slots=True)
class End:
    """End the chain."""

    reason: EndReason
    detail: str = ""


Action: TypeAlias = AskModel | CallFunctions | WarnOfPressure | End


def decide_next(
    state: AgentState,
    functions: FunctionSet,
    limits: AgentLimits,
    *,
    is_pressed: bool,
    seconds: float,
) -> Action:
    """Return the next action for the running event, which has taken ``seconds`` so far.

    The model runs again after a failed call, if a call asks for it, if it has not answered the
    user yet, and after an alert; a pressed window comes before all but the first.
    """
    event = state.event
    assert event is not None
    answer, results, has_news = _last_step(state, event)
    open_calls = _open_calls(answer, results)
    if open_calls:
        return CallFunctions(open_calls)
    has_failed = any(one.failed for one in results)
    if is_pressed and not state.alerted and answer is not None and not has_failed:
        return WarnOfPressure()
    if answer is None or has_news:
        return _within_limits(state, event, limits, seconds)
    wants_more = has_failed or any(
        function.wants_heartbeat(call)
        for call in answer.calls
        if (function := functions.get(call.name)) is not None
    )
    if wants_more or (event.kind == "user_message" and not event.sent):
        return _within_limits(state, event, limits, seconds)
    return End("done")


def find_open_calls(state: AgentState, event: RunningEvent) -> tuple[FunctionCall, ...]:
    """Return the calls of the model's last answer to the event that have no result yet."""
    answer, results, _ = _last_step(state, event)
    return _open_calls(answer, results)


def _within_limits(
    state: AgentState, event: RunningEvent, limits: AgentLimits, seconds: float
) -> Action:
    """Return the action of calling the model, or the end if a limit forbids it."""
    if event.empty >= _MAX_EMPTY:
        return End("silent", f"the model answered {event.empty} times without any content")
    if event.steps >= limits.steps:
        return End("steps", f"{limits.steps} steps")
    if event.usage.tokens >= limits.tokens:
        return End("tokens", f"{limits.tokens:,} tokens")
    quota, today = limits.tokens_per_day, event.at.date().isoformat()
    if quota is not None and state.day == today and state.day_usage.tokens >= quota:
        return End("quota", f"{quota:,} tokens a day")
    if seconds >= limits.seconds:
        return End("time", f"{limits.seconds:g} seconds")
    if (repeated := _repeated_call(state, event, limits.equal_calls)) is not None:
        return End("repeated", f"{limits.equal_calls} equal calls of {repeated.name}")
    return AskModel()


def _last_step(
    state: AgentState, event: RunningEvent
) -> tuple[Message | None, list[Message], bool]:
    """Return the model's last answer to the event, the results of its calls, and whether an event
    came after them."""
    results: list[Message] = []
    has_news = False
    for message in reversed(state.queue):
        if message.event != event.id:
            break
        match message.kind:
            case "assistant":
                return message, results, has_news
            case "result":
                results.append(message)
            case "event":
                has_news = True
    return None, [], has_news


def _open_calls(answer: Message | None, results: list[Message]) -> tuple[FunctionCall, ...]:
    if answer is None:
        return ()
    done = {one.call_id for one in results}
    return tuple([call for call in answer.calls if call.id not in done])


def _repeated_call(state: AgentState, event: RunningEvent, most: int) -> FunctionCall | None:
    """Return a call that the model made in each of its last ``most`` answers, if these are all
    equal."""
    last = [one.calls for one in state.queue if one.kind == "assistant" and one.event == event.id][
        -most:
    ]
    if len(last) < most or not last[-1]:
        return None
    same = {tuple([(call.name, call.arguments) for call in calls]) for calls in last}
    return last[-1][-1] if len(same) == 1 else None
