"""A cache folder for data that is expensive to compute.

Files contain plain data; nothing in them is ever executed. A damaged, truncated or foreign file
counts as missing, and a folder that cannot be written stores nothing: a cache never fails.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import msgspec

from anaphora.errors import AnaphoraError
from anaphora.version import __version__

__all__ = [
    "PACKAGE",
    "UNCACHED",
    "Cache",
    "CachedParts",
    "digest",
    "hash_parts",
    "list_files",
    "read_checked",
    "with_checksum",
]

_log = logging.getLogger(__name__)

T = TypeVar("T")

PACKAGE = Path(__file__).parent.parent
"""The folder of the package."""

_MAGIC = b"anaphora bytes 1\n"
_CRC_SIZE = 4
_SUFFIX = ".compiled"
_UNFINISHED = ".unfinished"
_HOUR = 3600.0  # seconds
_MAX_FILES = 200  # of all models; beyond that the least recently used are deleted


class Cache:
    """Compiled data in ``folder`` (``~`` is the home directory), created when first needed.

    Several processes may use it at once: files are replaced atomically. Raises
    :class:`~anaphora.errors.AnaphoraError` if ``folder`` cannot be the name of a folder.
    """

    def __init__(self, folder: str | Path) -> None:
        try:
            self.folder = Path(folder).expanduser()
            os.lstat(self.folder)
        except OSError:
            pass  # created when first needed
        except (RuntimeError, ValueError) as error:  # an unknown user's home, or not a path
            raise AnaphoraError(f"{str(folder)!r} cannot be a cache folder: {error}") from error

    def get(self, kind: str, key: str) -> Any | None:
        """Return the data stored under ``key``, or None."""
        written = self.get_bytes(kind, key)
        try:
            return None if written is None else msgspec.msgpack.decode(written)
        except msgspec.MsgspecError:
            return None

    def put(self, kind: str, key: str, data: Any) -> None:
        """Store plain data (any value that MessagePack supports) under ``key``."""
        self.put_bytes(kind, key, msgspec.msgpack.encode(data))

    def get_bytes(self, kind: str, key: str) -> memoryview | None:
        """Return the bytes stored under ``key``, or None. They are memory-mapped, so that all
        processes share them."""
        path = self._path(kind, key)
        if (data := read_checked(path)) is not None:
            with suppress(OSError):
                os.utime(path)  # the least recently used files are deleted
        return data

    def put_bytes(self, kind: str, key: str, data: bytes) -> None:
        """Store bytes under ``key``."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write(self._path(kind, key), with_checksum(data))
            self._evict_oldest()
        except OSError as error:
            _log.warning("compiled data cannot be cached in %s: %s", self.folder, error)

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / f"{kind}-{key}{_SUFFIX}"

    def _write(self, path: Path, data: bytes) -> None:
        """Write a temporary file and rename it, so that no reader sees a partial one."""
        handle, made = tempfile.mkstemp(dir=self.folder, suffix=_UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(made).chmod(0o644)  # one user may build an image, another one run it
            Path(made).replace(path)
        except BaseException:
            Path(made).unlink(missing_ok=True)
            raise

    def _evict_oldest(self) -> None:
        used: list[tuple[float, Path]] = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):  # another process has deleted it
                used.append((path.stat().st_mtime, path))
        for _, path in sorted(used, reverse=True)[_MAX_FILES:]:
            with suppress(OSError):
                path.unlink()
        for path in self.folder.glob(f"*{_UNFINISHED}"):  # left by killed processes
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - _HOUR:
                    path.unlink()


@dataclass(frozen=True, slots=True)
class CachedParts:
    """The compiled parts of one source, cached under ``key`` if there is a ``cache``."""

    cache: Cache | None
    kind: str = ""
    key: str = ""

    def __call__(self, part: str, make: Callable[[], Any]) -> Any:
        """Return the cached ``part``; else call ``make`` and cache its result, a value that
        MessagePack supports."""
        if self.cache is None:
            return make()
        kind = f"{self.kind}-{part}"
        if (data := self.cache.get(kind, self.key)) is None:
            data = make()
            self.cache.put(kind, self.key, data)
        return data

    def load(self, part: str, decoder: msgspec.msgpack.Decoder[T]) -> T | None:
        """Return the cached ``part``, decoded; None if there is none, or foreign data."""
        if self.cache is None:
            return None
        written = self.cache.get_bytes(f"{self.kind}-{part}", self.key)
        try:
            return None if written is None else decoder.decode(written)
        except (msgspec.MsgspecError, RecursionError):
            return None

    def load_or_make(
        self, part: str, decoder: msgspec.msgpack.Decoder[T], make: Callable[[], T]
    ) -> T:
        """Return the cached ``part``, decoded; else call ``make``, and cache its result if it
        survives a round trip."""
        if (found := self.load(part, decoder)) is not None:
            return found
        made = make()
        if self.cache is not None:
            with suppress(msgspec.MsgspecError, TypeError, ValueError, OverflowError):
                data = msgspec.msgpack.encode(made)
                if decoder.decode(data) == made:
                    self.cache.put_bytes(f"{self.kind}-{part}", self.key, data)
        return made


UNCACHED = CachedParts(None)
"""Computes every part."""


def read_checked(path: Path) -> memoryview | None:
    """Memory-map a file and return what :func:`with_checksum` was given; None if the file is
    missing, damaged or foreign."""
    try:
        with path.open("rb") as file:
            mapped = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:  # ValueError: the file is empty
        _log.info("%s cannot be read: %s", path, error)
        return None
    start = len(_MAGIC) + _CRC_SIZE
    data = mapped[start:]
    if mapped[:start] != _MAGIC + _crc(data):
        _log.info("%s is damaged or foreign; it is not used", path)
        return None
    return data


def with_checksum(data: bytes) -> bytes:
    """Return the content of a file for :func:`read_checked`."""
    return _MAGIC + _crc(data) + data


def digest(*parts: str | bytes | Iterable[str]) -> str:
    """Return a cache key for these inputs and the present version of the code."""
    return hash_parts(_code_fingerprint(), *parts)


def hash_parts(code: str, *parts: str | bytes | Iterable[str]) -> str:
    """Return a cache key for these inputs and the ``code`` that reads them."""
    found = blake2b(code.encode(), digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


@cache
def _code_fingerprint() -> str:
    """Identify this code: its version, Python's version, and the sizes and times of its files
    (for those who edit them)."""
    states = [
        (entry.path, state.st_size, state.st_mtime_ns)
        for entry in list_files("grammar", "models", "entities")
        for state in (entry.stat(),)
    ]
    return repr((__version__, sys.version_info[:3], sys.byteorder, sorted(states)))


def list_files(*names: str) -> list[os.DirEntry[str]]:
    """List the files in those folders of the package and below. This takes a fifth of the time of
    :meth:`Path.rglob`, which would be a quarter of a start from the cache."""
    found: list[os.DirEntry[str]] = []
    folders = [os.fspath(PACKAGE / name) for name in names]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if not entry.is_dir():
                    found.append(entry)
                elif entry.name != "__pycache__":
                    folders.append(entry.path)
    return found


def _crc(data: bytes | memoryview) -> bytes:
    """Return a checksum, which takes a tenth of the time of a digest."""
    return crc32(data).to_bytes(_CRC_SIZE, "little")
