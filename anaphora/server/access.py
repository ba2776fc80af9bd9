"""Who calls: from the headers of a request to what its key may do, and for which users."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import Scope as Connection

from anaphora.grammar.request import Company, User
from anaphora.server.keys import ANYONE, BadKey, Key, KeyRing
from anaphora.server.problems import Refusal
from anaphora.server.settings import Scope

if TYPE_CHECKING:
    from anaphora.server.service import Service

__all__ = ["Caller", "caller_of", "key_of", "require"]

_DEFAULT_USER = "user"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: their key, and the address that they sent it from."""

    key: Key
    address: str = ""

    @property
    def is_admin(self) -> bool:
        return "admin" in self.key.scopes

    def user_allowed(self, user: str) -> None:
        """Raises :class:`Refusal` if the key does not speak for ``user``."""
        if self.key.user is not None and self.key.user != user:
            raise Refusal("forbidden", "This key speaks for one user, and this is another one.")

    def user(self, named: str | None) -> str:
        """The user that a request speaks of; the key's own, else ``user``, if it names none.

        Raises :class:`Refusal` for one that the key does not speak for.
        """
        if named is None:
            return self.key.user or _DEFAULT_USER
        self.user_allowed(named)
        return named

    def engine_user(self, named: str | None) -> User:
        """The same as the engine knows them: a user of the key's tenant, whatever their id."""
        tenant = self.key.tenant
        return User(self.user(named), company=Company(tenant) if tenant else None)


async def caller_of(request: Request, scope: Scope | None = None) -> Caller:
    """The one who sent a request, which is counted for the rate of their key.

    Raises :class:`Refusal` for a key that is none, is used too often, or lacks the ``scope``
    (None: every key may).
    """
    service: Service = request.app.state.service
    connection = request.scope
    key = key_of(connection, service.keys)
    connection["anaphora.key"] = key.id
    client = connection.get("client")
    caller = connection["anaphora.caller"] = Caller(key, client[0] if client else "")
    await service.limits.count(key, caller.address)
    if scope is not None and scope not in key.scopes:
        raise Refusal("forbidden", f"The key lacks the scope '{scope}'.")
    return caller


def require(scope: Scope | None = None) -> Callable[[Request], Awaitable[Caller]]:
    """:func:`caller_of` as a dependency."""

    async def caller(request: Request) -> Caller:
        return await caller_of(request, scope)

    return caller


def key_of(connection: Connection, ring: KeyRing) -> Key:
    """The key that a request was sent with.

    Raises :class:`Refusal` if there is none, if it is wrong, or if there are two.
    """
    if ring.is_empty:
        return ANYONE
    sent = set()
    for name, value in connection["headers"]:
        if name == b"authorization":
            kind, _, text = value.decode("latin-1").strip().partition(" ")
            sent.add(text.strip() if kind.lower() == "bearer" else "")
        elif name == b"x-api-key":
            sent.add(value.decode("latin-1").strip())
    if not sent:
        raise Refusal("unauthorized")
    if len(sent) > 1:
        raise Refusal("unauthorized", "Two different keys were sent.")
    try:
        return ring.check(sent.pop())
    except BadKey as error:
        raise _wrong(str(error)) from None


def _wrong(reason: str) -> Refusal:
    return Refusal(
        "unauthorized",
        f"{reason[:1].upper()}{reason[1:]}.",
        headers={"WWW-Authenticate": 'Bearer realm="anaphora", error="invalid_token"'},
    )
