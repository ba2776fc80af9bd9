"""Which intent wins when several match: one test a step of the ranking."""

from __future__ import annotations

import pytest

SALES = """
    id: sales
    elements:
      - {{id: sale, groups: [A], synonyms: [sales]}}
      - {{id: buy, groups: [A], synonyms: [purchases]}}
      - {{id: best, groups: [{best_groups}], synonyms: [the best]}}
    intents:
      - intent=sale term(what)~{{# == 'sale'}}
      - intent=sale_best term(what)~{{# == 'sale'}} term(best)~{{# == 'best'}}
      - intent=buy term(what)~{{# == 'buy'}}
      - intent=buy_best term(what)~{{# == 'buy'}} term(best)~{{# == 'best'}}
"""

DIALOG = (
    "Give me the sales",
    "Who was the best?",
    "Give me the purchases",
    "Who was the best?",
    "The report on sales again",
)


@pytest.mark.parametrize(
    ("groups", "intents"),
    [
        ("A, B", ["sale", "sale_best", "buy", "buy_best", "sale"]),
        ("B", ["sale", "sale_best", "buy_best", "buy_best", "sale_best"]),
    ],
)
def test_the_groups_of_an_element_decide_what_a_new_topic_evicts(bot, groups, intents):
    engine = bot(SALES.format(best_groups=groups))
    assert [engine.ask(question).intent for question in DIALOG] == intents


def test_fewer_uncovered_words_win(bot):
    engine = bot("""
        id: cover
        elements:
          - {id: york}
          - {id: city, values: {New York: []}}
        intents:
          - intent=york term={# == 'york'}
          - intent=city term={# == 'city'}
    """)
    assert engine.ask("New York").intent == "city"


def test_stop_words_do_not_count_as_uncovered(bot):
    engine = bot("""
        id: stop
        elements:
          - {id: tea}
          - {id: time, synonyms: [tea at five]}
        intents: ["intent=tea term={# == 'tea'}"]
    """)
    assert engine.explain("is it tea?").matches
    assert engine._bots.get("stop").pipeline("is it tea?").tokens[0].is_content_word is False


def test_more_entities_of_the_sentence_win(bot):
    engine = bot("""
        id: more
        elements: [{id: tea}, {id: milk}]
        intents:
          - intent=tea term={# == 'tea'}
          - intent=both term={# == 'tea'} term={# == 'milk'}?
    """)
    assert engine.ask("tea with milk").intent == "both"
    assert engine.ask("tea").intent == "tea"


def test_more_required_terms_win_though_they_take_more_from_memory(bot):
    engine = bot("""
        id: specific
        elements: [{id: tea, groups: [drink]}, {id: milk, groups: [extra]}]
        intents:
          - intent=tea term~{# == 'tea'}
          - intent=both term~{# == 'tea'} term~{# == 'milk'}
          - intent=milk term={# == 'milk'}
    """)
    engine.ask("milk")
    reply = engine.ask("tea", explain=True)
    assert reply.intent == "both"
    assert "it fills more required terms (2 against 1)" in str(reply.explanation)


def test_more_entities_in_all_win_among_equally_specific_intents(bot):
    engine = bot("""
        id: optional
        elements: [{id: tea, groups: [drink]}, {id: milk, groups: [extra]}]
        intents:
          - intent=milk term={# == 'milk'}
          - intent=plain term~{# == 'tea'}
          - intent=white term~{# == 'tea'} term~{# == 'milk'}?
    """)
    engine.ask("milk")
    assert engine.ask("tea").intent == "white"


def test_nearer_memory_wins(bot):
    engine = bot("""
        id: near
        elements:
          - {id: old, groups: [one]}
          - {id: young, groups: [two]}
          - {id: tea}
        intents:
          - intent=old term={# == 'old'}
          - intent=young term={# == 'young'}
          - intent=with_old term={# == 'tea'} term~{# == 'old'}
          - intent=with_young term={# == 'tea'} term~{# == 'young'}
    """)
    engine.ask("old")
    engine.ask("young")
    reply = engine.ask("tea", explain=True)
    assert reply.intent == "with_young"
    assert "more recent entities" in str(reply.explanation)


def test_the_exact_word_wins_over_one_of_the_same_stem(bot):
    engine = bot("""
        id: stems
        elements: [{id: organ}, {id: organize}]
        intents:
          - intent=a term={# == 'organ'}
          - intent=b term={# == 'organize'}
    """)
    assert engine.ask("organize").intent == "b"
    assert engine.ask("organ").intent == "a"


def test_the_order_of_the_model_decides_last(bot):
    engine = bot("""
        id: order
        elements: [{id: tea}]
        intents: ["intent=first term={# == 'tea'}", "intent=second term={# == 'tea'}"]
    """)
    reply = engine.ask("tea", explain=True)
    assert [match.intent for match in reply.explanation.matches] == ["first", "second"]
    assert "comes earlier in the model" in reply.explanation.matches[0].rank_reason
