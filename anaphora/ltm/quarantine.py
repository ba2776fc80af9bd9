"""What a long-term memory could not process, put aside so that it blocks nothing else."""

from __future__ import annotations

import json
import logging
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from anaphora.errors import StoreError
from anaphora.stm.conversation import Key

__all__ = ["JournalQuarantine", "QuarantineKind", "QuarantinedItem"]

QuarantineKind: TypeAlias = Literal["entry", "exchange", "summary", "embed", "compress"]

_SUFFIX = ".quarantine"
_MOST = 10_000  # files; a store that refuses everything must not fill the disk with them

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QuarantinedItem:
    """An item that was put aside ``at`` a time for a ``reason``.

    An ``entry`` of the journal, an ``exchange`` or a ``summary`` cannot be read or stored and is
    kept as it was found; an exchange to ``embed`` is refused by the embedder, a conversation to
    ``compress`` by the summarizer. ``key`` is the conversation, None if it cannot be told.
    """

    id: str
    kind: QuarantineKind
    reason: str
    at: datetime
    key: Key | None = None


class JournalQuarantine:
    """The entries of the journal in ``folder`` that cannot be kept: one file for each, which has
    a line with the reason and then the bytes as they were."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, segment: str, position: int, entry: bytes, reason: str) -> None:
        """Put an entry aside; doing so twice is doing it once.

        Raises :class:`StoreError` if it cannot be written: then it must stay in the journal.
        """
        path = self._folder / f"{segment}-{position}{_SUFFIX}"
        if path.exists():
            return
        if sum(1 for _ in self._paths()) >= _MOST:
            _log.error("too much is in quarantine: an entry is lost", extra={"reason": reason})
            return
        hidden = self._folder / f"{secrets.token_hex(8)}.new"
        try:
            with os.fdopen(
                os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as to:
                to.write(json.dumps({"reason": reason}).encode() + b"\n" + entry)
            hidden.rename(path)
        except OSError as error:
            hidden.unlink(missing_ok=True)
            raise StoreError(f"{self._folder} cannot be written: {error.strerror}") from error

    def items(self) -> Iterator[QuarantinedItem]:
        for path in self._paths():
            with suppress(FileNotFoundError):  # somebody else dropped it
                reason, entry = _read(path)
                at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                yield QuarantinedItem(path.stem, "entry", reason, at, _key_of(entry))

    def count(self) -> int:
        return sum(1 for _ in self._paths())

    def entry(self, id: str) -> bytes | None:
        """The bytes of an entry, None if there is no such."""
        path = self._path(id)
        try:
            return None if path is None else _read(path)[1]
        except FileNotFoundError:
            return None

    def drop(self, id: str) -> bool:
        """Delete an entry; False if there is no such."""
        path = self._path(id)
        if path is None:
            return False
        path.unlink(missing_ok=True)
        return True

    def erase(self, user: str, tenant: str, model: str | None) -> None:
        """Delete the entries of a user (with one model), and those that may be: whose owner
        cannot be told for certain."""
        for path in self._paths():
            with suppress(FileNotFoundError):
                key = _key_of(_read(path)[1])
                if key is None or (
                    _similar(key.user, user)
                    and _similar(key.tenant, tenant)
                    and (model is None or _similar(key.model, model))
                ):
                    path.unlink()

    def _paths(self) -> Iterator[Path]:
        yield from sorted(self._folder.glob(f"*{_SUFFIX}"))

    def _path(self, id: str) -> Path | None:
        return next((path for path in self._paths() if path.stem == id), None)


def _read(path: Path) -> tuple[str, bytes]:
    head, _, entry = path.read_bytes().partition(b"\n")
    try:
        return str(json.loads(head)["reason"]), entry
    except (ValueError, KeyError, TypeError):
        return "its description is damaged, too", entry


def _key_of(entry: bytes) -> Key | None:
    """The conversation of an entry, as far as its beginning tells."""
    begin = entry.find(b"[")
    text = entry[max(begin, 0) :].decode("utf-8", "replace")
    names: list[str] = []
    decoder, at = json.JSONDecoder(), text.find(",") + 1
    try:
        while len(names) < 3:
            name, at = decoder.raw_decode(text, at)
            if not isinstance(name, str) or text[at] != ",":
                return None
            names.append(name)
            at += 1
    except (ValueError, IndexError):
        return None
    return Key(*names) if at else None


def _similar(one: str, other: str) -> bool:
    """Whether two names are the same but for damage in a few of their characters."""
    return len(one) == len(other) and (
        one == other or sum(map(str.__ne__, one, other)) <= max(1, len(one) // 8)
    )
