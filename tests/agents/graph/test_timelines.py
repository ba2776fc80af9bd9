"""Properties of facts in time, against a naive model that keeps every statement."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.agents.graph.facts import NewFact
from anaphora.agents.graph.graph import KnowledgeGraph
from tests.agents.graph.sample_graphs import ANN, day
from tests.support.examples import examples

PLACES, DAYS = ("Berlin", "Kyoto", "Osaka"), 8
RELATIONS = ("lives in", "likes")  # only the first is functional

statements = st.lists(
    st.tuples(st.sampled_from(RELATIONS), st.sampled_from(PLACES), st.integers(0, DAYS)),
    max_size=12,
)


@dataclass
class NaiveGraph:
    """Everything that was stated of the user, in the order of arrival."""

    stated: list[tuple[str, str, int]] = field(default_factory=list)

    def holding(self, at: float) -> set[tuple[str, str]]:
        by_then = [one for one in self.stated if one[2] <= at]
        lives = [one for one in by_then if one[0] == "lives in"]
        likes = {(relation, place) for relation, place, _ in by_then if relation == "likes"}
        # sorted() is stable: of two statements for one time the later arrival is the last one.
        last = sorted(lives, key=lambda one: one[2])[-1:]
        return likes | {(relation, place) for relation, place, _ in last}


def opened() -> closing[KnowledgeGraph]:
    return closing(KnowledgeGraph("memory:", functional=["lives in"], clock=lambda: day(DAYS + 1)))


def state(graph: KnowledgeGraph, batch: list[tuple[str, str, float]], **options) -> None:
    facts = [NewFact("user", relation, place, day(at)) for relation, place, at in batch]
    graph.add(ANN, facts, at=day(0), **options)


def holding(graph: KnowledgeGraph, at: float) -> list[tuple[str, str]]:
    return sorted((fact.relation, fact.object) for fact in graph.facts(ANN, at=day(at)))


@settings(max_examples=examples(120), deadline=None)
@given(st.lists(statements, max_size=4))
def test_at_any_time_the_graph_holds_what_was_last_stated(batches):
    naive = NaiveGraph()
    with opened() as graph:
        for batch in batches:
            state(graph, batch)
            naive.stated += batch
        for half in range(2 * DAYS + 2):
            at = half / 2 - 0.5
            assert holding(graph, at) == sorted(naive.holding(at))


@settings(max_examples=examples(60), deadline=None)
@given(statements, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing_where_times_differ(batch, random):
    unique = list({(relation, at): (relation, place, at) for relation, place, at in batch}.values())
    shuffled = random.sample(unique, len(unique))
    with opened() as one, opened() as other:
        for statement in unique:
            state(one, [statement])
        state(other, shuffled)
        for at in range(DAYS + 1):
            assert holding(one, at) == holding(other, at)


actions = st.lists(
    st.one_of(
        st.tuples(st.just("state"), statements),
        st.tuples(st.just("retract"), st.tuples(st.integers(0, 9), st.integers(0, DAYS))),
    ),
    max_size=6,
)


@settings(max_examples=examples(120), deadline=None)
@given(actions)
def test_whatever_happens_one_place_holds_and_nothing_is_deleted(actions):
    seen: set[int] = set()
    stated = 0
    with opened() as graph:
        for action, given_values in actions:
            known = sorted(seen)
            if action == "state":
                state(graph, given_values)
                stated += len(given_values)
            elif known:
                place, at = given_values
                graph.retract(ANN, known[place % len(known)], at=day(at))
            facts = graph.facts(ANN, history=True, limit=1_000)
            assert seen <= {fact.id for fact in facts}
            seen = {fact.id for fact in facts}
            assert sum(fact.count for fact in facts) == stated
            assert all(
                fact.invalid_at is None or fact.valid_at <= fact.invalid_at for fact in facts
            )
            for half in range(2 * DAYS + 2):
                places = [
                    place for relation, place in holding(graph, half / 2) if relation == "lives in"
                ]
                assert len(places) <= 1


@settings(max_examples=examples(60), deadline=None)
@given(statements, statements)
def test_erasing_what_one_bot_said_leaves_what_another_said(mine, others):
    mine = [(relation, place, at + 0.25) for relation, place, at in mine]
    others = list(
        {(relation, at): (relation, place, at) for relation, place, at in others}.values()
    )
    with opened() as both, opened() as alone:
        half = len(others) // 2
        state(both, others[:half], model="other")
        state(both, mine, model="mine")
        state(both, others[half:], model="other")
        state(alone, others, model="other")
        both.erase(ANN, model="mine")
        for at in range(DAYS + 1):
            assert holding(both, at) == holding(alone, at)
        assert counts(both) == counts(alone)


def counts(graph: KnowledgeGraph) -> dict[tuple[str, str], int]:
    """How often each fact was stated; a fact may be in several parts."""
    found: dict[tuple[str, str], int] = {}
    for fact in graph.facts(ANN, history=True, limit=1_000):
        found[fact.relation, fact.object] = found.get((fact.relation, fact.object), 0) + fact.count
    return found
