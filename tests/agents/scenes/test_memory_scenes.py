"""Scenes of an agent that manages its memory: what the user says, and what the model sees then."""

from __future__ import annotations

from tests.agents.prompts import (
    and_go_on,
    block,
    events,
    is_summary_request,
    latest,
    prompt_text,
    tell,
)
from tests.support.chat_endpoint import call, calls, say

RACING = (
    "In the race of {n} the second car braked late in the hairpin, both drivers went wide over the "
    "gravel, and the safety car came out for four laps while the marshals swept the track clean. "
)


def test_what_the_user_likes_outlives_the_window(endpoint, agent):
    """The window fills up with a talk about racing; warned of it, the agent saves the taste."""

    def model(body):
        if is_summary_request(body):
            return say("We talked about races.")
        if "about to exceed its memory" in latest(body).get("message", ""):
            return call("core_memory_append", {"name": "human", "content": "Loves Formula 1."})
        return tell("What a race!")

    play = endpoint(model, window=8192)
    ann = agent(play, window=8192, max_tokens=1024)
    ann.send("I love Formula 1!", user="ann")
    for n in range(20):
        ann.send(RACING.format(n=1990 + n) * 3, user="ann")

    alerts = [body for body in play.requests if events(body, "system_alert")]
    warned = [n for n, body in enumerate(play.requests) if "exceed its memory" in prompt_text(body)]
    flushed = [n for n, body in enumerate(play.requests) if "We talked about races" in str(body)]
    assert warned and flushed and warned[0] < flushed[0]
    assert alerts and "I love Formula 1!" not in events(play.requests[-1])
    assert "Loves Formula 1." in block(play.requests[-1], "human")
    assert "Summary of the hidden messages: We talked about races." in prompt_text(play)


def test_one_warning_for_each_time_the_window_fills(endpoint, agent):
    def model(body):
        if is_summary_request(body):
            return say("Races.")
        return tell("I see.")

    play = endpoint(model, window=8192)
    ann = agent(play, window=8192, max_tokens=1024)
    for n in range(40):
        ann.send(RACING.format(n=1990 + n) * 3)
    for body in play.requests:
        alerts = [text for text in events(body, "system_alert") if "exceed its memory" in text]
        assert len(alerts) <= 1
    flushes = sum(map(is_summary_request, play.requests))
    warnings = sum(
        "exceed its memory" in latest(body).get("message", "")
        for body in play.requests
        if not is_summary_request(body)
    )
    assert flushes >= 2
    assert flushes <= warnings <= flushes + 1


def test_birthday(endpoint, agent):
    """A hint at a birthday is written down, and the same chain congratulates."""
    play = endpoint(
        [
            and_go_on("core_memory_append", name="human", content="Birthday: October 11."),
            tell("Happy birthday, Ann!"),
        ]
    )
    ann = agent(play)
    answer = ann.send("It's October 11, and I have baked a cake for myself.", user="ann")
    assert answer.text == "Happy birthday, Ann!"
    assert [step.calls[0].name for step in answer.steps] == ["core_memory_append", "send_message"]
    assert block(play.requests[0], "human") == ""
    assert block(play.requests[1], "human") == "Birthday: October 11."
    assert latest(play.requests[1])["status"] == "OK"


def test_a_correction_replaces_what_was_known(endpoint, agent):
    play = endpoint(
        [
            and_go_on(
                "core_memory_replace",
                name="human",
                old_content="horror films",
                new_content="romantic comedies",
            ),
            tell("Noted: romantic comedies!"),
            tell("How about 'Notting Hill'?"),
        ]
    )
    ann = agent(play, human="Name: Ann. Likes horror films.", persona="You are Ada.")
    ann.send("I don't watch horror films, I prefer romantic comedies.")
    ann.send("What shall I watch?")
    assert block(play.requests[-1], "human") == "Name: Ann. Likes romantic comedies."
    for part, value in ann.core():
        assert len(value) <= part.limit


def test_the_result_of_a_search_is_in_the_next_prompt(endpoint, agent, clock):
    """Deep recall: the artist was named in a session that the window shows no more."""

    def chat(body):
        if is_summary_request(body):
            return say("Small talk.")
        return tell("Taylor Swift, perhaps." if "artist" in str(latest(body)) else "Nice!")

    play = endpoint(chat, window=8192)
    ann = agent(play, window=8192, max_tokens=1024)
    ann.send("Let's talk about music. Is there an artist whom you like?")
    for n in range(15):
        clock.pass_time(days=1)
        ann.send(RACING.format(n=n) * 5)
    assert "Taylor Swift" not in prompt_text(play)
    assert ann.flush(10)

    def search(body):
        seen = latest(body, alerts=False)
        if "status" in seen:
            return tell("Taylor Swift." if "Taylor Swift" in seen["message"] else "I forgot.")
        return and_go_on("conversation_search", query="music")

    play.play(search)
    answer = ann.send("Which artist did you say you might like?")
    assert answer.text == "Taylor Swift."
    assert "Taylor Swift, perhaps." in answer.steps[-2].calls[0].result


def test_a_search_by_date_includes_both_days(endpoint, agent, clock):
    play = endpoint(lambda body: tell("Yes."))
    ann = agent(play)
    for day in ("Monday", "Tuesday", "Wednesday", "Thursday"):
        ann.send(f"Today is {day}.")
        clock.pass_time(days=1)
    ann.flush(10)
    play.play(
        [
            and_go_on("conversation_search_date", start_date="2026-01-06", end_date="2026-01-07"),
            tell("Tuesday and Wednesday."),
        ]
    )
    ann.send("What did I say on the 6th and the 7th?")
    found = latest(play.requests[-1])["message"]
    assert "Tuesday" in found and "Wednesday" in found
    assert "Monday" not in found and "Thursday" not in found


def test_several_calls_in_one_answer_run_in_order(endpoint, agent):
    play = endpoint(
        [
            calls(
                call("core_memory_append", {"name": "human", "content": "Name: Ann"}),
                call("core_memory_append", {"name": "human", "content": "Lives in Kyoto"}),
                tell("Welcome, Ann!"),
            )
        ]
    )
    ann = agent(play)
    answer = ann.send("Hi, I'm Ann, I moved to Kyoto.")
    assert answer.text == "Welcome, Ann!"
    assert ann.core().value("human") == "Name: Ann\nLives in Kyoto"
    assert len(answer.steps) == 1


def test_the_agent_answers_a_login_of_its_own_accord_or_stays_silent(endpoint, agent):
    play = endpoint([tell("Welcome back!"), say("Nothing to say.")])
    ann = agent(play)
    assert ann.notify("login").text == "Welcome back!"
    assert ann.notify("login").messages == ()


def test_paused_heartbeats_are_ignored_until_their_time(endpoint, agent, clock):
    play = endpoint(
        [call("pause_heartbeats", {"minutes": 60}), tell("Good night."), tell("Are you up?")]
    )
    ann = agent(play)
    ann.send("Don't disturb me for an hour.")
    assert ann.notify("heartbeat") is None
    clock.pass_time(minutes=61)
    assert ann.notify("heartbeat").text == "Are you up?"
