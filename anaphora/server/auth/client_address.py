"""Determine the client address of a request behind proxies."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from starlette.types import Scope as Connection

__all__ = ["client_address", "client_network"]

_Address: TypeAlias = IPv4Address | IPv6Address
_Network: TypeAlias = IPv4Network | IPv6Network

_ANY_PROXY = "*"
_IPV6_PREFIX_BITS = 64  # one client controls all IPv6 addresses with this prefix


def client_address(connection: Connection, trusted: tuple[str, ...] = ()) -> str:
    """Return the address that sent the request; '' if there is none.

    ``trusted`` lists the addresses and networks of trusted proxies (``*``: all). Entries of the
    header ``X-Forwarded-For`` count as long as trusted proxies wrote them, starting with the
    nearest. Earlier entries may be forged.
    """
    client = connection.get("client")
    address: str = client[0] if client else ""
    if not trusted or not _is_trusted(address, trusted):
        return address
    forwarded = b",".join(it for name, it in connection["headers"] if name == b"x-forwarded-for")
    for hop in reversed(forwarded.decode("latin-1").split(",")):
        found = _parse_address(hop.strip())
        if found is None:
            break
        address = str(found)
        if not _is_trusted(address, trusted):
            break
    return address


@lru_cache(maxsize=4_096)
def client_network(address: str) -> str:
    """Return one name for all addresses that a client controls: an IPv4 address, or the IPv6
    network of a household."""
    found = _parse_address(address)
    if isinstance(found, IPv6Address):
        return str(ip_network((found, _IPV6_PREFIX_BITS), strict=False))
    return address if found is None else str(found)


@lru_cache(maxsize=4_096)
def _is_trusted(address: str, trusted: tuple[str, ...]) -> bool:
    if _ANY_PROXY in trusted:
        return True
    found = _parse_address(address)
    return found is not None and any(found in network for network in _networks(trusted))


@lru_cache(maxsize=8)
def _networks(trusted: tuple[str, ...]) -> tuple[_Network, ...]:
    return tuple(ip_network(one) for one in trusted)


def _parse_address(text: str) -> _Address | None:
    """Parse an address; some proxies append a port."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
