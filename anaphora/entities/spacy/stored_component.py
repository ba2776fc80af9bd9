"""The methods by which spaCy saves and restores a component."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import srsly

__all__ = ["StoredComponent"]


class StoredComponent(ABC):
    """A component whose plain data can be saved.

    ``stored_format`` describes the data and has the number of its format, ``stored_file`` is the
    name of the file in the folder of the component.
    """

    stored_format: ClassVar[tuple[str, int]]
    stored_file: ClassVar[str]

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the data."""
        data: bytes = srsly.msgpack_dumps({"format": self.stored_format[1], **self._to_data()})
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Restore what :meth:`to_bytes` returned; raises ValueError for data in another format."""
        read = srsly.msgpack_loads(data)
        name, number = self.stored_format
        if not isinstance(read, dict) or read.get("format") != number:
            raise ValueError(f"this is not the data of {name} in format {number}")
        self._restore(read)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the data into the folder ``path``."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.stored_file).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Restore what :meth:`to_disk` wrote."""
        return self.from_bytes((Path(path) / self.stored_file).read_bytes())

    @abstractmethod
    def _to_data(self) -> dict[str, Any]:
        """Return the data to be saved."""

    @abstractmethod
    def _restore(self, data: Mapping[str, Any]) -> None:
        """Replace the data with saved data."""
