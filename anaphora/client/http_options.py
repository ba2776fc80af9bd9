"""The httpx options that both clients share."""

from __future__ import annotations

from typing import Any

import httpx

from anaphora.errors import AnaphoraError
from anaphora.version import __version__

__all__ = ["http_client_options"]

# Servers close an idle connection after about 5 seconds. A question sent at that very
# moment must not be retried, so the client closes its connections first.
_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=3.0)


def http_client_options(url: str, key: str | None, timeout: float | None) -> dict[str, Any]:
    """Return the arguments of the httpx client for the service at ``url``.

    Raises :class:`AnaphoraError` for an invalid address or key.
    """
    headers = {"User-Agent": f"anaphora/{__version__}"}
    if key is not None:
        if not key.isascii() or not key.isprintable() or " " in key or not key:
            raise AnaphoraError("invalid API key: expected ana_<id>_<secret>")
        headers["Authorization"] = f"Bearer {key}"
    return {
        "base_url": _parse_url(url),
        "headers": headers,
        "timeout": timeout,
        "limits": _LIMITS,
        "follow_redirects": False,  # a redirect must not get the key
    }


def _parse_url(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url)
    except (httpx.InvalidURL, TypeError) as error:
        raise AnaphoraError(f"{url!r} is not a URL: {error}") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise AnaphoraError(f"{url!r} is not the URL of a server: write http://localhost:8080")
    if address.userinfo:
        raise AnaphoraError("the URL contains a user name or a password: give key='ana_…' instead")
    if address.query or address.fragment:
        raise AnaphoraError(f"{url!r} has a query or a fragment: remove what follows ? or #")
    return address
