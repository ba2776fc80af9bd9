"""Create and upgrade tables with a version, in a schema of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from anaphora.errors import StoreError

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = [
    "CONVERSATION_TABLES",
    "SCHEMA_LOCK",
    "check_schema_name",
    "has_table",
    "quote_identifier",
    "upgrade_tables",
]

CONVERSATION_TABLES = "stm_"
"""What the names of the tables of the store of conversations begin with: that store may share a
schema with any other tables."""

SCHEMA_LOCK = 0x416E6170  # "Anap"
"""The first half of the number of an advisory lock; the second is a hash of the schema name."""

_MAX_SCHEMA_BYTES = 63
_TABLES_OF = "FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = %s"


def check_schema_name(schema: str) -> None:
    """Raise :class:`StoreError` if a schema cannot have this name."""
    if not schema or "\0" in schema or len(schema.encode()) > _MAX_SCHEMA_BYTES:
        raise StoreError(f"the name of a schema must have 1 to {_MAX_SCHEMA_BYTES} bytes")


def quote_identifier(name: str) -> str:
    """Return a name as SQL text."""
    return '"' + name.replace('"', '""') + '"'


def has_table(transaction: Transaction, schema: str, table: str) -> bool:
    """Whether a table exists."""
    # Not to_regclass(): after waiting for a lock it may still give a cached answer.
    return bool(transaction.fetch_all(f"SELECT 1 {_TABLES_OF} AND relname = %s", schema, table))


def upgrade_tables(
    transaction: Transaction,
    schema: str,
    *,
    format_table: str,
    version: int,
    migrations_after: Callable[[int], Iterable[str]],
    shares_schema: bool = False,
) -> None:
    """Create the tables whose version is in ``format_table``, or upgrade them to ``version``, in a
    transaction of its own. Several connections may do so at once.

    ``migrations_after`` returns the statements that follow a version, 0 for new tables. They may
    contain no placeholders. With ``shares_schema``, tables of others may be in the schema.

    Raises :class:`StoreError` for tables of a later version and for a schema of another program.
    """
    found = _read_version(transaction, schema, format_table)
    if found == version:
        return
    transaction.execute("BEGIN")
    # One lock for all tables of a schema, which create it.
    transaction.fetch_all("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", SCHEMA_LOCK, schema)
    found = _read_version(transaction, schema, format_table)
    if found > version:
        raise StoreError(
            f"the schema '{schema}' was made by a later version (it is {found}, this one knows "
            f"{version}): update anaphora or name another schema"
        )
    if found < 0:
        _create_schema(transaction, schema, shares_schema=shares_schema)
    for statements in migrations_after(max(found, 0)):
        transaction.execute_script(statements)
    transaction.execute(f"UPDATE {_qualify(schema, format_table)} SET version = {version}")
    transaction.execute("COMMIT")


def _read_version(transaction: Transaction, schema: str, format_table: str) -> int:
    """Return the version of the tables; -1 if there are none."""
    if not has_table(transaction, schema, format_table):
        return -1
    row = transaction.fetch_one(f"SELECT version FROM {_qualify(schema, format_table)}")
    return int(row[0]) if row else -1


def _create_schema(transaction: Transaction, schema: str, *, shares_schema: bool) -> None:
    """Create the schema. If it exists, it must be empty, unless it may be shared."""
    if not transaction.fetch_all("SELECT 1 FROM pg_namespace WHERE nspname = %s", schema):
        transaction.execute(f"CREATE SCHEMA {quote_identifier(schema)}")
    elif not shares_schema and transaction.fetch_all(
        f"SELECT 1 {_TABLES_OF} AND NOT starts_with(relname::text, %s) LIMIT 1",
        *(schema, CONVERSATION_TABLES),
    ):
        raise StoreError(f"the schema '{schema}' is that of another program: name another one")


def _qualify(schema: str, table: str) -> str:
    return f"{quote_identifier(schema)}.{table}"
