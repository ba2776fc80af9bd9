"""What a knowledge graph needs of a database. SQL is written once, for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

__all__ = ["GraphBackend", "Row", "Sql"]

Row = tuple[Any, ...]
_Result = TypeVar("_Result")


class Sql(Protocol):
    """A transaction. Placeholders are question marks. ``INDEXED BY name`` is for SQLite alone,
    which would think that an owner has a few rows, and read all of them; PostgreSQL keeps
    statistics."""

    def select(self, query: str, *values: Any) -> Sequence[Row]:
        """Return the rows of a query."""

    def select_many(self, query: str, values: Sequence[Row]) -> Sequence[Sequence[Row]]:
        """Run a query once for each row of values, none of which is None; return their rows."""

    def execute(self, query: str, *values: Any) -> int:
        """Run a statement; return the number of affected rows."""

    def execute_many(self, query: str, values: Iterable[Row]) -> None:
        """Run a statement for each row of values."""


class GraphBackend(Protocol):
    """A database with the tables of :mod:`anaphora.agents.graph.backends.schema`. Every method may
    be called from any thread, and raises :class:`~anaphora.errors.StoreError` on failure; then
    nothing has changed."""

    def read(self, work: Callable[[Sql], _Result]) -> _Result:
        """Run ``work`` in a transaction that only reads."""

    def write(self, work: Callable[[Sql], _Result]) -> _Result:
        """Run ``work`` in a transaction. It may run several times: it must have no other effect."""

    def reclaim(self) -> None:
        """Free the space of deleted rows."""

    def ping(self) -> None:
        """Check that the database can be used."""

    def close(self) -> None:
        """Close the database."""
