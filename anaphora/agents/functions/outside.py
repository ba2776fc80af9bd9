"""Functions that reach files and web services, for agents that are allowed to."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import socket
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urljoin, urlsplit

from pydantic import Field

from anaphora.agents.functions.function import AgentFunction, CallError
from anaphora.errors import AgentError

if TYPE_CHECKING:
    import httpx

__all__ = ["file_functions", "http_functions"]

_MAX_LINES, _MAX_CHARACTERS = 500, 20_000  # of a file at once
_MAX_FILE_BYTES = 50 << 20
# A link that takes the place of a checked path is refused, and a pipe does not block.
_SAFE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_MAX_RESPONSE_BYTES = 1 << 20
_TIMEOUT = 20.0  # seconds of a request in all
_MAX_REDIRECTS = 3
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # IPv4 addresses in IPv6 (RFC 6052)


def file_functions(root: str | Path, *, writable: bool = False) -> list[AgentFunction]:
    """Build ``read_from_text_file`` and, if ``writable``, ``append_to_text_file`` for the files
    below the folder ``root``; links that lead out of it are refused.

    Raises :class:`AgentError` if there is no such folder.
    """
    folder = Path(os.path.realpath(root))
    if not folder.is_dir():
        raise AgentError(f"there is no folder {root} whose files the agent might use")

    def read_from_text_file(
        filename: Annotated[str, Field(description="path below the agent's folder")],
        line_start: Annotated[int, Field(ge=1, description="first line, from 1")] = 1,
        num_lines: Annotated[int, Field(ge=1, le=_MAX_LINES)] = 50,
    ) -> str:
        """Read lines of a text file."""
        with _open_file(folder, filename, os.O_RDONLY) as descriptor:
            if os.fstat(descriptor).st_size > _MAX_FILE_BYTES:
                raise CallError(f"{filename} has more than {_MAX_FILE_BYTES >> 20} MB")
            with open(descriptor, encoding="utf-8", errors="replace", closefd=False) as file:
                lines = file.read().splitlines()
        return _format_lines(lines, line_start, num_lines)

    def append_to_text_file(
        filename: Annotated[str, Field(description="path below the agent's folder")],
        content: Annotated[str, Field(min_length=1, max_length=_MAX_CHARACTERS)],
    ) -> str:
        """Add a line to a text file that exists."""
        with _open_file(folder, filename, os.O_WRONLY | os.O_APPEND) as descriptor:
            os.write(descriptor, f"{content}\n".encode("utf-8", "replace"))
        return "appended"

    functions = [AgentFunction.from_callable(read_from_text_file, repeatable=True)]
    if writable:
        functions.append(AgentFunction.from_callable(append_to_text_file))
    return functions


def http_functions(hosts: Collection[str]) -> list[AgentFunction]:
    """Build ``http_request`` for the named ``hosts`` ("api.example.com"), by https or http. Names
    that lead to private addresses are refused, redirects only followed among these hosts.

    Raises :class:`AgentError` if httpx is missing, or for something else than host names.
    """
    if find_spec("httpx") is None:
        raise AgentError("http_request needs httpx: pip install 'anaphora[client]'")
    allowed = frozenset(host.casefold() for host in hosts)
    for host in allowed:
        if not host or "/" in host or ":" in host:
            raise AgentError(f"'{host}' is not the name of a host like api.example.com")

    def http_request(
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
        url: str,
        payload_json: Annotated[str | None, Field(description="JSON body; ignored for GET")] = None,
    ) -> dict[str, Any]:
        body = None if method == "GET" else _parse_payload(payload_json)
        return _request(method, url, body, allowed)

    names = ", ".join(sorted(allowed))
    http_request.__doc__ = f"Send a request to a web service at one of the hosts {names}."
    return [AgentFunction.from_callable(http_request)]


def _format_lines(lines: list[str], start: int, count: int) -> str:
    """Format lines of a file, as many as fit; of a single line that does not, its beginning."""
    shown: list[str] = []
    size = 0
    for line in lines[start - 1 : start - 1 + count]:
        size += len(line) + 1
        if shown and size > _MAX_CHARACTERS:
            break
        shown.append(line[:_MAX_CHARACTERS])
    last = start + len(shown) - 1
    text = "\n".join(shown)
    cut = ""
    if shown and len(lines[last - 1]) > _MAX_CHARACTERS:
        length = len(lines[last - 1])
        cut = f"; of line {last}, the first {_MAX_CHARACTERS:,} of {length:,} characters"
    return f"lines {start} to {last} of {len(lines)}{cut}:\n{text}"


@contextmanager
def _open_file(folder: Path, filename: str, flags: int) -> Iterator[int]:
    """Open a file below ``folder``. Raises :class:`CallError` if it is elsewhere or missing."""
    path = Path(os.path.realpath(folder / filename))
    if not path.is_relative_to(folder) or "\0" in filename:
        raise CallError(f"{filename} is not below the agent's folder")
    try:
        descriptor = os.open(path, flags | _SAFE_FLAGS)
    except OSError as error:
        raise CallError(f"{filename}: {error.strerror}") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise CallError(f"{filename} is not a file")
        yield descriptor
    except OSError as error:
        raise CallError(f"{filename}: {error.strerror}") from error
    finally:
        os.close(descriptor)


def _parse_payload(payload: str | None) -> Any:
    if payload is None:
        return None
    try:
        return json.loads(payload)
    except ValueError as error:
        raise CallError(f"payload_json is not JSON: {error}") from error


def _request(method: str, url: str, body: Any, allowed: frozenset[str]) -> dict[str, Any]:
    """Send a request, following redirects among the allowed hosts, within a time in all."""
    try:
        return asyncio.run(asyncio.wait_for(_send(method, url, body, allowed), _TIMEOUT))
    except TimeoutError as error:
        raise CallError(f"no answer within {_TIMEOUT:g} seconds") from error


async def _send(method: str, url: str, body: Any, allowed: frozenset[str]) -> dict[str, Any]:
    import httpx

    for _ in range(_MAX_REDIRECTS + 1):
        target, host = await asyncio.to_thread(_check_url, url, allowed)
        try:
            async with (
                httpx.AsyncClient(timeout=_TIMEOUT, trust_env=False) as client,
                client.stream(
                    method,
                    target,
                    json=body,
                    headers={"Host": host},
                    extensions={"sni_hostname": urlsplit(url).hostname},
                ) as response,
            ):
                location = response.headers.get("Location")
                if not (response.is_redirect and location):
                    return await _read(response)
                url = urljoin(url, location)
                method, body = ("GET", None) if response.status_code == 303 else (method, body)
        except httpx.HTTPError as error:
            raise CallError(f"{host} cannot be reached: {error}") from error
    raise CallError(f"more than {_MAX_REDIRECTS} redirects")


async def _read(response: httpx.Response) -> dict[str, Any]:
    received = bytearray()
    async for piece in response.aiter_bytes():
        received += piece
        if len(received) > _MAX_RESPONSE_BYTES:
            break
    return {
        "status": response.status_code,
        "type": response.headers.get("Content-Type", ""),
        "body": received[:_MAX_RESPONSE_BYTES].decode("utf-8", "replace"),
    }


def _check_url(url: str, allowed: frozenset[str]) -> tuple[str, str]:
    """Return the URL with the address of its host instead of the name, and the name with its port.
    The address is looked up once, so that it cannot change between the check and the request.

    Raises :class:`CallError` for a host that is not allowed or has a private address.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").casefold(), parts.port
    except ValueError as error:
        raise CallError(f"this is not a URL: {error}") from error
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc:
        raise CallError("write a URL such as https://api.example.com/path")
    if host not in allowed:
        raise CallError(f"{host} is not allowed; allowed are {', '.join(sorted(allowed))}")
    try:
        found = socket.getaddrinfo(host, port or parts.scheme, type=socket.SOCK_STREAM)
    except OSError as error:
        raise CallError(f"{host} cannot be found: {error.strerror}") from error
    addresses = [str(one[4][0]) for one in found]
    if not all(map(_is_public, addresses)):
        raise CallError(f"{host} has a private address")
    address = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
    netloc = f"{address}:{port}" if port else address
    return parts._replace(netloc=netloc).geturl(), f"{host}:{port}" if port else host


def _is_public(address: str) -> bool:
    """Whether an address, and one that is embedded in it, is public."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        embedded = [one for one in (ip.ipv4_mapped, ip.sixtofour) if one is not None]
        embedded += ip.teredo or ()
        if ip in _NAT64:
            embedded.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
        if not all(one.is_global and not one.is_multicast for one in embedded):
            return False
    return ip.is_global and not ip.is_multicast
