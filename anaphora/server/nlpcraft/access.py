"""Who calls NLPCraft's API: its access token is a key of ours, and comes in the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from anaphora.server.access import Caller, refuse_strangers
from anaphora.server.addresses import address_of
from anaphora.server.keys import ANYONE, BadKey, Key, KeyRing
from anaphora.server.nlpcraft.bodies import OfUser
from anaphora.server.nlpcraft.clerk import Who
from anaphora.server.problems import Mistake, Refusal
from anaphora.server.settings import Scope

if TYPE_CHECKING:
    from anaphora.server.service import Service

__all__ = ["caller_of", "who_of"]


async def caller_of(
    request: Request, service: Service, token: str, scope: Scope | None = None
) -> Caller:
    """The one who sent ``token``, counted for the rate of the key.

    Raises :class:`Refusal` for a key that is none, is used too often, or lacks the ``scope``.
    """
    if service.keys.is_empty:
        refuse_strangers(request.scope, service.settings)
    key = _key_of(token, service.keys)
    request.scope["anaphora.key"] = key.id
    address = address_of(request.scope, service.settings.trusted_proxies)
    await service.limits.count(key, address)
    if scope is not None and scope not in key.scopes:
        raise Refusal("forbidden", f"The key lacks the scope '{scope}'.")
    return Caller(key, address)


def who_of(caller: Caller, body: OfUser) -> Who:
    """The user of whom a body speaks, if the key may speak for them.

    Raises :class:`Refusal` if not, or if the two ids are two users.
    """
    if body.usr_id is not None and body.usr_ext_id not in (None, str(body.usr_id)):
        what = Mistake("usrExtId", "It names another user than usrId.")
        raise Refusal("invalid-request", f"{what.where}: {what.message}", errors=[what])
    given = body.usr_ext_id if body.usr_id is None else body.usr_id
    if given is None:
        given = caller.key.user or caller.key.id
    user = caller.engine_user(None if given is None else str(given))
    return Who(user, user.id if given is None else given)


def _key_of(token: str, ring: KeyRing) -> Key:
    if ring.is_empty:
        return ANYONE
    if not token:
        raise Refusal("unauthorized", "acsTok: Send a key of this service.")
    try:
        return ring.check(token)
    except BadKey as error:
        raise Refusal("unauthorized", f"acsTok: {error}.") from None
