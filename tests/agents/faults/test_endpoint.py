"""Agents whose model fails: nothing that a user said is lost, and no chain runs for ever."""

from __future__ import annotations

import json

import pytest

from anaphora.agents.execution.limits import AgentLimits
from anaphora.errors import AgentError, ChatModelError, ChatModelUnavailable
from tests.agents.prompts import and_go_on, events, is_summary_request, latest, tell
from tests.support.chat_endpoint import Reply, call, calls, fault, say

FAULTS = ["status 500", "429", "close", "html", "not-json", "empty-choices", "half-stream"]


@pytest.mark.parametrize("kind", FAULTS)
def test_a_message_that_could_not_be_answered_is_in_the_next_prompt(endpoint, agent, kind):
    play = endpoint(lambda body: fault(kind))
    ann = agent(play)
    with pytest.raises(ChatModelError):
        ann.send("My name is Ann.", id="1")
    assert ann.answer("1").ended == "failed"
    play.play([tell("Hello Ann!")])
    assert ann.send("What is my name?", id="2").text == "Hello Ann!"
    assert events(play.requests[-1]) == ["My name is Ann.", "What is my name?"]


@pytest.mark.parametrize("kind", [*FAULTS, "hang"])
def test_a_message_that_is_sent_again_is_answered_once(endpoint, agent, kind):
    play = endpoint(lambda body: fault(kind))
    ann = agent(play, timeout=0.2 if kind == "hang" else 60.0, max_retries=0)
    for _ in range(2):
        with pytest.raises(ChatModelError):
            ann.send("Hi", id="1")
    play.play([tell("Hello!")])
    answers = [ann.send("Hi", id="1") for _ in range(2)]
    assert [answer.messages for answer in answers] == [("Hello!",), ("Hello!",)]
    assert events(play.requests[-1]) == ["Hi"]
    assert ann.flush(10)
    said = [(one.exchange.question, one.exchange.answer) for one in ann.recall().passages]
    assert said == [("Hi", "Hello!")]


def test_half_a_stream_is_an_error_and_not_an_answer(endpoint, agent):
    shown = []
    play = endpoint([Reply("I will", fault="half-stream")])
    ann = agent(play, max_retries=0)
    with pytest.raises(ChatModelError, match="broke off"):
        ann.send("Hi", id="1", on_text=shown.append)
    assert shown == ["I will"]
    assert ann.answer("1").messages == ()
    play.play([tell("Hello!")])
    assert ann.send("Hi", id="1").messages == ("Hello!",)


def test_a_silent_endpoint_is_given_up_after_the_timeout_of_the_model(endpoint, agent):
    play = endpoint([fault("hang")])
    ann = agent(play, timeout=0.2, max_retries=0)
    with pytest.raises(ChatModelUnavailable, match=r"no answer within 0\.2 seconds"):
        ann.send("Hi")


def test_a_failure_in_the_middle_of_a_chain_keeps_the_steps_before(endpoint, agent):
    play = endpoint(
        [and_go_on("core_memory_append", name="human", content="Name: Ann"), fault("401")]
    )
    ann = agent(play)
    with pytest.raises(ChatModelError):
        ann.send("I'm Ann.", id="1")
    assert ann.core().value("human") == "Name: Ann"
    play.play([tell("Hello Ann!")])
    answer = ann.send("I'm Ann.", id="1")
    assert [step.calls[0].name for step in answer.steps] == ["core_memory_append", "send_message"]
    assert latest(play.requests[-1])["status"] == "OK"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (call("fly_to_the_moon", {}), "there is no function 'fly_to_the_moon'"),
        (call("send_mesage", {"message": "Hi"}), "did you mean 'send_message'"),
        (call("send_message", "{'message"), "are not JSON"),
        (call("send_message", "[1]"), "must be one JSON object"),
        (call("send_message", {}), "message: field required"),
        (call("send_message", {"message": " "}), "the message is empty"),
        (call("send_message", {"message": 5}), "should be a valid string"),
        (call("conversation_search", {"query": "x", "page": "many"}), "page: "),
        (call("core_memory_append", {"name": "pet", "content": "x"}), "there is no block 'pet'"),
        (
            call("core_memory_replace", {"name": "human", "old_content": "?", "new_content": ""}),
            "e",
        ),
    ],
)
def test_a_call_that_fails_is_explained_to_the_model_which_runs_again(
    endpoint, agent, reply, reason
):
    play = endpoint([reply, tell("Sorry: hi!")])
    answer = agent(play).send("Hi")
    assert answer.text == "Sorry: hi!"
    result = latest(play.requests[-1])
    assert result["status"] == "Failed"
    assert reason in result["message"]
    assert "Traceback" not in result["message"]


