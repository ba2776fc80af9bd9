"""Schema of the SQLite recall store.

Ids that others may remember (of exchanges, conversations, users, summaries) are never reused, so
that nothing of one user is ever taken for something of another.
"""

from __future__ import annotations

__all__ = ["PRAGMAS", "SCHEMA"]

PRAGMAS = ("cache_size = -8000",)

# Names and texts are untyped: they are text or, with lone surrogates, bytes. Times are microseconds
# since 1970. In `conversations`, `first` is the number of the first verbatim exchange of the
# working history, `verbatim` counts these, and `size` is W in the `measure`.
SCHEMA = (
    (
        "CREATE TABLE owners (id INTEGER PRIMARY KEY AUTOINCREMENT, tenant NOT NULL, "
        "user NOT NULL, documents INTEGER NOT NULL, length INTEGER NOT NULL, "
        "generation INTEGER NOT NULL, UNIQUE (tenant, user))",
        "CREATE TABLE conversations (id INTEGER PRIMARY KEY AUTOINCREMENT, "
        "owner INTEGER NOT NULL, model NOT NULL, count INTEGER NOT NULL, "
        "first INTEGER NOT NULL, verbatim INTEGER NOT NULL, size INTEGER NOT NULL, "
        "measure NOT NULL, UNIQUE (owner, model))",
        "CREATE INDEX conversations_by_size ON conversations (measure, size)",
        "CREATE TABLE exchanges (id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, "
        "conversation INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, intent, "
        "terms NOT NULL, question NOT NULL, answer NOT NULL, rest BLOB NOT NULL, "
        "UNIQUE (conversation, number))",
        "CREATE INDEX exchanges_by_time ON exchanges (at)",
        # A covering index for the filters of a search.
        "CREATE INDEX exchanges_by_owner ON exchanges (owner, at, id, conversation, intent)",
        "CREATE TABLE slots (owner INTEGER NOT NULL, name NOT NULL, value NOT NULL, "
        "exchange INTEGER NOT NULL, PRIMARY KEY (owner, name, value, exchange)) WITHOUT ROWID",
        "CREATE INDEX slots_by_exchange ON slots (exchange)",
        "CREATE TABLE summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, "
        "conversation INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, "
        "since INTEGER NOT NULL, until INTEGER NOT NULL, level INTEGER NOT NULL, by NOT NULL, "
        "of TEXT NOT NULL, text NOT NULL, active INTEGER NOT NULL)",
        "CREATE INDEX summaries_by_range ON summaries (conversation, active, first)",
        "CREATE TABLE terms (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, text NOT NULL, "
        "frequency INTEGER NOT NULL, UNIQUE (owner, text))",
        "CREATE TABLE postings (term INTEGER NOT NULL, first INTEGER NOT NULL, "
        "entries BLOB NOT NULL, PRIMARY KEY (term, first)) WITHOUT ROWID",
        "CREATE TABLE embedders (id INTEGER PRIMARY KEY, name NOT NULL UNIQUE, "
        "dimension INTEGER NOT NULL)",
        "CREATE TABLE vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, "
        "embedder INTEGER NOT NULL, exchange INTEGER NOT NULL, vector BLOB NOT NULL)",
        "CREATE UNIQUE INDEX vectors_by_exchange ON vectors (exchange, embedder)",
        "CREATE INDEX vectors_by_owner ON vectors (owner, embedder, id, exchange)",
        "CREATE TABLE marks (journal NOT NULL PRIMARY KEY, position INTEGER NOT NULL)",
        # Clocks up to which users (with one model) were erased, by digests of their names: earlier
        # exchanges may still be in a journal.
        "CREATE TABLE erasures (whose BLOB NOT NULL PRIMARY KEY, at INTEGER NOT NULL) "
        "WITHOUT ROWID",
        # The number of deletions (negative once they were scrubbed from the file), and the time of
        # the last scrub.
        "CREATE TABLE scrubbing (id INTEGER PRIMARY KEY, due INTEGER NOT NULL, last INTEGER)",
        "INSERT INTO scrubbing (id, due) VALUES (1, 0)",
    ),
    (
        # Items that cannot be processed. `source` is the id of a row of `exchanges` or `summaries`
        # or (kind compress) of a conversation; `embedder` its number, -1 if none; `said` the time
        # of the exchange, if known; `record` the columns of a damaged row. `state`: 0 in
        # quarantine, 1 discarded (never tried again), 2 to be tried again.
        "CREATE TABLE quarantine (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, "
        "source INTEGER NOT NULL, embedder NOT NULL, owner INTEGER, conversation INTEGER, "
        "at INTEGER NOT NULL, said INTEGER NOT NULL, reason NOT NULL, record TEXT, "
        "state INTEGER NOT NULL DEFAULT 0, UNIQUE (kind, source, embedder))",
        "CREATE INDEX quarantine_by_owner ON quarantine (owner)",
    ),
    (
        # Exchanges are numbered by clock; a conversation has the largest of its exchanges.
        "ALTER TABLE exchanges ADD COLUMN clock INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE conversations ADD COLUMN clock INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX conversations_by_clock ON conversations (clock)",
    ),
    (
        # For the numbers of late exchanges.
        "CREATE INDEX exchanges_by_clock ON exchanges (conversation, clock)",
    ),
    (
        # The version of the index terms of an exchange.
        "ALTER TABLE exchanges ADD COLUMN terms_version INTEGER NOT NULL DEFAULT 1",
        "CREATE INDEX exchanges_by_terms_version ON exchanges (terms_version)",
    ),
)
