"""What the engine tells a long-term memory, and what it does without one that is down."""

from __future__ import annotations

from datetime import UTC, datetime
from textwrap import dedent

import pytest

from anaphora import Company, Engine, HandlerError, MemoryStore, StoreError, User, parse_model
from anaphora.ltm.async_memory import AsyncLongTermMemory
from anaphora.ltm.exchange import Exchange
from anaphora.models.domain import Model
from anaphora.stm.conversation import ConversationKey
from tests.support.fake_long_term import ListMemory
from tests.support.plain_models import PLAIN_WEATHER
from tests.support.weather_models import TOPICS, WEATHER, values

NINE = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture
def past():
    return ListMemory()


@pytest.fixture
def engine(past, clock):
    return Engine(parse_model(dedent(WEATHER)), clock=clock, long_term=past)


def said(exchange: Exchange) -> list[str]:
    return [entity.value_or_text for entity in exchange.memory]


class TestEveryQuestionIsHandedOver:
    def test_with_its_answer_its_values_and_what_is_remembered_after_it(self, engine, past):
        reply = engine.ask("weather in Tokyo tomorrow", user="ann")
        ((key, exchange),) = past.kept
        assert key == ConversationKey("ann", "weather")
        assert (exchange.question, exchange.answer) == ("weather in Tokyo tomorrow", reply.text)
        assert (exchange.at, exchange.status, exchange.intent) == (NINE, "matched", "weather")
        assert exchange.slots == {
            "topic": ("weather",),
            "city": ("Tokyo",),
            "date": ("tomorrow",),
        }
        assert exchange.language == "en"
        assert exchange.memory == reply.memory

    def test_a_question_about_unused_words_keeps_its_intent_and_its_values(self, past, clock):
        model = dedent(WEATHER) + "unused: {weather: 'What about {{ unused | join }}?'}\n"
        engine = Engine(parse_model(model), clock=clock, long_term=past)
        for text in ("weather in Tokyo with Peter", "hmm"):
            assert engine.ask(text).status == "incomplete"
        assert [one.intent for one in past.exchanges] == ["weather", "weather"]
        assert [one.slots["city"] for one in past.exchanges] == [("Tokyo",), ("Tokyo",)]

    def test_also_those_that_were_rejected_incomplete_or_a_reset(self, engine, past):
        for text in ("hello", "weather?", "forget it"):
            engine.ask(text)
        assert [exchange.status for exchange in past.exchanges] == [
            "rejected",
            "incomplete",
            "reset",
        ]
        assert past.exchanges[0].answer == "nothing in it is known to this bot"
        assert past.exchanges[1].answer == "For which city?"

    def test_a_slot_of_several_values_has_all_of_them(self, past, clock):
        model = parse_model("""
id: several
elements: [{id: topic}, {id: city, values: [Tokyo, Kyoto]}]
intents: ["intent=i term(topic)={# == 'topic'} term(cities)={# == 'city'}+"]
""")
        Engine(model, clock=clock, long_term=past).ask("topic Tokyo Kyoto")
        assert past.exchanges[0].slots["cities"] == ("Tokyo", "Kyoto")

    def test_the_time_is_that_of_the_question(self, engine, past):
        at = datetime(2026, 1, 5, 8, tzinfo=UTC)
        engine.ask("weather in Tokyo", at=at)
        assert past.exchanges[0].at == at

    def test_what_a_next_question_would_not_find_any_more_is_not_in_its_memory(self, past, bot):
        engine = bot(TOPICS.replace("groups: [topic], topic: true", "groups: [topic]"))
        engine = engine.with_long_term(past)
        engine.ask("weather in Tokyo tomorrow")
        for _ in range(3):
            engine.ask("price of coffee")
        assert said(past.exchanges[-2]) == ["price", "coffee", "Tokyo", "tomorrow"]
        assert said(past.exchanges[-1]) == ["price", "coffee", "tomorrow"]

    def test_one_whose_handler_fails_is_none(self, engine, past):
        @engine.on("weather")
        def broken():
            raise ValueError

        with pytest.raises(HandlerError):
            engine.ask("weather in Tokyo")
        engine.hook("error")(lambda error: "sorry")
        assert engine.ask("weather in Tokyo").text == "sorry"
        assert past.kept == []

    def test_explaining_hands_nothing_over(self, engine, past):
        engine.explain("weather in Tokyo")
        assert past.kept == []

    def test_the_users_of_two_tenants_stay_apart(self, engine, past):
        engine.ask("weather in Tokyo", user=User("ann", company=Company("acme")))
        assert [key for key, _ in past.kept] == [ConversationKey("ann", "weather", "acme")]


