"""What no intent fits is answered by an agent."""

from __future__ import annotations

import pytest

from anaphora import AnaphoraError, ConversationKey, Engine
from anaphora.engine.callbacks.fallback_agent import RejectedQuestion


class _Agent:
    """An agent that answers everything with one text, and records what it is asked."""

    name = "ada"

    def __init__(self, answer: str = "Let me think.", error: Exception | None = None) -> None:
        self.answer, self.error = answer, error
        self.asked: list[RejectedQuestion] = []
        self.erased: list[tuple[str, str]] = []

    def answer_rejected(self, question: RejectedQuestion) -> str:
        self.asked.append(question)
        if self.error is not None:
            raise self.error
        return self.answer

    def erase(self, user: str, *, tenant: str = "") -> int:
        self.erased.append((user, tenant))
        return 2


def test_a_question_that_no_intent_fits_is_answered_by_the_agent():
    agent = _Agent()
    with Engine("cafe", fallback=agent) as engine:
        reply = engine.ask("Do you dream of electric sheep?", user="ann")
    assert (reply.status, reply.text, reply.answered_by) == ("rejected", "Let me think.", "ada")
    assert reply.to_dict()["answered_by"] == "ada"
    (asked,) = agent.asked
    assert (asked.text, asked.user, asked.model) == (
        "Do you dream of electric sheep?",
        "ann",
        "cafe",
    )


def test_what_an_intent_fits_never_reaches_the_agent():
    agent = _Agent()
    with Engine("cafe", fallback=agent) as engine:
        reply = engine.ask("How much is a coffee at Starbucks?")
        assert reply.status == "matched"
        assert engine.ask("How much is a tea?").answered_by == ""
    assert not agent.asked
    assert "answered_by" not in reply.to_dict()


@pytest.mark.parametrize("text", ["", "  ", "a" * 20_000])
def test_nothing_and_far_too_much_are_not_passed_on(text):
    agent = _Agent()
    with Engine("cafe", fallback=agent) as engine:
        assert engine.ask(text).answered_by == ""
    assert not agent.asked


@pytest.mark.parametrize("agent", [_Agent(error=AnaphoraError("it is down")), _Agent(answer="")])
def test_if_the_agent_cannot_answer_the_bot_says_what_it_says_without_one(agent, caplog):
    question = "Do you dream of electric sheep?"
    with Engine("weather") as engine:
        alone = engine.ask(question)
        reply = engine.with_fallback(agent).ask(question)
    assert (reply.text, reply.answered_by) == (alone.text, "")
    assert ("it is down" in caplog.text) == (agent.error is not None)


def test_a_handler_for_rejected_questions_comes_first():
    agent = _Agent()
    with Engine("cafe", fallback=agent) as engine:
        engine.on_fallback(lambda text: "We sell coffee.")
        assert engine.ask("Do you dream of electric sheep?").text == "We sell coffee."
    assert not agent.asked


def test_who_is_erased_is_erased_from_the_agent_too():
    agent = _Agent()
    with Engine("cafe", fallback=agent) as engine:
        assert engine.erase(user="ann") == 2
    assert agent.erased == [("ann", "")]


def test_the_agent_is_part_of_the_exchange_that_is_remembered_for_good():
    with Engine("cafe", fallback=_Agent(), long_term="memory:") as engine:
        engine.ask("Do you dream of electric sheep?", user="ann")
        (exchange,) = engine.long_term.latest(ConversationKey("ann", "cafe"), 1)
    assert exchange.answer == "Let me think."
