"""Memories of all types, freely combined: what the model sees and can call."""

from __future__ import annotations

from anaphora.agents.answer import AgentAnswer
from tests.agents.memories.sample_agents import functions_of, opened, reply, system_of, texts_of
from tests.support.chat_endpoint import ScriptedEndpoint, call, say


def echo(body):
    """A model that answers everything."""
    return reply(f"Answer {len(body['messages'])}")


def asked_in(request) -> list[str]:
    """The messages of the user that a prompt shows, shortened to their numbers."""
    return [
        word
        for one in request["messages"]
        if one["role"] == "user"
        for word in one["content"].split('"')
        if word.startswith("message ")
    ]


def test_without_memories_an_agent_has_core_recall_and_archival_memory():
    with ScriptedEndpoint(echo) as endpoint, opened("", endpoint) as agent:
        agent.send("Hello")
        offered = functions_of(endpoint.requests[0])
        assert {"core_memory_append", "conversation_search", "archival_memory_search"} <= {*offered}
        assert "<persona" in system_of(endpoint.requests[0])


def test_with_memories_only_what_is_declared_is_there():
    text = "persona: You are Ada.\nmemories: {recent: {type: conversation, last: 2}}"
    with ScriptedEndpoint(echo) as endpoint, opened(text, endpoint) as agent:
        agent.send("Hello")
        assert functions_of(endpoint.requests[0]) == ["send_message"]
        assert "<core_memory>" not in system_of(endpoint.requests[0])
        assert system_of(endpoint.requests[0]).startswith("You are Ada.")


def test_a_conversation_memory_shows_the_last_exchanges_and_the_present_one():
    text = "memories: {recent: {type: conversation, last: 2}}"
    with ScriptedEndpoint(echo) as endpoint, opened(text, endpoint) as agent:
        for number in range(6):
            agent.send(f"message {number}")
        assert asked_in(endpoint.requests[0]) == ["message 0"]
        assert asked_in(endpoint.requests[5]) == ["message 3", "message 4", "message 5"]


def test_steps_of_an_answer_push_no_exchange_out():
    text = "memories: {recent: {type: conversation, last: 1}, a: {type: archive}}"
    search = call("archival_memory_search", {"query": "x", "request_heartbeat": True})
    other = call("archival_memory_search", {"query": "y", "request_heartbeat": True})
    script = [reply("A"), search, other, reply("B"), reply("C")]
    with ScriptedEndpoint(script) as endpoint, opened(text, endpoint) as agent:
        for number in range(3):
            agent.send(f"message {number}")
        assert asked_in(endpoint.requests[3]) == ["message 0", "message 1"]
        assert asked_in(endpoint.requests[4]) == ["message 1", "message 2"]


def test_without_a_conversation_memory_the_model_sees_the_present_message_alone():
    text = "memories: {notes: {type: state, schema: text}}"
    with ScriptedEndpoint(echo) as endpoint, opened(text, endpoint) as agent:
        agent.send("message 0")
        agent.send("message 1")
        assert asked_in(endpoint.requests[1]) == ["message 1"]


def test_a_conversation_memory_without_a_number_is_the_whole_queue_with_a_summary():
    text = "memories: {all: {type: conversation}}"
    with (
        ScriptedEndpoint(lambda body: echo(body) if body.get("tools") else say("Summary!")) as end,
        opened(text, end, window=4_096) as agent,
    ):
        for number in range(30):
            agent.send(f"message {number} " + "words and words " * 40)
        assert "Summary!" in texts_of(end.requests[-1])
        assert "memory is full" not in texts_of(end.requests[-1])


def test_a_semantic_memory_shows_similar_exchanges_once():
    text = "memories: {recent: {type: conversation, last: 1}, similar: {type: semantic, k: 2}}"
    with ScriptedEndpoint(echo) as endpoint, opened(text, endpoint) as agent:
        for said in ("I play the violin", "I play the violin", "I like rain", "It is late", "Hm"):
            agent.send(said)
        agent.send("What do I play, the violin?")
        section = system_of(endpoint.requests[-1]).split("<similar>")[1].split("</similar>")[0]
        assert section.count("I play the violin") == 2  # with different answers
        assert "It is late" not in section
        agent.send("I play the violin", user="ben")
        assert "<similar>" not in system_of(endpoint.requests[-1])


def test_a_semantic_memory_repeats_nothing_that_the_queue_shows():
    text = "memories: {recent: {type: conversation, last: 3}, similar: {type: semantic, k: 2}}"
    with ScriptedEndpoint(echo) as endpoint, opened(text, endpoint) as agent:
        agent.send("I play the violin")
        agent.send("What do I play, the violin?")
        assert "<similar>" not in system_of(endpoint.requests[-1])


