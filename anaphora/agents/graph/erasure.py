"""Erase facts and mentions, within a transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from anaphora.agents.graph.backends.backend import Sql
from anaphora.agents.graph.backends.schema import OWNED_TABLES
from anaphora.agents.graph.owners import find_owner, lock_owner, owner_digest
from anaphora.agents.graph.timeline import FactRow, close_gaps
from anaphora.agents.graph.writer import FACT_COLUMNS, load_timelines, save_facts
from anaphora.ltm.retrieval.store import UserKey

__all__ = ["erase_owner"]


def erase_owner(
    sql: Sql, user_key: UserKey, model: str | None, clock: int, functional: Collection[str]
) -> int:
    """Delete everything of a user, or what only exchanges with ``model`` said; return the number of
    facts deleted. From now on exchanges with clocks up to ``clock``, or up to the largest observed
    one, are ignored."""
    owner = find_owner(sql, user_key)
    if owner is None:
        _remember_erasure(sql, user_key, model, clock)
        return 0
    lock_owner(sql, user_key)
    ((last,),) = sql.select(
        "SELECT coalesce(max(clock), 0) FROM observed WHERE owner = ? AND (? OR model = ?)",
        *(owner, model is None, model or ""),
    )
    _remember_erasure(sql, user_key, model, max(clock, last))
    if model is not None:
        return _erase_model(sql, owner, model, functional)
    ((count,),) = sql.select("SELECT count(*) FROM facts WHERE owner = ?", owner)
    for table in OWNED_TABLES:
        sql.execute(f"DELETE FROM {table} WHERE owner = ?", owner)
    sql.execute("DELETE FROM owners WHERE id = ?", owner)
    return int(count)


def _remember_erasure(sql: Sql, user_key: UserKey, model: str | None, clock: int) -> None:
    sql.execute(
        "INSERT INTO erasures AS old (place, clock) VALUES (?, ?) ON CONFLICT (place) DO UPDATE "
        "SET clock = CASE WHEN excluded.clock < old.clock THEN old.clock ELSE excluded.clock END",
        *(owner_digest(user_key, model), clock),
    )


def _erase_model(sql: Sql, owner: int, model: str, functional: Collection[str]) -> int:
    """Delete what only exchanges with a model said; return the number of facts deleted."""
    facts = sql.select(
        f"SELECT {FACT_COLUMNS} FROM facts WHERE owner = ? AND id IN "
        "(SELECT fact FROM evidence WHERE owner = ? AND model = ?)",
        *(owner, owner, model),
    )
    entities = sql.select(
        "SELECT entity FROM entity_models WHERE owner = ? AND model = ?", owner, model
    )
    for table in ("evidence", "mentions", "entity_models", "observed"):
        sql.execute(f"DELETE FROM {table} WHERE owner = ? AND model = ?", owner, model)
    deleted = _recount_facts(sql, owner, [FactRow(*row) for row in facts], functional)
    _recount_entities(sql, owner, [id for (id,) in entities])
    for statement in _DELETE_UNUSED:
        sql.execute(statement, owner)
    ((size,),) = sql.select("SELECT count(*) FROM mentions WHERE owner = ?", owner)
    sql.execute("UPDATE owners SET stream_size = ? WHERE id = ?", size, owner)
    return deleted


def _recount_facts(
    sql: Sql, owner: int, rows: Sequence[FactRow], functional: Collection[str]
) -> int:
    """Derive facts from the evidence that is left; return how many had none and were deleted."""
    keys = [(owner, row.id) for row in rows]
    left = {}
    for row, evidence in zip(rows, sql.select_many(_EVIDENCE, keys), strict=True):
        if not evidence:
            continue
        row.valid_at = min(first for first, *_ in evidence)
        _, row.last_at, _, row.source = evidence[-1]
        row.count = sum(count for _, _, count, _ in evidence)
        left[row.id] = row
    gone = [(owner, row.id) for row in rows if row.id not in left]
    sql.execute_many("DELETE FROM facts WHERE owner = ? AND id = ?", gone)
    relations = sql.select("SELECT id, name FROM relations WHERE owner = ?", owner)
    functional_ids = {id for id, name in relations if name in functional}
    timelines = {
        (row.subject, row.relation)
        if row.relation in functional_ids
        else (row.subject, row.relation, row.object)
        for row in rows
    }
    for timeline in load_timelines(sql, owner, timelines).values():
        together = [left.get(row.id, row) for row in timeline]
        close_gaps(together)
        save_facts(sql, owner, together)
    return len(gone)


def _recount_entities(sql: Sql, owner: int, ids: Sequence[int]) -> None:
    """Derive the counts of entities from those by model."""
    sums = sql.select_many(_ENTITY_SUMS, [(owner, id) for id in ids])
    sql.execute_many(
        "UPDATE entities SET count = ?, first_seen = ?, last_seen = ?, weight = ? "
        "WHERE owner = ? AND id = ?",
        [
            (int(count), first, last, weight, owner, id)
            for id, ((count, first, last, weight),) in zip(ids, sums, strict=True)
        ],
    )


_EVIDENCE = (
    "SELECT first_at, last_at, count, source FROM evidence WHERE owner = ? AND fact = ? "
    "ORDER BY last_at"
)
_ENTITY_SUMS = (
    "SELECT coalesce(sum(count), 0), coalesce(min(first_seen), 0), coalesce(max(last_seen), 0), "
    "coalesce(sum(weight), 0.0) FROM entity_models WHERE owner = ? AND entity = ?"
)
_UNUSED = "NOT EXISTS (SELECT 1 FROM facts INDEXED BY facts_by_{} WHERE facts.owner = {}.owner AND "
_DELETE_UNUSED = (
    "DELETE FROM entities WHERE owner = ? AND count = 0 "
    f"AND {_UNUSED.format('subject', 'entities')}facts.subject = entities.id) "
    f"AND {_UNUSED.format('object', 'entities')}facts.object = entities.id)",
    "DELETE FROM relations WHERE owner = ? "
    f"AND {_UNUSED.format('relation', 'relations')}facts.relation = relations.id)",
)
