"""A conversation as a user has it: questions, follow-ups, silence, handlers, threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from textwrap import dedent
from threading import Barrier
from typing import Any

import pytest
import spacy

from anaphora import (
    AnaphoraError,
    Conflict,
    Engine,
    HandlerError,
    MemoryStore,
    ModelError,
    Reject,
    Reply,
    Skip,
    parse_model,
)
from tests.intents.weather import WEATHER


async def coroutine() -> str:
    return "too late"


def values(reply: Reply) -> dict[str, Any]:
    return {name: slot.value for name, slot in reply.slots.items()}


def sources(reply: Reply) -> dict[str, Any]:
    return {name: slot.source for name, slot in reply.slots.items()}


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
        assert engine.ask("bananas").status == "rejected"
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


TOPICS = """
    id: both
    elements:
      - {id: weather, groups: [topic], topic: true}
      - {id: price, groups: [topic], topic: true, synonyms: [how much]}
      - {id: hotel, groups: [topic], topic: true}
      - {id: city, values: {Tokyo: [], Kyoto: []}}
      - {id: food, values: {coffee: [], donut: []}}
      - {id: date, values: {now: [], tomorrow: []}}
    intents:
      - intent=weather term(topic)~{# == 'weather'} term(city)~{# == 'city'}
        term(date)~{# == 'date'}?
      - intent=price term(topic)~{# == 'price'} term(food)~{# == 'food'} term(date)~{# == 'date'}?
      - intent=hotel term(topic)~{# == 'hotel'} term(city)~{# == 'city'} term(date)~{# == 'date'}?
"""


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
        engine = Engine("weather", "cafe", clock=clock)
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


class TestHandlers:
    def test_a_handler_gets_the_slots_by_name(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(city: str, date: str = "today") -> str:
            return f"{city} {date}"

        assert engine.ask("weather in Tokyo").text == "Tokyo today"
        assert engine.ask("tomorrow").text == "Tokyo tomorrow"

    def test_a_handler_may_keep_data_with_the_conversation(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(data: dict[str, Any], user: str) -> str:
            data["asked"] = data.get("asked", 0) + 1
            return f"{user} {data['asked']}"

        engine.ask("weather in Tokyo", user="ann")
        assert engine.ask("Kyoto", user="ann").text == "ann 2"
        assert engine.ask("weather in Tokyo", user="ben").text == "ben 1"

    def test_a_slot_that_is_empty_is_none_whatever_its_name(self, bot):
        engine = bot("""
            id: names
            elements: [{id: note}, {id: text}, {id: user}]
            intents:
              - intent=x term={# == 'note'} term(text)={# == 'text'}? term(user)={# == 'user'}?
            responses: {x: "{{ text }}|{{ user }}"}
        """)
        assert engine.ask("note").text == "|"
        engine.on("x")(lambda text, user="nobody": f"{text} {user}")
        assert engine.ask("note").text == "None nobody"

    @pytest.mark.parametrize("function", [lambda: (n for n in "ab"), lambda: coroutine()])
    def test_a_result_that_has_not_run_is_refused(self, bot, function):
        engine = bot(WEATHER)
        engine.on("weather")(function)
        with pytest.raises(HandlerError, match="not run yet"):
            engine.ask("weather in Tokyo")

    def test_what_has_no_signature_is_no_handler(self, bot):
        with pytest.raises(HandlerError, match="cannot be a handler"):
            bot(WEATHER).on("weather")(dict)

    def test_what_a_handler_returns_is_the_result_and_no_text_means_the_template(self, bot):
        engine = bot(WEATHER)
        engine.on("weather")(lambda city: {"city": city})
        reply = engine.ask("weather in Tokyo")
        assert (reply.result, reply.text) == ({"city": "Tokyo"}, "")
        engine.on("weather")(lambda: None)
        assert engine.ask("weather in Tokyo").text == "Tokyo"

    def test_a_handler_that_raises_leaves_the_memory_as_it_was(self, bot):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo now")
        before = engine.conversation()

        @engine.on("weather")
        def answer(city: str, data: dict[str, Any]) -> str:
            data["half"] = "done"
            raise OSError("no route")

        with pytest.raises(HandlerError, match="no route") as caught:
            engine.ask("And in Kyoto?")
        assert isinstance(caught.value.__cause__, OSError)
        assert engine.conversation() == before

    def test_one_that_raises_has_not_changed_the_data_inside_the_data_either(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(city: str, data: dict[str, Any]) -> str:
            data.setdefault("cities", []).append(city)
            if city == "Kyoto":
                raise OSError
            return ""

        engine.ask("weather in Tokyo")
        with pytest.raises(HandlerError):
            engine.ask("Kyoto")
        assert engine.conversation().data == {"cities": ["Tokyo"]}

    def test_data_that_no_store_could_keep_is_refused(self, bot):
        engine = bot(WEATHER)
        engine.on("weather")(lambda data: data.update(when=object()))
        with pytest.raises(HandlerError, match="not JSON"):
            engine.ask("weather in Tokyo")
        assert engine.memory() == ()

    def test_skip_hands_the_question_to_the_next_best_match(self, bot):
        engine = bot("""
            id: two
            elements: [{id: tea}, {id: milk}]
            intents:
              - intent=both term={# == 'tea'} term={# == 'milk'}
              - intent=tea term={# == 'tea'}
            responses: {both: both, tea: tea}
        """)

        @engine.on("both")
        def both() -> str:
            raise Skip

        reply = engine.ask("tea with milk", explain=True)
        assert reply.intent == "tea"
        assert "skipped by its handler" in str(reply.explanation)

    def test_a_question_that_every_handler_skips_is_rejected(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer() -> str:
            raise Skip

        assert engine.ask("weather in Tokyo").reason == "every intent that matched passed on it"
        assert engine.memory() == ()

    def test_reject_ends_the_question_with_its_reason(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(city: str) -> str:
            raise Reject(f"no station in {city}")

        reply = engine.ask("weather in Tokyo")
        assert (reply.status, reply.reason) == ("rejected", "no station in Tokyo")
        assert engine.memory() == ()

    def test_a_handler_that_asks_for_no_slot_is_refused_at_once(self, bot):
        engine = bot(WEATHER)
        with pytest.raises(HandlerError, match="town"):
            engine.on("weather")(lambda town: "")

    def test_an_async_handler_is_refused_at_once(self, bot):
        async def answer() -> str:
            return ""

        with pytest.raises(HandlerError, match="async"):
            bot(WEATHER).on("weather")(answer)

    def test_an_unknown_intent_gets_a_suggestion(self, bot):
        with pytest.raises(HandlerError, match="did you mean 'weather'"):
            bot(WEATHER).on("wether")

    def test_an_unknown_model_gets_a_suggestion(self, bot):
        with pytest.raises(AnaphoraError, match="did you mean 'weather'"):
            bot(WEATHER).ask("hi", model="wether")

    def test_a_handler_that_asks_its_own_conversation_is_told_so(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer() -> str:
            return engine.ask("and in Kyoto?").text

        with pytest.raises(HandlerError) as caught:
            engine.ask("weather in Tokyo")
        assert isinstance(caught.value.__cause__, Conflict)

    def test_a_response_that_cannot_be_filled_leaves_the_memory_as_it_was(self, bot):
        engine = bot("""
            id: broken
            elements: [{id: tea}]
            intents: ["intent=tea term(tea)={# == 'tea'}"]
            responses: {tea: "{{ tea / 2 }}"}
        """)
        with pytest.raises(HandlerError, match="cannot be filled"):
            engine.ask("tea")
        assert engine.memory() == ()

    @pytest.mark.parametrize(
        "template", ["{{ 2 ** 999999999 }}", "{{ 'a' * 10 ** 9 }}", "{{ tea.__class__.mro() }}"]
    )
    def test_a_response_can_neither_hang_nor_reach_out(self, bot, template):
        engine = bot(f"""
            id: hostile
            elements: [{{id: tea}}]
            intents: ["intent=tea term(tea)={{# == 'tea'}}"]
            responses: {{tea: "{template}"}}
        """)
        with pytest.raises(HandlerError, match="cannot be filled"):
            engine.ask("tea")


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


class TestThreads:
    def test_handlers_that_wait_for_each_other_do_not_wait_for_ever(self, clock):
        engine = Engine(
            parse_model(dedent(WEATHER)), clock=clock, store=MemoryStore(clock, wait=0.2)
        )
        both_inside = Barrier(2, timeout=10)

        @engine.on("weather")
        def answer(city: str, user: str) -> str:
            if city == "Tokyo":
                both_inside.wait()
                engine.ask("weather in Kyoto", user="b" if user == "a" else "a")
            return "done"

        def ask(user: str) -> BaseException | None:
            try:
                engine.ask("weather in Tokyo", user=user)
            except HandlerError as error:
                return error.__cause__
            return None

        with ThreadPoolExecutor(2) as pool:
            assert Conflict in {type(cause) for cause in pool.map(ask, "ab")}

    def test_a_hundred_threads_in_one_conversation_are_answered_one_after_the_other(self, bot):
        engine = bot(WEATHER)
        inside: list[int] = []

        @engine.on("weather")
        def answer(data: dict[str, Any]) -> str:
            inside.append(1)
            assert len(inside) == 1
            data["asked"] = data.get("asked", 0) + 1
            inside.pop()
            return ""

        with ThreadPoolExecutor(100) as pool:
            replies = list(pool.map(lambda _: engine.ask("weather in Tokyo"), range(400)))
        assert {reply.status for reply in replies} == {"matched"}
        assert engine.conversation().data["asked"] == 400

    def test_a_thousand_conversations_stay_apart(self, bot):
        engine = bot(WEATHER)
        cities = ("Tokyo", "Kyoto", "New York")

        def talk(number: int) -> tuple[str, Any]:
            city = cities[number % 3]
            engine.ask(f"weather in {city} today", user=str(number))
            return city, values(engine.ask("And tomorrow?", user=str(number)))["city"]

        with ThreadPoolExecutor(100) as pool:
            assert all(said == heard for said, heard in pool.map(talk, range(1000)))

    def test_a_slow_conversation_does_not_hold_up_another(self, bot):
        engine = bot(WEATHER)
        both_inside = Barrier(2, timeout=10)

        @engine.on("weather")
        def answer() -> str:
            both_inside.wait()
            return "done"

        with ThreadPoolExecutor(2) as pool:
            replies = pool.map(lambda user: engine.ask("weather in Tokyo", user=user), "ab")
            assert [reply.text for reply in replies] == ["done", "done"]


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
    Engine("weather", store=store, clock=clock).ask("weather in Tokyo")
    assert len(store) == 1


def test_an_engine_tells_its_models_by_their_ids(bot):
    with pytest.raises(AnaphoraError, match="two models have the id 'weather'"):
        bot(WEATHER, WEATHER)


def test_a_pipeline_of_the_users_serves_one_model():
    with pytest.raises(AnaphoraError, match="serves one model"):
        Engine("weather", "cafe", nlp=spacy.blank("en"))


def test_an_engine_without_a_model_says_what_it_needs():
    with pytest.raises(AnaphoraError, match="at least one model"):
        Engine()


def test_a_users_own_spacy_pipeline_is_extended_and_keeps_its_components(clock):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Tokyo"}])
    engine = Engine(parse_model(dedent(WEATHER)), nlp=nlp, clock=clock)
    assert engine.ask("weather in Tokyo").status == "matched"
    assert [entity.label_ for entity in nlp("weather in Tokyo").ents] == ["GPE"]
