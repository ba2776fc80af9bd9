"""Messages that are sent again: answered once, and never answered for another one."""

from __future__ import annotations

import pytest

from anaphora import AgentError, ChatModelError
from tests.agents.prompts import and_go_on, prompt_text, tell
from tests.support.chat_endpoint import calls, fault


def test_a_failed_message_is_part_of_the_prompt_when_it_is_sent_again_later(endpoint, agent):
    play = endpoint([fault("status 400")])
    ann = agent(play, window=6_000, max_tokens=500)
    with pytest.raises(ChatModelError):
        ann.send("Where did I put the UKULELE?", id="first")
    play.play(lambda body: tell("I see."))
    for n in range(40):
        ann.send(f"Something else happened on day {n}, and it was long to tell. " * 8)
    assert ann.send("Where did I put the UKULELE?", id="first").ended == "done"
    assert "UKULELE" in prompt_text(play)


def test_once_the_user_has_an_answer_a_failure_does_not_make_another_one(endpoint, agent):
    first = calls(tell("Your balance is 5."), and_go_on("conversation_search", query="x"))
    play = endpoint([first, fault("status 400"), tell("Your balance is 5 (again).")])
    ann = agent(play)
    answer = ann.send("What is my balance?", id="q")
    assert (answer.messages, answer.ended) == (("Your balance is 5.",), "partial")
    assert answer.detail == "the language model refused the request (status 400)"
    assert ann.send("What is my balance?", id="q") == answer
    assert len(play.requests) == 2


def exchanges(agent):
    assert agent.flush(30)
    found = [one.exchange for one in agent.recall(size=50).passages]
    return [(one.question, one.answer) for one in reversed(found)]


def test_a_message_and_the_answer_to_its_repetition_are_one_exchange(endpoint, agent):
    ann = agent(endpoint([fault("status 400"), fault("status 400"), tell("Hello!")]))
    for _ in range(2):
        with pytest.raises(ChatModelError):
            ann.send("Hi!", id="a")
    ann.send("Hi!", id="a")
    assert exchanges(ann) == [("Hi!", "Hello!")]


def test_an_interrupted_message_and_its_answer_are_one_exchange(endpoint, agent, monkeypatch):
    ann = agent(endpoint([tell("Hello!")]))
    with monkeypatch.context() as patched:
        patched.setattr(ann.model, "complete", interrupt)
        with pytest.raises(KeyboardInterrupt):
            ann.send("Hi!", id="a")
    ann.interrupt()
    ann.send("Hi!", id="a")
    assert exchanges(ann) == [("Hi!", "Hello!")]


def test_a_failed_message_that_is_not_sent_again_is_kept_with_the_next_event(endpoint, agent):
    play = endpoint([fault("status 400"), tell("Hello!"), fault("status 400"), tell("Late.")])
    ann = agent(play)
    with pytest.raises(ChatModelError):
        ann.send("One.", id="1")
    ann.send("Two.", id="2")
    assert exchanges(ann) == [("One.", ""), ("Two.", "Hello!")]
    with pytest.raises(ChatModelError):
        ann.send("One.", id="1")
    ann.send("One.", id="1")
    assert exchanges(ann) == [("One.", ""), ("Two.", "Hello!"), ("", "Late.")]


def interrupt(*_, **__):
    raise KeyboardInterrupt


def test_an_id_that_belongs_to_another_message_is_refused(endpoint, agent):
    ann = agent(endpoint([tell("One."), tell("Two.")]))
    ann.send("First", id="k")
    with pytest.raises(AgentError, match="the id 'k' belongs to another message"):
        ann.send("Second", id="k")
    assert ann.send("First", id="k").text == "One."
    assert ann.send("Second", id="l").text == "Two."


def test_the_same_words_reach_the_user_once_for_each_message(endpoint, agent):
    play = endpoint(lambda body: calls(tell("hi"), and_go_on("no_such_function")))
    ann = agent(play)
    answer = ann.send("Hello")
    assert answer.messages == ("hi",)
    assert answer.ended == "repeated"
    assert len(answer.steps) == 3
    assert ann.send("Hello again").messages == ("hi",)
