"""A question whose context has timed out is completed from the long-term memory."""

from __future__ import annotations

from datetime import timedelta
from textwrap import dedent

import pytest
from msgspec.structs import replace

from anaphora import Answer, Company, Engine, Entity, MemoryStore, User, parse_model
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.records import dump, load
from tests.support.fake_long_term import ListMemory, exchange_with_memory
from tests.support.weather_models import TOPICS, WEATHER, sources, values

OFFERS = 'recall_offers: {weather: "Still about the weather in {{ city }}?"}\n'
ME = ConversationKey("user", "weather")


@pytest.fixture
def past():
    return ListMemory()


@pytest.fixture
def make(past, clock):
    """Makes an engine of the weather model with these lines added."""

    def make(more: str = "", text: str = WEATHER) -> Engine:
        return Engine(parse_model(dedent(text) + more), clock=clock, long_term=past)

    return make


@pytest.fixture
def engine(make, clock):
    """One that was asked for the weather in Tokyo six minutes ago."""
    engine = make(OFFERS)
    engine.ask("weather in Tokyo")
    clock.pass_time(minutes=6)
    return engine


def why(reply) -> str:
    return str(reply.explanation)


class TestAnOffer:
    def test_is_made_when_the_context_of_a_follow_up_has_timed_out(self, engine):
        reply = engine.ask("And tomorrow?")
        assert (reply.status, reply.intent, reply.missing) == ("incomplete", "weather", ())
        assert reply.text == reply.prompt == "Still about the weather in Tokyo?"
        assert values(reply) == {"topic": "weather", "city": "Tokyo", "date": "tomorrow"}
        assert reply.memory == ()

    def test_that_is_accepted_answers_the_question_that_was_asked(self, engine):
        engine.ask("And tomorrow?")
        reply = engine.ask("Yes, please!")
        assert (reply.status, reply.text) == ("matched", "Tokyo, tomorrow")
        assert sources(reply) == {"topic": "memory", "city": "memory", "date": "sentence"}
        assert values(engine.ask("And in Kyoto?")) == {
            "topic": "weather",
            "city": "Kyoto",
            "date": "tomorrow",
        }

    def test_that_is_accepted_calls_the_handler_with_the_question(self, engine):
        heard = []
        engine.on("weather")(lambda text, city: heard.append((text, city)) or "sunny")
        engine.ask("And tomorrow?")
        assert heard == []
        assert engine.ask("yes").text == "sunny"
        assert heard == [("And tomorrow?", "Tokyo")]

    def test_that_is_accepted_is_handed_over_as_it_was_said(self, engine, past):
        engine.ask("And tomorrow?")
        engine.ask("yes")
        offered, accepted = past.exchanges[1:]
        assert (offered.status, offered.intent, offered.slots) == ("incomplete", None, {})
        assert offered.answer == "Still about the weather in Tokyo?"
        assert (accepted.question, accepted.intent) == ("yes", "weather")
        assert accepted.slots["city"] == ("Tokyo",)

    def test_that_is_declined_is_no_misunderstanding(self, engine):
        engine.hook("rejection")(lambda reason: "I don't understand")
        engine.ask("And tomorrow?")
        reply = engine.ask("no, thanks")
        assert (reply.status, reply.reason) == ("rejected", "the offer was declined")
        assert reply.text == "All right, not that then."
        assert engine.conversation().rejections == 0

    def test_that_was_declined_is_not_made_again_until_the_timeout(self, engine, clock):
        engine.ask("And tomorrow?")
        engine.ask("no")
        assert engine.ask("And tomorrow?").status == "rejected"
        assert engine.ask("yes").status == "rejected"
        clock.pass_time(minutes=6)
        assert engine.ask("And tomorrow?").status == "incomplete"

    def test_may_be_made_again_once_something_else_was_answered(self, engine, clock):
        engine.ask("And tomorrow?")
        engine.ask("no")
        assert engine.ask("weather in Kyoto").status == "matched"
        clock.pass_time(minutes=6)
        assert engine.ask("And tomorrow?").text == "Still about the weather in Kyoto?"

    def test_is_dropped_by_anything_else(self, engine):
        engine.ask("And tomorrow?")
        assert engine.ask("hello").status == "rejected"
        assert engine.ask("yes").status == "rejected"

    @pytest.mark.parametrize("text", ["yes or no", "yes, in Oslo", "not sure", "yes no"])
    def test_is_accepted_by_a_yes_and_nothing_but_a_yes(self, engine, text):
        engine.ask("And tomorrow?")
        assert engine.ask(text).status == "rejected"

    def test_ends_with_the_timeout(self, engine, clock):
        engine.ask("And tomorrow?")
        clock.pass_time(minutes=6)
        assert engine.ask("yes").status == "rejected"

    def test_goes_before_an_intent_that_takes_a_yes(self, make, clock):
        text = dedent(WEATHER).replace(
            "intents:\n", "intents:\n  - \"intent=fine term={# == 'fine'}\"\n", 1
        )
        text = text.replace("elements:\n", "elements:\n  - {id: fine, synonyms: ['yes']}\n", 1)
        engine = make(text=text)
        assert engine.ask("yes").intent == "fine"
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        engine.ask("And tomorrow?")
        assert engine.ask("yes").intent == "weather"
        assert engine.ask("yes").intent == "fine"

    def test_survives_being_stored(self, engine):
        engine.ask("And tomorrow?")
        conversation = engine.conversation()
        assert conversation.recall_offer is not None
        assert load(dump(conversation)) == conversation

    def test_needs_the_long_term_memory_no_more(self, engine, past):
        engine.ask("And tomorrow?")
        past.is_down = True
        assert engine.ask("yes").text == "Tokyo, tomorrow"

    def test_asks_what_the_question_meant_when_it_was_asked(self, make, clock):
        """Midnight may lie between a question and the yes to its offer."""
        text = """
            id: weather
            entities: [date]
            elements: [{id: weather}, {id: city, values: [Tokyo]}]
            intents:
              - intent=w term(topic)~{# == 'weather'} term(city)~{# == 'city'}
                term(date)~{# == 'date'}?
        """
        engine = make(text=text)
        engine.ask("weather Tokyo")
        clock.pass_time(hours=14, minutes=58)  # 23:58
        engine.ask("And tomorrow?")
        clock.pass_time(minutes=4)
        assert values(engine.ask("yes"))["date"] == "2026-01-06"


