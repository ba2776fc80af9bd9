"""The knowledge graph of an agent: facts in its prompt, as a function, found by its model."""

from __future__ import annotations

import pytest

from anaphora import Engine, LongTermMemory, UserKey
from anaphora.agents.graph.facts import NewFact
from anaphora.agents.graph.graph import KnowledgeGraph
from anaphora.agents.observed_memory import ObservedMemory
from tests.agents.prompts import and_go_on, latest, tell
from tests.support.chat_endpoint import call, say

ANN = UserKey("ann")


@pytest.fixture
def graph(opened, clock):
    graph = KnowledgeGraph("memory:", functional=["lives in"], clock=clock)
    opened.callback(graph.close)
    return graph


def _finds(*facts):
    """A model that answers every message, and finds these facts in the first exchange."""

    def model(body):
        if body.get("tools", [{}])[0].get("function", {}).get("name") != "record_facts":
            return tell("I see.")
        found = [{"exchange": 1, "subject": s, "relation": r, "object": o} for s, r, o in facts]
        return call("record_facts", {"facts": found})

    return model


def test_what_a_message_names_comes_with_its_facts(endpoint, agent, graph, clock):
    graph.add(ANN, [NewFact("user", "lives in", "Kyoto")], at=clock())
    play = endpoint([tell("It is old."), tell("No idea.")])
    ada = agent(play, graph=graph, graph_every=0, window=16_000)
    ada.send("What is Kyoto like?", user="ann")
    assert "user | lives in | Kyoto" in play.requests[0]["messages"][0]["content"]
    ada.send("What is Kyoto like?", user="ben")
    assert "lives in" not in play.requests[1]["messages"][0]["content"]


def test_the_model_looks_facts_up_as_of_a_day(endpoint, agent, graph, clock):
    graph.add(ANN, [NewFact("user", "lives in", "Kyoto")], at=clock())
    clock.pass_time(days=30)
    graph.add(ANN, [NewFact("user", "lives in", "Oslo")], at=clock())
    play = endpoint(
        [
            and_go_on("knowledge_graph_search", entity="user"),
            and_go_on("knowledge_graph_search", entity="user", as_of="2026-01-10"),
            tell("In Oslo, and before that in Kyoto."),
        ]
    )
    ada = agent(play, graph=graph, graph_every=0, window=16_000)
    ada.send("Where do I live?", user="ann")
    now, then = (latest(body)["message"] for body in play.requests[1:])
    assert "Oslo" in now
    assert "Kyoto" not in now
    assert "Kyoto" in then
    assert "Oslo" not in then


def test_the_model_finds_facts_after_some_turns_and_the_newer_one_holds(endpoint, agent, graph):
    play = endpoint(_finds(("user", "lives in", "Kyoto")))
    ada = agent(play, graph=graph, graph_every=2, window=16_000)
    ada.send("I live in Kyoto now.", user="ann")
    assert ada.flush(60)
    assert not graph.facts(ANN)
    ada.send("It is a beautiful place.", user="ann")
    assert ada.flush(60)
    assert [fact.object for fact in graph.facts(ANN, relation="lives in")] == ["Kyoto"]
    assert ada.usage("ann").calls == 3

    play.play(_finds(("user", "lives in", "Oslo")))
    ada.send("We moved to Oslo.", user="ann")
    ada.send("It is cold.", user="ann")
    assert ada.flush(60)
    assert [fact.object for fact in graph.facts(ANN, relation="lives in")] == ["Oslo"]
    assert len(graph.facts(ANN, relation="lives in", history=True)) == 2


def test_if_the_model_writes_nonsense_instead_of_facts_the_conversation_goes_on(
    endpoint, agent, graph
):
    def model(body):
        is_step = body.get("tools", [{}])[0]["function"]["name"] != "record_facts"
        return tell("I see.") if is_step else say("{[")

    ada = agent(endpoint(model), graph=graph, graph_every=1, window=16_000)
    assert ada.send("I live in Kyoto.", user="ann").text == "I see."
    assert ada.flush(60)
    assert not graph.facts(ANN)
    assert ada.send("Hello?", user="ann").text == "I see."


def test_erasing_a_user_erases_the_facts_that_the_agent_has_found(endpoint, agent, graph):
    ada = agent(
        endpoint(_finds(("user", "lives in", "Kyoto"))),
        graph=graph,
        graph_every=1,
        waits_for_updates=True,
        window=16_000,
    )
    ada.send("I live in Kyoto.", user="ann")
    assert graph.facts(ANN)
    ada.erase("ann")
    assert not graph.facts(ANN, history=True)


def test_answered_questions_of_an_engine_are_facts_and_are_erased_with_the_user(clock, graph):
    with LongTermMemory("memory:", clock=clock) as memory:
        observed = ObservedMemory(memory, graph)
        with Engine("cafe", long_term=observed, clock=clock) as engine:
            engine.ask("How much is a coffee at Starbucks?", user="ann")
            engine.ask("Do you dream of electric sheep?", user="ann")
            assert observed.flush(60)
            facts = {(one.subject, one.relation, one.object) for one in graph.facts(ANN)}
            assert ("user", "price: place", "Starbucks") in facts
            assert not any("sheep" in part for fact in facts for part in fact)
            assert engine.ask("And a tea?", user="ann").slots["place"].value == "Starbucks"
            engine.erase(user="ann")
        assert observed.flush(60)
        assert not graph.facts(ANN, history=True)