def test_a_thousand_calls_in_one_answer_are_cut_off(endpoint, agent):
    called = []

    def look(n: int) -> str:
        """Look."""
        called.append(n)
        return "x" * 5_000

    def model(body):
        seen = latest(body)
        if seen.get("type") == "user_message":
            return calls(*(call("look", {"n": n}) for n in range(1000)))
        if seen.get("type") == "system_alert":
            return call("core_memory_append", {"name": "human", "content": "Looks a lot."})
        return tell("Done.")

    play = endpoint(model, window=8192)
    answer = agent(play, functions=[look]).send("Go")
    assert answer.text == "Done."
    assert called == list(range(8))
    assert "have not run" in latest(play.requests[1])["message"]


def test_a_model_that_calls_for_ever_is_stopped(endpoint, agent):
    """The unbounded chain: whatever a weak model asks for, it ends, and the user is told."""
    count = iter(range(10_000))

    def model(body):
        if is_summary_request(body):
            return say("Searches.")
        return and_go_on("conversation_search", query=f"attempt {next(count)}")

    play = endpoint(model)
    answer = agent(play).send("Hi")
    assert (answer.ended, len(answer.steps)) == ("steps", 20)
    assert answer.text == "I could not finish that. Please ask again, perhaps in other words."


def test_the_same_failing_call_is_stopped_earlier(endpoint, agent):
    play = endpoint(lambda body: call("core_memory_append", {"name": "pet", "content": "Rex"}))
    answer = agent(play).send("My dog is called Rex.")
    assert (answer.ended, len(answer.steps)) == ("repeated", 3)
    assert len(answer.messages) == 1


def test_a_model_that_says_nothing_is_stopped(endpoint, agent):
    play = endpoint(lambda body: say(""))
    answer = agent(play).send("Hi")
    assert (answer.ended, len(answer.steps)) == ("silent", 3)


def test_limits_of_tokens_and_of_a_day(endpoint, agent, clock):
    play = endpoint(lambda body: and_go_on("conversation_search", query=str(len(str(body)))))
    ann = agent(play, limits=AgentLimits(tokens=3_000))
    assert ann.send("Hi").ended == "tokens"
    bea = agent(play, name="bea", limits=AgentLimits(tokens_per_day=3_000))
    assert bea.send("Hi").ended == "quota"
    before = len(play.requests)
    assert bea.send("Hi again").text.startswith("That is all I can do for you today")
    assert len(play.requests) == before
    clock.pass_time(days=1)
    play.play([tell("Good morning!")])
    assert bea.send("Hi").text == "Good morning!"


def test_a_slow_chain_is_stopped(endpoint, agent):
    now = iter(range(0, 100_000, 40))
    play = endpoint(lambda body: and_go_on("conversation_search", query=str(len(str(body)))))
    answer = agent(play, monotonic=lambda: next(now)).send("Hi")
    assert answer.ended == "time"
    assert len(answer.steps) < 8


