"""Users, tenants and the keys under which their data is stored."""

from __future__ import annotations

import json
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from anaphora.core.request import Company, User
from anaphora.errors import AnaphoraError
from anaphora.stm.conversation import ConversationKey

__all__ = [
    "NAMESPACE_KINDS",
    "conversation_key",
    "parse_time_zone",
    "tenant_id",
    "to_user",
    "user_namespace",
    "user_of_tenant",
]

NAMESPACE_KINDS = ("user", "nlpcraft")
"""The kinds of namespaces with notes of one user. Whoever keeps notes of another kind
adds it here: a user is erased from all of them."""


def to_user(user: object) -> User:
    """Return a :class:`User` for an id; return a :class:`User` unchanged."""
    if isinstance(user, str):
        return User(user)
    if isinstance(user, User):
        return user
    raise TypeError(f"a user is an id or a User, not {type(user).__name__}")


def user_of_tenant(id: str, tenant: str) -> User:
    """Return the user with an id of a tenant ('' for none)."""
    return User(id, company=Company(tenant) if tenant else None)


def tenant_id(user: User) -> str:
    """Return the id of the user's company ('' without one)."""
    return user.company.id if user.company else ""


def conversation_key(user: User, model: str) -> ConversationKey:
    """Return the key of the user's conversation with a model."""
    return ConversationKey(user.id, model, tenant_id(user))


def user_namespace(user: User, kind: str = "user") -> str:
    """Return the namespace of a user's notes. It is JSON, because ids may contain any separator."""
    return f"{kind}:{json.dumps([tenant_id(user), user.id])}"


def parse_time_zone(name: str) -> ZoneInfo:
    """Parse the name of a time zone. Raises :class:`AnaphoraError` if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # no name, no file, a folder
        raise AnaphoraError(
            f"'{name}' is not a time zone; write a name such as Europe/Berlin, Asia/Tokyo or UTC"
        ) from error
