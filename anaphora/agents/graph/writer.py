"""Add facts and mentions to a graph, within a transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from anaphora.agents.graph.backends.backend import Sql
from anaphora.agents.graph.facts import NewFact
from anaphora.agents.graph.names import clean_name, clean_relation, name_key, time_to_int, word_key
from anaphora.agents.graph.owners import Owner
from anaphora.agents.graph.ranking import mention_weight
from anaphora.agents.graph.timeline import FOREVER, FactRow, Timeline

__all__ = [
    "FACT_COLUMNS",
    "Statements",
    "add_statements",
    "collect_kinds",
    "load_timelines",
    "save_facts",
]

FACT_COLUMNS = (
    "id, subject, relation, object, valid_at, invalid_at, retracted_at, created_at, last_at, "
    "count, source"
)


@dataclass(frozen=True, slots=True)
class Statements:
    """Facts that one exchange ``source`` with ``model`` states at a time (microseconds), and the
    names and kinds of the entities that it mentions. ``now`` is the present time."""

    facts: Sequence[NewFact]
    mentions: Mapping[str, str]
    at: int
    now: int
    source: str
    model: str
    language: str


def add_statements(
    sql: Sql, owner: Owner, new: Statements, *, functional: Collection[str], max_stream: int
) -> list[int]:
    """Add statements of a locked owner; return the ids of their facts, in order, each once."""
    entities = _add_entities(sql, owner, new)
    relations = _add_relations(sql, owner, new)
    triples = [
        (
            entities[name_key(fact.subject)],
            relations[clean_relation(fact.relation)],
            entities[name_key(fact.object)],
        )
        for fact in new.facts
    ]
    functional_ids = {id for name, id in relations.items() if name in functional}
    ids = _FactWriter(sql, owner, new, functional_ids).state(triples)
    _add_mentions(sql, owner, new, entities)
    if owner.stream_size > max_stream:
        _trim_stream(sql, owner, max_stream)
    sql.execute(
        "UPDATE owners SET next_id = ?, stream_size = ? WHERE id = ?",
        *(owner.next_id, owner.stream_size, owner.id),
    )
    return ids


def collect_kinds(facts: Iterable[NewFact]) -> dict[str, str]:
    """Return the kinds of the entities of facts by name; one that is not given changes nothing."""
    kinds: dict[str, str] = {}
    for fact in facts:
        kinds[fact.subject] = fact.subject_kind or kinds.get(fact.subject, "")
        kinds[fact.object] = fact.object_kind or kinds.get(fact.object, "")
    return kinds


def _add_entities(sql: Sql, owner: Owner, new: Statements) -> dict[str, int]:
    """Return the ids of the entities by name key; add those that are new."""
    kinds = dict(new.mentions) | collect_kinds(new.facts)
    names = {name_key(name): name for name in kinds}
    ids = _find_ids(sql, owner, "SELECT id FROM entities WHERE owner = ? AND name_key = ?", names)
    rows = []
    for key, name in names.items():
        if key not in ids:
            ids[key] = owner.take_id()
            words = word_key(name, new.language)
            known = (owner.id, ids[key], key, clean_name(name), words, kinds[name])
            rows.append((*known, new.at, new.at))
    sql.execute_many(_ADD_ENTITY, rows)
    return ids


def _add_relations(sql: Sql, owner: Owner, new: Statements) -> dict[str, int]:
    """Return the ids of the relations by name; add those that are new."""
    names = dict.fromkeys(clean_relation(fact.relation) for fact in new.facts)
    ids = _find_ids(sql, owner, "SELECT id FROM relations WHERE owner = ? AND name = ?", names)
    added = {name: owner.take_id() for name in names if name not in ids}
    sql.execute_many(
        "INSERT INTO relations (owner, id, name) VALUES (?, ?, ?)",
        [(owner.id, id, name) for name, id in added.items()],
    )
    return ids | added


def _find_ids(sql: Sql, owner: Owner, query: str, keys: Iterable[str]) -> dict[str, int]:
    keys = list(keys)
    found = sql.select_many(query, [(owner.id, key) for key in keys])
    return {key: int(rows[0][0]) for key, rows in zip(keys, found, strict=True) if rows}


class _FactWriter:
    """Enters statements into the timelines of their facts."""

    def __init__(self, sql: Sql, owner: Owner, new: Statements, functional: set[int]) -> None:
        self._sql, self._owner, self._new, self._functional = sql, owner, new, functional
        self._evidence: dict[tuple[int, int], _Evidence] = {}  # by fact and slot

    def state(self, triples: Sequence[_Triple]) -> list[int]:
        """Enter the facts; return their ids."""
        keys = {self._timeline_key(triple) for triple in triples}
        timelines = {
            key: self._make_timeline(key, rows)
            for key, rows in load_timelines(self._sql, self._owner.id, keys).items()
        }
        ids: dict[int, None] = {}
        for fact, triple in zip(self._new.facts, triples, strict=True):
            at = self._new.at if fact.valid_at is None else time_to_int(fact.valid_at)
            timeline = timelines[self._timeline_key(triple)]
            row = timeline.state(triple[2], at)
            self._count(row, at)
            ids[row.id] = None
        changed = (row for timeline in timelines.values() for row in timeline.changed.values())
        save_facts(self._sql, self._owner.id, changed)
        self._save_evidence()
        return list(ids)

    def _timeline_key(self, triple: _Triple) -> tuple[int, ...]:
        return triple[:2] if triple[1] in self._functional else triple

    def _make_timeline(self, key: tuple[int, ...], rows: Iterable[FactRow]) -> Timeline:
        subject, relation = key[:2]

        def make_row(object: int, at: int) -> FactRow:
            return FactRow(
                *(self._owner.take_id(), subject, relation, object, at, FOREVER, FOREVER),
                *(self._new.now, at, 0, self._new.source),
            )

        return Timeline(rows, new_row=make_row, split_row=self._split)

    def _count(self, row: FactRow, at: int) -> None:
        """Count a statement, unless its exchange has been the last to state the fact already."""
        source = self._new.source
        if row.count and source and (row.source, row.last_at) == (source, at):
            return
        row.count += 1
        if at >= row.last_at:
            row.last_at, row.source = at, source
        slot = at if row.relation in self._functional else 0
        known = self._evidence.setdefault((row.id, slot), _Evidence(at, at))
        known.first_at, known.last_at = min(known.first_at, at), max(known.last_at, at)
        known.count += 1

    def _split(self, row: FactRow, at: int) -> FactRow | None:
        """Move the statements of a fact after a time to a new one."""
        self._save_evidence()
        key = self._owner.id, row.id
        ((begin, count),) = self._sql.select(_LATER_EVIDENCE, *key, at)
        if begin is None or begin >= row.invalid_at:
            return None
        rest = FactRow(
            *(self._owner.take_id(), row.subject, row.relation, row.object, begin, FOREVER),
            *(FOREVER, row.created_at, row.last_at, int(count), row.source),
        )
        self._sql.execute(_MOVE_EVIDENCE, rest.id, *key, at)
        row.count -= rest.count
        for last_at, source in self._sql.select(_LAST_EVIDENCE, *key):
            row.last_at, row.source = last_at, source
        return rest

    def _save_evidence(self) -> None:
        self._sql.execute_many(
            _SAVE_EVIDENCE,
            [
                (
                    *(self._owner.id, fact, slot, self._new.model),
                    *(one.first_at, one.last_at, one.count, self._new.source),
                )
                for (fact, slot), one in self._evidence.items()
            ],
        )
        self._evidence.clear()


def load_timelines(
    sql: Sql, owner: int, keys: Collection[tuple[int, ...]]
) -> dict[tuple[int, ...], list[FactRow]]:
    """Return the facts of timelines, whose keys are the ids of a subject and a functional relation,
    or else of a subject, a relation and an object."""
    timelines: dict[tuple[int, ...], list[FactRow]] = {}
    for length, query in _LOAD_FACTS.items():
        chosen = [key for key in keys if len(key) == length]
        found = sql.select_many(query, [(owner, *key) for key in chosen])
        for key, rows in zip(chosen, found, strict=True):
            timelines[key] = [FactRow(*row) for row in rows]
    return timelines


def save_facts(sql: Sql, owner: int, rows: Iterable[FactRow]) -> None:
    """Save facts, new and changed ones."""
    sql.execute_many(_SAVE_FACT, [(owner, *_get_columns(row)) for row in rows])


def _add_mentions(sql: Sql, owner: Owner, new: Statements, entities: Mapping[str, int]) -> None:
    """Append the mentions to the stream, and count them."""
    at, weight = new.at, mention_weight(new.at)
    mentioned = {entities[name_key(name)]: (name, kind) for name, kind in new.mentions.items()}
    sql.execute_many(
        "INSERT INTO mentions (owner, at, id, entity, model, source) VALUES (?, ?, ?, ?, ?, ?)",
        [(owner.id, at, owner.take_id(), id, new.model, new.source) for id in mentioned],
    )
    sql.execute_many(
        _COUNT_ENTITY,
        [
            (at, clean_name(name), at, kind, kind, at, at, at, at, weight, owner.id, id)
            for id, (name, kind) in mentioned.items()
        ],
    )
    sql.execute_many(
        _COUNT_ENTITY_OF_MODEL, [(owner.id, id, new.model, at, at, weight) for id in mentioned]
    )
    owner.stream_size += len(mentioned)


def _trim_stream(sql: Sql, owner: Owner, size: int) -> None:
    """Delete the oldest mentions. What was counted stays."""
    excess = owner.stream_size - size
    found = sql.select(_FIRST_KEPT, owner.id, excess)
    for at, id in found:
        sql.execute("DELETE FROM mentions WHERE owner = ? AND (at, id) < (?, ?)", owner.id, at, id)
    if not found:
        sql.execute("DELETE FROM mentions WHERE owner = ?", owner.id)
    owner.stream_size = size


@dataclass(slots=True)
class _Evidence:
    first_at: int
    last_at: int
    count: int = 0


_Triple: TypeAlias = tuple[int, int, int]
_get_columns = attrgetter(*FACT_COLUMNS.split(", "))

_ADD_ENTITY = (
    "INSERT INTO entities (owner, id, name_key, name, words, kind, first_seen, last_seen, count, "
    "weight) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)"
)
_COUNT_ENTITY = (
    "UPDATE entities SET name = CASE WHEN ? >= last_seen THEN ? ELSE name END, "
    "kind = CASE WHEN ? < last_seen OR ? = '' THEN kind ELSE ? END, "
    "first_seen = CASE WHEN count = 0 OR ? < first_seen THEN ? ELSE first_seen END, "
    "last_seen = CASE WHEN count = 0 OR ? > last_seen THEN ? ELSE last_seen END, "
    "count = count + 1, weight = weight + ? WHERE owner = ? AND id = ?"
)
_COUNT_ENTITY_OF_MODEL = (
    "INSERT INTO entity_models AS old (owner, entity, model, count, first_seen, last_seen, weight) "
    "VALUES (?, ?, ?, 1, ?, ?, ?) ON CONFLICT (owner, entity, model) DO UPDATE SET "
    "count = old.count + 1, weight = old.weight + excluded.weight, "
    "first_seen = CASE WHEN excluded.first_seen < old.first_seen THEN excluded.first_seen "
    "ELSE old.first_seen END, last_seen = CASE WHEN excluded.last_seen > old.last_seen "
    "THEN excluded.last_seen ELSE old.last_seen END"
)
_FIRST_KEPT = "SELECT at, id FROM mentions WHERE owner = ? ORDER BY at, id LIMIT 1 OFFSET ?"
_BY_SUBJECT_AND_RELATION = (
    f"SELECT {FACT_COLUMNS} FROM facts INDEXED BY facts_by_triple "
    "WHERE owner = ? AND subject = ? AND relation = ?"
)
# By the length of a timeline's key: a functional relation, any other one.
_LOAD_FACTS = {2: _BY_SUBJECT_AND_RELATION, 3: f"{_BY_SUBJECT_AND_RELATION} AND object = ?"}
_SAVE_FACT = (
    f"INSERT INTO facts (owner, {FACT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (owner, id) DO UPDATE SET valid_at = excluded.valid_at, "
    "invalid_at = excluded.invalid_at, retracted_at = excluded.retracted_at, "
    "last_at = excluded.last_at, count = excluded.count, source = excluded.source"
)
_SAVE_EVIDENCE = (
    "INSERT INTO evidence AS old (owner, fact, slot, model, first_at, last_at, count, source) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, fact, slot, model) DO UPDATE SET "
    "count = old.count + excluded.count, "
    "first_at = CASE WHEN excluded.first_at < old.first_at THEN excluded.first_at "
    "ELSE old.first_at END, "
    "source = CASE WHEN excluded.last_at < old.last_at THEN old.source ELSE excluded.source END, "
    "last_at = CASE WHEN excluded.last_at < old.last_at THEN old.last_at ELSE excluded.last_at END"
)
_LATER_EVIDENCE = (
    "SELECT min(slot), sum(count) FROM evidence WHERE owner = ? AND fact = ? AND slot > ?"
)
_MOVE_EVIDENCE = "UPDATE evidence SET fact = ? WHERE owner = ? AND fact = ? AND slot > ?"
_LAST_EVIDENCE = (
    "SELECT last_at, source FROM evidence WHERE owner = ? AND fact = ? "
    "ORDER BY last_at DESC LIMIT 1"
)