class TestWhatIsForgottenOnPurposeIsMarked:
    @pytest.mark.parametrize(
        ("how", "left"),
        [
            ({}, []),
            ({"what": "entities"}, []),
            ({"group": "city"}, ["weather"]),
            ({"where": lambda entity: entity.element == "city"}, ["weather"]),
        ],
        ids=["all", "entities", "group", "where"],
    )
    def test_by_a_reset_in_which_nothing_is_said(self, engine, past, how, left):
        engine.ask("weather in Tokyo")
        engine.forget(**how)
        mark = past.exchanges[-1]
        assert (mark.status, mark.question, mark.answer, mark.intent) == ("reset", "", "", None)
        assert said(mark) == left

    def test_the_flow_alone_is_nothing_that_could_come_back(self, engine, past):
        engine.ask("weather in Tokyo")
        engine.forget(what="flow")
        assert len(past.kept) == 1

    def test_before_a_conversation_has_begun_as_well(self, engine, past):
        engine.forget()
        assert [exchange.status for exchange in past.exchanges] == ["reset"]

    def test_a_reset_phrase_beside_a_question_comes_before_it(self, engine, past):
        engine.ask("weather in Tokyo")
        engine.ask("forget it. weather in Kyoto")
        assert [exchange.status for exchange in past.exchanges] == ["matched", "reset", "matched"]
        assert said(past.exchanges[1]) == []
        assert said(past.exchanges[2]) == ["weather", "Kyoto"]

    def test_a_reset_phrase_alone_is_a_reset_itself(self, engine, past):
        engine.ask("weather in Tokyo")
        engine.ask("forget it")
        assert [exchange.question for exchange in past.exchanges] == [
            "weather in Tokyo",
            "forget it",
        ]

    def test_what_a_handler_forgets_comes_before_its_question(self, engine, past):
        @engine.on("weather")
        def weather(conversation):
            conversation.forget(lambda entity: entity.element == "city")

        engine.ask("weather in Tokyo")
        engine.ask("weather in Kyoto")
        assert [exchange.status for exchange in past.exchanges] == ["matched", "reset", "matched"]

    def test_a_reset_phrase_counts_though_nothing_was_remembered_any_more(
        self, engine, past, clock
    ):
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=10)
        engine.ask("forget it. weather in Kyoto")
        assert [exchange.status for exchange in past.exchanges] == ["matched", "reset", "matched"]

    def test_so_does_a_handler_that_forgets_everything(self, engine, past):
        @engine.on("weather")
        def answer(conversation):
            conversation.forget()

        engine.ask("weather in Tokyo")
        assert [exchange.status for exchange in past.exchanges] == ["reset", "matched"]

    @pytest.mark.parametrize("name", ["context", "intent"])
    def test_and_a_hook_that_has_the_question_matched_again(self, engine, past, name):
        engine.ask("weather in Tokyo")

        def forgets(_, conversation):
            wants_more = bool(conversation.remembered)
            if wants_more:
                conversation.forget()
            return None if name == "context" else not wants_more

        engine.hook(name)(forgets)
        reply = engine.ask("weather in Kyoto", explain=True)
        assert [exchange.status for exchange in past.exchanges] == ["matched", "reset", "matched"]
        assert "city=Tokyo, because the conversation was reset" in str(reply.explanation)

    def test_a_change_of_topic_is_no_such_thing(self, past, bot):
        engine = bot(TOPICS).with_long_term(past)
        engine.ask("weather in Tokyo")
        engine.ask("how much is a coffee")
        assert [exchange.status for exchange in past.exchanges] == ["matched", "matched"]


@pytest.mark.parametrize("error", [StoreError("no space left"), ValueError("a mistake of its own")])
class TestALongTermMemoryThatIsDown:
    def test_hurts_no_answer(self, clock, error, caplog):
        past = ListMemory(error)
        engine = Engine(parse_model(dedent(WEATHER)), clock=clock, long_term=past)
        past.is_down = True
        assert engine.ask("weather in Tokyo").status == "matched"
        assert values(engine.ask("And in Kyoto?"))["city"] == "Kyoto"
        engine.forget()
        assert "does not take an exchange" in caplog.text

    def test_offers_nothing(self, clock, error, caplog):
        past = ListMemory(error)
        engine = Engine(parse_model(dedent(WEATHER)), clock=clock, long_term=past)
        engine.ask("weather in Tokyo")
        clock.pass_time(minutes=6)
        past.is_down = True
        reply = engine.ask("And in Kyoto?", explain=True)
        assert reply.status == "rejected"
        assert "the long-term memory cannot be read now" in str(reply.explanation)
        assert "cannot be read" in caplog.text