class TestAQuestionThatAsksForSomethingItself:
    @pytest.fixture
    def asked(self, engine):
        """One that could also be completed otherwise."""
        reply = engine.ask("weather?")
        assert reply.text == "Still about the weather in Tokyo?"
        return engine

    def test_is_completed_by_a_yes(self, asked):
        assert values(asked.ask("yes")) == {"topic": "weather", "city": "Tokyo"}

    def test_asks_for_it_after_a_no(self, asked):
        reply = asked.ask("no")
        assert (reply.status, reply.missing, reply.text) == (
            "incomplete",
            ("city",),
            "For which city?",
        )
        assert values(asked.ask("Kyoto")) == {"topic": "weather", "city": "Kyoto"}

    def test_is_completed_by_what_it_lacks(self, asked):
        assert values(asked.ask("Kyoto")) == {"topic": "weather", "city": "Kyoto"}
        assert asked.ask("yes").status == "rejected"


class TestNothingIsOffered:
    def test_while_something_is_remembered(self, engine, past):
        engine.ask("weather in Kyoto tomorrow")
        assert engine.ask("hello").status == "rejected"
        assert past.reads == 0

    def test_and_nothing_is_read_for_a_question_that_matches(self, engine, past):
        engine.ask("weather in Kyoto")
        assert past.reads == 0

    def test_and_nothing_is_read_for_one_in_which_nothing_is_known(self, engine, past):
        assert engine.ask("hello").reason == "nothing in it is known to this bot"
        assert past.reads == 0

    def test_if_the_model_wants_none(self, make, past, clock):
        engine = make("bridge: off\n")
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        assert engine.ask("And tomorrow?").status == "rejected"
        assert past.reads == 0

    def test_after_a_reset_phrase(self, engine, clock):
        engine.ask("forget it")
        clock.pass_time(minutes=6)
        assert engine.ask("And tomorrow?").status == "rejected"

    def test_in_answer_to_a_reset_phrase(self, engine):
        assert engine.ask("forget it. And tomorrow?").status == "reset"

    def test_after_a_reset_phrase_beside_another_question(self, make, clock):
        engine = make(text=TOPICS.replace("id: both", "id: weather"), more="reset: [forget it]\n")
        engine.ask("weather in Tokyo")
        engine.ask("forget it. how much is a coffee")
        clock.pass_time(minutes=6)
        assert engine.ask("And in Kyoto?").status == "rejected"

    @pytest.mark.parametrize("what", ["all", "entities"])
    def test_after_it_was_forgotten(self, engine, what):
        engine.ask("weather in Kyoto")
        engine.forget(what=what)
        assert engine.ask("And tomorrow?").status == "rejected"

    def test_of_a_group_that_was_forgotten(self, engine, clock):
        engine.ask("weather in Kyoto")
        engine.forget(group="city")
        clock.pass_time(minutes=6)
        assert engine.ask("And tomorrow?").status == "rejected"
        assert engine.ask("And in Tokyo?").status == "incomplete"

    def test_of_what_a_handler_has_forgotten(self, engine, clock):
        engine.on("weather")(lambda conversation: conversation.forget())
        engine.ask("weather in Kyoto")
        clock.pass_time(minutes=6)
        engine.ask("hello")
        reply = engine.ask("And tomorrow?")
        assert reply.slots.get("city") is None or reply.slots["city"].value == "Kyoto"

    def test_and_an_offer_is_gone_once_it_is_forgotten(self, engine):
        engine.ask("And tomorrow?")
        engine.forget(group="city")
        assert engine.ask("yes").status == "rejected"

    def test_after_an_erasure(self, engine):
        engine.erase(user="user")
        assert engine.ask("And tomorrow?").status == "rejected"

    @pytest.mark.parametrize("other", ["bob", User("user", company=Company("acme"))])
    def test_of_somebody_elses_exchanges(self, engine, other):
        assert engine.ask("And tomorrow?", user=other).status == "rejected"

    def test_that_is_older_than_the_model_wants(self, make, past, clock):
        engine = make("bridge: {within: 2h}\n")
        engine.ask("weather in Tokyo")
        clock.pass_time(hours=2)
        assert engine.ask("And tomorrow?").status == "incomplete"
        clock.pass_time(minutes=6)
        assert engine.ask("And tomorrow?").status == "rejected"

    def test_from_further_back_than_the_model_wants(self, make, clock):
        engine = make("bridge: {exchanges: 2}\n")
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        engine.ask("hello")
        assert engine.ask("And tomorrow?").status == "incomplete"
        engine.ask("hello")
        assert engine.ask("And tomorrow?").status == "rejected"

    def test_to_a_question_that_breaks_a_limit(self, make, clock):
        engine = make("limits: {max_words: 3}\n")
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        assert engine.ask("And then what about tomorrow?").status == "rejected"

    def test_when_a_handler_passes_on_what_matched(self, engine, past):
        from anaphora import Skip

        @engine.on("weather")
        def weather():
            raise Skip

        assert engine.ask("weather in Kyoto").status == "rejected"
        assert past.reads == 0


