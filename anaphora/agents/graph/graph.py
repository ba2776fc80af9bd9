"""A knowledge graph for each user: facts with validity in time, mentions, and entities."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Literal, TypeVar

from anaphora.agents.graph.backends.backend import GraphBackend, Sql
from anaphora.agents.graph.backends.opening import open_backend
from anaphora.agents.graph.erasure import erase_owner
from anaphora.agents.graph.facts import USER, EntityRecord, Fact, Mention, NewFact
from anaphora.agents.graph.lookup import find_entities
from anaphora.agents.graph.names import (
    clean_name,
    clean_relation,
    clean_text,
    name_key,
    source_name,
    time_to_int,
)
from anaphora.agents.graph.observation import observe_exchange
from anaphora.agents.graph.owners import erased_clock, find_owner, lock_owner
from anaphora.agents.graph.queries import (
    FactQuery,
    Period,
    find_facts,
    find_neighbourhood,
    find_paths,
    query_facts,
)
from anaphora.agents.graph.ranking import score_at
from anaphora.agents.graph.writer import Statements, add_statements, collect_kinds
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.store import UserKey
from anaphora.ltm.retrieval.terms import DEFAULT_LANGUAGE
from anaphora.storage.logical_clock import from_microseconds, utc_now

__all__ = ["KnowledgeGraph"]

_MAX_STREAM = 10_000
_MAX_MODEL, _MAX_SOURCE = 200, 300  # characters
_MAX_INT = 2**62
_WILDCARD = "*"
_Result = TypeVar("_Result")


class KnowledgeGraph:
    """The graphs of many users in the database at a URL (``memory:``, ``sqlite:///path``,
    ``postgresql://…?schema=name``), or in an open backend. Each user has their own, and none sees
    another's.

    ``functional`` relations have one object at a time ("lives in"): a newer fact ends the older
    one. Nothing is deleted but by :meth:`erase`. ``clock`` returns the present time, with a zone.
    The stream of mentions keeps the last ``max_stream`` of a user. Elements in ``text_elements``
    have no values but their texts (see :mod:`anaphora.agents.graph.observation`).

    Entities are compared by their names without case (NFKC, single spaces) and shown by the
    spelling last used. The user's own entity is named "user". Every method may be called from any
    thread, and raises :class:`~anaphora.errors.StoreError` if the database fails (then nothing has
    changed) and ValueError for a time without a zone.
    """

    def __init__(
        self,
        url_or_store: str | GraphBackend,
        *,
        functional: Collection[str] = (),
        clock: Callable[[], datetime] = utc_now,
        max_stream: int = _MAX_STREAM,
        text_elements: Collection[str] = (),
    ) -> None:
        if max_stream < 0:
            raise ValueError("max_stream must not be negative")
        self._backend = (
            open_backend(url_or_store) if isinstance(url_or_store, str) else url_or_store
        )
        self.functional = frozenset(map(clean_relation, functional))
        self._clock, self._max_stream = clock, max_stream
        self._text_elements = frozenset(text_elements)

    # -- adding --------------------------------------------------------------------------------

    def observe(self, owner: UserKey, exchange: Exchange, *, model: str) -> int:
        """Add what an answered exchange of an engine says; return the number of its facts, new or
        stated again. An exchange that was observed or erased before is ignored (0); exchanges are
        told apart by ``model`` and clock, or by their time if they have no clock."""
        said = observe_exchange(exchange, text_elements=self._text_elements)
        if not said.facts:
            return 0
        at, model = time_to_int(exchange.at), clean_text(model, _MAX_MODEL)
        clock = exchange.clock or at
        new = Statements(
            said.facts,
            dict(said.mentions),
            at,
            self._now(),
            source_name(model, clock),
            model,
            exchange.language or DEFAULT_LANGUAGE,
        )

        def write(sql: Sql) -> int:
            locked = lock_owner(sql, owner)
            if clock <= erased_clock(sql, owner, model) or not sql.execute(
                _OBSERVE, locked.id, model, clock
            ):
                return 0
            ids = add_statements(
                sql, locked, new, functional=self.functional, max_stream=self._max_stream
            )
            return len(ids)

        return self._backend.write(write)

    def add(
        self,
        owner: UserKey,
        facts: Sequence[NewFact],
        *,
        at: datetime,
        source: str = "",
        model: str = "",
        language: str = DEFAULT_LANGUAGE,
    ) -> list[Fact]:
        """Add facts that were stated at a time, all or none, and return them as they are now, each
        once.

        A fact that holds already is only counted, and not even that if ``source`` was the last to
        state it. One with a functional relation ends the fact that holds until then; if it is older
        than the present one it is added as a fact of the past. ``model`` is the one whose erasure
        erases the facts, unless another stated them, too.

        Raises ValueError for an empty name or relation.
        """
        for fact in facts:
            if not (clean_name(fact.subject) and clean_name(fact.object)):
                raise ValueError(f"a fact needs two entities: {fact}")
            if not clean_relation(fact.relation):
                raise ValueError(f"a fact needs a relation: {fact}")
        if not facts:
            return []
        new = Statements(
            facts,
            {name: kind for name, kind in collect_kinds(facts).items() if name_key(name) != USER},
            time_to_int(at),
            self._now(),
            clean_text(source, _MAX_SOURCE),
            clean_text(model, _MAX_MODEL),
            language,
        )

        def write(sql: Sql) -> list[Fact]:
            locked = lock_owner(sql, owner)
            ids = add_statements(
                sql, locked, new, functional=self.functional, max_stream=self._max_stream
            )
            return find_facts(sql, locked.id, ids)

        return self._backend.write(write)

    def retract(self, owner: UserKey, fact_id: int, *, at: datetime) -> Fact | None:
        """End a fact at a time (or when it began, if that is later), and return it; None if the
        owner has no such fact. One that ended earlier stays as it is."""
        time = time_to_int(at)

        def write(sql: Sql) -> list[Fact]:
            if find_owner(sql, owner) is None:
                return []
            id = lock_owner(sql, owner).id
            sql.execute(_RETRACT, *(time, time, time, time, id, fact_id, time))
            return find_facts(sql, id, [fact_id])

        found = self._backend.write(write)
        return found[0] if found else None

    def erase(self, owner: UserKey, *, model: str | None = None, clock: int = 0) -> int:
        """Erase everything of an owner, or what only exchanges with ``model`` said, and return the
        number of facts erased. Exchanges with clocks up to ``clock``, and those observed so far,
        are not observed again.

        A file is rewritten without the erased data. If that fails, a
        :class:`~anaphora.errors.StoreError` says so: nothing finds the data any more, and another
        call rewrites the file.
        """
        model = None if model is None else clean_text(model, _MAX_MODEL)
        count = self._backend.write(
            lambda sql: erase_owner(sql, owner, model, clock, self.functional)
        )
        self._backend.reclaim()
        return count

    # -- reading -------------------------------------------------------------------------------

    def entities(
        self, owner: UserKey, *, limit: int = 20, at: datetime | None = None
    ) -> list[EntityRecord]:
        """Return the entities mentioned most and most recently, best first: each mention counts
        half as much every thirty days (see :mod:`anaphora.agents.graph.ranking`).

        ``at`` is the time of the scores, now if left out; entities first mentioned later are left
        out, while the counts are those of today.
        """
        time = self._time(at)
        rows = (
            self._read(owner, lambda sql, id: sql.select(_ENTITIES, id, time, max(limit, 0))) or ()
        )
        return [
            EntityRecord(
                name,
                kind,
                count,
                from_microseconds(first),
                from_microseconds(last),
                score_at(weight, time),
            )
            for name, kind, count, first, last, weight in rows
        ]

    def stream(
        self, owner: UserKey, *, before: datetime | Mention | None = None, limit: int = 100
    ) -> list[Mention]:
        """Return mentions, newest first: those before a time, or those that follow a mention."""
        if isinstance(before, Mention):
            bound = time_to_int(before.at), before.id
        else:
            bound = (_MAX_INT if before is None else time_to_int(before)), 0
        rows = (
            self._read(owner, lambda sql, id: sql.select(_STREAM, id, *bound, max(limit, 0))) or ()
        )
        return [
            Mention(id, name, kind, from_microseconds(at), source)
            for id, name, kind, at, source in rows
        ]

    def neighbourhood(
        self,
        owner: UserKey,
        entity: str,
        *,
        depth: Literal[1, 2] = 1,
        at: datetime | None = None,
        limit: int = 100,
    ) -> list[Fact]:
        """Return the facts about an entity that hold at a time (now), the last stated first; at
        depth 2, then those about its neighbours, a share of each."""
        period = Period.moment(self._time(at))

        def read(sql: Sql, id: int) -> list[Fact]:
            found = _find_entity(sql, id, entity)
            if found is None:
                return []
            return find_neighbourhood(sql, id, found, period, depth=depth, limit=max(limit, 0))

        return self._read(owner, read) or []

    def paths(
        self,
        owner: UserKey,
        a: str,
        b: str,
        *,
        depth: Literal[1, 2] = 2,
        at: datetime | None = None,
        limit: int = 20,
    ) -> list[tuple[Fact, ...]]:
        """Return the paths of one or two facts between two entities that hold at a time (now),
        short ones first. Of an entity with more than 1,000 facts, only the last stated ones and
        those with neighbours of the other entity are considered."""
        period = Period.moment(self._time(at))

        def read(sql: Sql, id: int) -> list[tuple[Fact, ...]]:
            start, end = _find_entity(sql, id, a), _find_entity(sql, id, b)
            if start is None or end is None or start == end:
                return []
            return find_paths(sql, id, start, end, period, depth=depth, limit=max(limit, 0))

        return self._read(owner, read) or []

    def facts(
        self,
        owner: UserKey,
        *,
        subject: str | None = None,
        relation: str | None = None,
        object: str | None = None,
        at: datetime | None = None,
        history: bool = False,
        limit: int = 100,
    ) -> list[Fact]:
        """Return the facts with these parts that hold at a time (now), the last stated first. A
        ``relation`` may contain the wildcard ``*``. With ``history``, also those that had ended by
        that time."""
        time = self._time(at)
        period = Period.until(time) if history else Period.moment(time)

        def read(sql: Sql, id: int) -> list[Fact]:
            ends = {}
            for column, name in (("subject", subject), ("object", object)):
                if name is not None:
                    found = _find_entity(sql, id, name)
                    if found is None:
                        return []
                    ends[column] = found
            relations = None
            if relation is not None or not ends:
                relations = _match_relations(sql, id, relation or _WILDCARD)
            return query_facts(
                sql, FactQuery(id, period, relations=relations, **ends), max(limit, 0)
            )

        return self._read(owner, read) or []

    def relations(self, owner: UserKey) -> list[str]:
        """Return the names of the relations, in alphabetical order."""
        return sorted(name for _, name in self._read(owner, _list_relations) or ())

    def find(self, owner: UserKey, text: str, *, language: str = DEFAULT_LANGUAGE) -> list[str]:
        """Return the names of the entities that a text names, in order. Words are compared by their
        base forms, too, where the language is that of the name."""
        return self._read(owner, lambda sql, id: find_entities(sql, id, text, language)) or []

    # -- the database --------------------------------------------------------------------------

    def ping(self) -> None:
        """Check that the database can be used."""
        self._backend.ping()

    def close(self) -> None:
        """Close the database."""
        self._backend.close()

    def _read(self, owner: UserKey, work: Callable[[Sql, int], _Result]) -> _Result | None:
        """Read with the id of an owner; None if nothing is known of them."""

        def read(sql: Sql) -> _Result | None:
            id = find_owner(sql, owner)
            return None if id is None else work(sql, id)

        return self._backend.read(read)

    def _now(self) -> int:
        return time_to_int(self._clock())

    def _time(self, at: datetime | None) -> int:
        return self._now() if at is None else time_to_int(at)


def _find_entity(sql: Sql, owner: int, name: str) -> int | None:
    rows = sql.select(
        "SELECT id FROM entities WHERE owner = ? AND name_key = ?", owner, name_key(name)
    )
    return int(rows[0][0]) if rows else None


def _list_relations(sql: Sql, owner: int) -> Sequence[tuple[int, str]]:
    return [(id, name) for id, name in sql.select(_RELATIONS, owner)]


def _match_relations(sql: Sql, owner: int, pattern: str) -> list[int]:
    """Return the ids of the relations whose names match a pattern."""
    parts = [re.escape(part) for part in clean_relation(pattern).split(_WILDCARD)]
    matches = re.compile(".*".join(parts)).fullmatch
    return [id for id, name in _list_relations(sql, owner) if matches(name)]


_OBSERVE = (
    "INSERT INTO observed (owner, model, clock) VALUES (?, ?, ?) "
    "ON CONFLICT (owner, model, clock) DO NOTHING"
)
_RETRACT = (
    "UPDATE facts SET invalid_at = CASE WHEN ? < valid_at THEN valid_at ELSE ? END, "
    "retracted_at = CASE WHEN ? < valid_at THEN valid_at ELSE ? END "
    "WHERE owner = ? AND id = ? AND invalid_at > ?"
)
_ENTITIES = (
    "SELECT name, kind, count, first_seen, last_seen, weight FROM entities "
    "WHERE owner = ? AND first_seen <= ? AND count > 0 ORDER BY weight DESC, id DESC LIMIT ?"
)
_STREAM = (
    "SELECT m.id, e.name, e.kind, m.at, m.source FROM (SELECT * FROM mentions WHERE owner = ? "
    "AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?) AS m "
    "JOIN entities AS e ON e.owner = m.owner AND e.id = m.entity ORDER BY m.at DESC, m.id DESC"
)
_RELATIONS = "SELECT id, name FROM relations WHERE owner = ?"
