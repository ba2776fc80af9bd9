"""What a bot asks for when a question lacks something."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anaphora.intents import near_miss
from anaphora.intents.index import IntentIndex
from anaphora.intents.solver import fill_intents
from tests.intents.test_index import intents, make_match_context

TRAVEL = """
    id: travel
    elements:
      - {id: flight}
      - {id: hotel}
      - {id: city, values: {Rome: [], Oslo: []}}
      - {id: date, values: {today: []}}
    intents:
      - intent=flight term(flight)~{# == 'flight'} term(city)~{# == 'city'} term(date)~{# == 'date'}
      - intent=hotel term(hotel)~{# == 'hotel'} term(city)~{# == 'city'}
    prompts:
      flight: {city: Where to?, date: When?}
      hotel: {city: Where?}
"""


def test_the_first_missing_term_is_asked_for_then_the_next(bot):
    engine = bot(TRAVEL)
    reply = engine.ask("a flight please")
    assert (reply.missing, reply.prompt) == (("city", "date"), "Where to?")
    reply = engine.ask("Rome")
    assert (reply.missing, reply.prompt) == (("date",), "When?")
    assert engine.ask("today").status == "matched"


def test_nothing_is_asked_when_a_missing_term_has_no_prompt(bot):
    reply = bot(TRAVEL).ask("Rome")
    assert reply.status == "rejected"
    assert reply.reason == "for hotel it lacks: hotel"


def test_a_term_without_a_name_is_reported_by_its_predicate(bot):
    engine = bot("""
        id: tea
        elements: [{id: tea}, {id: milk}]
        intents: ["intent=x term={# == 'tea'} term={# == 'milk'}"]
    """)
    assert engine.ask("tea").reason == "for x it lacks: {# == 'milk'}"


TRIP = """
  - "intent=trip term(trip)~{has(['flight', 'trip'], #)} term(city)~{# == 'city'}"
    prompts:
      trip: {city: Where does it go?}"""


def test_the_intent_that_lacks_fewest_terms_is_asked_about(bot):
    assert bot(TRAVEL).ask("flight").prompt == "Where to?"
    with_trip = TRAVEL.replace("elements:", "elements:\n      - {id: trip}").replace(
        "\n    prompts:", TRIP.replace("\n  -", "\n      -")
    )
    assert bot(with_trip).ask("flight").prompt == "Where does it go?"


def test_a_prompt_may_name_what_is_known(bot):
    engine = bot(TRAVEL.replace("When?", '"When to {{ city }}?"'))
    engine.ask("flight")
    assert engine.ask("Oslo").prompt == "When to Oslo?"


def test_what_is_pending_takes_missing_terms_from_memory_too(bot):
    engine = bot(TRAVEL)
    engine.ask("hotel in Rome")
    reply = engine.ask("and a flight")
    assert (reply.missing, reply.slots["city"].value) == (("date",), "Rome")
    assert engine.ask("today").slots["city"].value == "Rome"


@given(intents, st.lists(st.sampled_from("abcde"), max_size=3))
def test_the_nearest_intent_is_the_one_that_a_look_at_all_of_them_finds(some, sentence):
    context = make_match_context(sentence, [])
    near = [
        ((len(filling.missing), -len(filling.from_sentence), filling.intent_index), filling)
        for filling in fill_intents(some, range(len(some)), context)
        if filling.from_sentence and filling.missing and not filling.blocking_reason
    ]
    expected = min(near, key=lambda pair: pair[0])[1].intent_index if near else None
    found = near_miss.find_near_miss(some, IntentIndex(some), [context])
    assert (found.intent_index if found else None) == expected
