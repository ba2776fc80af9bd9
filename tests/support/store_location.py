"""Places where stores live in tests, each of which is left behind with all that was opened."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Self

__all__ = ["StoreLocation"]


@dataclass(kw_only=True)
class StoreLocation:
    """A numbered ``place``; what is opened there is closed with it."""

    number: int = 0
    stores: ExitStack = field(default_factory=ExitStack)

    def move(self) -> None:
        """Move to a place where nothing is kept."""
        self.close()
        self.number += 1

    def close(self) -> None:
        self.stores.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
