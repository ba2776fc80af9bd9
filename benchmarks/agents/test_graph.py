"""What does a knowledge graph cost: adding facts, observing exchanges, and looking around in a
graph of a million facts, also around an entity with 100,000 of them?

    python -m pytest benchmarks/agents/test_graph.py --benchmark-only

The graph of a million facts is built once, in the folder ``anaphora-graph`` of the temporary folder
(some 300 MB), and used again.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random

import pytest

from anaphora.agents.graph.backends.sqlite import SqliteBackend
from anaphora.agents.graph.facts import NewFact
from anaphora.agents.graph.graph import KnowledgeGraph
from anaphora.agents.graph.names import time_to_int
from anaphora.agents.graph.timeline import FOREVER
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.store import UserKey

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
NOW = BEGIN + timedelta(days=700)
OWNER = UserKey("ann")
FACTS, ENTITIES, RELATIONS = 1_000_000, 200_000, 50
HUB_FACTS = 100_000  # of entity 0; half of them have ended
HUB, USUAL = "entity 0", "entity 777"
SECONDS = 600 * 24 * 3_600


def million() -> Path:
    """The file of a graph of a million facts of one user."""
    path = Path(tempfile.gettempdir(), "anaphora-graph", "million.db")
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        unfinished = path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        build(unfinished)
        unfinished.rename(path)
        unfinished.with_name(f"{unfinished.name}-lock").unlink(missing_ok=True)
    return path


def build(path: Path) -> None:
    """Fill a new file."""
    with closing(KnowledgeGraph(SqliteBackend(path, synchronous="normal"))) as graph:
        graph.add(OWNER, [NewFact(HUB, "begins", "everything")], at=BEGIN)
    random, begin = Random(1), time_to_int(BEGIN)
    ids = [100 + number for number in range(ENTITIES)]
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("PRAGMA cache_size = -500000")
        file.execute("PRAGMA synchronous = OFF")
        ((hub,),) = file.execute("SELECT id FROM entities WHERE name = ?", (HUB,))
        ids[0] = hub
        file.executemany(
            "INSERT INTO entities VALUES (1, ?, ?, ?, ?, 'thing', 1, ?, ?, 1.0)",
            (
                (id, f"entity {number}", f"entity {number}", f"entity {number}", begin, begin)
                for number, id in enumerate(ids)
                if number
            ),
        )
        first = ids[-1] + 1
        file.executemany(
            "INSERT INTO relations VALUES (1, ?, ?)",
            ((first + number, f"relation {number}") for number in range(RELATIONS)),
        )
        file.executemany(
            "INSERT INTO facts VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'm/1')",
            (
                row(first + RELATIONS + number, number, ids, first, random, begin)
                for number in range(FACTS)
            ),
        )
        file.executemany(
            "INSERT INTO evidence VALUES (1, ?, 0, 'm', ?, ?, 1, 'm/1')",
            ((first + RELATIONS + number, begin, begin) for number in range(FACTS)),
        )
        file.execute("UPDATE owners SET next_id = ?", (first + RELATIONS + FACTS,))


def row(id: int, number: int, ids: list[int], relation: int, random: Random, begin: int) -> tuple:
    at = begin + int(random.random() * SECONDS * 1e6)
    of_hub = number < HUB_FACTS
    end = at + 86_400_000_000 if of_hub and number % 2 else FOREVER
    ends = (ids[0], random.choice(ids)) if of_hub else (random.choice(ids), random.choice(ids))
    if number % 4 == 0:
        ends = ends[::-1]
    return id, ends[0], relation + number % RELATIONS, ends[1], at, end, FOREVER, at, at


@pytest.fixture(scope="module")
def large() -> Iterator[KnowledgeGraph]:
    backend = SqliteBackend(million(), synchronous="normal")
    with closing(KnowledgeGraph(backend, clock=lambda: NOW)) as graph:
        yield graph


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("entity", [USUAL, HUB])
def test_neighbourhood(benchmark, large, entity, depth):
    assert benchmark(lambda: large.neighbourhood(OWNER, entity, depth=depth, limit=100))


@pytest.mark.parametrize("entity", [USUAL, HUB])
def test_neighbourhood_in_the_past(benchmark, large, entity):
    at = BEGIN + timedelta(days=300)
    assert benchmark(lambda: large.neighbourhood(OWNER, entity, at=at, limit=100))


@pytest.mark.parametrize("entity", [USUAL, HUB])
def test_paths(benchmark, large, entity):
    fact = large.neighbourhood(OWNER, entity)[0]
    other = fact.object if fact.subject == entity else fact.subject
    assert benchmark(lambda: large.paths(OWNER, entity, other))


def test_find(benchmark, large):
    text = "What do entity 777 and entity 4711 have to do with all of it, and since when is it so?"
    found = benchmark(lambda: large.find(OWNER, text))
    assert found == ["entity 777", "entity 4711"]


def test_entities(benchmark, large):
    assert len(benchmark(lambda: large.entities(OWNER))) == 20


def test_add_a_batch(benchmark, large):
    """Add 1,000 facts in one transaction to the graph of a million."""
    numbers = count()

    def facts():
        batch = [
            NewFact(f"entity {next(numbers) % 5_000}", "knows", f"person {next(numbers) % 3_000}")
            for _ in range(1_000)
        ]
        return (OWNER, batch), {"at": NOW}

    benchmark.pedantic(large.add, setup=facts, rounds=10, warmup_rounds=1)


@pytest.mark.parametrize("values", [1, 3, 8])
def test_observe(benchmark, tmp_path, values):
    """Observe an exchange with some values, in its own transaction."""
    clocks = count(1)

    def exchange():
        clock = next(clocks)
        slots = {
            f"slot {place}": (f"value {(clock * place) % 50}",) for place in range(1, values + 1)
        }
        at = BEGIN + timedelta(minutes=clock)
        said = Exchange("?", "!", at, intent="order", slots=slots, clock=clock, language="en")
        return (OWNER, said), {"model": "m"}

    with closing(
        KnowledgeGraph(SqliteBackend(tmp_path / "graph.db", synchronous="normal"))
    ) as graph:
        benchmark.pedantic(graph.observe, setup=exchange, rounds=500, warmup_rounds=50)
