"""Tables of languages and places that are compiled when the package is built, for a quick start:
``python -m anaphora.entities`` writes them, ``hatch_build.py`` does so for wheels and source
distributions.

The names of the files tell from which data and by which code they come. A file for other data or
code is not found, a damaged one is not used; then the table is compiled, with the same result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from anaphora.storage.cache import (
    PACKAGE,
    UNCACHED,
    Cache,
    CachedParts,
    digest,
    hash_parts,
    list_files,
    read_checked,
    with_checksum,
)
from anaphora.version import __version__

__all__ = ["SHIPPED", "PartSource", "ShippedTables", "table_parts"]

PartSource: TypeAlias = Callable[[str, Callable[[], Any]], Any]
"""Returns a part by its name, or what the function returns that makes it: plain data."""

_SUFFIXES = (".py", ".yaml", ".lark")


class ShippedTables(Cache):
    """Compiled tables in a folder, which are read on all machines where the same version of the
    package is installed. Reading changes nothing, and nothing is ever evicted."""

    def get_bytes(self, kind: str, key: str) -> memoryview | None:
        """Return the bytes stored under ``key``, or None. They are memory-mapped."""
        return read_checked(self._path(kind, key))

    def put_bytes(self, kind: str, key: str, data: bytes) -> None:
        """Store bytes under ``key``. Raises OSError if they cannot be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path(kind, key).write_bytes(with_checksum(data))

    def clear(self) -> None:
        """Delete the tables; other files stay. Raises OSError if one cannot be deleted."""
        for path in self.folder.glob("*.compiled"):
            path.unlink()

    @staticmethod
    def key(*parts: str) -> str:
        """The key of a table by what decides it beside the files of the package."""
        return hash_parts(_file_sizes(), *parts)


SHIPPED = ShippedTables(PACKAGE / "prepared")
"""The tables of an installed package. A checkout has none, unless they are compiled there."""


def table_parts(cache: Cache | None, kind: str, *key: str) -> PartSource:
    """The parts of a table that the package brings, by what decides it beside the files of the
    package: those that are shipped with it, else those of a ``cache``, else made anew.

    If ``cache`` is a folder of tables to be shipped, its parts.
    """
    if isinstance(cache, ShippedTables):
        return CachedParts(cache, kind, cache.key(*key))
    kept = UNCACHED if cache is None else CachedParts(cache, kind, digest(*key))
    return _ShippedParts(kind, SHIPPED.key(*key), kept) if SHIPPED.folder.is_dir() else kept


@dataclass(frozen=True, slots=True)
class _ShippedParts:
    kind: str
    key: str
    otherwise: PartSource

    def __call__(self, part: str, make: Callable[[], Any]) -> Any:
        data = SHIPPED.get(f"{self.kind}-{part}", self.key)
        return self.otherwise(part, make) if data is None else data


@cache
def _file_sizes() -> str:
    """The version, and the sizes of the files that decide the tables. An installed package has no
    other files of that version."""
    start = len(os.fspath(PACKAGE))
    sizes = [
        (entry.path[start:].replace(os.sep, "/"), entry.stat().st_size)
        for entry in list_files("entities", "grammar")
        if entry.name.endswith(_SUFFIXES)
    ]
    return repr((__version__, sys.byteorder, sorted(sizes)))