class TestErasing:
    def test_a_user_is_erased_everywhere_and_nobody_else_is(self, past, clock):
        store = MemoryStore(clock)
        two = parse_model(dedent(TOPICS))
        engine = Engine(parse_model(dedent(WEATHER)), two, store=store, clock=clock, long_term=past)
        for user in ("ann", "bob", User("ann", company=Company("acme"))):
            engine.ask("weather in Tokyo", user=user, model="weather")
            engine.ask("weather in Tokyo", user=user, model="both")
            engine.switch("both", user=user)
        before = set(store.keys())
        assert engine.erase(user="ann") == 2
        assert before - set(store.keys()) == {
            ConversationKey("ann", "weather"),
            ConversationKey("ann", "both"),
        }
        assert {key for key, _ in past.kept} == set(store.keys())
        assert engine.active_model(user="ann") == "weather"
        assert engine.active_model(user="bob") == "both"
        clock.pass_time(minutes=6)
        assert engine.ask("And in Kyoto?", user="ann").status == "rejected"
        assert engine.ask("And in Kyoto?", user="bob", model="weather").status == "incomplete"

    def test_conversations_with_models_that_are_no_more_are_erased_as_well(self, past, clock):
        store = MemoryStore(clock)
        Engine(parse_model(dedent(TOPICS)), store=store, clock=clock).ask(
            "weather in Tokyo", user="ann"
        )
        engine = Engine(parse_model(dedent(WEATHER)), store=store, clock=clock)
        assert engine.erase(user="ann") == 0
        assert list(store.keys()) == []

    def test_a_long_term_memory_that_is_down_says_so(self, engine, past):
        engine.ask("weather in Tokyo")
        past.is_down = True
        with pytest.raises(StoreError, match="no space left"):
            engine.erase(user="user")
        assert engine.memory() == ()


class TestTheLongTermMemoryOfAnEngine:
    def test_one_that_was_given_is_not_closed(self, engine, past):
        assert engine.long_term is past
        engine.close()
        assert not past.is_closed

    def test_there_need_not_be_one(self, bot):
        assert bot(WEATHER).long_term is None

    def test_with_one_a_question_may_have_to_wait(self, engine, bot):
        assert engine.may_block("weather")
        assert not bot(WEATHER).may_block("weather")

    def test_another_one_shares_all_the_rest(self, engine, past):
        other = engine.with_long_term(ListMemory())
        engine.ask("weather in Tokyo")
        assert values(other.ask("And in Kyoto?"))["city"] == "Kyoto"
        assert len(past.kept) == 1
        other.close()
        assert engine.ask("weather in Tokyo").status == "matched"

    def test_one_named_by_its_url_is_the_engines_own(self, tmp_path, monkeypatch, clock):
        monkeypatch.chdir(tmp_path)
        model = parse_model(dedent(WEATHER))
        with Engine(model, clock=clock, long_term="sqlite:///history.db") as engine:
            engine.ask("weather in Tokyo")
            clock.pass_time(minutes=6)
            assert engine.ask("And in Kyoto?").text == "Still about weather?"
        with Engine(model, clock=clock, long_term="sqlite:///history.db") as engine:
            (*_, first) = engine.long_term.latest(ConversationKey("user", "weather"), 10)
            assert (first.question, first.number) == ("weather in Tokyo", 1)
            assert engine.ask("And tomorrow?").text == "Still about weather, Tokyo?"
            assert values(engine.ask("yes"))["city"] == "Tokyo"


@pytest.mark.parametrize("wrong", [5, AsyncLongTermMemory])
def test_what_is_no_long_term_memory_is_refused(wrong):
    with pytest.raises(TypeError, match="a long-term memory is a LongTermMemory or a URL"):
        Engine(PLAIN_WEATHER, long_term=wrong)


def test_recording_a_question_looks_through_no_elements(engine, past, monkeypatch):
    elements = []
    monkeypatch.setattr(Model, "element", lambda self, id: elements.append(id))
    engine.ask("What is the weather in Tokyo?")
    assert len(past.kept) == 1
    assert not elements