class TestWhatIsBroughtBack:
    def test_is_from_the_first_exchange_that_completes_the_question(self, make, past, clock):
        engine = make(text=TOPICS.replace("id: both", "id: weather"))
        engine.ask("weather in Tokyo")
        engine.ask("how much is a coffee")
        clock.pass_time(hours=5)
        assert engine.ask("And in Kyoto?").text == "Still about weather?"
        assert values(engine.ask("yes")) == {"topic": "weather", "city": "Kyoto"}

    def test_is_what_the_model_still_knows(self, make, past, clock):
        nowhere = Entity("planet", frozenset({"planet"}), "Mars")
        tokyo = Entity("city", frozenset({"city"}), "Oslo", value="Oslo")
        topic = Entity("weather", frozenset({"old"}), "weather")
        past.add(ME, exchange_with_memory(clock.now, topic, nowhere, tokyo))
        engine = make()
        assert engine.ask("And tomorrow?").status == "rejected"
        assert engine.ask("And in Kyoto?").text == "Still about weather?"
        engine.ask("yes")
        assert [str(entity) for entity in (held.entity for held in engine.memory())] == [
            "city=Kyoto",
            "weather",
        ]
        assert engine.memory()[-1].entity.groups == {"topic"}

    def test_that_no_longer_fits_the_model_ends_the_offer(self, clock, past, make):
        store = MemoryStore(clock)
        text = dedent(WEATHER)
        before = Engine(parse_model(text), clock=clock, store=store, long_term=past)
        before.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        before.ask("And tomorrow?")
        text = text.replace("Tokyo: [], ", "")
        after = Engine(parse_model(text), clock=clock, store=store, long_term=past)
        assert after.ask("yes").status == "rejected"

    def test_keeps_its_distance(self, make, past, clock):
        engine = make()
        engine.ask("weather in Tokyo")
        engine.ask("And tomorrow?")
        clock.pass_time(minutes=6)
        offered = engine.ask("And in Kyoto?", explain=True)
        assert offered.status == "incomplete"
        ago = {
            one.entity.element: one.distance
            for one in engine.ask("yes", explain=True).explanation.offered
        }
        assert ago == {"weather": 2, "date": 1}

    def test_is_still_said_by_the_bot(self, make, clock):
        engine = make()
        engine.on("weather")(lambda: Answer("Rain.", mentions={"date": "tomorrow"}))
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        engine.ask("And in Kyoto?")
        engine.ask("yes")
        remembered = [(str(held.entity), held.by) for held in engine.memory()]
        assert remembered == [
            ("city=Kyoto", "user"),
            ("weather", "user"),
            ("date=tomorrow", "bot"),
        ]

    def test_is_still_said_by_the_bot_if_all_is_stored_in_files(self, clock, tmp_path):
        files = {
            "store": f"sqlite:///{tmp_path}/bot.db",
            "long_term": f"sqlite:///{tmp_path}/memory.db",
        }
        for text in ("weather in Tokyo", "And in Kyoto?", "yes"):
            with Engine(parse_model(dedent(WEATHER)), clock=clock, **files) as engine:
                engine.on("weather")(lambda: Answer("Rain.", mentions={"date": "tomorrow"}))
                engine.ask(text)
                remembered = {str(held.entity): held.by for held in engine.memory()}
            clock.pass_time(minutes=6 if text == "weather in Tokyo" else 1)
        assert remembered == {"city=Kyoto": "user", "weather": "user", "date=tomorrow": "bot"}

    def test_is_read_of_exchanges_without_memory_as_well(self, make, past, clock):
        engine = make()
        past.add(ME, exchange_with_memory(clock.now - timedelta(days=1)))
        engine.ask("And tomorrow?")
        assert past.reads == 1

    def test_may_be_enough_for_an_intent_that_memory_alone_can_fill(self, past, clock):
        model = parse_model("""
id: weather
elements: [{id: again}, {id: city, values: [Tokyo]}]
intents:
  - "intent=set term={# == 'again'} term(city)={# == 'city'}"
  - "intent=repeat options={'allow_stm_only': true} term(city)~{# == 'city'}"
""")
        engine = Engine(model, clock=clock, long_term=past)
        engine.ask("again Tokyo")
        clock.pass_time(minutes=6)
        assert engine.ask("once more, please").text == "Still about Tokyo?"
        assert engine.ask("yes").intent == "repeat"


