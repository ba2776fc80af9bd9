"""Partitions of the large tables of the PostgreSQL recall store.

A new store has plain tables. :func:`partition_tables` spreads them over partitions by a hash of the
user. The statements are the same for both. They should name the users whose rows they touch:
PostgreSQL then plans and locks only the partitions of these. (For 64 partitions and one user, that
takes 0.1 ms instead of 2.5 ms.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anaphora.errors import StoreError

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = [
    "check_partition_count",
    "count_partitions",
    "partition_suffix",
    "partition_tables",
]

_MAX_PARTITIONS = 1_024

# A partition of some 16 million exchanges is vacuumed after 1 % of changes, not after 20 %: small
# steps, each of which fits into the night. Reading the changed pages costs the same in all.
_VACUUM_OPTIONS = (
    "autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.05, "
    "autovacuum_analyze_scale_factor = 0.02"
)


@dataclass(frozen=True, slots=True)
class _Layout:
    """A table to partition: the ``sequence`` column, its indexes, the columns that are kept out of
    the statistics of the planner, and further options of its partitions."""

    sequence: str | None
    constraints: tuple[str, ...]
    indexes: tuple[str, ...]
    private: tuple[str, ...]
    options: str = ""


# Unique keys contain the column of the partitions, as PostgreSQL demands. All others are those of
# the plain tables.
_LAYOUTS = {
    "exchanges": _Layout(
        "id",
        ("PRIMARY KEY (id, user_id)", "UNIQUE (conversation_id, number, user_id)"),
        (
            "(user_id, at, id)",
            "(at, id)",
            "USING gin (words)",
            "(conversation_id, clock, number)",
            "(terms_version)",
        ),
        ("words", "terms", "record"),
    ),
    "words": _Layout(
        "id",
        ("PRIMARY KEY (id, user_id)", "UNIQUE (user_id, word)"),
        (),
        ("word",),
        "fillfactor = 70",
    ),
    "summaries": _Layout(
        "id",
        ("PRIMARY KEY (id, user_id)",),
        ("(conversation_id, first)", "(user_id)"),
        ("record",),
    ),
    "vectors": _Layout(
        "number",
        (
            "PRIMARY KEY (user_id, embedder_id, number)",
            "UNIQUE (exchange_id, embedder_id, user_id)",
        ),
        (),
        ("vector",),
        "toast_tuple_target = 8160",
    ),
    "token_vectors": _Layout(
        None,
        ("PRIMARY KEY (exchange_id, embedder_id, user_id)",),
        ("(user_id)",),
        ("packed",),
    ),
}


def check_partition_count(count: int) -> None:
    """Raise :class:`StoreError` for a number of partitions that tables cannot have."""
    if not 1 <= count <= _MAX_PARTITIONS:
        raise StoreError(f"a table can have 1 to {_MAX_PARTITIONS} partitions, not {count}")


def partition_tables(transaction: Transaction, count: int) -> None:
    """Spread the large tables over ``count`` partitions; nothing changes if they have as many.

    Copies all rows, and needs the disk space for them and their indexes once more. Others wait, or
    give up after their timeouts, until the transaction ends.

    Raises :class:`StoreError` if a row would be lost.
    """
    if count_partitions(transaction) == count:
        return
    transaction.execute(f"LOCK TABLE embedders, users, {', '.join(_LAYOUTS)}")
    if count_partitions(transaction) == count:  # another has done it meanwhile
        return
    for table, layout in _LAYOUTS.items():
        _partition_table(transaction, table, layout, count)
    # The indexes of the users with very many vectors are gone.
    transaction.execute("UPDATE vector_indexes SET ready = false")


def count_partitions(transaction: Transaction) -> int:
    """Return the number of partitions of each large table; 0 if they are plain tables."""
    row = transaction.fetch_one(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'exchanges'::regclass"
    )
    return int(row[0]) if row else 0


def partition_suffix(transaction: Transaction, user: int) -> str:
    """Return what follows the name of a large table in the name of the partition of a user; an
    empty string for a plain table."""
    row = transaction.fetch_one(
        "SELECT substring(relname FROM '_[0-9]+_[0-9]+$') FROM pg_inherits "
        "JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'exchanges'::regclass AND "
        "satisfies_hash_partition(inhparent, substring(relname FROM '_([0-9]+)_[0-9]+$')::integer, "
        "substring(relname FROM '_([0-9]+)$')::integer, %s::bigint)",
        user,
    )
    return str(row[0]) if row else ""


def _partition_table(transaction: Transaction, table: str, layout: _Layout, count: int) -> None:
    transaction.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    transaction.execute(
        f"CREATE TABLE {table} (LIKE old_{table} INCLUDING DEFAULTS INCLUDING STORAGE) "
        "PARTITION BY HASH (user_id)"
    )
    options = ", ".join(filter(None, (_VACUUM_OPTIONS, layout.options)))
    for remainder in range(count):
        transaction.execute(
            f"CREATE TABLE {table}_{count}_{remainder} PARTITION OF {table} "
            f"FOR VALUES WITH (MODULUS {count}, REMAINDER {remainder}) WITH ({options})"
        )
    if column := layout.sequence:
        # Not an identity column: partitioned tables have none before PostgreSQL 17.
        sequence = f"{table}_{count}_{column}_seq"
        transaction.execute(f"CREATE SEQUENCE {sequence} OWNED BY {table}.{column}")
        transaction.fetch_all(
            f"SELECT setval('{sequence}', "
            f"nextval(pg_get_serial_sequence('old_{table}', '{column}')))"
        )
        transaction.execute(
            f"ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT nextval('{sequence}')"
        )
    copied = transaction.execute(f"INSERT INTO {table} SELECT * FROM old_{table}")
    row = transaction.fetch_one(f"SELECT count(*) FROM old_{table}")
    if row != (copied,):
        raise StoreError(f"the table '{table}' has {row} rows, of which {copied} were copied")
    # Before the indexes of the new table, which get their names.
    transaction.execute(f"DROP TABLE old_{table}")
    for constraint in layout.constraints:
        transaction.execute(f"ALTER TABLE {table} ADD {constraint}")
    for index in layout.indexes:
        transaction.execute(f"CREATE INDEX ON {table} {index}")
    for column in layout.private:
        transaction.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")
