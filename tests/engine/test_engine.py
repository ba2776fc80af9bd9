"""A conversation as a user has it: questions, follow-ups, silence, slots, strange input."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from textwrap import dedent

import pytest
import spacy

from anaphora import (
    AnaphoraError,
    Engine,
    HandlerError,
    MemoryStore,
    ModelError,
    Skip,
    parse_model,
)
from tests.support.plain_models import PLAIN_WEATHER
from tests.support.weather_models import WEATHER, sources, values

NEW_YORK, TOKYO = timezone(timedelta(hours=-5)), timezone(timedelta(hours=9))


class TestFollowUps:
    def test_a_complete_question_is_answered_from_the_sentence_alone(self, bot):
        reply = bot(WEATHER).ask("What is the weather in Tokyo now?")
        assert (reply.status, reply.intent) == ("matched", "weather")
        assert values(reply) == {"topic": "weather", "city": "Tokyo", "date": "now"}
        assert set(sources(reply).values()) == {"sentence"}
        assert reply.text == "Tokyo, now"

    def test_what_a_follow_up_leaves_out_comes_from_memory(self, bot):
        engine = bot(WEATHER)
        engine.ask("What is the weather in Tokyo now?")
        reply = engine.ask("And in Kyoto?")
        assert values(reply) == {"topic": "weather", "city": "Kyoto", "date": "now"}
        assert sources(reply) == {"topic": "memory", "city": "sentence", "date": "memory"}
        reply = engine.ask("And tomorrow?")
        assert values(reply) == {"topic": "weather", "city": "Kyoto", "date": "tomorrow"}

    def test_a_question_without_its_topic_is_rejected_and_told_what_it_lacks(self, bot):
        reply = bot(WEATHER).ask("now in Tokyo?")
        assert reply.status == "rejected"
        assert "topic" in reply.reason

    def test_users_do_not_share_a_memory(self, bot):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo", user="ann")
        assert engine.ask("And in Kyoto?", user="ben").status == "rejected"
        assert engine.ask("And in Kyoto?", user="ann").status == "matched"

    def test_a_slot_keeps_the_words_of_the_user_beside_the_value(self, bot):
        slot = bot(WEATHER).ask("weather in NYC").slots["city"]
        assert (slot.value, slot.text, slot.element) == ("New York", "NYC", "city")

    def test_a_reply_prints_in_one_line(self, bot):
        reply = bot(WEATHER).ask("weather in NYC")
        assert str(reply) == "matched weather (topic=weather, city=New York) 'New York'"

    def test_a_repeated_term_gives_lists(self, bot):
        reply = bot("""
            id: pizza
            elements:
              - {id: pizza}
              - {id: topping, values: {ham: [], olives: [], corn: []}}
            intents: ["intent=order term={# == 'pizza'} term(topping)~{# == 'topping'}[0,2]"]
        """).ask("pizza with ham, olives and corn")
        assert reply.slots["topping"].value == ["ham", "olives"]
        assert reply.slots["topping"].source == ["sentence", "sentence"]


class TestSilence:
    def test_after_exactly_the_timeout_the_memory_is_still_there(self, bot, clock):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo now")
        clock.pass_time(minutes=5)
        assert values(engine.ask("And the day after tomorrow?"))["city"] == "Tokyo"

    def test_after_more_than_the_timeout_it_is_gone(self, bot, clock):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo now")
        clock.pass_time(minutes=5, microseconds=1)
        assert engine.ask("And the day after tomorrow?").status == "rejected"

    def test_the_time_may_come_with_the_question(self, bot, clock):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo now", at=clock.now)
        clock.pass_time(minutes=6)
        assert engine.ask("And tomorrow?", at=clock.now).status == "rejected"

    @pytest.mark.parametrize(
        "at", [datetime(9999, 12, 31, 20, tzinfo=NEW_YORK), datetime(1, 1, 1, 5, tzinfo=TOKYO)]
    )
    def test_a_time_outside_of_the_calendar_is_refused(self, bot, at):
        with pytest.raises(ValueError, match="outside the years 1 to 9999 in UTC"):
            bot(WEATHER).ask("weather in Tokyo now", at=at)

    def test_a_time_without_a_zone_is_refused(self, bot):
        with pytest.raises(ValueError, match="time zone"):
            bot(WEATHER).ask("weather", at=datetime(2026, 1, 1))


class TestSlotFilling:
    def test_a_missing_slot_is_asked_for_and_the_answer_completes_the_question(self, bot):
        engine = bot(WEATHER)
        asked = engine.ask("What's the weather tomorrow?")
        assert (asked.status, asked.intent) == ("incomplete", "weather")
        assert (asked.missing, asked.prompt) == (("city",), "For which city?")
        reply = engine.ask("Tokyo")
        assert values(reply) == {"topic": "weather", "city": "Tokyo", "date": "tomorrow"}
        assert values(engine.ask("And in Kyoto?"))["date"] == "tomorrow"

    def test_the_question_waits_through_an_answer_that_means_nothing(self, bot):
        engine = bot(WEATHER)
        engine.ask("What's the weather?")
        assert engine.ask("bananas").prompt == "For which city?"
        assert engine.ask("Tokyo").status == "matched"

    def test_an_answer_that_adds_something_else_is_kept_too(self, bot):
        engine = bot(WEATHER)
        engine.ask("What's the weather?")
        assert engine.ask("tomorrow").missing == ("city",)
        assert values(engine.ask("Kyoto")) == {
            "topic": "weather",
            "city": "Kyoto",
            "date": "tomorrow",
        }

    def test_an_unfinished_question_is_dropped_by_one_that_makes_sense_alone(self, bot):
        engine = bot("""
            id: two
            elements:
              - {id: weather}
              - {id: city, values: {Tokyo: []}}
              - {id: hello}
            intents:
              - intent=weather term(topic)={# == 'weather'} term(city)={# == 'city'}
              - intent=greet term={# == 'hello'}
            prompts: {weather: {city: Where?}}
        """)
        assert engine.ask("weather").status == "incomplete"
        assert engine.ask("hello").intent == "greet"
        assert engine.ask("Tokyo").status == "rejected"

    def test_an_unfinished_question_is_dropped_by_a_reset_phrase_and_by_silence(self, bot, clock):
        engine = bot(WEATHER)
        engine.ask("What's the weather?")
        assert engine.ask("forget it").status == "reset"
        assert engine.ask("Tokyo").status == "rejected"
        engine.ask("What's the weather?")
        clock.pass_time(minutes=6)
        assert engine.ask("Tokyo").status == "rejected"

    def test_an_answer_replaces_what_was_understood_before(self, bot):
        engine = bot(WEATHER)
        engine.ask("What's the weather tomorrow?")
        engine.ask("today")
        assert values(engine.ask("Tokyo"))["date"] == "today"

    def test_a_slot_that_needs_several_values_collects_them(self, bot):
        engine = bot("""
            id: pizza
            elements:
              - {id: pizza}
              - {id: topping, values: {ham: [], corn: [], olives: []}}
            intents: ["intent=x term={# == 'pizza'} term(two)~{# == 'topping'}[2,2]"]
            prompts: {x: {two: Which two toppings?}}
        """)
        assert engine.ask("pizza").prompt == "Which two toppings?"
        assert engine.ask("ham").slots["two"].value == ["ham"]
        assert sorted(engine.ask("and corn").slots["two"].value) == ["corn", "ham"]

    def test_two_slots_of_the_same_element_are_filled_one_after_the_other(self, bot):
        engine = bot("""
            id: flight
            elements:
              - {id: flight}
              - {id: city, values: {Tokyo: [], Kyoto: [], Rome: []}}
            intents:
              - intent=x term={# == 'flight'} term(from)~{# == 'city'} term(to)~{# == 'city'}
            prompts: {x: {from: Where from?, to: Where to?}}
        """)
        assert engine.ask("a flight from Tokyo").prompt == "Where to?"
        assert values(engine.ask("Kyoto")) == {"from": "Tokyo", "to": "Kyoto"}

    def test_a_term_that_takes_nothing_from_memory_is_completed_as_well(self, bot):
        engine = bot("""
            id: strict
            elements:
              - {id: book}
              - {id: city, values: {Tokyo: []}}
            intents: ["intent=book term={# == 'book'} term(city)={# == 'city'}"]
            prompts: {book: {city: Where to?}}
        """)
        assert engine.ask("book").prompt == "Where to?"
        assert values(engine.ask("Tokyo")) == {"city": "Tokyo"}


class TestLanguages:
    LIGHTS = """
        id: lights
        language: [en, ru]
        elements:
          - {id: light, synonyms: {ru: [свет]}}
          - {id: room, values: {hall: {ru: [зал]}, "7": []}}
        intents: ["intent=on term={# == 'light'}? term(room)~{# == 'room'}"]
        responses: {on: {en: "on: {{ room }}", ru: "горит: {{ room }}"}}
    """

    def test_a_question_is_answered_in_its_own_language(self, bot):
        engine = bot(self.LIGHTS)
        assert engine.ask("свет зал").text == "горит: hall"
        assert engine.ask("and the hall").text == "on: hall"

    def test_one_that_could_be_in_any_is_answered_in_that_of_the_question_before(self, bot):
        engine = bot(self.LIGHTS)
        assert engine.ask("7").text == "on: 7"
        engine.ask("свет зал")
        assert engine.ask("7").text == "горит: 7"
        assert engine.ask("7", language="en").text == "on: 7"


class TestStrangeInput:
    @pytest.mark.parametrize(
        "text",
        ["", "   ", "\n\t", "\0", "\0weather\0", "🌧️🌂", "مرحبا كيف الطقس", "\ud800", "?" * 500],
    )
    def test_it_is_answered_without_an_error(self, bot, text):
        assert bot(WEATHER).ask(text).status in ("rejected", "incomplete")

    def test_an_empty_question_is_told_so(self, bot):
        assert bot(WEATHER).ask(" ").reason == "the question is empty"

    def test_a_megabyte_is_rejected_unread(self, bot):
        reply = bot(WEATHER).ask("weather in Tokyo " * 65_536)
        assert reply.reason == "the question is longer than 10,000 characters"

    def test_a_text_that_is_not_read_matches_nothing_in_memory_either(self, bot):
        engine = bot("""
            id: memory
            elements: [{id: fruit}]
            intents: ["intent=x options={'allow_stm_only': true} term~{# == 'fruit'}"]
        """)
        engine.ask("fruit")
        assert engine.ask("x" * 20_000).status == "rejected"
        with pytest.raises(ModelError):
            engine.ask("x" * 20_000, language="fr")

    def test_a_predicate_that_cannot_be_evaluated_rejects_the_question(self, bot):
        engine = bot("""
            id: broken
            elements: [{id: tea, meta: {price: cheap}}]
            intents: ["intent=tea term(tea)={meta_ent('price') > 3}"]
        """)
        reply = engine.ask("tea", explain=True)
        assert reply.status == "rejected"
        assert "intent tea, term tea" in reply.reason


def test_a_skip_is_not_asked_again_for_a_reading_that_differs_in_nothing(bot):
    engine = bot("""
        id: readings
        elements: [{id: go}, {id: one, synonyms: [x]}, {id: two, synonyms: [x]}]
        intents: ["intent=go term={# == 'go'}"]
    """)
    called = []

    @engine.on("go")
    def go() -> str:
        called.append(1)
        raise Skip

    engine.ask("go x x x")
    assert called == [1]


def test_the_store_that_is_given_is_used_though_it_is_empty(clock):
    store = MemoryStore(clock)
    Engine(PLAIN_WEATHER, store=store, clock=clock).ask("weather in Tokyo")
    assert len(store) == 1


def test_an_engine_tells_its_models_by_their_ids(bot):
    with pytest.raises(AnaphoraError, match="two models have the id 'weather'"):
        bot(WEATHER, WEATHER)


def test_a_pipeline_of_the_users_serves_one_model():
    with pytest.raises(AnaphoraError, match="serves one model"):
        Engine(PLAIN_WEATHER, "cafe", nlp=spacy.blank("en"))


def test_an_engine_without_a_model_says_what_it_needs():
    with pytest.raises(AnaphoraError, match="at least one model"):
        Engine()


def test_a_users_own_spacy_pipeline_is_extended_and_keeps_its_components(clock):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Tokyo"}])
    engine = Engine(parse_model(dedent(WEATHER)), nlp=nlp, clock=clock)
    assert engine.ask("weather in Tokyo").status == "matched"
    assert [entity.label_ for entity in nlp("weather in Tokyo").ents] == ["GPE"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda engine: engine.ask(None), "a question is a text, not NoneType"),
        (lambda engine: engine.ask("go", user=5), "a user is an id or a User, not int"),
        (lambda engine: engine.ask("go", request={}), "write request=Request"),
        (lambda engine: engine.ask("go", at="now"), "the time is a datetime, not str"),
        (lambda engine: engine.on(print), "name the intent that the handler answers"),
        (lambda engine: engine.hook("context")(5), "must be a function, not 5"),
    ],
)
def test_what_cannot_be_meant_is_told_at_once(call, message):
    engine = Engine(PLAIN_WEATHER)
    with pytest.raises((TypeError, HandlerError), match=message):
        call(engine)
