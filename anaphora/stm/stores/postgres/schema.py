"""Tables and functions of the PostgreSQL store, created and upgraded by the first connection.

The functions are what a question calls: each does its work in one round trip, whatever session a
pooler gives it, and may be repeated if its answer was lost. Times are microseconds since 1970 by
the clock of the server. A ``place`` is a digest of names, which may exceed the size limit of index
entries; names are bytes, because text in PostgreSQL cannot contain NUL.

A question updates the row of its conversation twice. Neither update touches an index, so that the
space of the old versions is reclaimed within their page (HOT), without VACUUM: the pages are half
empty at first, and the index for expired rows is on ``sweep_at``, the expiry in steps of 15
minutes, which most questions leave as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anaphora.storage.postgres.schema import upgrade_tables

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = ["prepare_schema", "render_statement"]


_TABLES = """
    CREATE TABLE {schema}.stm_format (version integer NOT NULL);
    INSERT INTO {schema}.stm_format VALUES (0);

    -- A row whose record is NULL is no conversation: it holds the lock of one that is new, or the
    -- tokens of commits to one that is gone.
    CREATE TABLE {schema}.stm_conversations (
        place bytea PRIMARY KEY,             -- of tenant, user and model
        owner bytea NOT NULL,                -- of tenant and user
        tenant bytea NOT NULL,
        name bytea NOT NULL,
        model bytea NOT NULL,
        record bytea,
        expires bigint NOT NULL,
        sweep_at bigint NOT NULL,
        holder bytea,                        -- token of the question that has the lock
        held_until bigint NOT NULL DEFAULT 0,
        next bytea,                          -- token of the question that is next
        next_until bigint NOT NULL DEFAULT 0,
        commits bytea NOT NULL DEFAULT '',   -- tokens of the latest commits, the last one first
        committed_at bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
    CREATE INDEX ON {schema}.stm_conversations (owner);
    CREATE INDEX ON {schema}.stm_conversations (sweep_at);

    CREATE TABLE {schema}.stm_notes (
        place bytea PRIMARY KEY,             -- of the namespace
        names bytea[] NOT NULL,
        texts bytea[] NOT NULL,
        expires bigint NOT NULL,
        sweep_at bigint NOT NULL
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
    CREATE INDEX ON {schema}.stm_notes (sweep_at);

    -- Unchanged copies of unreadable records, until they would have expired.
    CREATE TABLE {schema}.stm_quarantine (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        place bytea NOT NULL,
        owner bytea NOT NULL,
        digest bytea NOT NULL,               -- of the record
        tenant bytea NOT NULL,
        name bytea NOT NULL,
        model bytea NOT NULL,
        record bytea NOT NULL,
        expires bigint NOT NULL,
        reason bytea NOT NULL,
        at bigint NOT NULL,
        UNIQUE (place, digest)
    );
    CREATE INDEX ON {schema}.stm_quarantine (owner);
    CREATE INDEX ON {schema}.stm_quarantine (expires);

    -- Records are compressed already. User data is kept out of the statistics of the planner, where
    -- it would remain until the next ANALYZE.
    ALTER TABLE {schema}.stm_conversations ALTER COLUMN record SET STORAGE EXTERNAL;
    ALTER TABLE {schema}.stm_conversations ALTER COLUMN tenant SET STATISTICS 0,
        ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN model SET STATISTICS 0,
        ALTER COLUMN record SET STATISTICS 0;
    ALTER TABLE {schema}.stm_notes ALTER COLUMN names SET STATISTICS 0,
        ALTER COLUMN texts SET STATISTICS 0;
    ALTER TABLE {schema}.stm_quarantine ALTER COLUMN tenant SET STATISTICS 0,
        ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN model SET STATISTICS 0,
        ALTER COLUMN record SET STATISTICS 0;
"""

# What only shortens a wait need not survive a crash of the server: its transaction does not wait
# for the disk. If a crash takes a lock back, the commit still succeeds unless another one came
# first, which the token of the last commit shows.
_FUNCTIONS = """
    CREATE FUNCTION {schema}.stm_now() RETURNS bigint LANGUAGE sql VOLATILE AS $stm$
        SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    $stm$;

    CREATE FUNCTION {schema}.stm_sweep_at(p_expires bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE AS $stm$
        SELECT p_expires / 900000000 + 1
    $stm$;

    -- The first question that fails to get the lock is next; otherwise the one that asks most often
    -- would always win. The state is 2 for the one that gets the lock (with the record unless it
    -- has expired, the microseconds until it expires, and the token of the last commit), 1 for the
    -- next one, 0 for others.
    CREATE FUNCTION {schema}.stm_acquire(
        p_place bytea, p_token bytea, p_lease bigint, p_patience bigint, p_ttl bigint,
        p_owner bytea, p_tenant bytea, p_name bytea, p_model bytea,
        OUT o_state integer, OUT o_record bytea, OUT o_now bigint, OUT o_rest bigint,
        OUT o_version bytea
    ) LANGUAGE plpgsql SET lock_timeout = '10s' AS $stm$
    BEGIN
        LOOP
            o_now := {schema}.stm_now();
            UPDATE {schema}.stm_conversations
            SET holder = p_token, held_until = o_now + p_lease, next = NULL
            WHERE place = p_place AND (
                holder = p_token
                OR (next IS NULL OR next = p_token OR next_until < o_now)
                AND (holder IS NULL OR held_until < o_now)
            )
            RETURNING 2, CASE WHEN expires >= o_now THEN record END, expires - o_now,
                substring(commits FROM 1 FOR 8)
            INTO o_state, o_record, o_rest, o_version;
            IF FOUND THEN
                PERFORM set_config('synchronous_commit', 'off', true);
                RETURN;
            END IF;
            UPDATE {schema}.stm_conversations SET next = p_token, next_until = o_now + p_patience
            WHERE place = p_place AND (
                next IS NULL OR next_until < o_now
                OR next = p_token AND next_until < o_now + p_patience / 2
            )
            RETURNING 1 INTO o_state;
            IF FOUND THEN
                PERFORM set_config('synchronous_commit', 'off', true);
                RETURN;
            END IF;
            SELECT CASE WHEN next = p_token THEN 1 ELSE 0 END INTO o_state
            FROM {schema}.stm_conversations WHERE place = p_place;
            IF FOUND THEN
                RETURN;
            END IF;
            INSERT INTO {schema}.stm_conversations
                (place, owner, tenant, name, model, expires, sweep_at, holder, held_until)
            VALUES (p_place, p_owner, p_tenant, p_name, p_model, o_now + p_ttl,
                {schema}.stm_sweep_at(o_now + p_ttl), p_token, o_now + p_lease)
            ON CONFLICT (place) DO NOTHING;
            IF FOUND THEN
                o_state := 2;
                o_rest := 0;
                o_version := '';
                RETURN;
            END IF;
        END LOOP;
    END
    $stm$;

    -- Without a record, the conversation is dropped. False if the lock was lost.
    CREATE FUNCTION {schema}.stm_commit(
        p_place bytea, p_token bytea, p_version bytea, p_record bytea, p_ttl bigint
    ) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '10s' AS $stm$
    DECLARE
        v_now bigint := {schema}.stm_now();
    BEGIN
        UPDATE {schema}.stm_conversations
        SET record = p_record, expires = v_now + p_ttl,
            sweep_at = {schema}.stm_sweep_at(v_now + p_ttl), holder = NULL, held_until = 0,
            commits = p_token || CASE WHEN committed_at > v_now - 30000000
                THEN substring(commits FROM 1 FOR 248) ELSE '' END,
            committed_at = v_now
        WHERE place = p_place AND (holder = p_token OR holder IS NULL)
            AND substring(commits FROM 1 FOR 8) = p_version;
        RETURN FOUND OR EXISTS (
            SELECT FROM {schema}.stm_conversations
            WHERE place = p_place AND position(p_token IN commits) > 0
        );
    END
    $stm$;

    CREATE FUNCTION {schema}.stm_release(p_place bytea, p_token bytea) RETURNS void
    LANGUAGE plpgsql SET lock_timeout = '10s' AS $stm$
    BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        DELETE FROM {schema}.stm_conversations
        WHERE place = p_place AND holder = p_token AND record IS NULL AND commits = '';
        IF NOT FOUND THEN
            UPDATE {schema}.stm_conversations
            SET holder = nullif(holder, p_token), next = nullif(next, p_token)
            WHERE place = p_place AND (holder = p_token OR next = p_token);
        END IF;
    END
    $stm$;

    -- False if the lock was lost.
    CREATE FUNCTION {schema}.stm_renew(p_place bytea, p_token bytea, p_lease bigint)
    RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '10s' AS $stm$
    BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        UPDATE {schema}.stm_conversations SET held_until = {schema}.stm_now() + p_lease
        WHERE place = p_place AND holder = p_token;
        RETURN FOUND;
    END
    $stm$;

    -- Deletes some expired rows of each table. Rows that others are changing are left alone.
    CREATE FUNCTION {schema}.stm_sweep(p_most integer) RETURNS void
    LANGUAGE plpgsql SET lock_timeout = '10s' AS $stm$
    DECLARE
        v_now bigint := {schema}.stm_now();
    BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        DELETE FROM {schema}.stm_conversations WHERE place = ANY (ARRAY(
            SELECT place FROM {schema}.stm_conversations
            WHERE sweep_at < {schema}.stm_sweep_at(v_now) AND expires < v_now
                AND (holder IS NULL OR held_until < v_now)
            ORDER BY sweep_at LIMIT p_most FOR UPDATE SKIP LOCKED
        ));
        DELETE FROM {schema}.stm_notes WHERE place = ANY (ARRAY(
            SELECT place FROM {schema}.stm_notes
            WHERE sweep_at < {schema}.stm_sweep_at(v_now) AND expires < v_now
            ORDER BY sweep_at LIMIT p_most FOR UPDATE SKIP LOCKED
        ));
        DELETE FROM {schema}.stm_quarantine WHERE id = ANY (ARRAY(
            SELECT id FROM {schema}.stm_quarantine WHERE expires < v_now
            ORDER BY expires LIMIT p_most FOR UPDATE SKIP LOCKED
        ));
    END
    $stm$;

    -- A namespace lives as long as its longest-lived note.
    CREATE FUNCTION {schema}.stm_put_note(
        p_place bytea, p_name bytea, p_text bytea, p_ttl bigint
    ) RETURNS void LANGUAGE plpgsql SET lock_timeout = '10s' AS $stm$
    DECLARE
        v_now bigint := {schema}.stm_now();
        v_expires bigint := v_now + p_ttl;
        v_names bytea[];
        v_texts bytea[];
        v_old bigint;
        v_index integer;
    BEGIN
        LOOP
            SELECT names, texts, expires INTO v_names, v_texts, v_old
            FROM {schema}.stm_notes WHERE place = p_place FOR UPDATE;
            EXIT WHEN FOUND;
            INSERT INTO {schema}.stm_notes (place, names, texts, expires, sweep_at)
            VALUES (p_place, ARRAY[p_name], ARRAY[p_text], v_expires,
                {schema}.stm_sweep_at(v_expires))
            ON CONFLICT (place) DO NOTHING;
            IF FOUND THEN
                RETURN;
            END IF;
        END LOOP;
        IF v_old < v_now THEN
            v_names := '{}';
            v_texts := '{}';
        END IF;
        v_index := coalesce(array_position(v_names, p_name), cardinality(v_names) + 1);
        v_names[v_index] := p_name;
        v_texts[v_index] := p_text;
        v_expires := greatest(v_expires, v_old);
        UPDATE {schema}.stm_notes SET names = v_names, texts = v_texts, expires = v_expires,
            sweep_at = {schema}.stm_sweep_at(v_expires)
        WHERE place = p_place;
    END
    $stm$;

    CREATE FUNCTION {schema}.stm_delete_note(p_place bytea, p_name bytea) RETURNS void
    LANGUAGE plpgsql SET lock_timeout = '10s' AS $stm$
    BEGIN
        UPDATE {schema}.stm_notes SET
            names = names[:array_position(names, p_name) - 1]
                || names[array_position(names, p_name) + 1:],
            texts = texts[:array_position(names, p_name) - 1]
                || texts[array_position(names, p_name) + 1:]
        WHERE place = p_place AND p_name = ANY (names);
        DELETE FROM {schema}.stm_notes WHERE place = p_place AND names = '{}';
    END
    $stm$;
"""

_MIGRATIONS = (_TABLES + _FUNCTIONS,)


def prepare_schema(transaction: Transaction, schema: str, quoted: str) -> None:
    """Create or upgrade the tables if necessary; ``quoted`` is the name of the schema in SQL. The
    schema may have tables of others.

    Raises :class:`~anaphora.errors.StoreError` for tables of a later version.
    """
    upgrade_tables(
        transaction,
        schema,
        format_table="stm_format",
        version=len(_MIGRATIONS),
        migrations_after=lambda version: [
            render_statement(each, quoted) for each in _MIGRATIONS[version:]
        ],
        shares_schema=True,
    )


def render_statement(statement: str, quoted: str) -> str:
    """Return a statement with the name of the schema in the place of ``{schema}``."""
    return statement.replace("{schema}", quoted)
