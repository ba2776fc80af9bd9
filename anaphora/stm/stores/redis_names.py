"""How the keys of conversations and shelves are called in Redis.

A conversation's keys share what stands in braces, so that Redis Cluster keeps them in one place:
``anaphora:{tenant/user/model}:c`` is its record, ``…:l`` the lock of whoever answers in it,
``…:n`` who comes next, ``…:d:TOKEN`` that this question's commit was kept. So do those of the
quarantine: ``anaphora:{quarantine}:index`` has the ids of its records, ``…:q:ID`` is a record.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from anaphora.errors import StoreError
from anaphora.stm.conversation import Key

__all__ = ["Names", "Naming", "as_bytes", "as_text"]

_QUOTED = str.maketrans({char: f"%{ord(char):02X}" for char in "%/{}"})
_QUOTE = re.compile("%([0-9A-F]{2})")


class Names(NamedTuple):
    """The keys of one question in one conversation."""

    record: bytes
    lock: bytes
    next: bytes
    done: bytes


class Naming:
    """The keys below a prefix. Raises :class:`StoreError` for a prefix that cannot be one."""

    def __init__(self, prefix: str) -> None:
        if not prefix or "{" in prefix or "}" in prefix:
            raise StoreError(f"'{prefix}' is no prefix of keys: write one without braces")
        self._head = f"{prefix}:{{"
        self._shelves = f"{prefix}:notes:"
        self.probe = as_bytes(f"{prefix}:probe")
        self.quarantine = as_bytes(f"{prefix}:{{quarantine}}:index")
        self.pattern = as_bytes(f"{_literally(prefix)}:{{*}}:c")

    def of(self, key: Key, token: str) -> Names:
        """The keys of the question that is told by ``token``."""
        stem = self._stem(key)
        return Names(
            record=as_bytes(f"{stem}:c"),
            lock=as_bytes(f"{stem}:l"),
            next=as_bytes(f"{stem}:n"),
            done=as_bytes(f"{stem}:d:{token}"),
        )

    def marks_of(self, user: str, tenant: str) -> bytes:
        """The pattern of what tells that questions of a user were kept."""
        stem = self._stem(Key(user, "", tenant)).removesuffix("}")
        return as_bytes(f"{_literally(stem)}*}}:d:*")

    def record(self, key: Key) -> bytes:
        return as_bytes(f"{self._stem(key)}:c")

    def quarantined(self, id: str) -> bytes:
        return as_bytes(f"{self._head}quarantine}}:q:{id}")

    def shelf(self, shelf: str) -> bytes:
        return as_bytes(self._shelves + shelf)

    def key(self, record: bytes) -> Key | None:
        """Whose record it is, None if it is a key of somebody else's."""
        try:
            tenant, user, model = as_text(record[len(as_bytes(self._head)) : -3]).split("/")
        except ValueError:  # UnicodeDecodeError is one, too
            return None
        return Key(_unquote(user), _unquote(model), _unquote(tenant))

    def _stem(self, key: Key) -> str:
        ids = (key.tenant, key.user, key.model)
        return self._head + "/".join([id.translate(_QUOTED) for id in ids]) + "}"


def _literally(text: str) -> str:
    """The pattern that only ``text`` fits."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", text)


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def as_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _unquote(text: str) -> str:
    return _QUOTE.sub(lambda found: chr(int(found[1], 16)), text)