def test_the_steps_of_an_event_share_one_search(monkeypatch):
    text = "memories: {similar: {type: semantic}, a: {type: archive}}"
    search = call("archival_memory_search", {"query": "x", "request_heartbeat": True})
    with ScriptedEndpoint([search, reply("B")]) as endpoint, opened(text, endpoint) as agent:
        searched, recall = [], agent.memory.recall
        monkeypatch.setattr(
            agent.memory, "recall", lambda *a, **k: searched.append(a) or recall(*a, **k)
        )
        agent.send("Hello")
        assert len(searched) == 1


def test_parts_of_a_virtual_context_can_be_combined():
    text = "memories: {core: {type: core}, recent: {type: conversation, last: 4}}"
    script = [
        call("core_memory_append", {"name": "human", "content": "Ann", "request_heartbeat": True}),
        reply("Hello Ann"),
    ]
    with ScriptedEndpoint(script) as endpoint, opened(text, endpoint) as agent:
        agent.send("I am Ann")
        offered = functions_of(endpoint.requests[0])
        assert {"core_memory_append", "core_memory_replace"} <= {*offered}
        assert "archival_memory_insert" not in offered
        assert "Ann" in system_of(endpoint.requests[1])


def test_recall_and_archive_offer_their_functions():
    text = "memories: {r: {type: recall}, a: {type: archive}}"
    with ScriptedEndpoint(echo) as endpoint, opened(text, endpoint) as agent:
        agent.send("Hello")
        assert functions_of(endpoint.requests[0]) == [
            "send_message",
            "conversation_search",
            "conversation_search_date",
            "archival_memory_insert",
            "archival_memory_search",
        ]


def test_a_graph_memory_offers_its_function():
    with (
        ScriptedEndpoint(echo) as endpoint,
        opened("memories: {facts: {type: graph}}", endpoint) as agent,
    ):
        agent.send("Hello")
        assert "knowledge_graph_search" in functions_of(endpoint.requests[0])


def test_fields_are_collected_on_demand_and_the_model_sees_them():
    text = """
        memories:
          profile: {type: state, schema: {name: text, age: integer}, prompt: about the user}
        """
    script = [
        call("write_profile", {"name": "Ann", "request_heartbeat": True}),
        reply("Hello Ann"),
        call("write_profile", {"age": 33, "request_heartbeat": True}),
        reply("Noted"),
        call("write_profile", {"age": None, "request_heartbeat": True}),
        reply("Forgotten"),
    ]
    with ScriptedEndpoint(script) as endpoint, opened(text, endpoint) as agent:
        agent.send("I am Ann")
        agent.send("I am 33")
        assert agent.state().memory_values() == {"profile": {"name": "Ann", "age": 33}}
        assert "name: Ann\nage: 33" in system_of(endpoint.requests[3])
        agent.send("Forget my age")
        assert agent.state().memory_values() == {"profile": {"name": "Ann"}}


def test_a_memory_waits_for_the_one_before_it():
    text = """
        memories:
          name: {type: state, schema: text, update: once}
          order: {type: state, schema: text, after: name}
        """
    script = [call("write_name", {"text": "Ann"}), reply("Hello"), reply("What would you like?")]
    with ScriptedEndpoint(script) as endpoint, opened(text, endpoint) as agent:
        agent.send("I am Ann")
        agent.send("I want tea")
        assert functions_of(endpoint.requests[0]) == ["send_message", "write_name"]
        assert functions_of(endpoint.requests[2]) == ["send_message", "correct_name", "write_order"]


def test_a_long_message_can_be_read_on_in_any_agent():
    text = "memories: {recent: {type: conversation, last: 2}}"
    script = [call("read_more", {"number": 2, "start": 0}), reply("Long!")]
    with ScriptedEndpoint(script) as endpoint, opened(text, endpoint, window=4_096) as agent:
        answer: AgentAnswer = agent.send("word " * 4_000)
        assert "read_more" in functions_of(endpoint.requests[0])
        assert answer.messages == ("Long!",)
        agent_step = answer.steps[0].calls[0]
        assert not agent_step.failed


def test_states_decide_what_the_model_sees_and_calls():
    text = """
        memories:
          topic: {type: state, schema: text, update: once}
          notes: {type: state, schema: text}
        states:
          asking: {until: topic, uses: [topic], tools: [topic]}
          talking: {uses: [notes], tools: [write_notes]}
        """
    script = [call("write_topic", {"text": "tea"}), reply("Tea it is."), reply("Yes")]
    with ScriptedEndpoint(script) as endpoint, opened(text, endpoint) as agent:
        agent.send("Tea")
        agent.send("Is it good?")
        assert functions_of(endpoint.requests[0]) == ["send_message", "write_topic"]
        assert functions_of(endpoint.requests[2]) == ["send_message", "write_notes"]
        assert "<topic>" not in system_of(endpoint.requests[2])