class TestAutomatically:
    def test_the_question_is_answered_at_once(self, make, clock):
        engine = make("bridge: automatic\n")
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        reply = engine.ask("And tomorrow?", explain=True)
        assert (reply.status, reply.text) == ("matched", "Tokyo, tomorrow")
        assert sources(reply)["city"] == "memory"
        assert "used at once" in why(reply)
        assert values(engine.ask("And in Kyoto?"))["date"] == "tomorrow"

    def test_only_the_newest_exchange_with_a_memory_is_looked_at(self, make, clock):
        text = TOPICS.replace("id: both", "id: weather")
        engine = make("bridge: automatic\n", text=text)
        engine.ask("weather in Tokyo")
        engine.ask("how much is a coffee")
        clock.pass_time(minutes=6)
        engine.ask("hello")
        assert engine.ask("And in Kyoto?").status == "rejected"


class TestTheWords:
    def test_are_those_of_the_model_in_the_language_of_the_question(self, clock, past):
        model = parse_model("""
id: weather
language: [en, de]
elements:
  - {id: weather, synonyms: {de: [wetter]}}
  - {id: city, values: {Tokyo: {de: [tokio]}}}
  - {id: date, id_synonym: false, values: {tomorrow: {de: [morgen]}}}
intents:
  - "intent=w term~{# == 'weather'} term(city)~{# == 'city'} term(date)~{# == 'date'}?"
recall_offers: {w: {en: "Still {{ city }}?", de: "Noch {{ city }}?"}}
""")
        engine = Engine(model, clock=clock, long_term=past)
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        assert engine.ask("tomorrow").text == "Still Tokyo?"
        clock.pass_time(minutes=6)
        assert engine.ask("morgen", language="de").text == "Noch Tokyo?"
        assert engine.ask("ja bitte").status == "matched"

    def test_are_general_ones_if_the_model_has_none(self, make, clock):
        engine = make()
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        assert engine.ask("And tomorrow?").text == "Still about weather, Tokyo?"


