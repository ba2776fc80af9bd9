"""Who asks, and under what the store keeps what is theirs."""

from __future__ import annotations

import json
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from anaphora.core.request import User
from anaphora.errors import AnaphoraError
from anaphora.stm.conversation import ConversationKey

__all__ = [
    "NAMESPACE_KINDS",
    "conversation_key",
    "parse_time_zone",
    "tenant_id",
    "to_user",
    "user_namespace",
]

NAMESPACE_KINDS = ("user", "nlpcraft")
"""The kinds of namespaces with notes of one user. Whoever keeps notes of another kind
adds it here: a user is erased from all of them."""


def to_user(user: object) -> User:
    """The user of that id, or the :class:`User` itself."""
    if isinstance(user, str):
        return User(user)
    if isinstance(user, User):
        return user
    raise TypeError(f"a user is an id or a User, not {type(user).__name__}")


def tenant_id(user: User) -> str:
    """The id of the company whose user it is ('' for none)."""
    return user.company.id if user.company else ""


def conversation_key(user: User, model: str) -> ConversationKey:
    """Under what their conversation with the model of that id is kept."""
    return ConversationKey(user.id, model, tenant_id(user))


def user_namespace(user: User, kind: str = "user") -> str:
    """Where the notes of a user are: JSON, for ids may hold any mark that would divide them."""
    return f"{kind}:{json.dumps([tenant_id(user), user.id])}"


def parse_time_zone(name: str) -> ZoneInfo:
    """The time zone of that name. Raises :class:`AnaphoraError` if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # no name, no file, a folder
        raise AnaphoraError(
            f"'{name}' is no time zone; they are called Europe/Berlin, Asia/Tokyo, UTC"
        ) from error
