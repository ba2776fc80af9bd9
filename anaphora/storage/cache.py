"""A folder in which what takes long to make is kept for the next process.

Files hold plain data alone: nothing in them is ever run. What is damaged, cut off, or not ours is
taken for missing, and a folder that cannot be written keeps nothing: a cache never fails.
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
from typing import Any
from zlib import crc32

import msgspec

from anaphora.errors import AnaphoraError
from anaphora.version import __version__

__all__ = ["UNCACHED", "Cache", "CachedParts", "digest"]

_log = logging.getLogger(__name__)

_MAGIC = b"anaphora compiled 1\n"
_SUM_SIZE = 32
_MAGIC_OF_BYTES = b"anaphora bytes 1\n"
_CRC_SIZE = 4
_SUFFIX = ".compiled"
_UNFINISHED = ".unfinished"
_HOUR = 3600.0  # seconds
_MAX_FILES = 200  # of all models; then those go that have not been used for longest


class Cache:
    """What has been compiled, in ``folder`` (``~`` is the home), which is made when it is needed.

    May be used by several processes at once: a file appears whole or not at all. Raises
    :class:`~anaphora.errors.AnaphoraError` for what can be no folder.
    """

    def __init__(self, folder: str | Path) -> None:
        try:
            self.folder = Path(folder).expanduser()
            os.lstat(self.folder)
        except OSError:
            pass  # it is made when it is needed
        except (RuntimeError, ValueError) as error:  # nobody's home, or no path at all
            raise AnaphoraError(f"{str(folder)!r} can be no folder of a cache: {error}") from error

    def get(self, kind: str, key: str) -> Any | None:
        """The data that was put under that key, None if there is none."""
        path = self._path(kind, key)
        try:
            written = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _log.info("%s cannot be read: %s", path, error)
            return None
        start = len(_MAGIC) + _SUM_SIZE
        data = memoryview(written)[start:]
        if written[:start] != _MAGIC + _digest(data):
            _log.info("%s is damaged or not ours, and is made anew", path)
            return None
        with suppress(OSError):
            os.utime(path)
        try:
            return msgspec.msgpack.decode(data)
        except msgspec.MsgspecError:
            return None

    def put(self, kind: str, key: str, data: Any) -> None:
        """Keeps plain data (of what MessagePack knows) under that key."""
        written = msgspec.msgpack.encode(data)
        self._put(kind, key, _MAGIC + _digest(written) + written)

    def _put(self, kind: str, key: str, written: bytes) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write(self._path(kind, key), written)
            self._evict_oldest()
        except OSError as error:
            _log.warning("what was compiled is not kept in %s: %s", self.folder, error)

    def get_bytes(self, kind: str, key: str) -> memoryview | None:
        """The bytes that were put under that key, None if there are none. They are mapped into
        memory: all processes share them."""
        path = self._path(kind, key)
        try:
            with path.open("rb") as file:
                mapped = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:  # ValueError: it is empty
            _log.info("%s cannot be read: %s", path, error)
            return None
        start = len(_MAGIC_OF_BYTES) + _CRC_SIZE
        data = mapped[start:]
        if mapped[:start] != _MAGIC_OF_BYTES + _crc(data):
            _log.info("%s is damaged or not ours, and is made anew", path)
            return None
        with suppress(OSError):
            os.utime(path)
        return data

    def put_bytes(self, kind: str, key: str, data: bytes) -> None:
        """Keeps the bytes under that key."""
        self._put(kind, key, _MAGIC_OF_BYTES + _crc(data) + data)

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / f"{kind}-{key}{_SUFFIX}"

    def _write(self, path: Path, data: bytes) -> None:
        """Beside its place first, so that nobody ever sees a half of it."""
        handle, made = tempfile.mkstemp(dir=self.folder, suffix=_UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(made).chmod(0o644)  # whoever builds an image may not be who runs it
            Path(made).replace(path)
        except BaseException:
            Path(made).unlink(missing_ok=True)
            raise

    def _evict_oldest(self) -> None:
        used: list[tuple[float, Path]] = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):  # another process was first
                used.append((path.stat().st_mtime, path))
        for _, path in sorted(used, reverse=True)[_MAX_FILES:]:
            with suppress(OSError):
                path.unlink()
        for path in self.folder.glob(f"*{_UNFINISHED}"):  # of processes that were killed
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - _HOUR:
                    path.unlink()


@dataclass(frozen=True, slots=True)
class CachedParts:
    """What is made of one source, in parts: kept in ``cache``, if there is one, under ``key``."""

    cache: Cache | None
    kind: str = ""
    key: str = ""

    def __call__(self, part: str, make: Callable[[], Any]) -> Any:
        """The part (of what MessagePack knows): what was kept, else what ``make`` makes, which
        then is kept for the next process."""
        if self.cache is None:
            return make()
        kind = f"{self.kind}-{part}"
        if (data := self.cache.get(kind, self.key)) is None:
            data = make()
            self.cache.put(kind, self.key, data)
        return data


UNCACHED = CachedParts(None)
"""Everything is made."""


def digest(*parts: str | bytes | Iterable[str]) -> str:
    """A key for what is made of these parts by the code as it is now."""
    found = blake2b(_code_fingerprint().encode(), digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


@cache
def _code_fingerprint() -> str:
    """What tells this code from any other: its version, Python's, and the states of its files,
    for those who change them."""
    package = Path(__file__).parent.parent
    states = []
    for name in ("grammar", "models", "entities"):
        for path in sorted((package / name).rglob("*.*")):
            if "__pycache__" not in path.parts:
                state = path.stat()
                states.append((path.parent.name, path.name, state.st_size, state.st_mtime_ns))
    return repr((__version__, sys.version_info[:3], sys.byteorder, states))


def _crc(data: bytes | memoryview) -> bytes:
    """Found in a tenth of the time of a digest; the bytes may be many."""
    return crc32(data).to_bytes(_CRC_SIZE, "little")


def _digest(data: bytes | memoryview) -> bytes:
    return blake2b(data, digest_size=_SUM_SIZE).digest()
