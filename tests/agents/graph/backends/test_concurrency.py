"""Several threads and processes that use one knowledge graph."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from tests.agents.graph.sample_graphs import ANN, BEN, add, make_exchange, times
from tests.support.python_process import run_python
from tests.support.real_server import WAIT_LIMIT

ADD = """
    import sys
    from anaphora.agents.graph.graph import KnowledgeGraph
    from tests.agents.graph.sample_graphs import ANN, add
    url, place, count = sys.argv[1:]
    graph = KnowledgeGraph(url, functional=["lives in"])
    graph.ping()
    print("ready", flush=True)
    sys.stdin.readline()
    for day in range(int(count)):
        add(graph, f"user, lives in, {place}; user, likes, tea", day)
        add(graph, f"user, saw, film {day}", day)
"""


def test_threads_that_state_facts_at_once_lose_none(graph):
    def observe(number: int) -> int:
        slots = {"city": [f"city {number % 5}"], "day": ["Friday"]}
        return graph.observe(ANN if number % 2 else BEN, exchange(number, slots), model="m")

    def exchange(number: int, slots):
        return make_exchange("weather", slots, clock=number + 1, at=number)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(observe, range(80))) == {3}
    for owner in (ANN, BEN):
        facts = graph.facts(owner, subject="user", relation="weather: city")
        assert sum(fact.count for fact in facts) == 40
        assert len(facts) == 5
        (friday,) = [one for one in graph.entities(owner) if one.name == "Friday"]
        assert (
            friday.count
            == len([one for one in graph.stream(owner) if one.entity == "Friday"])
            == 40
        )


@pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)
def test_processes_that_state_facts_at_once_hold_one_at_a_time(make_graph, url):
    graph, count = make_graph(), 20
    with run_python(ADD, url, "Kyoto", count) as one, run_python(ADD, url, "Oslo", count) as other:
        for process in (one, other):
            assert process.stdout.readline() == "ready\n"
        for process in (one, other):
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.wait(WAIT_LIMIT) for process in (one, other)] == [0, 0]
    lives = graph.facts(ANN, relation="lives in", history=True, limit=1_000)
    assert sum(fact.count for fact in lives) == 2 * count
    held = [row for row in times(lives) if row[1] != row[2]]
    assert all(row[2] is None or row[2] <= following[1] for row, following in pairwise(held))
    assert len(graph.facts(ANN, relation="lives in")) == 1
    (tea,) = graph.facts(ANN, relation="likes")
    assert tea.count == 2 * count
    assert len(graph.facts(ANN, relation="saw")) == count


def test_a_forked_process_can_use_the_graph(graph):
    add(graph, "user, likes, tea", 1)
    child = os.fork()
    if not child:
        try:
            add(graph, "user, likes, rain", 2)
            os._exit(0 if len(graph.facts(ANN)) >= 2 else 1)
        finally:
            os._exit(1)
    add(graph, "user, likes, jazz", 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sorted(fact.object for fact in graph.facts(ANN)) == ["jazz", "rain", "tea"]
