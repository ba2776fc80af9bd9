"""Opening the database of a knowledge graph."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from anaphora.agents.graph.backends.opening import open_backend
from anaphora.agents.graph.backends.postgres import PostgresBackend
from anaphora.agents.graph.backends.sqlite import SqliteBackend
from anaphora.agents.graph.graph import KnowledgeGraph
from anaphora.errors import StoreError
from tests.agents.graph.sample_graphs import ANN, add, texts


@pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)
def test_facts_survive_a_restart(make_graph, url):
    first = make_graph()
    add(first, "user, likes, tea", 1)
    first.ping()
    first.close()
    assert texts(make_graph().facts(ANN)) == ["user, likes, tea"]


def test_a_closed_graph_cannot_be_used(graph):
    graph.ping()
    graph.close()
    with pytest.raises(StoreError, match="closed"):
        graph.facts(ANN)


def test_a_temporary_graph_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    graph = KnowledgeGraph("memory:")
    add(graph, "user, likes, tea", 1)
    assert list(tmp_path.rglob("*.db"))
    graph.close()
    assert list(tmp_path.iterdir()) == []


def test_an_open_backend_can_be_used(tmp_path):
    backend = SqliteBackend(tmp_path / "graph.db", synchronous="normal")
    with closing(KnowledgeGraph(backend)) as graph:
        assert texts(add(graph, "user, likes, tea", 1)) == ["user, likes, tea"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "has no scheme"),
        ("graph.db", "has no scheme"),
        ("redis://host", "begins with 'redis'"),
        ("sqlite://", "names no file"),
        ("sqlite:///x.db?sync=1", "no option 'sync'"),
        ("sqlite:///x.db?synchronous=maybe", "must be full or normal"),
        ("sqlite:////nowhere/x.db", "create the folder first"),
        ("postgresql://a:se/cret@host/db", "not a URL of a PostgreSQL server"),
        ("postgresql://host/db?schema=" + "x" * 64, "1 to 63 bytes"),
    ],
)
def test_a_wrong_url_is_refused_with_a_hint(url, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=message) as raised:
        open_backend(url)
    assert "cret" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE precious (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="name another file for the knowledge graph"):
        KnowledgeGraph(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_the_file_of_a_later_version_is_left_alone(tmp_path):
    path = tmp_path / "graph.db"
    KnowledgeGraph(f"sqlite:///{path}").close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="created by a later version"):
        KnowledgeGraph(f"sqlite:///{path}")


def test_the_file_is_private(tmp_path):
    path = Path(tmp_path, "graph.db")
    KnowledgeGraph(f"sqlite:///{path}").close()
    assert path.stat().st_mode & 0o077 == 0


def test_the_schema_of_another_program_is_left_alone(postgres_server):
    schema = postgres_server.schema()
    with postgres_server.client() as client:
        client.execute(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.precious (id int)")
    graph = KnowledgeGraph(PostgresBackend(postgres_server.url, schema=schema))
    with closing(graph), pytest.raises(StoreError, match="is that of another program"):
        graph.ping()


def test_the_schema_of_a_later_version_is_left_alone(postgres_server):
    schema = postgres_server.schema()
    with closing(KnowledgeGraph(PostgresBackend(postgres_server.url, schema=schema))) as graph:
        graph.ping()
    with postgres_server.client() as client:
        client.execute(f"UPDATE {schema}.graph_format SET version = 99")
    later = KnowledgeGraph(PostgresBackend(postgres_server.url, schema=schema))
    with closing(later), pytest.raises(StoreError, match="made by a later version"):
        later.ping()


def test_a_server_that_is_not_there_is_an_error_without_the_password():
    graph = KnowledgeGraph("postgresql://ann:secret@127.0.0.1:1/db")
    with closing(graph), pytest.raises(StoreError, match="cannot be reached") as raised:
        graph.ping()
    assert "secret" not in str(raised.value)
