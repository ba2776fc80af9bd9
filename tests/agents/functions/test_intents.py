"""The intents of an engine as functions of an agent."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from anaphora import Engine, LongTermMemory
from anaphora.agents.functions.function import CallError, FunctionContext, FunctionSet
from anaphora.agents.functions.intents import intent_functions
from tests.agents.prompts import and_go_on, events, latest, tell
from tests.support.chat_endpoint import call, say

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
ANN = FunctionContext("ann", "", "ada", MONDAY, "e:1")


@pytest.fixture(scope="module")
def engine():
    with Engine("cafe", clock=lambda: MONDAY) as engine:
        yield engine


@pytest.fixture
def functions(engine):
    engine.forget(user="ann")
    return FunctionSet.of(intent_functions(engine))


def test_each_intent_is_a_function_whose_parameters_are_its_slots(functions):
    price = functions.find("cafe_price").schema
    assert set(price.parameters["required"]) == {"food", "place", "request_heartbeat"}
    assert price.parameters["properties"]["size"]["enum"][:2] == ["small", "medium"]
    assert "topic" not in price.parameters["properties"]
    assert {one.name for one in functions} >= {"cafe_price", "cafe_menu", "ask_cafe"}


def test_a_call_is_answered_as_a_question_of_the_user(functions, engine):
    answer = functions.find("cafe_price").call(ANN, {"food": "coffee", "place": "Starbucks"})
    assert answer["intent"] == "price"
    assert answer["slots"]["food"] == "coffee"
    assert engine.ask("And a tea?", user="ann").slots["place"].value == "Starbucks"


def test_a_value_that_nobody_knows_fails_instead_of_taking_the_remembered_one(functions):
    price = functions.find("cafe_price")
    price.call(ANN, {"food": "coffee", "place": "Starbucks"})
    with pytest.raises(CallError, match="food: 'plutonium' is not understood"):
        price.call(ANN, {"food": "plutonium", "place": "Starbucks"})


def test_a_required_slot_that_is_left_out_is_named(functions):
    with pytest.raises(CallError, match="place: required"):
        functions.find("cafe_price").call(ANN, {"food": "coffee"})


def test_any_question_can_be_asked_in_words(functions):
    answer = functions.find("ask_cafe").call(ANN, {"question": "How much is a coffee?"})
    assert answer["status"] == "incomplete"
    assert answer["missing"] == ["place"]
    answer = functions.find("ask_cafe").call(ANN, {"question": "at Costa"})
    assert answer["status"] == "matched"
    assert answer["slots"]["place"] == "Costa"


def test_an_agent_answers_with_an_intent(engine, endpoint, agent):
    play = endpoint([and_go_on("cafe_price", food="tea", place="Costa"), tell("A tea: 2 pounds.")])
    ada = agent(play, window=16_000, functions=intent_functions(engine))
    assert ada.send("I'm thirsty. What would a tea cost me over at Costa?").text == (
        "A tea: 2 pounds."
    )
    result = json.loads(latest(play.requests[1])["message"])
    assert (result["intent"], result["slots"]["food"]) == ("price", "tea")


def test_an_agent_behind_an_engine_knows_what_the_engine_said(endpoint, agent, clock, tmp_path):
    with (
        LongTermMemory(f"sqlite:///{tmp_path / 'shared.db'}", clock=clock) as memory,
        Engine("cafe", long_term=memory, clock=clock) as engine,
    ):
        play = endpoint([say("It keeps you awake."), say("No.")])
        ada = agent(play, memory=memory, window=16_000)
        answering = engine.with_fallback(ada)
        answering.ask("How much is a coffee at Starbucks?", user="ann")
        reply = answering.ask("Would you say it keeps one awake?", user="ann")
        assert (reply.text, reply.answered_by) == ("It keeps you awake.", "agent")
        (told,) = events(play.requests[0], "system_alert")
        assert "How much is a coffee at Starbucks?" in told
        answering.ask("Do you dream of electric sheep?", user="ann")
        assert len(events(play.requests[1], "system_alert")) == 1


def test_an_agent_with_the_engine_as_a_function_is_not_asked_by_itself(endpoint, agent, clock):
    with Engine("cafe", clock=clock) as engine:
        play = endpoint(
            [call("ask_cafe", {"question": "Do you dream?"}), tell("The bot does not know.")]
        )
        ada = agent(play, window=16_000, functions=intent_functions(engine))
        reply = engine.with_fallback(ada).ask("Do you dream of electric sheep?", user="ann")
        assert reply.text == "The bot does not know."
        assert json.loads(latest(play.requests[1])["message"])["status"] == "rejected"
