"""The index of intents loses no intent that could match."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anaphora.core.utterance import Entity, Variant
from anaphora.grammar.context import QuestionContext
from anaphora.grammar.idl.intent import Intent, IntentOptions, Predicate, Term
from anaphora.intents.index import IntentIndex, entity_keys
from anaphora.intents.match import Candidate
from anaphora.intents.solver import MatchContext, fill_intents, match_intents

NAMES = "abcde"


def predicate(elements: frozenset[str], *, known: bool, alone: bool) -> Predicate:
    def test(context: object) -> bool:
        context.used = True
        return context.entity.element in elements

    keys = frozenset(("element", name) for name in elements)
    return Predicate(
        test, " or ".join(sorted(elements)), keys if known else None, elements if alone else None
    )


terms = st.builds(
    lambda elements, known, alone, conversational, least: Term(
        None, predicate(elements, known=known, alone=alone), conversational, least, 2, 0
    ),
    st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=2),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2),
)
intents = st.lists(
    st.builds(
        lambda parts, **unused: Intent("x", tuple(parts), IntentOptions(**unused)),
        st.lists(terms, min_size=1, max_size=3),
        unused_user_entities=st.booleans(),
        unused_system_entities=st.booleans(),
        ordered=st.booleans(),
    ),
    max_size=8,
)
entities = st.lists(st.sampled_from(NAMES), max_size=3)


def make_match_context(sentence: list[str], memory: list[str]) -> MatchContext:
    def named(names: list[str]) -> tuple[Candidate, ...]:
        return tuple(Candidate(Entity(name, frozenset({name}), name, (0,))) for name in names)

    return MatchContext(Variant(()), named(sentence), named(memory), (), (), QuestionContext())


def keys(candidates: tuple[Candidate, ...]) -> set[tuple[str, str]]:
    return {key for candidate in candidates for key in entity_keys(candidate.entity)}


@given(intents, entities, entities)
def test_every_intent_that_matches_is_a_candidate(some, sentence, memory):
    context = make_match_context(sentence, memory)
    candidates = context.sentence_candidates + context.memory
    found = IntentIndex(some).candidates([one.entity for one in candidates])
    matching = [
        filling.intent_index
        for filling in fill_intents(some, range(len(some)), context)
        if not filling.missing and not filling.blocking_reason
    ]
    assert set(matching) <= set(found)
    assert found == sorted(set(found))


@given(intents, entities, entities)
def test_what_asks_for_elements_alone_is_filled_as_if_it_were_evaluated(some, sentence, memory):
    context = make_match_context(sentence, memory)
    evaluated = [
        replace(
            intent,
            terms=tuple(
                replace(term, predicate=replace(term.predicate, elements=None))
                for term in intent.terms
            ),
        )
        for intent in some
    ]
    for one, other in zip(
        fill_intents(some, range(len(some)), context),
        fill_intents(evaluated, range(len(some)), context),
        strict=True,
    ):
        assert (one.taken, one.blocking_reason) == (other.taken, other.blocking_reason)
        assert [match.hits for match in one.terms] == [match.hits for match in other.terms]
        assert [term.position for term in one.missing] == [term.position for term in other.missing]


@given(intents, entities)
def test_every_intent_that_the_sentence_touches_is_found_by_its_required_terms(some, sentence):
    context = make_match_context(sentence, [])
    touched = [
        (required, order)
        for required, orders in IntentIndex(some).intents_by_required_terms(
            keys(context.sentence_candidates)
        )
        for order in orders
    ]
    filled = {
        filling.intent_index
        for filling in fill_intents(some, range(len(some)), context)
        if filling.taken
    }
    assert filled <= {order for _, order in touched}
    assert touched == sorted(touched)
    assert all(
        required == sum(term.min > 0 for term in some[order].terms) for required, order in touched
    )


def test_only_intents_with_the_rarer_of_their_elements_at_hand_are_tried():
    def intent(topic: str) -> Intent:
        parts = (frozenset({topic}), frozenset({"city"}))
        return Intent(
            topic,
            tuple(
                Term(None, predicate(part, known=True, alone=False), True, 1, 1, place)
                for place, part in enumerate(parts)
            ),
        )

    index = IntentIndex([intent(f"topic {number}") for number in range(1000)])
    at_hand = [Entity(name, frozenset({name}), name) for name in ("city", "topic 7")]
    assert index.candidates(at_hand) == [7]


@given(intents, entities, entities)
def test_what_is_planned_is_what_is_filled(some, sentence, memory):
    context = make_match_context(sentence, memory)
    said = tuple(one.entity for one in context.sentence_candidates)
    context = structs.replace(context, variant=Variant(said))
    index = IntentIndex(some)
    for _ in range(2):  # worked out, and remembered
        planned = [
            (one.filling.intent_index, one.filling) for one in match_intents(some, index, [context])
        ]
        filled = [
            (filling.intent_index, filling)
            for filling in fill_intents(some, range(len(some)), context)
            if not filling.missing and not filling.blocking_reason
        ]
        assert sorted(planned, key=itemgetter(0)) == filled


def test_plans_that_are_not_needed_again_are_forgotten(monkeypatch):
    monkeypatch.setattr("anaphora.intents.index._MOST_PLANS", 3)
    wanted = predicate(frozenset("abcde"), known=True, alone=True)
    index = IntentIndex([Intent("x", (Term(None, wanted, True, 1, 1, 0),))])
    for name in "abcdeabcde":
        context = make_match_context([name], [])
        at_hand = [one.entity for one in context.sentence_candidates]
        (plan,) = index.plans(at_hand, current=range(1), in_sentence=1)
        assert plan.term_positions == ((0,),)
    assert len(index._plans) <= 2
