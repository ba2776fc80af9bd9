"""The state of a question in NLPCraft's API, and its transition to ready."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import IntEnum
from typing import Any, Literal, TypeAlias

from anaphora.engine.reply import Reply

__all__ = [
    "ErrorCode",
    "QueryState",
    "UserId",
    "parse_state",
    "to_milliseconds",
    "with_error",
    "with_reply",
]

UserId: TypeAlias = str | int

_MAX_RESULT_LENGTH = 256 * 1024  # characters of JSON: `check` reads a hundred at once


class ErrorCode(IntEnum):
    """NLPCraft's numbers for the reasons why a ready question has no result."""

    REJECTED = 1
    UNEXPECTED = 100
    TOO_BIG = 101
    SYSTEM = 102


@dataclass(frozen=True, slots=True)
class QueryState:
    """The state of a question; NLPCraft's fields in Python spelling.

    ``probe_id`` is the worker that answers it. Times are in milliseconds. A question that is ready
    has either an ``error`` or a ``res_type``; missing fields are None.
    """

    srv_req_id: str
    usr_id: UserId
    mdl_id: str
    probe_id: str
    txt: str
    create_tstamp: int
    update_tstamp: int
    status: Literal["QRY_ENLISTED", "QRY_READY"] = "QRY_ENLISTED"
    res_type: Literal["text", "json"] | None = None
    res_body: Any = None
    res_meta: Mapping[str, Any] | None = None
    error: str | None = None
    error_code: int | None = None
    intent_id: str | None = None
    log_holder: Mapping[str, Any] | None = None

    @property
    def is_ready(self) -> bool:
        return self.status == "QRY_READY"

    def to_plain(self) -> dict[str, Any]:
        """Convert the state to JSON-able data in NLPCraft's spelling, without missing fields."""
        values = {name: getattr(self, field) for name, field in _FIELDS.items()}
        return {name: value for name, value in values.items() if value is not None}


_FIELDS = {
    re.sub("_([a-z])", lambda found: found[1].upper(), field.name): field.name
    for field in fields(QueryState)
}


def parse_state(text: str) -> QueryState | None:
    """Parse a state from JSON; None if ``text`` is not a state."""
    try:
        state = QueryState(**{_FIELDS[name]: value for name, value in json.loads(text).items()})
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None
    times = (state.create_tstamp, state.update_tstamp)
    return state if all(isinstance(time, int) for time in times) else None


def with_reply(state: QueryState, reply: Reply, at: datetime) -> QueryState:
    """Return the state with its reply, ready at the time ``at``.

    A prompt ("For which city?") is a result, too: ``resMeta`` distinguishes it from an answer. A
    rejection is an error, unless a hook of the bot answers it.
    """
    if reply.explanation:
        state = replace(state, log_holder=reply.explanation.to_dict())
    if reply.status == "rejected" and reply.result is None:
        return with_error(state, ErrorCode.REJECTED, reply.reason, at)
    is_text = reply.result is None or isinstance(reply.result, str)
    body = reply.text if is_text else reply.result
    try:
        size = len(json.dumps(body, allow_nan=False))
    except (ValueError, TypeError, RecursionError):
        return with_error(state, ErrorCode.UNEXPECTED, "the result of the bot is not JSON", at)
    if size > _MAX_RESULT_LENGTH:
        return with_error(state, ErrorCode.TOO_BIG, "the result of the bot is too big", at)
    plain = reply.to_dict()
    return replace(
        state,
        status="QRY_READY",
        update_tstamp=to_milliseconds(at),
        res_type="text" if is_text else "json",
        res_body=body,
        res_meta={name: plain[name] for name in ("status", "slots", "missing", "memory")},
        intent_id=reply.intent,
    )


def with_error(state: QueryState, code: ErrorCode, reason: str, at: datetime) -> QueryState:
    """Return the state without a result, with an error and its reason."""
    return replace(
        state,
        status="QRY_READY",
        update_tstamp=to_milliseconds(at),
        error=reason,
        error_code=int(code),
    )


def to_milliseconds(at: datetime) -> int:
    """Convert a time to NLPCraft's milliseconds."""
    return int(at.timestamp() * 1000)
