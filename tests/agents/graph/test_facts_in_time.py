"""Facts and when they hold."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime

import pytest

from anaphora.agents.graph.facts import NewFact
from anaphora.agents.graph.graph import KnowledgeGraph
from tests.agents.graph.sample_graphs import ANN, BEN, add, day, texts, times


def test_a_newer_fact_ends_the_older_one_and_keeps_it(graph):
    add(graph, "user, lives in, Berlin", 1)
    add(graph, "user, lives in, Kyoto", 5)
    assert texts(graph.facts(ANN)) == ["user, lives in, Kyoto"]
    assert times(graph.facts(ANN, history=True)) == [("Berlin", 1, 5), ("Kyoto", 5, None)]


def test_a_contradiction_does_not_delete_both_facts(graph):
    for at, place in enumerate(["Berlin", "Kyoto", "Berlin", "Kyoto"]):
        add(graph, f"user, lives in, {place}", at)
    assert texts(graph.facts(ANN)) == ["user, lives in, Kyoto"]
    assert len(graph.facts(ANN, history=True)) == 4


def test_other_relations_hold_several_facts(graph):
    add(graph, "user, likes, tea; user, likes, jazz", 1)
    add(graph, "user, likes, rain", 2)
    assert sorted(texts(graph.facts(ANN, relation="likes"))) == [
        "user, likes, jazz",
        "user, likes, rain",
        "user, likes, tea",
    ]


def test_an_older_fact_is_added_as_a_fact_of_the_past(graph):
    add(graph, "user, lives in, Kyoto", 5)
    (late,) = add(graph, "user, lives in, Berlin", 1)
    assert (late.valid_at, late.invalid_at) == (day(1), day(5))
    assert texts(graph.facts(ANN)) == ["user, lives in, Kyoto"]


def test_a_fact_between_two_statements_of_another_interrupts_it(graph):
    add(graph, "user, lives in, Kyoto", 1)
    add(graph, "user, lives in, Kyoto", 9)
    add(graph, "user, lives in, Berlin", 4)
    assert times(graph.facts(ANN, history=True)) == [
        ("Kyoto", 1, 4),
        ("Berlin", 4, 9),
        ("Kyoto", 9, None),
    ]
    counts = {(fact.object, fact.valid_at): fact.count for fact in graph.facts(ANN, history=True)}
    assert counts == {("Kyoto", day(1)): 1, ("Berlin", day(4)): 1, ("Kyoto", day(9)): 1}


def test_a_fact_that_holds_is_counted_and_not_added_again(graph):
    (first,) = add(graph, "user, likes, Green  Tea", 1, source="m/1")
    (again,) = add(graph, "USER, Likes, green tea", 3, source="m/2")
    assert again.id == first.id
    assert (again.count, again.valid_at, again.last_stated) == (2, day(1), day(3))
    assert again.source == "m/2"
    assert len(graph.facts(ANN, history=True)) == 1


def test_the_same_exchange_counts_once(graph):
    for _ in range(2):
        (fact,) = add(graph, "user, likes, tea; User, likes, Tea", 1, source="m/1")
    assert fact.count == 1


def test_an_earlier_statement_of_a_fact_moves_its_beginning(graph):
    add(graph, "user, lives in, Kyoto; user, likes, tea", 5)
    add(graph, "user, lives in, Kyoto; user, likes, tea", 2)
    assert times(graph.facts(ANN, history=True)) == [("Kyoto", 2, None), ("tea", 2, None)]


def test_facts_are_shown_as_of_a_time(graph):
    add(graph, "user, lives in, Berlin; user, likes, tea", 1)
    add(graph, "user, lives in, Kyoto", 5)
    assert graph.facts(ANN, at=day(0.9)) == []
    assert texts(graph.facts(ANN, relation="lives in", at=day(4.9))) == ["user, lives in, Berlin"]
    assert texts(graph.facts(ANN, relation="lives in", at=day(5))) == ["user, lives in, Kyoto"]
    assert times(graph.facts(ANN, relation="lives in", at=day(4), history=True)) == [
        ("Berlin", 1, 5)
    ]


def test_a_fact_says_itself_since_when_it_is_true(graph):
    graph.add(ANN, [NewFact("user", "lives in", "Kyoto", valid_at=day(2))], at=day(9))
    (fact,) = graph.facts(ANN)
    assert (fact.valid_at, fact.created_at) == (day(2), day(1_000))


def test_a_fact_of_the_future_does_not_hold_yet(graph):
    add(graph, "user, lives in, Berlin", 1)
    add(graph, "user, lives in, Kyoto", 2_000)
    assert texts(graph.facts(ANN)) == ["user, lives in, Berlin"]
    assert texts(graph.facts(ANN, at=day(2_000))) == ["user, lives in, Kyoto"]


def test_a_retracted_fact_ends_and_stays_in_the_past(graph):
    (fact,) = add(graph, "user, likes, tea", 1)
    ended = graph.retract(ANN, fact.id, at=day(4))
    assert ended is not None
    assert (ended.valid_at, ended.invalid_at) == (day(1), day(4))
    assert graph.facts(ANN) == []
    assert texts(graph.facts(ANN, at=day(3))) == ["user, likes, tea"]
    assert graph.retract(ANN, fact.id, at=day(6)) == ended
    (again,) = add(graph, "user, likes, tea", 8)
    assert again.id != fact.id
    assert times(graph.facts(ANN, history=True)) == [("tea", 1, 4), ("tea", 8, None)]


def test_a_retraction_before_the_beginning_leaves_a_fact_that_never_held(graph):
    (fact,) = add(graph, "user, likes, tea", 5)
    ended = graph.retract(ANN, fact.id, at=day(1))
    assert ended is not None
    assert ended.valid_at == ended.invalid_at == day(5)
    assert graph.facts(ANN, at=day(5)) == []


def test_a_fact_of_somebody_else_is_not_retracted(graph):
    (fact,) = add(graph, "user, likes, tea", 1)
    assert graph.retract(BEN, fact.id, at=day(2)) is None
    assert graph.retract(ANN, fact.id + 99, at=day(2)) is None
    assert texts(graph.facts(ANN)) == ["user, likes, tea"]


def test_a_relation_that_becomes_functional_holds_once_from_then_on(tmp_path):
    url = f"sqlite:///{tmp_path}/graph.db"
    with closing(KnowledgeGraph(url)) as before:
        add(before, "user, lives in, Berlin; user, lives in, Kyoto", 1)
        assert len(before.facts(ANN)) == 2
    with closing(KnowledgeGraph(url, functional=["Lives_in"])) as after:
        add(after, "user, lives in, Osaka", 5)
        assert texts(after.facts(ANN)) == ["user, lives in, Osaka"]
        assert len(after.facts(ANN, history=True)) == 3


@pytest.mark.parametrize("wrong", ["user, , tea", ", likes, tea", "user, likes, \n"])
def test_a_fact_without_a_part_is_refused(graph, wrong):
    with pytest.raises(ValueError, match="a fact needs"):
        add(graph, f"user, likes, jazz; {wrong}", 1)
    assert graph.facts(ANN) == []


def test_a_time_without_a_zone_is_refused(graph):
    with pytest.raises(ValueError, match="no time zone"):
        graph.add(ANN, [NewFact("user", "likes", "tea")], at=datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="no time zone"):
        graph.facts(ANN, at=datetime(2026, 1, 1))


def test_names_of_any_characters_are_kept_on_one_line(graph):
    odd = "Zoë\0 \ud800\n“Ｋｙｏｔｏ”\U0001f600"
    graph.add(ANN, [NewFact(odd, "likes\n", "x" * 10_000)], at=day(1), source="\0", model="\ud800")
    (fact,) = graph.facts(ANN)
    assert fact.subject == "Zoë “Kyoto”\U0001f600"
    assert fact.relation == "likes"
    assert fact.object == "x" * 200
    assert graph.neighbourhood(ANN, odd) == [fact]
