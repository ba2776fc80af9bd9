"""Whose conversation an event belongs to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from anaphora.core.request import Request, User
from anaphora.engine.reply import Reply
from anaphora.wyoming.event_reader import EventError

__all__ = ["QuestionContext", "parse_context"]

_IDENTITY_KEYS = ("conversation_id", "satellite_id", "device_id", "area_id", "area", "user_id")
_MAX_ID = 500  # characters, as in the REST API
_MAX_DEPTH = 50
_OWN_KEY = "anaphora"


class QuestionContext(Struct, frozen=True):
    """The context of an event: the ``user`` whose conversation it continues, and the ``request``,
    whose data predicates can read (``meta_req('area')``). ``returned`` is what the answer's context
    hands back to the client."""

    user: User
    request: Request
    returned: Mapping[str, Any]

    def describe(self, reply: Reply) -> dict[str, Any]:
        """Return the context of the answer: the client's own with the conversation and, under
        ``anaphora``, the status, which the protocol has no place for."""
        own: dict[str, Any] = {"status": reply.status}
        if reply.missing:
            own["missing"] = list(reply.missing)
        if reply.confirms:
            own["confirms"] = True
        return {**self.returned, _OWN_KEY: own}


def parse_context(context: object, *, connection_id: str, address: str) -> QuestionContext:
    """Read the context of an event.

    The conversation is that of ``conversation_id``. Without one it is that of the satellite, the
    device, the area or the user, in this order; without any, that of the connection, whose id the
    answer returns as ``conversation_id``. Raises :class:`EventError` for a context that is not an
    object or too deep, and for an id that is too long.
    """
    if context is not None and not isinstance(context, dict):
        raise EventError("the context is not a JSON object")
    if _is_deeper(context, _MAX_DEPTH):
        raise EventError(f"the context is nested more than {_MAX_DEPTH} levels deep")
    given = {key: value for key, value in (context or {}).items() if key != _OWN_KEY}
    user = _find_identity(given)
    if user is None:
        user = connection_id
        returned = {**given, "conversation_id": connection_id}
    else:
        returned = given
    return QuestionContext(User(user), Request(address=address or None, data=given), returned)


def _find_identity(context: Mapping[str, Any]) -> str | None:
    for key in _IDENTITY_KEYS:
        value = context.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            continue
        if len(value) > _MAX_ID:
            raise EventError(f"the {key} of the context has more than {_MAX_ID} characters")
        # Ids of different kinds may be equal.
        return value if key == "conversation_id" else f"{key}:{value}"
    return None


def _is_deeper(value: object, levels: int) -> bool:
    match value:
        case dict():
            parts: Collection[object] = value.values()
        case list():
            parts = value
        case _:
            return False
    return not levels or any(_is_deeper(part, levels - 1) for part in parts)
