"""What is around an entity, and what connects two of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.agents.graph import queries
from anaphora.agents.graph.facts import NewFact
from anaphora.agents.graph.graph import KnowledgeGraph
from tests.agents.graph.sample_graphs import ANN, ANN_ELSEWHERE, BEN, add, day, texts
from tests.support.examples import examples

FAMILY = (
    "user, brother, Bob; Bob, lives in, Kyoto; Kyoto, is in, Japan; Bob, likes, tea; "
    "user, likes, tea; Eve, likes, rain"
)


def test_the_facts_about_an_entity_are_found_in_both_directions(graph):
    add(graph, FAMILY, 1)
    assert sorted(texts(graph.neighbourhood(ANN, "BOB"))) == [
        "Bob, likes, tea",
        "Bob, lives in, Kyoto",
        "user, brother, Bob",
    ]
    assert graph.neighbourhood(ANN, "Nobody") == []


def test_the_facts_about_its_neighbours_come_after_its_own(graph):
    add(graph, FAMILY, 1)
    found = texts(graph.neighbourhood(ANN, "Bob", depth=2))
    assert sorted(found[:3]) == sorted(texts(graph.neighbourhood(ANN, "Bob")))
    assert sorted(found[3:]) == ["Kyoto, is in, Japan", "user, likes, tea"]


def test_a_neighbourhood_is_shown_as_of_a_time(graph):
    add(graph, "Bob, lives in, Berlin; Berlin, is in, Germany", 1)
    add(graph, "Bob, lives in, Kyoto; Kyoto, is in, Japan", 5)
    assert sorted(texts(graph.neighbourhood(ANN, "Bob", depth=2, at=day(3)))) == [
        "Berlin, is in, Germany",
        "Bob, lives in, Berlin",
    ]
    assert sorted(texts(graph.neighbourhood(ANN, "Bob", depth=2))) == [
        "Bob, lives in, Kyoto",
        "Kyoto, is in, Japan",
    ]


def test_of_many_facts_the_last_stated_are_shown(graph):
    for at in range(30):
        add(graph, f"user, saw, film {at}", at)
    add(graph, "user, saw, film 3", 50)
    found = graph.neighbourhood(ANN, "user", limit=3)
    assert [fact.object for fact in found] == ["film 3", "film 29", "film 28"]
    assert len(graph.neighbourhood(ANN, "user", depth=2, limit=10)) == 10


def test_a_neighbour_with_many_facts_leaves_room_for_the_others(graph):
    add(graph, "; ".join(f"hub, has, thing {number}" for number in range(200)), 5)
    add(graph, "middle, near, hub; middle, near, other; other, is, quiet", 1)
    found = texts(graph.neighbourhood(ANN, "middle", depth=2, limit=100))
    assert "other, is, quiet" in found
    assert len(found) <= 100


def test_everybody_has_a_graph_of_their_own(graph):
    add(graph, "user, likes, tea", 1)
    add(graph, "user, likes, rain", 1, owner=BEN)
    add(graph, "user, likes, jazz", 1, owner=ANN_ELSEWHERE)
    for owner, what in ((ANN, "tea"), (BEN, "rain"), (ANN_ELSEWHERE, "jazz")):
        assert texts(graph.facts(owner)) == [f"user, likes, {what}"]
        assert [entity.name for entity in graph.entities(owner)] == [what]
        assert [mention.entity for mention in graph.stream(owner)] == [what]
        assert graph.relations(owner) == ["likes"]
    assert graph.neighbourhood(BEN, "tea") == graph.paths(BEN, "user", "tea") == []


def test_facts_are_found_by_any_of_their_parts(graph):
    add(graph, FAMILY, 1)

    def found(**parts: str) -> list[str]:
        return sorted(texts(graph.facts(ANN, **parts)))

    assert found(subject="bob") == ["Bob, likes, tea", "Bob, lives in, Kyoto"]
    assert found(object="TEA") == ["Bob, likes, tea", "user, likes, tea"]
    assert found(relation="likes") == ["Bob, likes, tea", "Eve, likes, rain", "user, likes, tea"]
    assert found(relation="L*s") == found(relation="likes")
    assert found(relation="*s in") == ["Bob, lives in, Kyoto", "Kyoto, is in, Japan"]
    assert found(subject="user", object="tea") == ["user, likes, tea"]
    assert found(subject="user", relation="brother", object="Bob") == ["user, brother, Bob"]
    assert found(relation="likes", object="rain") == ["Eve, likes, rain"]
    assert found(subject="user", object="Kyoto") == found(subject="Nobody") == []
    assert found(relation="like") == found(relation="lik?s") == []
    assert len(found()) == 6
    assert len(graph.facts(ANN, limit=2)) == 2


def test_paths_connect_two_entities_in_any_direction(graph):
    add(graph, FAMILY, 1)
    assert [texts(path) for path in graph.paths(ANN, "user", "Kyoto")] == [
        ["user, brother, Bob", "Bob, lives in, Kyoto"]
    ]
    assert [texts(path) for path in graph.paths(ANN, "tea", "Bob")] == [
        ["Bob, likes, tea"],
        ["user, likes, tea", "user, brother, Bob"],
    ]
    assert len(graph.paths(ANN, "tea", "Bob", depth=1)) == 1
    assert graph.paths(ANN, "Eve", "Japan") == graph.paths(ANN, "Bob", "bob") == []


def test_paths_hold_at_one_time(graph):
    add(graph, "user, lives in, Berlin; Bob, lives in, Berlin", 1)
    add(graph, "Bob, lives in, Kyoto", 5)
    assert graph.paths(ANN, "user", "Bob") == []
    assert [texts(path) for path in graph.paths(ANN, "user", "Bob", at=day(2))] == [
        ["user, lives in, Berlin", "Bob, lives in, Berlin"]
    ]


def test_a_path_to_an_entity_with_very_many_facts_is_found(graph, monkeypatch):
    monkeypatch.setattr(queries, "_MAX_DEGREE", 20)
    add(graph, "hub, has, middle; Bob, near, middle", 1)
    add(graph, "; ".join(f"hub, has, thing {number}" for number in range(60)), 5)
    for ends in (("Bob", "hub"), ("hub", "Bob")):
        (path,) = graph.paths(ANN, *ends)
        assert sorted(texts(path)) == ["Bob, near, middle", "hub, has, middle"]


NAMES = st.sampled_from("abcdef")


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES, st.integers(0, 9)), max_size=15), st.integers(0, 10))
def test_surroundings_and_paths_agree_with_a_naive_search(edges, at):
    edges = [edge for edge in edges if edge[0] != edge[1]]
    graph = KnowledgeGraph("memory:", clock=lambda: day(99))
    graph.add(ANN, [NewFact(a, "knows", b, day(begin)) for a, b, begin in edges], at=day(0))
    pairs = {(a, b) for a, b, begin in edges if begin <= at}
    near = {pair for pair in pairs if "a" in pair}
    middle = {name for pair in near for name in pair}
    far = {pair for pair in pairs if middle & {*pair}}

    def found(depth: int) -> set[tuple[str, str]]:
        facts = graph.neighbourhood(ANN, "a", depth=depth, at=day(at))
        assert len({fact.id for fact in facts}) == len(facts)
        return {(fact.subject, fact.object) for fact in facts}

    paths = {
        tuple((fact.subject, fact.object) for fact in path)
        for path in graph.paths(ANN, "a", "b", at=day(at), limit=1_000)
    }
    assert found(1) == near
    assert found(2) == far | near
    assert paths == naive_paths(pairs)
    graph.close()


def naive_paths(pairs: set[tuple[str, str]]) -> set[tuple[tuple[str, str], ...]]:
    """The paths from a to b."""
    direct = {(pair,) for pair in pairs if {*pair} == {"a", "b"}}
    return direct | {
        (one, other)
        for one in pairs
        for other in pairs
        if "a" in one
        and "b" in other
        and len({*one, *other}) == 3
        and {*one} & {*other} - {"a", "b"}
    }


@pytest.mark.parametrize("depth", [1, 2])
def test_an_entity_that_is_related_to_itself_is_no_trap(graph, depth):
    add(graph, "Ouroboros, eats, Ouroboros", 1)
    found = graph.neighbourhood(ANN, "Ouroboros", depth=depth)
    assert texts(found) == ["Ouroboros, eats, Ouroboros"]
