"""Schema of the PostgreSQL recall store, created and migrated by the first connection.

Names and texts are bytes (UTF-8 with lone surrogates), because text in PostgreSQL cannot contain
NUL. A ``place`` is a digest that identifies a row, because names may exceed the size limit of index
entries. The ``words`` of an exchange are the ids of its terms, its intent and its slot values in
the vocabulary of its user: a single GIN index finds all of them, and no two users share an entry.
:mod:`anaphora.ltm.retrieval.postgres.partitioning` changes the large tables to partitioned ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anaphora.errors import StoreError
from anaphora.storage.postgres.schema import SCHEMA_LOCK, has_table, upgrade_tables

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = ["has_pgvector", "prepare_schema"]


# User data is kept out of the statistics of the query planner (SET STATISTICS 0), where an erased
# word would remain until the next ANALYZE.
_MIGRATIONS = (
    """
    CREATE TABLE format (version integer NOT NULL);
    INSERT INTO format VALUES (0);

    CREATE TABLE users (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        place bytea NOT NULL UNIQUE,
        tenant bytea NOT NULL,
        name bytea NOT NULL,
        documents bigint NOT NULL,  -- exchanges
        length bigint NOT NULL,     -- their terms
        changes bigint NOT NULL DEFAULT 0  -- how often vectors went
    ) WITH (fillfactor = 70);

    CREATE TABLE conversations (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id bigint NOT NULL,
        place bytea NOT NULL UNIQUE,
        model bytea NOT NULL,
        last bigint NOT NULL,                -- the number of the last exchange
        first bigint NOT NULL DEFAULT 1,     -- that of the first that may be verbatim
        verbatim bigint NOT NULL,            -- how many are
        size bigint NOT NULL,                -- of the working history
        measure bytea NOT NULL
    ) WITH (fillfactor = 70);
    CREATE INDEX ON conversations (user_id);
    CREATE INDEX ON conversations (size);

    CREATE TABLE exchanges (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id bigint NOT NULL,
        conversation_id bigint NOT NULL,
        number bigint NOT NULL,
        at bigint NOT NULL,        -- microseconds since 1970
        size bigint NOT NULL,
        length integer NOT NULL,   -- how many terms
        words bigint[] NOT NULL,
        terms bytea NOT NULL,
        record bytea NOT NULL,
        UNIQUE (conversation_id, number)
    );
    CREATE INDEX ON exchanges (user_id, at, id);
    CREATE INDEX ON exchanges (at, id);
    CREATE INDEX ON exchanges USING gin (words) WITH (fastupdate = off);

    CREATE TABLE words (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id bigint NOT NULL,
        word bytea NOT NULL,
        count bigint NOT NULL,     -- of the exchanges that have it
        UNIQUE (user_id, word)
    ) WITH (fillfactor = 70);

    CREATE TABLE summaries (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id bigint NOT NULL,
        conversation_id bigint NOT NULL,
        first bigint NOT NULL,
        last bigint NOT NULL,
        active boolean NOT NULL DEFAULT true,
        size bigint NOT NULL,
        record bytea NOT NULL
    );
    CREATE INDEX ON summaries (conversation_id, first);
    CREATE INDEX ON summaries (user_id);

    CREATE TABLE embedders (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        place bytea NOT NULL UNIQUE,
        name bytea NOT NULL
    );

    CREATE TABLE unembedded (
        exchange_id bigint NOT NULL,
        embedder_id bigint NOT NULL,
        user_id bigint NOT NULL,
        PRIMARY KEY (embedder_id, exchange_id)
    );
    CREATE INDEX ON unembedded (exchange_id);
    CREATE INDEX ON unembedded (user_id);

    -- Up to some 2,000 dimensions a vector stays in the row, where it is read at once.
    CREATE TABLE vectors (
        number bigint GENERATED ALWAYS AS IDENTITY,
        user_id bigint NOT NULL,
        embedder_id bigint NOT NULL,
        exchange_id bigint NOT NULL,
        vector {vector} NOT NULL,
        PRIMARY KEY (user_id, embedder_id, number),
        UNIQUE (exchange_id, embedder_id)
    ) WITH (toast_tuple_target = 8160);
    ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL;

    -- Clocks up to which users (with one model) were erased: earlier exchanges may still be in a
    -- journal.
    CREATE TABLE erasures (
        place bytea PRIMARY KEY,
        at bigint NOT NULL
    );

    CREATE TABLE marks (
        place bytea PRIMARY KEY,
        position bigint NOT NULL
    );

    ALTER TABLE users ALTER COLUMN tenant SET STATISTICS 0, ALTER COLUMN name SET STATISTICS 0;
    ALTER TABLE conversations ALTER COLUMN model SET STATISTICS 0;
    ALTER TABLE exchanges ALTER COLUMN words SET STATISTICS 0,
        ALTER COLUMN terms SET STATISTICS 0, ALTER COLUMN record SET STATISTICS 0;
    ALTER TABLE words ALTER COLUMN word SET STATISTICS 0;
    ALTER TABLE summaries ALTER COLUMN record SET STATISTICS 0;
    ALTER TABLE vectors ALTER COLUMN vector SET STATISTICS 0;
    """,
    """
    -- What cannot be processed: damaged rows of exchanges and summaries, exchanges that an embedder
    -- refuses, conversations that the summarizer refuses. What is discarded is not tried again.
    CREATE TABLE quarantine (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL,
        source_id bigint NOT NULL,
        embedder_id bigint NOT NULL DEFAULT 0,
        user_id bigint NOT NULL,
        conversation_id bigint NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        reason bytea NOT NULL,
        row_data jsonb,
        said bigint,
        discarded boolean NOT NULL DEFAULT false,
        UNIQUE (kind, source_id, embedder_id)
    );
    CREATE INDEX ON quarantine (user_id);
    ALTER TABLE quarantine ALTER COLUMN row_data SET STATISTICS 0;
    """,
    """
    -- By which exchanges are numbered: that of one, and the largest of a conversation.
    ALTER TABLE exchanges ADD COLUMN clock bigint NOT NULL DEFAULT 0;
    ALTER TABLE conversations ADD COLUMN clock bigint NOT NULL DEFAULT 0;
    CREATE INDEX ON conversations (clock);
    """,
    """
    -- By which the place of one that comes late is found.
    CREATE INDEX ON exchanges (conversation_id, clock, number);
    """,
    """
    -- The version of the terms by which an exchange is indexed.
    ALTER TABLE exchanges ADD COLUMN terms_version integer NOT NULL DEFAULT 1;
    CREATE INDEX ON exchanges (terms_version);
    """,
    """
    -- Records of exchanges tell what the bot said; an earlier version cannot read such a record.
    """,
    """
    -- The words of many exchanges enter the index together, each word once.
    ALTER INDEX exchanges_words_idx SET (fastupdate = on);
    """,
    """
    -- The vectors of the tokens of exchanges, packed. They don't get any smaller.
    CREATE TABLE token_vectors (
        user_id bigint NOT NULL,
        embedder_id bigint NOT NULL,
        exchange_id bigint NOT NULL,
        packed bytea NOT NULL,
        PRIMARY KEY (exchange_id, embedder_id)
    );
    CREATE INDEX ON token_vectors (user_id);
    ALTER TABLE token_vectors ALTER COLUMN packed SET STORAGE EXTERNAL;
    ALTER TABLE token_vectors ALTER COLUMN packed SET STATISTICS 0;
    """,
    """
    -- Who processes which items in the background; each row is short-lived.
    CREATE TABLE leases (
        kind text NOT NULL,
        item bigint NOT NULL,
        holder text NOT NULL,
        until timestamptz NOT NULL,
        PRIMARY KEY (kind, item)
    );

    -- The users whose vectors have an index of their own, or need one.
    CREATE TABLE vector_indexes (
        user_id bigint NOT NULL,
        embedder_id bigint NOT NULL,
        dimension integer NOT NULL,
        ready boolean NOT NULL DEFAULT false,
        PRIMARY KEY (user_id, embedder_id)
    );
    """,
)

# pgvector's types are in the schema where its extension was created.
_SET_SEARCH_PATH = (
    "SELECT set_config('search_path', quote_ident(%s::text) || coalesce((SELECT ', ' || "
    "quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace "
    "WHERE extname = 'vector'), ''), false)"
)

# Every search reads the words that have not entered the index yet.
_LIMIT_PENDING_WORDS = "SET gin_pending_list_limit = '64kB'"


def prepare_schema(
    transaction: Transaction, schema: str, *, pgvector: bool, create: bool = True
) -> None:
    """Prepare a new connection, and create (if ``create``) or migrate the tables if necessary;
    several connections may do so at once. New tables use pgvector's type for vectors if its
    extension exists or can be created.

    Raises :class:`StoreError` for a schema of another program or of a later version, and for a
    missing one that may not be created.
    """
    transaction.fetch_all(_SET_SEARCH_PATH, schema)
    transaction.execute(_LIMIT_PENDING_WORDS)
    if not create and not has_table(transaction, schema, "format"):
        raise StoreError(
            f"there is no long-term memory in the schema '{schema}' of this database: is the name "
            "of the database right, and that of the schema?"
        )

    def migrations_after(version: int) -> list[str]:
        vector = "vector" if pgvector and _ensure_pgvector(transaction, schema) else "bytea"
        return [each.replace("{vector}", vector) for each in _MIGRATIONS[version:]]

    upgrade_tables(
        transaction,
        schema,
        format_table="format",
        version=len(_MIGRATIONS),
        migrations_after=migrations_after,
    )


def has_pgvector(transaction: Transaction) -> bool:
    """Whether vectors have pgvector's type."""
    row = transaction.fetch_one(
        "SELECT typname = 'vector' FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid "
        "WHERE attrelid = 'vectors'::regclass AND attname = 'vector'"
    )
    return bool(row and row[0])


def _ensure_pgvector(transaction: Transaction, schema: str) -> bool:
    """Create the extension pgvector if it is missing; whether it is there now."""
    there = "SELECT 1 FROM pg_extension WHERE extname = 'vector'"
    if not transaction.fetch_all(there):
        # Two schemas may be created at once, but they share the extension.
        transaction.fetch_all("SELECT pg_advisory_xact_lock(%s, 0)", SCHEMA_LOCK)
        if not transaction.fetch_all(there) and transaction.try_execute(
            "CREATE EXTENSION vector SCHEMA public"
        ):
            return False
        transaction.fetch_all(_SET_SEARCH_PATH, schema)
    return True
