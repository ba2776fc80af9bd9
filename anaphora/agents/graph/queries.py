"""Read facts and their surroundings, within a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from anaphora.agents.graph.backends.backend import Row, Sql
from anaphora.agents.graph.facts import Fact
from anaphora.agents.graph.timeline import FOREVER
from anaphora.storage.logical_clock import from_microseconds

__all__ = [
    "Edge",
    "FactQuery",
    "Period",
    "find_edges",
    "find_facts",
    "find_neighbourhood",
    "find_paths",
]

_Column: TypeAlias = Literal["subject", "object", "relation"]
_ALWAYS = -(2**63)
_MIN_FACTS_PER_NEIGHBOUR = 5
_MAX_NEIGHBOURS = 100  # whose facts are read
_MAX_DEGREE = 1_000  # facts of an entity that are read for a path, the last stated ones first


class Edge(NamedTuple):
    """A fact, and the ids of its entities."""

    subject: int
    object: int
    fact: Fact


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


def find_edges(sql: Sql, query: FactQuery, limit: int) -> list[Edge]:
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
    return _select(sql, query.owner, tuple(columns), keys, query.period, limit)[:limit]


def find_facts(sql: Sql, owner: int, ids: Sequence[int]) -> list[Edge]:
    """Return facts by id, in order; unknown ones are left out."""
    query = _WITH_NAMES.format("SELECT * FROM facts WHERE owner = ? AND id = ?")
    found = sql.select_many(query, [(owner, id) for id in ids])
    return [_to_edge(row) for rows in found for row in rows]


def find_neighbourhood(
    sql: Sql, owner: int, entity: int, period: Period, *, depth: int, limit: int
) -> list[Edge]:
    """Return at most ``limit`` facts around an entity: its own first, the last stated first; at
    depth 2 then those of its neighbours, a fair share of each."""
    near = _facts_of(sql, owner, [entity], period, limit)[:limit]
    left = limit - len(near)
    if depth == 1 or not left:
        return near
    neighbours = _neighbours(near, entity)[:_MAX_NEIGHBOURS]
    # Twice, because their facts with the entity itself come back, too, and are left out.
    share = max(_MIN_FACTS_PER_NEIGHBOUR, 2 * left // max(1, len(neighbours)))
    far = _facts_of(sql, owner, neighbours, period, min(share, limit))
    known = {edge.fact.id for edge in near}
    return near + [edge for edge in far if edge.fact.id not in known][:left]


def find_paths(
    sql: Sql, owner: int, a: int, b: int, period: Period, *, depth: int, limit: int
) -> list[tuple[Fact, ...]]:
    """Return at most ``limit`` paths of up to ``depth`` facts between two entities, short ones
    first. Of an entity with very many facts, only the last stated ones are read."""
    of_a = _facts_of(sql, owner, [a], period, _MAX_DEGREE)
    of_b = _facts_of(sql, owner, [b], period, _MAX_DEGREE)
    if depth > 1 and len(of_b) >= _MAX_DEGREE:
        of_b += _facts_between(sql, owner, _neighbours(of_a, a), b, period)
    if depth > 1 and len(of_a) >= _MAX_DEGREE:
        of_a += _facts_between(sql, owner, _neighbours(of_b, b), a, period)
    direct = {edge.fact.id: edge for edge in (*of_a, *of_b) if {a, b} == {*edge[:2]}}
    paths: list[tuple[Fact, ...]] = [(edge.fact,) for edge in _by_time(direct.values())]
    if depth > 1:
        second = _group_by_neighbour(of_b, b)
        paths += [
            (first, last)
            for middle, firsts in _group_by_neighbour(of_a, a).items()
            if middle not in (a, b)
            for last in second.get(middle, {}).values()
            for first in firsts.values()
        ]
    return paths[:limit]


def _facts_between(
    sql: Sql, owner: int, entities: Sequence[int], end: int, period: Period
) -> list[Edge]:
    """Return the facts between any of the entities and another one that has very many facts."""
    found = _facts_of(sql, owner, entities[:_MAX_NEIGHBOURS], period, _MAX_NEIGHBOURS)
    return [edge for edge in found if end in edge[:2]]


def _neighbours(edges: Iterable[Edge], entity: int) -> list[int]:
    """Return the other entities of facts of an entity."""
    ids = (id for edge in edges for id in (edge.subject, edge.object))
    return [id for id in dict.fromkeys(ids) if id != entity]


def _group_by_neighbour(edges: Iterable[Edge], entity: int) -> dict[int, dict[int, Fact]]:
    """Return the facts of an entity by its neighbours, each by id."""
    groups: dict[int, dict[int, Fact]] = {}
    for edge in edges:
        other = edge.object if edge.subject == entity else edge.subject
        groups.setdefault(other, {})[edge.fact.id] = edge.fact
    return groups


def _facts_of(
    sql: Sql, owner: int, entities: Sequence[int], period: Period, limit: int
) -> list[Edge]:
    """Return at most ``limit`` facts of each entity, and all sorted: the last stated first."""
    keys = [(entity,) for entity in entities]
    found = {
        edge.fact.id: edge
        for column in _ENDS
        for edge in _select(sql, owner, (column,), keys, period, limit)
    }
    return _by_time(found.values())


def _select(
    sql: Sql,
    owner: int,
    columns: tuple[_Column, ...],
    keys: Sequence[Row],
    period: Period,
    limit: int,
) -> list[Edge]:
    """Return at most ``limit`` facts with each key, all of them sorted."""
    holding, ended = _build_queries(columns)
    rows = sql.select_many(
        holding, [(owner, *key, FOREVER, period.begun_by, limit) for key in keys]
    )
    rows = [
        *rows,
        *sql.select_many(
            ended,
            [(owner, *key, period.ended_after, FOREVER, period.begun_by, limit) for key in keys],
        ),
    ]
    return _by_time(_to_edge(row) for found in rows for row in found)


@lru_cache(maxsize=16)
def _build_queries(columns: tuple[_Column, ...]) -> tuple[str, str]:
    """Return the queries for facts that still hold, and for those that have ended."""
    names = set(columns)
    # A plus sign keeps SQLite from using an index: it can't know that a subject (the user) may have
    # very many facts, so that the other indexes are better.
    plus = "+" if names >= {"subject", "relation"} else ""
    conditions = "".join(
        f" AND {'+' if column == 'subject' and names == {'subject', 'object'} else ''}{column} = ?"
        for column in columns
    )
    end = f"AND valid_at <= ? ORDER BY {plus}last_at DESC, id DESC LIMIT ?"
    holding = f"SELECT * FROM facts WHERE owner = ?{conditions} AND {plus}invalid_at = ? {end}"
    ended = (
        f"SELECT * FROM facts WHERE owner = ?{conditions} AND {plus}invalid_at > ? "
        f"AND {plus}invalid_at < ? {end}"
    )
    return _WITH_NAMES.format(holding), _WITH_NAMES.format(ended)


def _to_edge(row: Row) -> Edge:
    id, subject, relation, object, valid_at, invalid_at, created_at, last_at, *rest = row
    count, source, subject_id, object_id = rest
    fact = Fact(
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
    return Edge(subject_id, object_id, fact)


def _by_time(edges: Iterable[Edge]) -> list[Edge]:
    return sorted(edges, key=lambda edge: (edge.fact.last_stated, edge.fact.id), reverse=True)


_ENDS: tuple[_Column, ...] = ("subject", "object")
_WITH_NAMES = (
    "SELECT f.id, s.name AS subject_name, r.name AS relation_name, o.name AS object_name, "
    "f.valid_at, f.invalid_at, f.created_at, f.last_at, f.count, f.source, f.subject, f.object "
    "FROM ({}) AS f JOIN entities AS s ON s.owner = f.owner AND s.id = f.subject "
    "JOIN relations AS r ON r.owner = f.owner AND r.id = f.relation "
    "JOIN entities AS o ON o.owner = f.owner AND o.id = f.object"
)