class TestTheExplanation:
    def test_of_an_offer_tells_why_the_memory_was_empty_and_what_would_come_back(self, engine):
        told = why(engine.ask("And tomorrow?", explain=True))
        assert "nothing is remembered, because the pause was longer than the timeout" in told
        assert "exchange 1, 6m ago, remembered (weather, city=Tokyo)" in told
        assert "and is offered" in told

    def test_tells_how_long_ago_that_was_however_long(self, engine, clock):
        clock.pass_time(days=3, minutes=7, seconds=1.5)
        assert "exchange 1, 3d ago" in why(engine.ask("And tomorrow?", explain=True))

    def test_of_an_answer_tells_what_it_did_to_the_offer(self, engine):
        engine.ask("And tomorrow?")
        assert "'yes' accepts the offer" in str(engine.explain("yes"))
        assert "'no' declines the offer" in str(engine.explain("no"))
        assert "does not answer the offer, which is dropped" in str(engine.explain("hello"))
        told = why(engine.ask("yes", explain=True))
        assert "'And tomorrow?' is matched" in told
        assert "remembered: city=Tokyo, 1 question ago" in told

    def test_tells_that_nothing_was_found(self, engine, past):
        told = why(engine.ask("weather?", explain=True))
        assert "and is offered" in told
        past.kept = []
        told = str(engine.explain("hotel tomorrow", user="bob"))
        assert "it contains nothing that could complete the question" in told

    def test_tells_how_many_exchanges_were_of_no_help(self, make, past, clock):
        city = Entity("city", frozenset({"city"}), "Tokyo", value="Tokyo")
        past.add(ME, exchange_with_memory(clock.now, city))
        past.add(ME, exchange_with_memory(clock.now, city))
        past.add(ME, exchange_with_memory(clock.now, replace(city, text="nyc", value="New York")))
        told = why(make().ask("tomorrow", explain=True))
        assert "the entities of 2 exchanges do not complete the question" in told

    def test_of_what_would_be_changes_nothing(self, engine, past):
        before = engine.conversation()
        assert engine.explain("And tomorrow?").status == "incomplete"
        assert engine.conversation() == before
        assert engine.ask("And tomorrow?").status == "incomplete"
        kept = list(past.kept)
        assert engine.explain("yes").status == "matched"
        assert engine.explain("no").status == "rejected"
        assert past.kept == kept
        assert engine.ask("yes").status == "matched"


class TestHooks:
    def test_one_that_has_the_question_matched_again_keeps_what_came_back(self, engine):
        sent_back = []

        def once(match, conversation):
            sent_back.append(match)
            return len(sent_back) > 1

        engine.hook("intent")(once)
        engine.ask("And tomorrow?")
        reply = engine.ask("yes", explain=True)
        assert (reply.text, len(sent_back)) == ("Tokyo, tomorrow", 2)
        assert "accepts the offer" in why(reply)

    def test_one_that_answers_first_makes_no_offer(self, engine):
        engine.hook("context")(lambda utterance, conversation: "later")
        assert engine.ask("And tomorrow?").text == "later"
        assert engine.conversation().recall_offer is None

    def test_one_that_fails_is_reported(self, engine):
        from anaphora import HandlerError

        engine.ask("And tomorrow?")

        def broken(variant):
            raise ValueError("no idea")

        engine.hook("variant")(broken)
        for text in ("yes", "no"):
            with pytest.raises(HandlerError, match="no idea"):
                engine.ask(text)


def test_a_time_that_is_over_is_not_brought_back(clock, past):
    engine = Engine("weather", clock=clock, long_term=past)
    engine.ask("What is the weather in Tokyo now?")
    clock.pass_time(days=9)
    assert engine.ask("And in Kyoto?").status == "incomplete"
    assert "date" not in engine.ask("yes").slots
    engine.ask("What is the weather in Tokyo tomorrow?")
    clock.pass_time(hours=6)
    assert engine.ask("And in Kyoto?").slots["date"].value == "2026-01-15"


def test_a_yes_may_be_in_any_language_of_the_model(clock, past):
    engine = Engine("weather", clock=clock, long_term=past)
    engine.ask("What is the weather in Tokyo?")
    clock.pass_time(hours=1)
    engine.ask("And in Kyoto?")
    assert engine.ask("да", language="en").status == "matched"
