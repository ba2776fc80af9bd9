"""The Redis keys of conversations, notes and quarantine.

The keys of a conversation share a hash tag (the part in braces), so that Redis Cluster stores them
on one node: ``anaphora:{tenant/user/model}:c`` is its record, ``…:l`` the lock of the question that
is being answered, ``…:n`` the token of the next one in the queue, ``…:d:TOKEN`` marks a completed
commit. In the quarantine, ``anaphora:{quarantine}:index`` has the ids of all records, and
``…:q:ID`` is a record.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from anaphora.errors import StoreError
from anaphora.stm.conversation import ConversationKey

__all__ = ["KeySpace", "SessionKeys", "decode", "decode_note", "encode"]

_QUOTED = str.maketrans({char: f"%{ord(char):02X}" for char in "%/{}"})
_QUOTE = re.compile("%([0-9A-F]{2})")


class SessionKeys(NamedTuple):
    """The keys of one question in one conversation."""

    record: bytes
    lock: bytes
    next: bytes
    done: bytes


class KeySpace:
    """All keys with a prefix. Raises :class:`StoreError` for an invalid prefix."""

    def __init__(self, prefix: str) -> None:
        if not prefix or "{" in prefix or "}" in prefix:
            raise StoreError(f"'{prefix}' cannot be a key prefix: write one without braces")
        self._prefix = f"{prefix}:{{"
        self._notes_prefix = f"{prefix}:notes:"
        self.probe_key = encode(f"{prefix}:probe")
        self.quarantine_index = encode(f"{prefix}:{{quarantine}}:index")
        self.records_pattern = encode(f"{_escape_pattern(prefix)}:{{*}}:c")

    def session_keys(self, key: ConversationKey, token: str) -> SessionKeys:
        """Return the keys of the question with this ``token``."""
        stem = self._stem(key)
        return SessionKeys(
            record=encode(f"{stem}:c"),
            lock=encode(f"{stem}:l"),
            next=encode(f"{stem}:n"),
            done=encode(f"{stem}:d:{token}"),
        )

    def commit_marks_pattern(self, user: str, tenant: str) -> bytes:
        """Return the pattern of the commit marks of a user."""
        stem = self._stem(ConversationKey(user, "", tenant)).removesuffix("}")
        return encode(f"{_escape_pattern(stem)}*}}:d:*")

    def record_key(self, key: ConversationKey) -> bytes:
        return encode(f"{self._stem(key)}:c")

    def quarantine_key(self, id: str) -> bytes:
        return encode(f"{self._prefix}quarantine}}:q:{id}")

    def namespace_key(self, namespace: str) -> bytes:
        return encode(self._notes_prefix + namespace)

    def parse_record_key(self, record: bytes) -> ConversationKey | None:
        """Parse the key of a record; None if it belongs to another program."""
        try:
            tenant, user, model = decode(record[len(encode(self._prefix)) : -3]).split("/")
        except ValueError:  # including UnicodeDecodeError
            return None
        return ConversationKey(_unquote(user), _unquote(model), _unquote(tenant))

    def _stem(self, key: ConversationKey) -> str:
        ids = (key.tenant, key.user, key.model)
        return self._prefix + "/".join([id.translate(_QUOTED) for id in ids]) + "}"


def _escape_pattern(text: str) -> str:
    """Return the pattern that matches only ``text``."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", text)


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def decode_note(data: bytes) -> str:
    """Decode the name or the text of a note. Raises :class:`StoreError`."""
    try:
        return decode(data)
    except UnicodeDecodeError as error:
        raise StoreError(f"a note cannot be read: {error}") from error


def _unquote(text: str) -> str:
    return _QUOTE.sub(lambda found: chr(int(found[1], 16)), text)
