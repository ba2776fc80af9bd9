"""Who asks, and what comes along with the question: the facts that predicates may read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from anaphora.frozen import EMPTY, freeze

__all__ = ["Company", "Request", "User"]


class Company(Struct, frozen=True):
    """The company of a user; what is not known of it is None."""

    id: str
    name: str | None = None
    website: str | None = None
    country: str | None = None
    region: str | None = None
    city: str | None = None
    address: str | None = None
    postcode: str | None = None
    meta: Mapping[str, Any] = EMPTY

    def __post_init__(self) -> None:
        _freeze_field(self, "meta")


class User(Struct, frozen=True):
    """A user; what is not known of them is None. ``id`` tells conversations apart."""

    id: str
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    admin: bool = False
    signed_up: datetime | None = None
    company: Company | None = None
    meta: Mapping[str, Any] = EMPTY

    def __post_init__(self) -> None:
        _freeze_field(self, "meta")


class Request(Struct, frozen=True):
    """What comes along with a question: its id, where it comes from, and free data.

    ``time_zone`` (``Europe/Berlin``) is where "today" is today for the one who asks; that of the
    time of the question, if left out.
    """

    id: str | None = None
    address: str | None = None
    agent: str | None = None
    data: Mapping[str, Any] = EMPTY
    time_zone: str | None = None

    def __post_init__(self) -> None:
        _freeze_field(self, "data")


def _freeze_field(struct: Struct, name: str) -> None:
    """What is given there stays as it is, whatever becomes of what it was made of."""
    given = getattr(struct, name)
    if given is not EMPTY:  # as it is for most questions
        force_setattr(struct, name, freeze(given))
