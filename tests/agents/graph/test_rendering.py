"""Facts in prompts and pictures."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.agents.graph.facts import EntityRecord, Fact
from anaphora.agents.graph.rendering import render_graph, to_json
from tests.agents.graph.sample_graphs import BEGIN, day


def make_fact(id: int = 1, object: str = "Kyoto", end: float | None = None, count: int = 1) -> Fact:
    ended = None if end is None else day(end)
    return Fact(id, "user", "lives in", object, day(0), ended, day(9), day(4), count, "m/1")


def test_facts_are_lines_with_their_days():
    facts = [make_fact(), make_fact(end=6), make_fact(count=3)]
    assert render_graph(facts).splitlines() == [
        "- user | lives in | Kyoto (since 2026-01-01)",
        "- user | lives in | Kyoto (2026-01-01 to 2026-01-07)",
        "- user | lives in | Kyoto (since 2026-01-01; said 3 times, last on 2026-01-05)",
    ]
    assert render_graph([]) == ""


def test_facts_that_are_left_out_are_counted():
    facts = [make_fact(number) for number in range(2_000)]
    lines = render_graph(facts, max_facts=2).splitlines()
    assert len(lines) == 3
    assert lines[-1] == "- … and 1,998 more facts"


@given(
    st.lists(st.integers(1, 80), max_size=30),
    st.integers(0, 30),
    st.integers(100, 2_000),
)
def test_a_prompt_keeps_its_limits(lengths, max_facts, max_characters):
    facts = [make_fact(object="x" * length) for length in lengths]
    text = render_graph(facts, max_facts=max_facts, max_characters=max_characters)
    shown = text.count("lives in")
    assert len(text) <= max_characters
    assert shown <= max_facts
    assert ("more facts" in text) == (shown < len(facts))


def test_nodes_and_edges_of_a_picture_fit_together():
    record = EntityRecord("Kyoto", "place", 4, BEGIN, BEGIN + timedelta(days=1), 1.5)
    picture = to_json([record], [make_fact(7, "KYOTO"), make_fact(8, "Oslo", end=2)])
    assert json.loads(json.dumps(picture)) == picture
    assert [(node["id"], node["name"], node["kind"]) for node in picture["nodes"]] == [
        ("kyoto", "Kyoto", "place"),
        ("user", "user", "user"),
        ("oslo", "Oslo", ""),
    ]
    assert {edge[end] for edge in picture["edges"] for end in ("from", "to")} == {
        node["id"] for node in picture["nodes"]
    }
    oslo = picture["edges"][1]
    assert (oslo["valid_at"], oslo["invalid_at"]) == (
        "2026-01-01T00:00:00+00:00",
        "2026-01-03T00:00:00+00:00",
    )


@pytest.mark.parametrize("ends", [None, 3])
def test_a_fact_knows_when_it_holds(ends):
    fact = make_fact(end=ends)
    assert fact.holds_at(day(2.9))
    assert not fact.holds_at(day(-1))
    assert fact.holds_at(day(3)) == (ends is None)
