"""Who asks, and under what the store keeps what is theirs."""

from __future__ import annotations

import json
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from anaphora.errors import AnaphoraError
from anaphora.grammar.request import User
from anaphora.stm.conversation import Key

__all__ = ["SHELVES", "as_user", "key_of", "shelf_of", "tenant_of", "zone_of"]

SHELVES = ("user", "nlpcraft")
"""The kinds of shelves with notes of one user. Whoever keeps notes of another kind adds it here: a
user is erased from all of them."""


def as_user(user: object) -> User:
    """The user of that id, or the :class:`User` itself."""
    if isinstance(user, str):
        return User(user)
    if isinstance(user, User):
        return user
    raise TypeError(f"a user is an id or a User, not {type(user).__name__}")


def tenant_of(who: User) -> str:
    """The id of the company whose user it is ('' for none)."""
    return who.company.id if who.company else ""


def key_of(who: User, model: str) -> Key:
    """Under what their conversation with the model of that id is kept."""
    return Key(who.id, model, tenant_of(who))


def shelf_of(who: User, kind: str = "user") -> str:
    """Where the notes of a user are: JSON, for ids may hold any mark that would divide them."""
    return f"{kind}:{json.dumps([tenant_of(who), who.id])}"


def zone_of(name: str) -> ZoneInfo:
    """The time zone of that name. Raises :class:`AnaphoraError` if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # no name, no file, a folder
        raise AnaphoraError(
            f"'{name}' is no time zone; they are called Europe/Berlin, Asia/Tokyo, UTC"
        ) from error
