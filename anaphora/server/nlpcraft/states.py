"""The transition of a question in NLPCraft's API to ready, and its stored form."""

from __future__ import annotations

import json
from datetime import datetime
from enum import IntEnum
from typing import Any, TypeAlias

from anaphora.engine.reply import Reply
from anaphora.server.nlpcraft.schemas import QuestionState

__all__ = ["ErrorCode", "UserId", "parse_state", "to_milliseconds", "with_error", "with_reply"]

UserId: TypeAlias = str | int

_MAX_RESULT_LENGTH = 256 * 1024  # characters of JSON: `check` reads a hundred at once


class ErrorCode(IntEnum):
    """NLPCraft's numbers for the reasons why a ready question has no result."""

    REJECTED = 1
    UNEXPECTED = 100
    TOO_BIG = 101
    SYSTEM = 102


def parse_state(text: str) -> QuestionState | None:
    """Parse a state from JSON; None if ``text`` is not a state."""
    try:
        return QuestionState.model_validate(json.loads(text))
    except (ValueError, RecursionError):
        return None


def with_reply(state: QuestionState, reply: Reply, at: datetime) -> QuestionState:
    """Return the state with its reply, ready at the time ``at``.

    A prompt ("For which city?") is a result, too: ``resMeta`` distinguishes it from an answer. A
    rejection is an error, unless a hook of the bot or an agent answers it.
    """
    if reply.explanation:
        state = state.model_copy(update={"log_holder": reply.explanation.to_dict()})
    if reply.status == "rejected" and reply.result is None and not reply.answered_by:
        return with_error(state, ErrorCode.REJECTED, reply.text or reply.reason, at)
    is_text = reply.result is None or isinstance(reply.result, str)
    body = reply.text if is_text else reply.result
    try:
        size = len(json.dumps(body, allow_nan=False))
    except (ValueError, TypeError, RecursionError):
        return with_error(state, ErrorCode.UNEXPECTED, "the result of the bot is not JSON", at)
    if size > _MAX_RESULT_LENGTH:
        return with_error(state, ErrorCode.TOO_BIG, "the result of the bot is too big", at)
    plain = reply.to_dict()
    return _finish(
        state,
        at,
        res_type="text" if is_text else "json",
        res_body=body,
        res_meta={name: plain[name] for name in ("status", "slots", "missing", "memory")},
        intent_id=reply.intent,
    )


def with_error(state: QuestionState, code: ErrorCode, reason: str, at: datetime) -> QuestionState:
    """Return the state without a result, with an error and its reason."""
    return _finish(state, at, error=reason, error_code=int(code))


def to_milliseconds(at: datetime) -> int:
    """Convert a time to NLPCraft's milliseconds."""
    return int(at.timestamp() * 1000)


def _finish(state: QuestionState, at: datetime, **values: Any) -> QuestionState:
    ready = {"status": "QRY_READY", "update_tstamp": to_milliseconds(at)}
    return state.model_copy(update=ready | values)
