"""Authentication for NLPCraft's API: its access token is an API key in the request body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from anaphora.server.auth.client_address import client_address
from anaphora.server.auth.keys import ANONYMOUS_KEY, ApiKey, InvalidKeyError, KeyRing
from anaphora.server.nlpcraft.dispatcher import NlpcraftUser
from anaphora.server.nlpcraft.schemas import UserBody
from anaphora.server.problems import FieldError, ProblemError
from anaphora.server.routes.authentication import Caller, check_origin
from anaphora.server.settings.model import KeyScope

if TYPE_CHECKING:
    from anaphora.server.service.service import Service

__all__ = ["authenticate", "resolve_user"]


async def authenticate(
    request: Request, service: Service, token: str, scope: KeyScope | None = None
) -> Caller:
    """Authenticate the caller by ``token`` and count the request for the rate of the key.

    Raises :class:`ProblemError` for a key that is invalid, exceeds its rate, or lacks the
    ``scope``.
    """
    if service.keys.is_empty:
        check_origin(request.scope, service.settings)
    key = _verify_token(token, service.keys)
    request.scope["anaphora.key"] = key.id
    address = client_address(request.scope, service.settings.trusted_proxies)
    await service.limits.consume(key, address)
    if scope is not None and scope not in key.scopes:
        raise ProblemError("forbidden", f"The key lacks the scope '{scope}'.")
    return Caller(key, address)


def resolve_user(caller: Caller, body: UserBody) -> NlpcraftUser:
    """Return the user that the body names, if the key may act for them.

    Raises :class:`ProblemError` if it may not, or if the two ids name different users.
    """
    if body.usr_id is not None and body.usr_ext_id not in (None, str(body.usr_id)):
        what = FieldError("usrExtId", "It names another user than usrId.")
        raise ProblemError("invalid-request", f"{what.where}: {what.message}", errors=[what])
    given = body.usr_ext_id if body.usr_id is None else body.usr_id
    if given is None:
        given = caller.key.user or caller.key.id
    user = caller.engine_user(None if given is None else str(given))
    return NlpcraftUser(user, user.id if given is None else given)


def _verify_token(token: str, ring: KeyRing) -> ApiKey:
    if ring.is_empty:
        return ANONYMOUS_KEY
    if not token:
        raise ProblemError("unauthorized", "acsTok: Send a key of this service.")
    try:
        return ring.verify(token)
    except InvalidKeyError as error:
        raise ProblemError("unauthorized", f"acsTok: {error}.") from None
