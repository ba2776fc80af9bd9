"""API keys: their scopes, and how a key is verified.

The text of a key is ``ana_<id>_<secret>``. The settings store only its hash, which cannot be used
as a key.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from secrets import token_hex
from typing import get_args

from anaphora.errors import AnaphoraError
from anaphora.server.settings.model import KeyScope, KeySettings

__all__ = ["ALL_SCOPES", "ANONYMOUS_KEY", "ApiKey", "InvalidKeyError", "KeyRing", "generate_key"]

ALL_SCOPES: tuple[KeyScope, ...] = get_args(KeyScope)

_PREFIX = "ana_"
_MAX_LENGTH = 512  # characters; a longer text is rejected without hashing
_SECRET_BYTES = 32  # bytes
_UNKNOWN_KEY_HASH = "0" * 64  # compared with keys of an unknown id: no text has this hash


class InvalidKeyError(AnaphoraError):
    """A text that is not a valid key, or a key that has expired."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The permissions of a key.

    ``id`` is None if the service has no keys and everyone may do everything. ``user`` is the only
    user that the key may act for (None: all users of the ``tenant``). ``rate`` is its rate limit.
    """

    id: str | None
    tenant: str = ""
    scopes: frozenset[KeyScope] = frozenset()
    user: str | None = None
    rate: str | None = None
    expires: datetime | None = None


ANONYMOUS_KEY = ApiKey(None, scopes=frozenset(ALL_SCOPES))
"""The key of a caller when the service has no keys."""


class KeyRing:
    """The keys of the settings. ``clock`` returns the current time, to detect expired keys."""

    def __init__(self, keys: Iterable[KeySettings], clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._keys = {
            key.id: (
                key.hash.removeprefix("sha256:"),
                ApiKey(key.id, key.tenant, frozenset(key.scopes), key.user, key.rate, key.expires),
            )
            for key in keys
        }

    @property
    def is_empty(self) -> bool:
        """Whether there are no keys, so that everyone may do everything."""
        return not self._keys

    def verify(self, text: str) -> ApiKey:
        """Return the key with this text.

        Raises :class:`InvalidKeyError` for a key that is unknown, wrong or expired. The time that
        this takes reveals neither the secret nor whether the id exists.
        """
        id = text.removeprefix(_PREFIX).partition("_")[0] if text.startswith(_PREFIX) else ""
        known = self._keys.get(id)
        expected = known[0] if known else _UNKNOWN_KEY_HASH
        is_right = hmac.compare_digest(_hash(text[:_MAX_LENGTH]), expected)
        if known is None or not is_right or len(text) > _MAX_LENGTH:
            raise InvalidKeyError("the key is not a key of this service")
        key = known[1]
        if key.expires is not None and self._clock() >= key.expires:
            raise InvalidKeyError(f"the key '{key.id}' has expired")
        return key


def generate_key(
    id: str,
    *,
    scopes: Iterable[KeyScope] = ("ask", "read"),
    tenant: str = "",
    user: str | None = None,
    rate: str | None = None,
    expires: datetime | None = None,
) -> tuple[str, KeySettings]:
    """Generate a key: return its text, which is stored nowhere, and its entry for the settings.

    Raises ``pydantic.ValidationError`` (a ``ValueError``) for values that the settings do not
    allow.
    """
    text = f"{_PREFIX}{id}_{token_hex(_SECRET_BYTES)}"
    kept = KeySettings(
        id=id,
        hash=f"sha256:{_hash(text)}",
        scopes=tuple(scopes),
        tenant=tenant,
        user=user,
        rate=rate,
        expires=expires,
    )
    return text, kept


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
