"""Mentions of entities: the stream, their counts, and finding them in a text."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.agents.graph.facts import NewFact
from anaphora.agents.graph.ranking import mention_weight, score_at
from tests.agents.graph.sample_graphs import ANN, BEN, add, day, make_exchange


def mention(graph, name: str, *days: float) -> None:
    for at in days:
        graph.observe(
            ANN, make_exchange("see", {"thing": [name]}, at=at, clock=0), model=f"m{name}{at}"
        )


def names(graph, **options) -> list[str]:
    return [entity.name for entity in graph.entities(ANN, **options)]


def test_entities_mentioned_more_often_come_first(graph):
    mention(graph, "tea", 1)
    mention(graph, "jazz", 1.1, 1.2, 1.3)
    mention(graph, "rain", 1.4, 1.5)
    assert names(graph) == ["jazz", "rain", "tea"]
    assert names(graph, limit=2) == ["jazz", "rain"]
    jazz = graph.entities(ANN)[0]
    assert (jazz.count, jazz.first_seen, jazz.last_seen) == (3, day(1.1), day(1.3))


def test_what_was_mentioned_lately_counts_more(graph):
    mention(graph, "jazz", 1, 2, 3)
    mention(graph, "rain", 200)
    assert names(graph) == ["rain", "jazz"]
    assert names(graph, at=day(100)) == ["jazz"]


def test_a_mention_counts_half_after_thirty_days(graph):
    mention(graph, "tea", 10)
    (now,) = graph.entities(ANN, at=day(10))
    (later,) = graph.entities(ANN, at=day(40))
    assert (now.score, later.score) == (pytest.approx(1), pytest.approx(0.5))


def test_an_old_entity_is_last_but_not_forgotten(graph):
    mention(graph, "first love", 1)
    for at in range(900, 930):
        mention(graph, f"thing {at}", at)
    assert names(graph, limit=100)[-1] == "first love"
    assert graph.find(ANN, "Who was my first love?") == ["first love"]


@given(st.lists(st.integers(0, 2_000), min_size=1, max_size=20), st.integers(0, 2_000))
def test_the_score_is_the_decayed_count(days, now):
    microseconds = [int(day(one).timestamp() * 1e6) for one in days]
    at = int(day(now).timestamp() * 1e6)
    score = score_at(sum(map(mention_weight, microseconds)), at)
    assert score == pytest.approx(sum(0.5 ** ((now - one) / 30) for one in days))


def test_the_stream_shows_mentions_newest_first(graph):
    mention(graph, "tea", 1)
    mention(graph, "jazz", 3)
    mention(graph, "rain", 2)
    assert [(one.entity, one.at) for one in graph.stream(ANN)] == [
        ("jazz", day(3)),
        ("rain", day(2)),
        ("tea", day(1)),
    ]
    assert [one.entity for one in graph.stream(ANN, before=day(3))] == ["rain", "tea"]


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 7))
def test_the_stream_can_be_paged_through_without_gaps(page):
    from anaphora.agents.graph.graph import KnowledgeGraph

    graph = KnowledgeGraph("memory:")
    for clock in (1, 2, 3):  # the mentions of an exchange have the same time
        said = make_exchange("list", {"thing": list("abc")}, at=clock // 2, clock=clock)
        graph.observe(ANN, said, model="m")
    every = graph.stream(ANN)
    paged, last = [], None
    while found := graph.stream(ANN, before=last, limit=page):
        paged += found
        last = found[-1]
    graph.close()
    assert paged == every
    assert len(every) == 9


def test_the_stream_is_bounded_and_the_counts_stay(make_graph):
    graph = make_graph(max_stream=3)
    for at in range(10):
        mention(graph, "tea", at)
    assert [one.at for one in graph.stream(ANN)] == [day(9), day(8), day(7)]
    (tea,) = graph.entities(ANN)
    assert (tea.count, tea.first_seen) == (10, day(0))


def test_a_stream_of_no_length_keeps_the_counts(make_graph):
    graph = make_graph(max_stream=0)
    mention(graph, "tea", 1, 2)
    assert graph.stream(ANN) == []
    assert graph.entities(ANN)[0].count == 2


def test_the_entities_of_added_facts_are_mentioned_and_the_user_is_not(graph):
    add(graph, "user, brother, Bob; Bob, likes, tea", 1, source="m/7")
    assert sorted(names(graph)) == ["Bob", "tea"]
    assert {(one.entity, one.source) for one in graph.stream(ANN)} == {
        ("Bob", "m/7"),
        ("tea", "m/7"),
    }


def test_an_entity_is_shown_by_the_spelling_last_used(graph):
    mention(graph, "iphone", 1)
    mention(graph, "iPhone", 5)
    mention(graph, "IPHONE", 3)
    (phone,) = graph.entities(ANN)
    assert (phone.name, phone.count) == ("iPhone", 3)


def test_a_kind_is_kept_if_a_later_mention_has_none(graph):
    brother = NewFact("user", "brother", "Bob", object_kind="person")
    graph.add(ANN, [brother, NewFact("Bob", "likes", "rain")], at=day(1))
    add(graph, "Bob, likes, tea", 2)
    assert {one.name: one.kind for one in graph.entities(ANN)} == {
        "Bob": "person",
        "rain": "",
        "tea": "",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is it raining in NEW YORK today?", ["New York"]),
        ("two pizzas for Bob, please", ["pizza", "Bob"]),
        ("Bob's pizza", ["Bob", "pizza"]),
        ("I write C++ in St. Louis", ["C++", "St. Louis"]),
        ("york", []),
        ("the user himself", []),
        ("京都の天気は?", ["京都"]),
        ("Где Москва?", ["Москва"]),
        ("", []),
        ("\ud800\0", []),
    ],
)
def test_the_entities_that_a_text_names_are_found(graph, text, expected):
    for place in ("New York", "St. Louis", "京都", "Москва"):
        add(graph, f"Bob, was in, {place}", 1)
    add(graph, "user, likes, pizza; user, writes, C++", 1)
    assert graph.find(ANN, text) == expected
    assert graph.find(BEN, text) == []


def test_an_entity_in_the_plural_is_found_by_the_singular(graph):
    add(graph, "user, likes, big dogs", 1)
    assert graph.find(ANN, "a big dog") == ["big dogs"]
    add(graph, "user, mag, alte Häuser", 1, language="de")
    assert graph.find(ANN, "ein altes Haus", language="de") == ["alte Häuser"]


def test_the_longest_name_is_found(graph):
    add(graph, "user, likes, New York; user, likes, New York Pizza; user, likes, pizza", 1)
    assert graph.find(ANN, "new york pizza or pizza in new york") == [
        "New York Pizza",
        "pizza",
        "New York",
    ]


def test_times_are_shown_in_utc(graph):
    mention(graph, "tea", 1)
    assert graph.stream(ANN)[0].at.tzinfo is UTC
