"""Authentication: from the headers of a request to what its key may do, and for which users."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import Scope as Connection

from anaphora.core.request import Company, User
from anaphora.models.reading.source import replace_unprintable
from anaphora.server.auth.client_address import client_address
from anaphora.server.auth.keys import ANONYMOUS_KEY, ApiKey, InvalidKeyError, KeyRing
from anaphora.server.problems import ProblemError, invalid_field
from anaphora.server.rate_limits.limiter import RateBucket
from anaphora.server.settings.model import KeyScope, Settings

if TYPE_CHECKING:
    from anaphora.server.service.service import Service

__all__ = ["Caller", "authenticate", "require_scope"]

_DEFAULT_USER = "user"
_CROSS_ORIGIN = (b"cross-site", b"same-site")  # values of browsers for other origins
_SAME_ORIGIN = (b"same-origin", b"none")
_BROWSER_HEADERS = (b"host", b"origin", b"sec-fetch-site")
_DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}
_PORT = re.compile(rb":[0-9]*$")
_NUMERIC_HOST = re.compile(r"[0-9.]+")


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request: their key and their address."""

    key: ApiKey
    address: str = ""

    @property
    def is_admin(self) -> bool:
        return "admin" in self.key.scopes

    def resolve_user(self, named: str | None) -> str:
        """Return the user of a request: ``named``, else the key's own user, else the default.

        Raises :class:`ProblemError` for a user that the key may not act for.
        """
        if named is None:
            return self.key.user or _DEFAULT_USER
        if self.key.user not in (None, named):
            raise ProblemError("forbidden", "This key belongs to another user.")
        return named

    def engine_user(self, named: str | None) -> User:
        """Return this user for the engine: with the key's tenant as their company."""
        tenant = self.key.tenant
        return User(self.resolve_user(named), company=Company(tenant) if tenant else None)


async def authenticate(
    request: Request,
    scope: KeyScope | None = None,
    *,
    bucket: RateBucket = "call",
    verify: Callable[[KeyRing], ApiKey] | None = None,
) -> Caller:
    """Authenticate the caller and count the request for the rate of their key, in ``bucket``.
    ``verify`` returns the key of the request (None: that of its headers).

    Raises :class:`ProblemError` for a key that is invalid, exceeds its rate, or lacks the ``scope``
    (None: every key may).
    """
    service: Service = request.app.state.service
    connection = request.scope
    settings = service.settings
    if service.keys.is_empty:
        _check_origin(connection, settings)
        key = ANONYMOUS_KEY
    else:
        key = verify(service.keys) if verify else _verify_headers(connection, service.keys)
    connection["anaphora.key"] = key.id
    address = client_address(connection, settings.trusted_proxies)
    caller = connection["anaphora.caller"] = Caller(key, address)
    await service.rate_limiter.consume(key, address, bucket=bucket)
    if scope is not None and scope not in key.scopes:
        raise ProblemError("forbidden", f"The key lacks the scope '{scope}'.")
    return caller


def require_scope(
    scope: KeyScope | None = None, *, bucket: RateBucket = "call"
) -> Callable[[Request], Awaitable[Caller]]:
    """Return :func:`authenticate` as a dependency for an endpoint with query parameters.

    It rejects repeated parameters, since a proxy in front of the service may evaluate a different
    one.
    """

    async def caller(request: Request) -> Caller:
        found = await authenticate(request, scope, bucket=bucket)
        _reject_repeated_parameters(request)
        return found

    return caller


def _verify_headers(connection: Connection, key_ring: KeyRing) -> ApiKey:
    """Return the key of a request.

    Raises :class:`ProblemError` if the request has no key, a wrong key, or two keys.
    """
    sent = set()
    for name, value in connection["headers"]:
        if name == b"authorization":
            kind, _, text = value.decode("latin-1").strip().partition(" ")
            sent.add(text.strip() if kind.lower() == "bearer" else "")
        elif name == b"x-api-key":
            sent.add(value.decode("latin-1").strip())
    if not sent:
        raise ProblemError("unauthorized")
    if len(sent) > 1:
        raise ProblemError("unauthorized", "Two different keys were sent.")
    try:
        return key_ring.verify(sent.pop())
    except InvalidKeyError as error:
        reason = str(error)
        challenge = 'Bearer realm="anaphora", error="invalid_token"'
        raise ProblemError(
            "unauthorized",
            f"{reason[:1].upper()}{reason[1:]}.",
            headers={"WWW-Authenticate": challenge},
        ) from None


def _check_origin(connection: Connection, settings: Settings) -> None:
    """Refuse requests that pages of other origins send to a service without keys.

    Without keys, every request may do everything, and browsers on this machine can reach the
    service. This check refuses requests from pages of another origin. It also refuses host names
    that do not belong to this machine: such a page may use one to appear as the same origin (DNS
    rebinding).

    Browsers omit ``Sec-Fetch-Site`` for most addresses without TLS, but not ``Origin``.

    Raises :class:`ProblemError`.
    """
    sent = {name: value for name, value in connection["headers"] if name in _BROWSER_HEADERS}
    if not settings.open and not _is_local_host(sent.get(b"host", b"")):
        raise ProblemError(
            "forbidden",
            "Without keys this service accepts requests from this machine only: create a key with "
            "'anaphora key', or admit everyone with --open.",
        )
    if not _is_cross_origin(sent):
        return
    if not {"*", sent.get(b"origin", b"").decode("latin-1")} & set(settings.cors):
        raise ProblemError("forbidden", "The setting 'cors' does not allow the sending page.")


def _reject_repeated_parameters(request: Request) -> None:
    """Raise :class:`ProblemError` for a repeated query parameter."""
    if not request.scope["query_string"]:
        return
    counts = Counter(name for name, _ in request.query_params.multi_items())
    for name, count in counts.items():
        if count > 1:
            raise invalid_field(replace_unprintable(name[:100]), "The parameter is repeated.")


def _is_cross_origin(sent: Mapping[bytes, bytes]) -> bool:
    """Whether a browser sends the request for a page of another origin."""
    if (site := sent.get(b"sec-fetch-site")) in (*_CROSS_ORIGIN, *_SAME_ORIGIN):
        return site in _CROSS_ORIGIN
    origin = sent.get(b"origin")
    if origin is None:
        return False
    scheme, _, host = origin.lower().partition(b"://")
    port = _DEFAULT_PORTS.get(scheme, b"")
    ours = sent.get(b"host", b"").lower().removesuffix(port)
    return not host or host.removesuffix(port) != ours


@lru_cache(maxsize=64)
def _is_local_host(host: bytes) -> bool:
    """Whether the header ``Host`` names this machine in a way that the internet cannot: by an
    address, by a name without a dot, or below ``localhost``. ``0.0.0.0`` and ``[::]`` do not count:
    any page can reach this machine by them, and no host has these addresses."""
    name = str(_PORT.sub(b"", host.lower()), "latin-1")
    try:
        address = ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        is_name = _NUMERIC_HOST.fullmatch(name) is None
        return is_name and ("." not in name or name.endswith(".localhost"))
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return not (mapped or address).is_unspecified
