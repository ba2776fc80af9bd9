"""Locations of stores in tests; leaving one closes everything that was opened there."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Self

__all__ = ["StoreLocation"]


@dataclass(kw_only=True)
class StoreLocation:
    """A numbered ``place``; closing it closes everything that was opened there."""

    number: int = 0
    stores: ExitStack = field(default_factory=ExitStack)

    def move(self) -> None:
        """Move to an empty place."""
        self.close()
        self.number += 1

    def close(self) -> None:
        self.stores.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
