"""How the two clients reach the service: what they tell httpx in common."""

from __future__ import annotations

from typing import Any

import httpx

from anaphora.errors import AnaphoraError
from anaphora.version import __version__

__all__ = ["http_client_options"]

# Servers let go of a silent connection after some 5 seconds, and a question that is sent at that
# very moment must not be sent again: this side lets go of it first.
_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=3.0)


def http_client_options(url: str, key: str | None, timeout: float | None) -> dict[str, Any]:
    """The arguments of the httpx client for the service at ``url``.

    Raises :class:`AnaphoraError` for an address or a key that cannot be one.
    """
    headers = {"User-Agent": f"anaphora/{__version__}"}
    if key is not None:
        if not key.isascii() or not key.isprintable() or " " in key or not key:
            raise AnaphoraError("the key cannot be one: it looks like ana_<id>_<secret>")
        headers["Authorization"] = f"Bearer {key}"
    return {
        "base_url": _parse_url(url),
        "headers": headers,
        "timeout": timeout,
        "limits": _LIMITS,
        "follow_redirects": False,  # a key is for this server alone
    }


def _parse_url(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url)
    except (httpx.InvalidURL, TypeError) as error:
        raise AnaphoraError(f"{url!r} is no address: {error}") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise AnaphoraError(f"{url!r} is no address of a server: write http://localhost:8080")
    if address.userinfo:
        raise AnaphoraError("the address holds a name or a password: give key='ana_…' instead")
    if address.query or address.fragment:
        raise AnaphoraError(
            f"{url!r} is more than the address of a server: drop what follows ? or #"
        )
    return address
