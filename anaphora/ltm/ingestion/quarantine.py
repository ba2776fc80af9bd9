"""Quarantine of a journal: entries that cannot be stored, so that they do not block others."""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from anaphora.errors import StoreError
from anaphora.ltm.ingestion.journal import DamagedEntry
from anaphora.ltm.retrieval.store import QuarantinedItem
from anaphora.stm.conversation import ConversationKey

__all__ = ["JournalQuarantine"]

_SUFFIX = ".quarantine"
_MAX_FILES = 10_000  # a store that rejects everything must not fill the disk

_RECORD_START = re.compile(rb'\[\d+,(?=")')  # the format version of a record

_log = logging.getLogger(__name__)


class JournalQuarantine:
    """Quarantined entries of the journal in ``folder``: one file each, with a header line (JSON)
    followed by the entry's bytes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, segment: str, position: int, entry: bytes, reason: str) -> None:
        """Put an entry into quarantine, unless it is there already.

        Raises :class:`StoreError` if it cannot be written: then it must stay in the journal.
        """
        path = self._folder / f"{segment}-{position}{_SUFFIX}"
        if path.exists():
            return
        if sum(1 for _ in self._paths()) >= _MAX_FILES:
            _log.error("the quarantine is full: an entry is lost", extra={"reason": reason})
            return
        hidden = self._folder / f"{secrets.token_hex(8)}.new"
        try:
            with os.fdopen(
                os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as to:
                head = {"reason": reason, "damaged": isinstance(entry, DamagedEntry)}
                to.write(json.dumps(head).encode() + b"\n" + entry)
            hidden.rename(path)
        except OSError as error:
            hidden.unlink(missing_ok=True)
            raise StoreError(f"{self._folder} cannot be written: {error.strerror}") from error

    def items(self) -> Iterator[QuarantinedItem]:
        for path in self._paths():
            with suppress(FileNotFoundError):  # dropped meanwhile
                reason, _, entry = _read_file(path)
                at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                yield QuarantinedItem(path.stem, "entry", reason, at, _parse_key(entry))

    def count(self) -> int:
        return sum(1 for _ in self._paths())

    def entry(self, id: str) -> bytes | None:
        """Return the bytes of an entry; None if there is no such entry."""
        path = self._path(id)
        try:
            return None if path is None else _read_file(path)[2]
        except FileNotFoundError:
            return None

    def drop(self, id: str) -> bool:
        """Delete an entry; False if there is no such entry."""
        path = self._path(id)
        if path is None:
            return False
        path.unlink(missing_ok=True)
        return True

    def erase(self, user: str, tenant: str, model: str | None) -> None:
        """Delete the entries of a user (with one model), and those that may belong to the user. An
        intact entry names its conversation. A damaged one is deleted if it contains the names or
        nearly does, and in any case if it names no conversation."""
        for path in self._paths():
            with suppress(FileNotFoundError):
                _, is_damaged, entry = _read_file(path)
                key = _parse_key(entry)
                if key is None:
                    may_be = True
                elif is_damaged:
                    sought = (user, tenant) if model is None else (user, tenant, model)
                    may_be = all(_may_contain(entry, name) for name in sought)
                else:
                    is_user = (key.user, key.tenant) == (user, tenant)
                    may_be = is_user and model in (None, key.model)
                if may_be:
                    path.unlink()

    def _paths(self) -> Iterator[Path]:
        yield from sorted(self._folder.glob(f"*{_SUFFIX}"))

    def _path(self, id: str) -> Path | None:
        return next((path for path in self._paths() if path.stem == id), None)


def _read_file(path: Path) -> tuple[str, bool, bytes]:
    """Return the reason, whether the entry is damaged, and its bytes."""
    head, _, entry = path.read_bytes().partition(b"\n")
    try:
        plain = json.loads(head)
        # Earlier versions did not record whether the entry is damaged.
        return str(plain["reason"]), bool(plain.get("damaged", True)), entry
    except (ValueError, KeyError, TypeError, AttributeError):
        return "its header is damaged, too", True, entry


def _parse_key(entry: bytes) -> ConversationKey | None:
    """Parse the conversation at the start of an entry; None if it is unreadable."""
    begin = _RECORD_START.search(entry)
    if begin is None:
        return None
    text = _decode(entry[begin.end() :])
    names: list[str] = []
    decoder, at = json.JSONDecoder(), 0
    try:
        while len(names) < 3:
            name, at = decoder.raw_decode(text, at)
            if not isinstance(name, str) or text[at] != ",":
                return None
            names.append(name)
            at += 1
    except (ValueError, IndexError):
        return None
    return ConversationKey(*names)


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _may_contain(data: bytes, name: str) -> bool:
    """Whether damaged data may contain a name: as a JSON string in which a few bytes differ."""
    sought = json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass")
    most = max(1, (len(sought) - 2) // 8)
    # Of so many pieces at least one is unchanged.
    ends = [len(sought) * number // (most + 1) for number in range(most + 2)]
    return any(
        sum(map(int.__ne__, sought, data[place - begin : place - begin + len(sought)])) <= most
        for begin, end in pairwise(ends)
        for place in _find_all(data, sought[begin:end])
        if begin <= place <= len(data) - len(sought) + begin
    )


def _find_all(data: bytes, piece: bytes) -> Iterator[int]:
    place = data.find(piece)
    while place >= 0:
        yield place
        place = data.find(piece, place + 1)
