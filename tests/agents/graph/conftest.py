"""Knowledge graphs in each kind of database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from anaphora.agents.graph.graph import KnowledgeGraph
from tests.agents.graph.sample_graphs import day
from tests.support.postgres_server import PostgresServer, postgres_server  # noqa: F401 - a fixture

FUNCTIONAL = ("lives in", "works as")


@pytest.fixture(params=("memory", "sqlite", "postgres"))
def url(request, tmp_path) -> str:
    """The URL of an empty database of each kind."""
    if request.param == "memory":
        return "memory:"
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/graph.db?synchronous=normal"
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return f"{server.url}?schema={server.schema()}"


@pytest.fixture
def make_graph(url) -> Iterator[Callable[..., KnowledgeGraph]]:
    """Opens graphs on the same database (in memory: on databases of their own)."""
    with ExitStack() as stack:

        def make(**options) -> KnowledgeGraph:
            given = {"functional": FUNCTIONAL, "clock": lambda: day(1_000)} | options
            graph = KnowledgeGraph(url, **given)
            stack.callback(graph.close)
            return graph

        yield make


@pytest.fixture
def graph(make_graph) -> KnowledgeGraph:
    """A graph of day 1,000, in which people live in one place and have one profession at a time."""
    return make_graph()
