"""Read facts and their surroundings, within a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product, zip_longest
from operator import itemgetter
from typing import Literal, TypeAlias

from anaphora.agents.graph.backends.backend import Row, Sql
from anaphora.agents.graph.facts import Fact
from anaphora.agents.graph.timeline import FOREVER
from anaphora.storage.logical_clock import from_microseconds

__all__ = ["FactQuery", "Period", "find_facts", "find_neighbourhood", "find_paths", "query_facts"]

_Column: TypeAlias = Literal["subject", "object", "relation"]
_ALWAYS = -(2**63)
_MIN_FACTS_PER_NEIGHBOUR = 5
_MAX_NEIGHBOURS = 100  # whose facts are read
_MAX_DEGREE = 1_000  # facts of an entity that are read for a path, the last stated ones first


@dataclass(frozen=True, slots=True)
class Period:
    """The facts that began by a time and still held after another one (microseconds)."""

    begun_by: int
    ended_after: int

    @classmethod
    def moment(cls, at: int) -> Period:
        """The facts that hold at a time."""
        return cls(at, at)

    @classmethod
    def until(cls, at: int) -> Period:
        """The facts that began by a time, whether they ended or not."""
        return cls(at, _ALWAYS)


@dataclass(frozen=True, slots=True)
class FactQuery:
    """A query for the facts of an owner in a period. Entities and relations are given by id, and
    None is any of them. At least one must be given."""

    owner: int
    period: Period
    subject: int | None = None
    object: int | None = None
    relations: Sequence[int] | None = None


def query_facts(sql: Sql, query: FactQuery, limit: int) -> list[Fact]:
    """Return at most ``limit`` facts, the last stated first."""
    columns: list[_Column] = []
    key: list[int] = []
    if query.subject is not None:
        columns.append("subject")
        key.append(query.subject)
    if query.object is not None:
        columns.append("object")
        key.append(query.object)
    keys = [tuple(key)]
    if query.relations is not None:
        columns.append("relation")
        keys = [(*key, relation) for relation in query.relations]
    # With many relations, most of the rows that are found are not among the last stated.
    template = _WITH_NAMES if len(keys) == 1 else _IDS
    found = _select(sql, query.owner, tuple(columns), keys, query.period, limit, template=template)
    rows = _sort(row for rows in found for row in rows)[:limit]
    if len(keys) == 1:
        return [_to_fact(row) for row in rows]
    return find_facts(sql, query.owner, [row[0] for row in rows])


def find_facts(sql: Sql, owner: int, ids: Sequence[int]) -> list[Fact]:
    """Return facts by id, in order; unknown ones are left out."""
    # The limit keeps PostgreSQL from joining all facts before it chooses some.
    query = _WITH_NAMES.format("SELECT owner, id FROM facts WHERE owner = ? AND id = ? LIMIT 1")
    found = sql.select_many(query, [(owner, id) for id in ids])
    return [_to_fact(row) for rows in found for row in rows]


def find_neighbourhood(
    sql: Sql, owner: int, entity: int, period: Period, *, depth: int, limit: int
) -> list[Fact]:
    """Return at most ``limit`` facts around an entity: its own first, the last stated first; at
    depth 2 then those of its neighbours, in turns."""
    (near,) = _facts_of(sql, owner, [entity], period, limit)
    rows = near[:limit]
    left = limit - len(rows)
    if depth > 1 and rows and left:
        neighbours = _neighbours(rows, entity)[:_MAX_NEIGHBOURS]
        # Twice, because their facts with the entity itself come back, too, and are left out.
        share = max(_MIN_FACTS_PER_NEIGHBOUR, 2 * left // max(1, len(neighbours)))
        far = _facts_of(sql, owner, neighbours, period, min(share, limit))
        in_turns = [row for turn in zip_longest(*far) for row in turn if row is not None]
        rows = list({row[0]: row for row in (*rows, *in_turns)}.values())[:limit]
    return [_to_fact(row) for row in rows]


def find_paths(
    sql: Sql, owner: int, a: int, b: int, period: Period, *, depth: int, limit: int
) -> list[tuple[Fact, ...]]:
    """Return at most ``limit`` paths of up to ``depth`` facts between two entities, short ones
    first. Of an entity with very many facts, only the last stated ones are read, and those with
    neighbours of the other entity."""
    of_a, of_b = _facts_of(sql, owner, [a, b], period, _MAX_DEGREE, template=_IDS)
    if depth > 1 and len(of_b) >= _MAX_DEGREE:
        of_b += _facts_between(sql, owner, _neighbours(of_a, a), b, period)
    if depth > 1 and len(of_a) >= _MAX_DEGREE:
        of_a += _facts_between(sql, owner, _neighbours(of_b, b), a, period)
    direct = {row[0]: row for row in (*of_a, *of_b) if {a, b} == {*row[1:3]}}
    paths: list[tuple[int, ...]] = [(row[0],) for row in _sort(direct.values())]
    if depth > 1:
        last = _group_by_neighbour(of_b, b)
        for middle, ids in _group_by_neighbour(of_a, a).items():
            if middle not in (a, b):
                paths += product(ids, last.get(middle, ()))
    chosen = paths[:limit]
    used = list(dict.fromkeys(id for path in chosen for id in path))
    facts = {fact.id: fact for fact in find_facts(sql, owner, used)}
    return [tuple(facts[id] for id in path) for path in chosen]


def _facts_between(
    sql: Sql, owner: int, entities: Sequence[int], end: int, period: Period
) -> list[Row]:
    """Return the facts between any of the entities and another one that has very many facts."""
    chosen = entities[:_MAX_NEIGHBOURS]
    found = _facts_of(sql, owner, chosen, period, _MAX_NEIGHBOURS, template=_IDS)
    return [row for rows in found for row in rows if end in row[1:3]]


def _neighbours(rows: Iterable[Row], entity: int) -> list[int]:
    """Return the other entities of facts of an entity."""
    ids = (id for row in rows for id in row[1:3])
    return [id for id in dict.fromkeys(ids) if id != entity]


def _group_by_neighbour(rows: Iterable[Row], entity: int) -> dict[int, dict[int, None]]:
    """Return the ids of facts of an entity by its neighbours, each once."""
    groups: dict[int, dict[int, None]] = {}
    for id, subject, object, *_ in rows:
        groups.setdefault(object if subject == entity else subject, {})[id] = None
    return groups


def _facts_of(
    sql: Sql,
    owner: int,
    entities: Sequence[int],
    period: Period,
    limit: int,
    *,
    template: str | None = None,
) -> list[list[Row]]:
    """Return at least the last stated ``limit`` facts of each entity, sorted."""
    keys = [(entity,) for entity in entities]
    found = [
        _select(sql, owner, (column,), keys, period, limit, template=template) for column in _ENDS
    ]
    return [
        _sort({row[0]: row for row in (*one, *other)}.values())
        for one, other in zip(*found, strict=True)
    ]


def _select(
    sql: Sql,
    owner: int,
    columns: tuple[_Column, ...],
    keys: Sequence[Row],
    period: Period,
    limit: int,
    *,
    template: str | None = None,
) -> list[list[Row]]:
    """Return at least the last stated ``limit`` facts with each key."""
    holding, ended = _build_queries(columns, template or _WITH_NAMES)
    open_rows = sql.select_many(
        holding, [(owner, *key, FOREVER, period.begun_by, limit) for key in keys]
    )
    ended_rows = sql.select_many(
        ended,
        [(owner, *key, period.ended_after, FOREVER, period.begun_by, limit) for key in keys],
    )
    return [[*one, *other] for one, other in zip(open_rows, ended_rows, strict=True)]


@lru_cache(maxsize=32)
def _build_queries(columns: tuple[_Column, ...], template: str) -> tuple[str, str]:
    """Return the queries for facts that still hold, and for those that have ended."""
    conditions = "".join(f" AND {column} = ?" for column in columns)
    facts = (
        f"SELECT owner, id FROM facts INDEXED BY facts_by_{_INDEXES[frozenset(columns)]} "
        f"WHERE owner = ?{conditions}"
    )
    end = "AND valid_at <= ? ORDER BY last_at DESC, id DESC LIMIT ?"
    holding = f"{facts} AND invalid_at = ? {end}"
    ended = f"{facts} AND invalid_at > ? AND invalid_at < ? {end}"
    return template.format(holding), template.format(ended)


def _to_fact(row: Row) -> Fact:
    id, _, _, last_at, subject, relation, object, valid_at, invalid_at, created_at, *rest = row
    count, source = rest
    return Fact(
        id,
        subject,
        relation,
        object,
        from_microseconds(valid_at),
        None if invalid_at == FOREVER else from_microseconds(invalid_at),
        from_microseconds(created_at),
        from_microseconds(last_at),
        count,
        source,
    )


def _sort(rows: Iterable[Row]) -> list[Row]:
    """Sort rows: the last stated first."""
    return sorted(rows, key=itemgetter(3, 0), reverse=True)


_ENDS: tuple[_Column, ...] = ("subject", "object")
# An object has fewer facts than a subject: the user is the subject of most.
_INDEXES: dict[frozenset[_Column], str] = {
    frozenset(("subject",)): "subject",
    frozenset(("object",)): "object",
    frozenset(("relation",)): "relation",
    frozenset(("subject", "relation")): "triple",
    frozenset(("subject", "relation", "object")): "triple",
    frozenset(("subject", "object")): "object",
    frozenset(("relation", "object")): "object",
}
# Facts are chosen by their index alone: reading all rows of a hub would take 50 times as long.
_CHOSEN = "FROM ({}) AS chosen JOIN facts AS f ON f.owner = chosen.owner AND f.id = chosen.id"
_IDS = f"SELECT f.id, f.subject, f.object, f.last_at {_CHOSEN}"
_WITH_NAMES = (
    "SELECT f.id, f.subject, f.object, f.last_at, s.name AS subject_name, "
    "r.name AS relation_name, o.name AS object_name, f.valid_at, f.invalid_at, f.created_at, "
    f"f.count, f.source {_CHOSEN} "
    "JOIN entities AS s ON s.owner = f.owner AND s.id = f.subject "
    "JOIN relations AS r ON r.owner = f.owner AND r.id = f.relation "
    "JOIN entities AS o ON o.owner = f.owner AND o.id = f.object"
)
