"""Every answer can be explained: what was understood, offered, matched, missed, forgotten."""

from __future__ import annotations

import json

from tests.support.weather_models import WEATHER


def explained(bot, *questions, text=WEATHER):
    engine = bot(text)
    for question in questions[:-1]:
        engine.ask(question)
    return engine.ask(questions[-1], explain=True).explanation


def test_what_came_from_memory_and_what_was_evicted_by_which_rule(bot):
    explanation = explained(bot, "weather in Tokyo now", "and in Kyoto?")
    ((first,),) = (explanation.matches,)
    assert [(name, taken.source) for name, taken in first.taken] == [
        ("topic", "memory"),
        ("city", "sentence"),
        ("date", "memory"),
    ]
    assert [str(gone.remembered.entity) for gone in explanation.forgotten] == ["city=Tokyo"]
    assert "forgotten: city=Tokyo, evicted by city=Kyoto" in str(explanation)
    assert "not offered: city=Tokyo, because the sentence has another of group city" in str(
        explanation
    )
    assert "remembered: weather (group topic), 1 question ago" in str(explanation)


def test_why_an_intent_missed(bot):
    explanation = explained(bot, "now in Tokyo")
    (miss,) = explanation.misses
    assert (miss.intent, miss.reason) == ("weather", "nothing fills topic ({# == 'weather'})")


def test_a_timeout_is_among_what_was_forgotten(bot, clock):
    engine = bot(WEATHER)
    engine.ask("weather in Tokyo")
    clock.pass_time(minutes=6)
    explanation = engine.ask("and tomorrow?", explain=True).explanation
    assert {gone.rule.value for gone in explanation.forgotten} == {"timeout"}


def test_a_completed_question_names_what_was_pending(bot):
    explanation = explained(bot, "What's the weather?", "Tokyo")
    assert "goes on with an earlier question" in str(explanation)
    assert "from the question that is being completed" in str(explanation)


def test_a_completed_question_is_no_miss_and_the_other_intents_are(bot):
    text = """
        id: two
        elements: [{id: tea}, {id: book}, {id: city}]
        intents:
          - intent=tea term={# == 'tea'}
          - intent=book term={# == 'book'} term(city)={# == 'city'}
        prompts: {book: {city: Where to?}}
    """
    explanation = explained(bot, "book", "city", text=text)
    assert [match.intent for match in explanation.matches] == ["book"]
    assert [miss.intent for miss in explanation.misses] == ["tea"]


BROKEN = """
    id: broken
    elements: [{id: a}, {id: b}]
    intents:
      - intent=i term={# == 'a'}
      - intent=j term={# == 'b'} term={length(ent_text()) / (length(ent_text()) - 1) > 0}?
    responses: {i: "{{ intent / 2 }}"}
"""


def test_a_predicate_that_fails_in_another_intent_is_a_miss(bot):
    engine = bot(BROKEN)
    engine.on("i")(lambda: "fine")
    reply = engine.ask("a", explain=True)
    assert (reply.status, reply.text) == ("matched", "fine")
    assert "divides" in reply.explanation.misses[0].reason


def test_explaining_beforehand_fills_no_template(bot):
    assert bot(BROKEN).explain("a").status == "matched"


def test_the_reading_of_an_incomplete_question_is_the_one_that_is_completed(bot):
    text = """
        id: readings
        elements: [{id: x, synonyms: [new york]}, {id: y, synonyms: [new]}, {id: z}]
        intents: ["intent=i term={# == 'y'} term(z)={# == 'z'}"]
        prompts: {i: {z: Which?}}
    """
    explanation = explained(bot, "new york", text=text)
    assert [entity.element for entity in explanation.reading] == ["y"]


def test_a_reset_phrase_is_noted_and_no_intent_beside_it(bot):
    explanation = explained(bot, "weather in Tokyo", "forget it")
    assert "a reset phrase" in str(explanation)
    assert "because the conversation was reset" in str(explanation)
    assert explanation.misses == ()


def test_words_that_mean_nothing_to_the_model_are_named(bot):
    explanation = explained(bot, "weather in Boston and Tokyo or Kyoto")
    assert explanation.unknown == ("Boston",)
    assert [str(entity) for entity in explanation.unused] == ["city=Kyoto"]
    assert "not understood: Boston" in str(explanation)


def test_a_mention_that_replaces_itself_is_told_as_such(bot):
    text = str(explained(bot, "weather in Tokyo", "weather in Kyoto"))
    assert "forgotten: weather (group topic), evicted by itself, mentioned again" in text


def test_explaining_beforehand_changes_nothing(bot):
    engine = bot(WEATHER)
    engine.ask("weather in Tokyo now")
    before = engine.conversation()
    called = []
    engine.on("weather")(lambda: called.append(1))
    assert engine.explain("and in Kyoto?").status == "matched"
    assert (engine.conversation(), called) == (before, [])


def test_other_readings_of_the_sentence_are_shown(bot):
    text = """
        id: readings
        elements:
          - {id: york}
          - {id: city, values: {New York: []}}
        intents: ["intent=city term={# == 'city'}"]
    """
    explanation = explained(bot, "New York", text=text)
    assert "read otherwise: york from 'York'" in str(explanation)


def test_of_many_intents_only_those_that_the_question_concerns_are_listed(bot):
    elements = "\n".join(f"      - {{id: e{n}}}" for n in range(300))
    intents = "\n".join(
        f"      - intent=i{n} term={{# == 'e{n}'}} term={{# == 'shared'}}" for n in range(300)
    )
    text = f"""
    id: many
    elements:
      - {{id: shared}}
{elements}
    intents:
{intents}
    """
    explanation = explained(bot, "e7", text=text)
    assert [miss.intent for miss in explanation.misses] == ["i7"]
    assert explanation.untouched == 299
    assert "299 more intents" in str(explanation)


def test_it_can_be_sent_as_json(bot):
    plain = explained(bot, "weather in Tokyo now", "and in Kyoto?").to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["forgotten"][0]["rule"] == "evicted"
    assert plain["hidden"][0]["by"] == ["city"]


def test_it_tells_what_was_misspelt(bot):
    text = """
        id: weather
        elements:
          - {id: weather, typos: 1}
          - {id: city, typos: 1, values: [Tokyo]}
        intents:
          - "intent=sure term(topic)={# == 'weather' && !ent_is_misspelt} term={# == 'city'}"
          - "intent=guessed term(topic)={# == 'weather'} term={# == 'city'}"
    """
    explanation = explained(bot, "wether in Tokyo", text=text)
    assert "understood: weather from 'wether' (misspelt), city=Tokyo from 'Tokyo'" in str(
        explanation
    )
    assert [match.intent for match in explanation.matches] == ["guessed"]
    assert [one["misspelt"] for one in explanation.to_dict()["reading"]] == [True, False]
