"""The service itself: keys, health, readiness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from anaphora.api.values import OneOf, Resource, doc

__all__ = ["Health", "KeyInfo", "Readiness"]

_Check = Annotated[str, OneOf("ok", "failed")]


@dataclass(frozen=True, slots=True)
class KeyInfo(Resource):
    """What the key in use may do."""

    id: str | None = field(default=None, metadata=doc("None where the service has no keys."))
    tenant: str = ""
    scopes: tuple[Annotated[str, OneOf("ask", "read", "write", "admin")], ...] = ()
    user: str | None = field(default=None, metadata=doc("The only user that the key acts for."))
    expires: datetime | None = None


@dataclass(frozen=True, slots=True)
class Health(Resource):
    """The process is alive."""

    status: Annotated[str, OneOf("ok")]
    version: str = ""
    quarantined: int = field(
        default=0, metadata=doc("The number of items that the long-term memory could not process.")
    )
    quarantined_conversations: int = field(
        default=0, metadata=doc("The number of damaged conversations that the store has set aside.")
    )


@dataclass(frozen=True, slots=True)
class Readiness(Resource):
    """Whether questions can be answered now."""

    status: _Check
    ready: bool = field(default=False, metadata={"exclude": True})  # set by the client
    checks: Mapping[str, _Check] = field(default_factory=dict)
