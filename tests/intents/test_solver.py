"""How terms take entities, and what keeps an intent from matching."""

from __future__ import annotations

import pytest

SHOP = """
    id: shop
    elements:
      - {{id: fruit, values: {{apple: [], pear: [], plum: []}}}}
      - {{id: buy}}
      - {{id: please}}
    intents:
      - "{intent}"
"""


def shop(bot, intent):
    return bot(SHOP.format(intent=intent))


def test_terms_take_in_their_order_and_no_entity_serves_two(bot):
    engine = shop(bot, "intent=x term(a)={# == 'fruit'} term(b)={# == 'fruit'}")
    reply = engine.ask("a pear and an apple")
    assert (reply.slots["a"].value, reply.slots["b"].value) == ("pear", "apple")
    assert engine.ask("a pear").status == "rejected"


@pytest.mark.parametrize(
    ("quantifier", "taken"),
    [("", 1), ("?", 1), ("*", 3), ("+", 3), ("[1,2]", 2), ("[2,3]", 3)],
)
def test_a_term_takes_as_many_as_its_quantifier_allows(bot, quantifier, taken):
    engine = shop(bot, f"intent=x term(a)={{# == 'fruit'}}{quantifier}")
    assert len(engine.ask("apple pear plum").slots["a"].entities) == taken


def test_a_term_takes_from_the_sentence_before_the_memory(bot):
    engine = bot("""
        id: groups
        elements:
          - {id: red, groups: [one]}
          - {id: blue, groups: [two]}
        intents: ["intent=x term(a)~{# == 'red' || # == 'blue'}"]
    """)
    engine.ask("red")
    slot = engine.ask("blue").slots["a"]
    assert (slot.element, slot.source) == ("blue", "sentence")


def test_a_strict_term_takes_nothing_from_memory(bot):
    engine = bot("""
        id: strict
        elements: [{id: buy}, {id: fruit}]
        intents: ["intent=x term={# == 'buy'} term(fruit)={# == 'fruit'}"]
    """)
    engine.ask("buy fruit")
    reply = engine.ask("buy")
    assert reply.status == "rejected"
    assert "fruit" in reply.reason


@pytest.mark.parametrize(
    ("options", "status"), [("", "rejected"), ("options={'allow_stm_only': true}", "matched")]
)
def test_memory_alone_fills_an_intent_only_if_it_says_so(bot, options, status):
    engine = bot(f"""
        id: memory
        elements: [{{id: fruit}}, {{id: hello}}]
        intents: ["intent=x {options} term~{{# == 'fruit'}}"]
    """)
    engine.ask("fruit")
    assert engine.ask("hello").status == status


def test_a_predicate_that_looks_at_no_entity_matches_without_taking_one(bot):
    engine = shop(bot, "intent=x term(any)={true} term(fruit)={# == 'fruit'}")
    reply = engine.ask("apple")
    assert list(reply.slots) == ["fruit"]


def test_a_predicate_that_looks_at_no_entity_does_not_match_on_memory_alone(bot):
    engine = bot("""
        id: memory
        elements: [{id: tea}]
        intents: ["intent=tea term={# == 'tea'}", "intent=any term~{true}"]
    """)
    engine.ask("tea")
    assert engine.ask("hello").status == "rejected"


def test_ordered_terms_must_follow_each_other_in_the_sentence(bot):
    text = "intent=x options={'ordered': true} term={# == 'buy'} term={# == 'fruit'}"
    engine = shop(bot, text)
    assert engine.ask("buy an apple").status == "matched"
    assert engine.ask("an apple, buy").status == "rejected"


def test_ordered_passes_over_a_term_that_took_nothing(bot):
    engine = shop(
        bot,
        "intent=x options={'ordered': true} "
        "term={# == 'buy'} term={# == 'please'}? term={# == 'fruit'}",
    )
    assert engine.ask("buy an apple").status == "matched"


def test_unused_entities_cost_rank_but_forbid_a_match_only_on_request(bot):
    assert shop(bot, "intent=x term={# == 'buy'}").ask("buy apple").status == "matched"
    strict = shop(bot, "intent=x options={'unused_entities': false} term={# == 'buy'}")
    assert strict.ask("buy apple").status == "rejected"
    assert strict.ask("buy").status == "matched"


def test_unused_words_forbid_a_match_only_on_request(bot):
    assert shop(bot, "intent=x term={# == 'buy'}").ask("buy elephants").status == "matched"
    strict = shop(bot, "intent=x options={'unused_free_words': false} term={# == 'buy'}")
    assert strict.ask("buy elephants").status == "rejected"
    assert strict.ask("and buy it").status == "matched"


def test_a_flow_holds_an_intent_back_until_the_dialog_has_gone_that_way(bot):
    engine = bot("""
        id: flow
        elements: [{id: hello}, {id: order}]
        intents:
          - intent=greet term={# == 'hello'}
          - intent=order flow='greet (order )*' term={# == 'order'}
          - intent=again flow='^greet order$' term={# == 'order'}
    """)
    assert engine.ask("order").status == "rejected"
    engine.ask("hello")
    engine.ask("hello")
    assert engine.ask("order").intent == "order"


def test_an_element_that_the_sentence_names_anew_is_not_taken_from_memory(bot):
    engine = bot("""
        id: mixing
        elements:
          - {id: city, values: {Tokyo: [], Kyoto: []}}
          - {id: trip}
        intents: ["intent=trip term={# == 'trip'}? term(cities)~{# == 'city'}[1,2]"]
    """)
    engine.ask("trip Tokyo")
    reply = engine.ask("Kyoto", explain=True)
    assert reply.slots["cities"].value == ["Kyoto"]
    assert "not offered: city=Tokyo" in str(reply.explanation)


def test_an_intent_of_optional_terms_needs_one_of_them_in_the_sentence(bot):
    engine = shop(bot, "intent=x term(a)={# == 'fruit'}? term(b)={# == 'buy'}?")
    assert engine.ask("buy").status == "matched"
    assert engine.ask("please").status == "rejected"


def test_the_older_short_form_takes_from_memory(bot):
    engine = bot("""
        id: old
        elements: [{id: sale}, {id: best}]
        intents: ["id=sale term={id=='sale'}", "id=best term={id=='sale'} term={id=='best'}"]
    """)
    assert engine.ask("sale").intent == "sale"
    assert engine.ask("best").intent == "best"
