"""Tables of a knowledge graph, for both databases.

An owner is known by a digest of its names. Ids are counted per owner, and everything of an owner
lies together. Times are microseconds since 1970.

- ``facts``: see :class:`~anaphora.agents.graph.timeline.FactRow`.
- ``evidence``: who stated a fact. One row a statement where the relation is functional (``slot`` is
  its time); otherwise one row a model (``slot`` is 0).
- ``entities`` holds the sums of ``entity_models``; ``words`` are the base forms of the name.
- ``observed``: the exchanges that have been observed. ``erasures``: the clocks up to which a user
  (with one model) was erased, by digests.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["OWNED_TABLES", "build_schema"]

OWNED_TABLES = (
    "facts", "evidence", "mentions", "entity_models", "entities", "relations", "observed"
)  # fmt: skip

# The indexes of facts end with what orders and filters them, so that no other row is read.
_STEPS = (
    (
        "CREATE TABLE owners (id {identity}, place {bytes} NOT NULL UNIQUE, "
        "next_id {int} NOT NULL, stream_size {int} NOT NULL)",
        "CREATE TABLE entities (owner {int} NOT NULL, id {int} NOT NULL, name_key {text} NOT NULL, "
        "name {text} NOT NULL, words {text} NOT NULL, kind {text} NOT NULL, count {int} NOT NULL, "
        "first_seen {int} NOT NULL, last_seen {int} NOT NULL, weight {float} NOT NULL, "
        "PRIMARY KEY (owner, id), UNIQUE (owner, name_key)) {clustered}",
        "CREATE INDEX entities_by_words ON entities (owner, words)",
        "CREATE INDEX entities_by_weight ON entities (owner, weight, id)",
        "CREATE TABLE entity_models (owner {int} NOT NULL, entity {int} NOT NULL, "
        "model {text} NOT NULL, count {int} NOT NULL, first_seen {int} NOT NULL, "
        "last_seen {int} NOT NULL, weight {float} NOT NULL, PRIMARY KEY (owner, entity, model)) "
        "{clustered}",
        "CREATE TABLE relations (owner {int} NOT NULL, id {int} NOT NULL, name {text} NOT NULL, "
        "PRIMARY KEY (owner, id), UNIQUE (owner, name)) {clustered}",
        "CREATE TABLE facts (owner {int} NOT NULL, id {int} NOT NULL, subject {int} NOT NULL, "
        "relation {int} NOT NULL, object {int} NOT NULL, valid_at {int} NOT NULL, "
        "invalid_at {int} NOT NULL, retracted_at {int} NOT NULL, created_at {int} NOT NULL, "
        "last_at {int} NOT NULL, count {int} NOT NULL, source {text} NOT NULL, "
        "PRIMARY KEY (owner, id)) {clustered}",
        "CREATE INDEX facts_by_triple ON facts (owner, subject, relation, object)",
        "CREATE INDEX facts_by_subject ON facts "
        "(owner, subject, invalid_at, last_at, id, valid_at)",
        "CREATE INDEX facts_by_object ON facts "
        "(owner, object, invalid_at, last_at, id, valid_at)",
        "CREATE INDEX facts_by_relation ON facts "
        "(owner, relation, invalid_at, last_at, id, valid_at)",
        "CREATE TABLE evidence (owner {int} NOT NULL, fact {int} NOT NULL, slot {int} NOT NULL, "
        "model {text} NOT NULL, first_at {int} NOT NULL, last_at {int} NOT NULL, "
        "count {int} NOT NULL, source {text} NOT NULL, PRIMARY KEY (owner, fact, slot, model)) "
        "{clustered}",
        "CREATE TABLE mentions (owner {int} NOT NULL, at {int} NOT NULL, id {int} NOT NULL, "
        "entity {int} NOT NULL, model {text} NOT NULL, source {text} NOT NULL, "
        "PRIMARY KEY (owner, at, id)) {clustered}",
        "CREATE TABLE observed (owner {int} NOT NULL, model {text} NOT NULL, clock {int} NOT NULL, "
        "PRIMARY KEY (owner, model, clock)) {clustered}",
        "CREATE TABLE erasures (place {bytes} NOT NULL PRIMARY KEY, clock {int} NOT NULL) "
        "{clustered}",
    ),
)  # fmt: skip


def build_schema(dialect: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Return the statements of each version of the schema, with the types of a dialect."""
    return tuple(
        tuple(statement.format_map(dialect) for statement in statements) for statements in _STEPS
    )
