"""Reindexing in the SQLite recall store, within a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection

from anaphora.ltm.retrieval.sqlite.postings import replace_postings
from anaphora.ltm.retrieval.sqlite.records import dump_terms, load_terms_or_none
from anaphora.ltm.retrieval.store import TermUpdate

__all__ = ["reindex"]


def reindex(connection: Connection, version: int, exchanges: Sequence[TermUpdate]) -> None:
    """Replace the terms of exchanges that still exist and are of an earlier version."""
    by_owner: dict[int, list[tuple[int, tuple[str, ...] | None, tuple[str, ...]]]] = {}
    for one in exchanges:
        row = connection.execute(_FIND, (one.id, version)).fetchone()
        if row is not None:
            by_owner.setdefault(row[0], []).append((one.id, load_terms_or_none(row[1]), one.terms))
    for owner, documents in by_owner.items():
        replace_postings(connection, owner, documents)
        longer = sum(len(after) - len(before or ()) for _, before, after in documents)
        connection.execute("UPDATE owners SET length = length + ? WHERE id = ?", (longer, owner))
        connection.executemany(
            _CHANGE, [(dump_terms(after), version, id) for id, _, after in documents]
        )


_FIND = "SELECT owner, terms FROM exchanges WHERE id = ? AND terms_version < ?"
_CHANGE = "UPDATE exchanges SET terms = ?, terms_version = ? WHERE id = ?"
