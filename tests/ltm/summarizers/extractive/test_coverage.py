from itertools import chain, combinations
from math import e

from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.summarizers.extractive.coverage import (
    ScoredSentence,
    SelectionCosts,
    select_sentences,
)

FREE = SelectionCosts(sentence=0, cut=0, min_gain=0)
FACTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9).map(float), max_size=4)


@st.composite
def talks(draw, *, clauses=3):
    """Some sentences, each of a few clauses."""
    return [
        ScoredSentence(
            sizes=tuple(draw(st.integers(1, 6)) for _ in facts),
            facts=tuple(facts),
            turn=draw(st.sampled_from(["", "User", "Bot"])),
            label=draw(st.integers(0, 1)),
            day=draw(st.sampled_from([None, 1, 2])),
        )
        for facts in draw(st.lists(st.lists(FACTS, min_size=1, max_size=clauses), max_size=6))
    ]


def size(sentences, chosen):
    """The words of a choice with its labels, counted plainly."""
    total, before = 0, None
    for index, count in sorted(chosen.items()):
        sentence = sentences[index]
        new_day = sentence.day is not None and (before is None or before.day != sentence.day)
        if new_day or before is None or before.turn != sentence.turn:
            total += sentence.label + new_day
        total += sum(sentence.sizes[:count])
        before = sentence
    return total


def worth(sentences, chosen):
    best = {}
    for index, count in chosen.items():
        for facts in sentences[index].facts[:count]:
            for fact, weight in facts.items():
                best[fact] = max(weight, best.get(fact, 0))
    return sum(best.values())


@given(talks(), st.integers(0, 30))
def test_a_selection_fits_the_budget_including_labels(sentences, budget):
    assert size(sentences, select_sentences(sentences, budget)) <= budget


@given(talks(clauses=1), st.integers(0, 20))
def test_the_greedy_guarantee_holds(sentences, budget):
    plain = [ScoredSentence(one.sizes, one.facts) for one in sentences]
    places = range(len(plain))
    every = chain.from_iterable(combinations(places, count) for count in range(len(plain) + 1))
    choices = (dict.fromkeys(some, 1) for some in every)
    best = max(worth(plain, choice) for choice in choices if size(plain, choice) <= budget)
    assert (
        worth(plain, select_sentences(plain, budget, costs=FREE)) >= (1 - 1 / e) / 2 * best - 1e-9
    )


@given(talks(), st.integers(0, 30))
def test_the_selection_is_deterministic(sentences, budget):
    assert select_sentences(sentences, budget) == select_sentences(list(sentences), budget)


def test_covered_facts_are_not_repeated():
    sentences = [
        ScoredSentence((4,), ({"rome": 4.0},)),
        ScoredSentence((4,), ({"rome": 4.0},)),
        ScoredSentence((4,), ({"paris": 3.0},)),
    ]
    assert select_sentences(sentences, 8) == {0: 1, 2: 1}


def test_a_clause_is_selected_if_the_sentence_is_too_long():
    sentences = [ScoredSentence((6, 20), ({"rome": 4.0}, {"weather": 1.0}))]
    assert select_sentences(sentences, 10) == {0: 1}


def test_an_answer_comes_with_its_question_or_not_at_all():
    sentences = [
        ScoredSentence((4,), ({"gluten": 1.0},), "Bot", 1, requires=(1,)),
        ScoredSentence((1,), ({"yes": 4.0},), "User", 1, requires=(0,)),
    ]
    assert select_sentences(sentences, 7) == {0: 1, 1: 1}
    assert select_sentences(sentences, 6) == {}


def test_a_sentence_without_facts_is_left_out_despite_room():
    assert select_sentences([ScoredSentence((4,), ({"well": 0.1},))], 100) == {}
