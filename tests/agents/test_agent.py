"""What users and operators do with an agent besides talking to it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from anaphora import AgentError, AgentLimits, Block, LongTermMemory, StoreError
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.urls import open_recall_store
from tests.agents.prompts import block, events, tell
from tests.support.chat_endpoint import call, say


def test_a_user_corrects_a_core_block(endpoint, agent):
    play = endpoint([tell("Hello, Bob."), tell("Hello, Ann.")])
    ada = agent(play, blocks=[Block("rules", "Be kind.", limit=40, read_only=True)])
    ada.send("Hi", user="ann")
    ada.edit_block("human", "Name: Ann", user="ann")
    ada.edit_block("rules", "Be very kind.", user="ann")
    ada.send("Hi", user="ann")
    assert block(play.requests[1], "human") == "Name: Ann"
    assert block(play.requests[1], "rules") == "Be very kind."
    with pytest.raises(AgentError, match="more than its limit of 40"):
        ada.edit_block("rules", "x" * 41, user="ann")
    with pytest.raises(AgentError, match=r"no block 'pets'; the blocks are persona, human, rules"):
        ada.edit_block("pets", "A cat", user="ann")


def test_a_greeting_at_login_and_silence(endpoint, agent):
    play = endpoint([tell("Welcome back!"), say("Nothing to say.")])
    ada = agent(play)
    assert ada.notify("login", user="ann").text == "Welcome back!"
    silent = ada.notify("heartbeat", user="ann")
    assert (silent.messages, silent.ended) == ((), "done")
    assert events(play.requests[0], "login") == ["login"]


def test_an_agent_that_pauses_its_heartbeats_is_left_alone_until_then(endpoint, agent, clock):
    play = endpoint([call("pause_heartbeats", {"minutes": 90}), say(""), say("zzz"), say("zzz")])
    ada = agent(play)
    ada.notify("heartbeat", user="ann")
    asked = len(play.requests)
    assert ada.notify("heartbeat", user="ann") is None
    clock.pass_time(minutes=89)
    assert ada.notify("heartbeat", user="ann") is None
    assert len(play.requests) == asked
    clock.pass_time(minutes=2)
    assert ada.notify("heartbeat", user="ann") is not None


def test_a_user_whose_tokens_of_the_day_are_used_up_is_told_so(endpoint, agent, clock):
    play = endpoint(lambda body: tell("Hm."))
    ada = agent(
        play, limits=AgentLimits(tokens_per_day=100), texts={"quota": "Come back tomorrow."}
    )
    assert ada.send("One", user="ann").text == "Hm."
    answer = ada.send("Two", user="ann")
    assert (answer.text, answer.ended) == ("Come back tomorrow.", "quota")
    assert ada.send("One", user="ben").text == "Hm."
    clock.pass_time(days=1)
    assert ada.send("Three", user="ann").text == "Hm."


def test_usage_is_counted_for_each_answer_and_user(endpoint, agent):
    ada = agent(endpoint(lambda body: tell("Hm.")))
    first, second = ada.send("One", user="ann"), ada.send("Two", user="ann")
    used = ada.usage("ann")
    assert used.calls == 2
    assert used.tokens == first.usage.tokens + second.usage.tokens > 0
    assert ada.usage("ben").calls == 0
    assert [one.text for one in ada.answers("ann")] == ["Hm.", "Hm."]


def test_the_size_of_the_next_prompt_is_near_that_of_the_last(endpoint, agent):
    play = endpoint(lambda body: tell("Hm."))
    ada = agent(play)
    answer = ada.send("One", user="ann")
    size = ada.context_size("ann")
    total = size.system + size.functions + size.summary + size.messages
    assert answer.usage.prompt_tokens <= total <= size.window - size.reserved


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"blocks": [Block("human")]}, "two core blocks are called 'human'"),
        ({"blocks": [Block("my notes")]}, "use a word like 'persona'"),
        ({"max_tokens": 5_000}, "allow it at most half of them"),
        ({"functions": [lambda *things: None]}, "must name its parameters"),
    ],
)
def test_parts_that_do_not_fit(endpoint, agent, arguments, problem):
    with pytest.raises(AgentError, match=problem):
        agent(endpoint([]), **arguments)


def test_a_memory_without_a_url_needs_a_place_for_the_rest(endpoint, agent, clock):
    opened = open_recall_store("memory:", settings=HistorySettings())
    with (
        LongTermMemory(opened.store, journal=opened.journal_folder, clock=clock) as memory,
        pytest.raises(StoreError, match="name a URL for the agents"),
    ):
        agent(endpoint([]), memory=memory)
    opened.close()


def test_an_empty_message_is_refused(endpoint, agent):
    with pytest.raises(AgentError, match="empty"):
        agent(endpoint([])).send("  ")


def test_messages_of_a_day_are_found_by_its_date(endpoint, agent, clock):
    ada = agent(endpoint(lambda body: tell("Hm.")))
    ada.send("I planted a tree.", user="ann")
    clock.pass_time(days=3)
    ada.send("It rains.", user="ann")
    ada.flush(60)
    yesterday = (clock() - timedelta(days=3)).date().isoformat()
    found = ada.recall(yesterday, user="ann")
    assert found.passages[0].exchange.question == "I planted a tree."
