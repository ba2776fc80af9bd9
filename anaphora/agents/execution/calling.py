"""Calls of functions: their context, their results, and what becomes of errors."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from anaphora.agents.execution.session import AgentSession
from anaphora.agents.execution.window import check_core_room
from anaphora.agents.functions.context import RunContext
from anaphora.agents.functions.function import describe_failure, parse_arguments
from anaphora.agents.state.messages import FunctionCall, Message
from anaphora.agents.state.records import BlockChanged, MessageSent, Record
from anaphora.errors import AgentError

__all__ = ["MAX_CALLS", "add_interrupted_results", "call_functions"]

MAX_CALLS = 8
"""How many calls of one answer run."""

_TOO_MANY_CALLS = "an answer may have {} calls: this one and those after it have not run"
_INTERRUPTED = "it was interrupted: it may have run or not; find out before you call it again"
_SAID_BEFORE = "not sent again: the user has this message"
_MAX_RESULT = 1_000_000  # characters of a function result that the log keeps

_log = logging.getLogger(__name__)


def call_functions(
    session: AgentSession,
    calls: Sequence[FunctionCall],
    *,
    may_repeat: bool = False,
    was_interrupted: bool = False,
) -> None:
    """Run the calls of an answer, and store their results: those of repeatable functions together,
    the others one by one, and the intention before.

    ``may_repeat``: repeatable calls may have run before a crash; ``was_interrupted``: so may the
    first of ``calls``, whose intention had been stored.
    """
    for place, call in enumerate(calls):
        function = session.plan.functions.get(call.name)
        is_repeatable = function is None or function.repeatable
        if not is_repeatable:
            session.commit()
        if was_interrupted and not place and not is_repeatable:
            text, failed = _INTERRUPTED, True
        else:
            text, failed = _call(session, call, may_repeat=may_repeat)
        _add_result(session, call, text, failed=failed)
        if not is_repeatable:
            session.commit()
    session.commit()


def add_interrupted_results(session: AgentSession, calls: Sequence[FunctionCall]) -> None:
    """Stage a failed result for calls that will not run, or not to their end."""
    for call in calls:
        _add_result(session, call, _INTERRUPTED, failed=True)


def _add_result(session: AgentSession, call: FunctionCall, text: str, *, failed: bool) -> None:
    session.add(
        Message(
            "result",
            session.services.mask(text)[:_MAX_RESULT],
            session.now(),
            session.event.id,
            name=call.name,
            call_id=call.id,
            failed=failed,
        )
    )


def _call(session: AgentSession, call: FunctionCall, *, may_repeat: bool) -> tuple[str, bool]:
    """Call a function; return its result as text, and whether it failed."""
    if int(call.id.rpartition("_")[2]) >= MAX_CALLS:
        return _TOO_MANY_CALLS.format(MAX_CALLS), True
    emitted: list[Record] = []
    view, key = session.view, session.key
    context = RunContext(
        user=key.user,
        tenant=key.tenant,
        agent=key.model,
        at=view.at,
        call_id=f"{session.event.id}:{call.id}",
        core=view.core,
        event=session.event.id,
        emit=emitted.append,
        may_repeat=may_repeat,
        read_message=session.read_message,
    )
    try:
        arguments = parse_arguments(call)
        result = session.plan.functions.find(call.name).call(context, arguments)
    except Exception as error:  # whatever the user's function raises
        if not isinstance(error, AgentError):
            reason = session.services.mask(describe_failure(error))
            _log.info("the function %s failed: %s", call.name, reason)
        return describe_failure(error), True
    if problem := check_core_room(session, emitted):
        return problem, True
    if _is_repetition(session, call, emitted):
        return _SAID_BEFORE, False
    session.stage(*[_mask_record(record, session.services.mask) for record in emitted])
    return _format_result(session.services.mask_data(result)), False


def _is_repetition(session: AgentSession, call: FunctionCall, emitted: Sequence[Record]) -> bool:
    """Whether the user has got the same message in answer to this event."""
    if not any(isinstance(record, MessageSent) for record in emitted):
        return False
    event = session.event.id
    done = {
        one.call_id
        for one in session.state.queue
        if one.kind == "result" and one.event == event and not one.failed
    }
    return any(
        (earlier.name, earlier.arguments) == (call.name, call.arguments) and earlier.id in done
        for one in session.state.queue
        if one.kind == "assistant" and one.event == event
        for earlier in one.calls
    )


def _mask_record(record: Record, mask: Callable[[str], str]) -> Record:
    match record:
        case MessageSent():
            return replace(record, text=mask(record.text))
        case BlockChanged():
            return replace(record, value=mask(record.value))
        case _:
            return record


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
