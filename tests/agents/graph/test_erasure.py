"""Erasing what a graph knows of a user."""

from __future__ import annotations

from contextlib import closing

import pytest

from anaphora.agents.graph.graph import KnowledgeGraph
from tests.agents.graph.sample_graphs import (
    ANN,
    ANN_ELSEWHERE,
    BEN,
    add,
    day,
    make_exchange,
    texts,
    times,
)


def test_a_user_is_erased_completely_and_others_stay(graph):
    for owner in (ANN, BEN, ANN_ELSEWHERE):
        add(graph, "user, likes, secret tea", 1, owner=owner, model="m")
        graph.observe(owner, make_exchange("weather", {"city": ["Kyoto"]}), model="m")
    assert graph.erase(ANN) == 2
    assert graph.facts(ANN, history=True) == graph.entities(ANN) == graph.stream(ANN) == []
    assert graph.relations(ANN) == graph.find(ANN, "secret tea in Kyoto") == []
    for owner in (BEN, ANN_ELSEWHERE):
        assert len(graph.facts(owner)) == len(graph.entities(owner)) == 2
    assert graph.erase(ANN) == 0


def test_what_one_bot_said_is_erased_and_the_rest_stays(graph):
    graph.observe(ANN, make_exchange("weather", {"city": ["Kyoto"]}, at=1), model="weather")
    graph.observe(ANN, make_exchange("time", {"city": ["Kyoto", "Oslo"]}, at=3), model="time")
    add(graph, "user, likes, tea", 2, model="time")
    add(graph, "user, likes, tea", 4, model="weather")
    assert graph.erase(ANN, model="time") == 3
    assert sorted(texts(graph.facts(ANN))) == ["user, likes, tea", "user, weather: city, Kyoto"]
    (tea,) = graph.facts(ANN, relation="likes")
    assert (tea.count, tea.valid_at) == (1, day(4))
    assert {entity.name: entity.count for entity in graph.entities(ANN)} == {"Kyoto": 1, "tea": 1}
    kyoto = next(entity for entity in graph.entities(ANN) if entity.name == "Kyoto")
    assert (kyoto.first_seen, kyoto.last_seen) == (day(1), day(1))
    assert sorted(mention.entity for mention in graph.stream(ANN)) == ["Kyoto", "tea"]
    assert graph.relations(ANN) == ["likes", "weather: city"]
    assert graph.find(ANN, "Oslo") == []


def test_a_fact_that_was_ended_by_an_erased_one_holds_on(graph):
    add(graph, "user, lives in, Berlin", 1, model="one")
    add(graph, "user, lives in, Kyoto", 5, model="two")
    add(graph, "user, lives in, Osaka", 9, model="one")
    graph.erase(ANN, model="two")
    assert times(graph.facts(ANN, history=True)) == [("Berlin", 1, 9), ("Osaka", 9, None)]


def test_a_retraction_outlasts_an_erasure(graph):
    (berlin,) = add(graph, "user, lives in, Berlin", 1, model="one")
    graph.retract(ANN, berlin.id, at=day(3))
    add(graph, "user, lives in, Kyoto", 5, model="two")
    graph.erase(ANN, model="two")
    assert times(graph.facts(ANN, history=True)) == [("Berlin", 1, 3)]


def test_an_erased_exchange_is_not_observed_again(graph):
    for clock in (1, 2):
        graph.observe(ANN, make_exchange("weather", {"city": ["Kyoto"]}, clock=clock), model="m")
    graph.erase(ANN)
    late = make_exchange("weather", {"city": ["Kyoto"]}, clock=2)
    assert graph.observe(ANN, late, model="m") == 0
    assert graph.observe(ANN, make_exchange("weather", {"city": ["Oslo"]}, clock=3), model="m") == 1
    assert [entity.name for entity in graph.entities(ANN)] == ["Oslo"]


def test_an_erasure_by_model_and_clock_ignores_later_arrivals_of_that_model(graph):
    graph.erase(ANN, model="m", clock=10)
    said = make_exchange("weather", {"city": ["Kyoto"]}, clock=10)
    assert graph.observe(ANN, said, model="m") == 0
    assert graph.observe(ANN, said, model="other") == 1


@pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)
def test_a_database_is_shared_by_several_graphs(make_graph, url):
    one, other = make_graph(), make_graph()
    add(one, "user, likes, tea", 1)
    (fact,) = add(other, "user, likes, tea", 2)
    assert fact.count == 2
    other.erase(ANN)
    assert one.facts(ANN) == []


@pytest.mark.parametrize("model", [None, "m"])
def test_the_bytes_of_erased_data_are_gone_from_the_file(tmp_path, model):
    path = tmp_path / "graph.db"
    with closing(KnowledgeGraph(f"sqlite:///{path}")) as graph:
        for number in range(300):
            add(
                graph, f"user, knows, Rumpelstilzchen {number}", number, model="m", source="m/Stroh"
            )
        add(graph, "user, likes, Sterntaler", 1, model="kept")
        assert path_has(tmp_path, b"Rumpelstilzchen")
        graph.erase(ANN, model=model)
        assert not path_has(tmp_path, b"Rumpelstilzchen")
        assert not path_has(tmp_path, b"rumpelstilzchen")
        assert not path_has(tmp_path, b"Stroh")
        assert path_has(tmp_path, b"Sterntaler") == (model is not None)


def path_has(folder, text: bytes) -> bool:
    return any(text in path.read_bytes() for path in folder.iterdir())
