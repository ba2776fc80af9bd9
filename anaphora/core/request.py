"""The user, the company and the request behind a question, as predicates can read them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from anaphora.frozen import EMPTY, freeze

__all__ = ["Company", "Request", "User"]


class Company(Struct, frozen=True):
    """The company of a user; unknown fields are None."""

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
    """A user; unknown fields are None. ``id`` identifies the conversation."""

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
    """The context of a question: its id, its origin and free data.

    ``time_zone`` (``Europe/Berlin``) determines what "today" means; by default the zone of the
    time of the question.
    """

    id: str | None = None
    address: str | None = None
    agent: str | None = None
    data: Mapping[str, Any] = EMPTY
    time_zone: str | None = None

    def __post_init__(self) -> None:
        _freeze_field(self, "data")


def _freeze_field(struct: Struct, name: str) -> None:
    """Replace the mapping in a field with a frozen copy."""
    value = getattr(struct, name)
    if value is not EMPTY:  # it is, for most questions
        force_setattr(struct, name, freeze(value))
