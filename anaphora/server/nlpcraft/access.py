"""Authentication for NLPCraft's API: its access token is an API key in the request body."""

from __future__ import annotations

from starlette.requests import Request

from anaphora.server.auth.keys import ApiKey, InvalidKeyError, KeyRing
from anaphora.server.nlpcraft.dispatcher import NlpcraftUser
from anaphora.server.nlpcraft.schemas import UserBody
from anaphora.server.problems import ProblemError, invalid_field
from anaphora.server.routes.authentication import Caller, authenticate
from anaphora.server.settings.model import KeyScope

__all__ = ["authenticate_token", "resolve_user"]


async def authenticate_token(request: Request, token: str, scope: KeyScope | None = None) -> Caller:
    """Authenticate the caller by ``token`` and count the request for the rate of the key.

    Raises :class:`ProblemError` for a key that is invalid, exceeds its rate, or lacks the
    ``scope``.
    """

    def verify(ring: KeyRing) -> ApiKey:
        if not token:
            raise ProblemError("unauthorized", "acsTok: Send a key of this service.")
        try:
            return ring.verify(token)
        except InvalidKeyError as error:
            raise ProblemError("unauthorized", f"acsTok: {error}.") from None

    return await authenticate(request, scope, verify=verify)


def resolve_user(caller: Caller, body: UserBody) -> NlpcraftUser:
    """Return the user that the body names, if the key may act for them.

    Raises :class:`ProblemError` if it may not, or if the two ids name different users.
    """
    if body.usr_id is not None and body.usr_ext_id not in (None, str(body.usr_id)):
        raise invalid_field("usrExtId", "It names another user than usrId.")
    given = body.usr_ext_id if body.usr_id is None else body.usr_id
    if given is None:
        given = caller.key.user or caller.key.id
    user = caller.engine_user(None if given is None else str(given))
    return NlpcraftUser(user, user.id if given is None else given)