def test_an_endless_stream_of_text_is_an_error(endpoint, agent, monkeypatch):
    monkeypatch.setattr("anaphora.chat_model.endpoint._MAX_STREAM_BYTES", 100_000)
    play = endpoint([say("blah " * 100_000)])
    ann = agent(play, max_retries=0)
    with pytest.raises(ChatModelError, match="longer than 100,000 bytes"):
        ann.send("Hi", on_text=lambda text: None)


@pytest.mark.parametrize("length", [1_000, 30_000, 900_000])
def test_an_answer_of_any_length_reaches_the_user_and_fits_the_next_prompt(endpoint, agent, length):
    """The endpoint ignores the limit of an answer."""
    long = "A long story. " * (length // 14)

    def model(body):
        if is_summary_request(body):
            return say("Stories.")
        seen = latest(body)
        if seen.get("type") == "system_alert":
            return call("core_memory_append", {"name": "human", "content": "Likes stories."})
        return {"A story": tell(long), "Another": say(long)}.get(seen["message"], tell("Short."))

    ann = agent(endpoint(model, window=8192))
    assert ann.send("A story").text == long
    assert ann.send("Shorter, please").text == "Short."
    assert ann.send("Another").text == long.strip()
    assert ann.send("Shorter, please").text == "Short."
    assert ann.flush(120)


def test_an_endpoint_that_counts_more_tokens_than_we_do(endpoint, agent, monkeypatch):
    """The prompt that it calls too long is sent again, shorter, with the user's message."""
    play = endpoint(lambda body: say("A summary.") if is_summary_request(body) else tell("OK"))
    ann = agent(play, max_tokens=512)
    for n in range(12):
        ann.send(f"Message {n}: " + "the weather was fine and we went to the sea " * 12)
    monkeypatch.setattr(
        "tests.support.chat_endpoint.count_prompt", lambda body: len(json.dumps(body)) // 3
    )
    play.window = 6_000
    assert ann.send("And now?").text == "OK"
    assert events(play.requests[-1])[-1] == "And now?"


def test_a_prompt_that_can_never_fit_is_a_clear_error_and_keeps_the_message(endpoint, agent):
    play = endpoint(lambda body: tell("Hello Ann!"))
    ann = agent(play, window=1500, max_tokens=500)
    with pytest.raises(AgentError, match="use a larger window, fewer functions or smaller blocks"):
        ann.send("I'm Ann.", id="1")
    assert ann.answer("1").ended == "failed"
    assert not play.requests
    bigger = agent(play, window=8192)
    assert bigger.send("Who am I?").text == "Hello Ann!"
    assert events(play.requests[-1]) == ["I'm Ann.", "Who am I?"]


def test_an_endpoint_that_is_down_stops_no_flush(endpoint, agent):
    """The summary of what leaves the window is made without the model if it does not answer."""

    def model(body):
        return fault("401") if is_summary_request(body) else tell("I see.")

    play = endpoint(model, window=8192)
    ann = agent(play)
    for n in range(20):
        ann.send(f"In round {n} the red car overtook the blue one in the hairpin. " * 10)
    state = ann.state()
    assert state.hidden
    assert "red car" in state.summary


def test_nothing_leaves_the_queue_because_an_endpoint_is_down(endpoint, agent):
    """Its tokenizer is down as well, and an estimate is higher than its count."""
    play = endpoint(lambda body: tell("Yes."), tokenizer="llama")
    options = {"window": 3_300, "max_tokens": 100, "max_retries": 0}
    ann = agent(play, **options)
    ann.send("My name is Ann.")
    ann.send("I live in Kyoto.")
    before = ann.state().queue

    play.loading = True
    play.play(lambda body: fault("503"))
    restarted = agent(play, **options)
    with pytest.raises(ChatModelUnavailable, match="503"):
        restarted.send("Are you there?", id="1")
    assert restarted.state().queue[: len(before)] == before

    play.loading = False
    play.play([tell("I am back.")])
    assert restarted.send("Are you there?", id="1").text == "I am back."
    assert not restarted.model.is_cut_off
    assert not restarted.state().hidden
