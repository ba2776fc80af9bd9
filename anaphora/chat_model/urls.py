"""The address and the key of a chat-completions endpoint."""

from __future__ import annotations

from urllib.parse import urlsplit

from anaphora.errors import ChatModelError

__all__ = ["API_KEY_VARIABLE", "check_key", "parse_endpoint"]

API_KEY_VARIABLE = "OPENAI_API_KEY"
_ENDPOINT_PATH = "/chat/completions"


def parse_endpoint(url: str) -> tuple[str, str, str]:
    """Return the address of the endpoint, the root of its server (without /v1), and the address
    as it is shown in messages, without password or query.

    Raises :class:`ChatModelError` for anything but an HTTP URL.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        raise ChatModelError("a chat endpoint is a URL like https://api.openai.com/v1")
    path = parts.path.rstrip("/").removesuffix(_ENDPOINT_PATH)
    root = parts._replace(path=path.removesuffix("/v1"), query="", fragment="").geturl()
    path += _ENDPOINT_PATH
    place = f"[{host}]" if ":" in host else host
    shown = f"{parts.scheme}://{place}{f':{port}' if port else ''}{path}"
    return parts._replace(path=path, fragment="").geturl(), root, shown


def check_key(key: str) -> str:
    """Strip the key and check it: httpx would show an invalid one in its error.

    Raises :class:`ChatModelError` for a key that cannot be sent as a header.
    """
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ChatModelError("the key of a chat endpoint must be one line of ASCII letters")
    return key
