"""What the SQLite recall store reads in one snapshot: users, documents, filters, vectors."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

import numpy as np

from anaphora.errors import StoreError
from anaphora.ltm.recall.sqlite_postings import Owner
from anaphora.ltm.recall.sqlite_records import from_time, terms_of
from anaphora.ltm.recall.store import Among, Document, Whose
from anaphora.ltm.recall.vectors import Ids, Matrix
from anaphora.storage.texts import kept

__all__ = [
    "check_dimension",
    "conditions",
    "documents_around",
    "documents_of",
    "embedder_of",
    "ids_among",
    "owner_of",
    "put_vector",
    "read_into",
    "rows_of",
]

_AT_ONCE = 500  # values in one statement
_READ_AT_ONCE = 5_000  # vectors


def owner_of(connection: Connection, whose: Whose) -> Owner | None:
    """The row of a user, if anything of them is kept."""
    row = connection.execute(
        "SELECT id, documents, length, generation FROM owners WHERE tenant = ? AND user = ?",
        (kept(whose.tenant), kept(whose.user)),
    ).fetchone()
    return Owner(*row) if row else None


def conditions(owner: int, among: Among) -> tuple[str, list[Any]]:
    """What must be true of the rows of exchanges that a user's search looks at, and the values
    in it."""
    values: list[Any] = [owner]
    parts = ["owner = ?"]
    if among.since is not None:
        parts.append("at >= ?")
        values.append(from_time(among.since))
    if among.until is not None:
        parts.append("at < ?")
        values.append(from_time(among.until))
    if among.model is not None:
        parts.append(
            "conversation = (SELECT id FROM conversations c WHERE c.owner = ? AND c.model = ?)"
        )
        values += owner, kept(among.model)
    if among.intent is not None:
        parts.append("intent = ?")
        values.append(kept(among.intent))
    for name, value in among.slots.items():
        parts.append(
            "id IN (SELECT exchange FROM slots s WHERE s.owner = ? AND s.name = ? AND s.value = ?)"
        )
        values += owner, kept(name), kept(value)
    return " AND ".join(parts), values


def ids_among(connection: Connection, owner: Owner, among: Among) -> Ids | None:
    """The ids of the exchanges that a user's search looks at, None for all."""
    if among.model is not None and _only_model(connection, owner, among.model):
        among = Among(None, among.since, among.until, among.intent, among.slots)
    if among == _EVERYTHING:
        return None
    where, values = conditions(owner.id, among)
    # As one text: 10 ms for 90,000 ids, 23 as so many rows.
    query = f"SELECT group_concat(id, ' ') FROM exchanges WHERE {where}"
    (found,) = connection.execute(query, values).fetchone()
    return np.fromstring(found or "", dtype=np.int64, sep=" ")


def documents_of(connection: Connection, owner: int, ids: Sequence[int]) -> list[Document]:
    """The documents of a user with these ids, in their order."""
    found = {each.id: each for each in _documents(rows_of(connection, _DOCUMENTS, owner, ids))}
    return [found[id] for id in ids if id in found]


def documents_around(
    connection: Connection, documents: Sequence[Document], reach: int
) -> list[Document]:
    """The documents and their neighbours, by conversation and number."""
    numbers: dict[int, set[int]] = {}
    for _, conversation, number, _ in documents:
        near = range(number - reach, number + reach + 1)
        numbers.setdefault(conversation, set()).update(near)
    # One statement for many: 3.4 ms for 400 documents and their neighbours, 4.5 with one for each.
    return [
        document
        for conversation in sorted(numbers)
        for document in _documents(
            rows_of(connection, _AROUND, conversation, sorted(numbers[conversation]))
        )
    ]


def rows_of(connection: Connection, query: str, of: int, numbers: Sequence[int]) -> list[Any]:
    """What a query gives for a number (of a user) and a list of others (ids), for which it has
    ``{}``."""
    rows: list[Any] = []
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        rows += connection.execute(query.format(", ".join("?" * len(some))), (of, *some))
    return rows


def embedder_of(connection: Connection, name: str) -> tuple[int, int] | None:
    """The number and the dimension of an embedder, if there are vectors of it."""
    found: tuple[int, int] | None = connection.execute(
        "SELECT id, dimension FROM embedders WHERE name = ?", (kept(name),)
    ).fetchone()
    return found


def check_dimension(embedder: str, kept: int, given: int) -> None:
    """Raises :class:`StoreError` for vectors of another length than those that are kept."""
    if kept != given:
        raise StoreError(
            f"the vectors of the embedder '{embedder}' have {kept} dimensions, and now one has "
            f"{given}: give an embedder of another model another name"
        )


def read_into(matrix: Matrix, connection: Connection, owner: Owner, embedder: int) -> None:
    """Bring a matrix up to date. Another thread may have done so from a later state."""
    if matrix.generation < owner.generation:
        if matrix.last:
            rows = connection.execute(_NUMBERS, (owner.id, embedder)).fetchall()
            matrix.keep(np.fromiter((number for (number,) in rows), np.int64, len(rows)))
        matrix.generation = owner.generation
    while rows := connection.execute(_VECTORS, (owner.id, embedder, matrix.last)).fetchall():
        numbers, ids, data = zip(*rows, strict=True)
        matrix.extend(numbers, ids, data)


def put_vector(connection: Connection, embedder: int, id: int, vector: bytes) -> None:
    """Keep the vector of an exchange in the place of any other, if the exchange is there."""
    row = connection.execute("SELECT owner FROM exchanges WHERE id = ?", (id,)).fetchone()
    if row is None:
        return
    before = connection.execute(
        "DELETE FROM vectors WHERE exchange = ? AND embedder = ?", (id, embedder)
    )
    if before.rowcount:
        connection.execute("UPDATE owners SET generation = generation + 1 WHERE id = ?", row)
    connection.execute(
        "INSERT INTO vectors (owner, embedder, exchange, vector) VALUES (?, ?, ?, ?)",
        (row[0], embedder, id, vector),
    )


def _documents(rows: Sequence[Any]) -> list[Document]:
    return [
        # Most terms are plain: unpack_terms takes twice as long to look whether they are.
        Document(id, conversation, number, tuple(terms.split("\n")))
        if type(terms) is str and terms and terms[0] != "\n"
        else Document(id, conversation, number, terms_of(terms) or ())
        for id, conversation, number, terms in rows
    ]


def _only_model(connection: Connection, owner: Owner, model: str) -> bool:
    """Whether a user has talked to this model alone."""
    rows = connection.execute(
        "SELECT model FROM conversations WHERE owner = ? LIMIT 2", (owner.id,)
    ).fetchall()
    return rows == [(kept(model),)]


_EVERYTHING = Among()
# A plus, so that it looks at these ids and not at all exchanges of the user.
_DOCUMENTS = "SELECT id, conversation, number, terms FROM exchanges WHERE +owner = ? AND id IN ({})"
_AROUND = (
    "SELECT id, conversation, number, terms FROM exchanges WHERE conversation = ? "
    "AND number IN ({}) ORDER BY number"
)
_NUMBERS = "SELECT id FROM vectors WHERE owner = ? AND embedder = ? ORDER BY id"
_VECTORS = (
    "SELECT id, exchange, vector FROM vectors WHERE owner = ? AND embedder = ? AND id > ? "
    f"ORDER BY id LIMIT {_READ_AT_ONCE}"
)
