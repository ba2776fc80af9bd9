"""What ends a context: a change of topic, a reset, too many questions that mean nothing."""

from __future__ import annotations

import pytest

from anaphora import (
    Engine,
    Skip,
)
from tests.support.plain_models import PLAIN_WEATHER
from tests.support.weather_models import TOPICS, WEATHER, values


class TestChangeOfTopic:
    def test_a_complete_question_on_another_topic_takes_nothing_from_the_old_one(self, bot):
        engine = bot(TOPICS)
        engine.ask("weather in Tokyo tomorrow")
        reply = engine.ask("how much is a coffee", explain=True)
        assert values(reply) == {"topic": "how much", "food": "coffee"}
        assert "another topic" in str(reply.explanation)
        assert engine.ask("And in Kyoto?").status == "rejected"

    def test_an_incomplete_question_on_another_topic_keeps_the_parameters(self, bot):
        engine = bot(TOPICS)
        engine.ask("weather in Tokyo tomorrow")
        reply = engine.ask("And a hotel?")
        assert reply.intent == "hotel"
        assert values(reply) == {"topic": "hotel", "city": "Tokyo", "date": "tomorrow"}

    def test_models_do_not_share_a_memory_and_keep_their_own(self, bot):
        engine = bot(WEATHER, WEATHER.replace("id: weather\n", "id: other\n", 1))
        engine.ask("weather in Tokyo")
        assert engine.ask("And in Kyoto?", model="other").status == "rejected"
        assert engine.ask("And in Kyoto?", model="weather").status == "matched"

    def test_switching_models_changes_the_topic(self, clock):
        engine = Engine(PLAIN_WEATHER, "cafe", clock=clock)
        engine.ask("What is the weather in Tokyo now?")
        reply = engine.ask("How much is a coffee at Starbucks?", model="cafe")
        assert (reply.intent, reply.slots["food"].value) == ("price", "coffee")
        assert engine.ask("And the donuts?", model="cafe").slots["place"].value == "Starbucks"
        reply = engine.ask("And at McDonald's?", model="cafe")
        assert (reply.slots["food"].value, reply.slots["place"].value) == ("donut", "McDonald's")
        assert engine.ask("And in Kyoto?").slots["date"].value == "now"

    def test_an_intent_that_needs_the_dialog_so_far_may_change_the_topic(self, bot):
        engine = bot("""
            id: flow
            elements:
              - {id: weather, topic: true}
              - {id: hotel, topic: true}
              - {id: date, values: {today: []}}
            intents:
              - intent=w term={# == 'weather'} term(date)~{# == 'date'}?
              - intent=h flow='w' term={# == 'hotel'} term(date)~{# == 'date'}?
        """)
        engine.ask("weather today")
        assert values(engine.ask("hotel")) == {}

    def test_the_topic_is_the_one_that_was_used_last(self, bot):
        engine = bot(TOPICS.replace("groups: [topic], ", ""))
        engine.ask("weather in Tokyo")
        assert values(engine.ask("a hotel tomorrow?"))["city"] == "Tokyo"
        assert "date" not in values(engine.ask("weather in Kyoto"))

    def test_a_topic_that_no_handler_takes_leaves_the_memory(self, bot):
        engine = bot(TOPICS)
        engine.ask("weather in Tokyo tomorrow")

        @engine.on("price")
        def price() -> str:
            raise Skip

        assert engine.ask("how much is a coffee").status == "rejected"
        assert values(engine.ask("And in Kyoto?"))["date"] == "tomorrow"


class TestForgetting:
    def test_a_reset_phrase_forgets_the_conversation(self, bot):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo")
        assert engine.ask("Enough of the weather, forget it").status == "reset"
        assert engine.ask("Better in New York!").status == "rejected"

    def test_without_it_the_same_question_is_answered(self, bot):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo")
        assert values(engine.ask("Better in New York!"))["city"] == "New York"

    def test_a_reset_phrase_resets_though_a_predicate_fails_on_what_stands_beside_it(self, bot):
        engine = bot("""
            id: broken
            elements: [{id: tea}, {id: milk, meta: {price: cheap}}]
            intents:
              - intent=tea term={# == 'tea'}
              - intent=milk term={# == 'milk' && meta_ent('price') > 3}
            reset: [forget it]
        """)
        engine.ask("tea")
        assert engine.ask("milk").status == "rejected"
        assert engine.ask("forget it, milk").status == "reset"
        assert engine.memory() == ()

    def test_what_stands_beside_a_reset_phrase_is_answered_afresh(self, bot):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo tomorrow")
        reply = engine.ask("forget that, the weather in Kyoto please")
        assert values(reply) == {"topic": "weather", "city": "Kyoto"}

    @pytest.mark.parametrize(
        ("how", "left"),
        [
            ({}, set()),
            ({"what": "entities"}, set()),
            ({"what": "flow"}, {"weather", "city", "date"}),
            ({"group": "topic"}, {"city", "date"}),
            ({"where": lambda entity: entity.value == "Tokyo"}, {"weather", "date"}),
        ],
    )
    def test_the_engine_forgets_what_it_is_told_to(self, bot, how, left):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo now")
        engine.forget(**how)
        assert {held.entity.element for held in engine.memory()} == left

    def test_forgetting_the_flow_alone_keeps_the_entities(self, bot):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo now")
        engine.forget(what="flow")
        assert engine.conversation().flow == ()

    def test_four_questions_in_a_row_that_mean_nothing_forget_everything(self, bot):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo")
        for _ in range(3):
            engine.ask("bananas")
        assert engine.memory()
        engine.ask("bananas")
        assert engine.ask("And in Kyoto?").status == "rejected"
