"""What is not understood while the bot waits for an answer brings the prompt again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from anaphora import Engine, parse_model

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)

BANK = """
id: bank
entities: [money, number]
conversation: {timeout: 5m, depth: 3}
elements:
  - {id: send, synonyms: ["{send|pay|transfer}"]}
  - {id: person, values: [Peter, Mary]}
  - {id: balance, synonyms: [balance]}
  - {id: account, values: [savings]}
  - {id: joke, synonyms: [joke]}
  - {id: kind, values: [silly]}
intents:
  - "intent=pay term(act)~{# == 'send'} term(to)~{# == 'person'} term(amount)~{# == 'money'}"
  - "intent=balance term(act)~{# == 'balance'} term(account)~{# == 'account'}"
  - "intent=joke term(act)~{# == 'joke'} term(kind)~{# == 'kind'}"
prompts:
  pay: {to: To whom?, amount: How much?}
  balance: {account: Which account?}
reset: [forget it]
"""


class Talk:
    def __init__(self) -> None:
        self.engine = Engine(parse_model(BANK))
        self.now = NOON

    def __call__(self, text: str):
        self.now += timedelta(seconds=1)
        return self.engine.ask(text, at=self.now, explain=True)


@pytest.fixture
def talk() -> Talk:
    talk = Talk()
    assert talk("send Peter some money").prompt == "How much?"
    return talk


@pytest.mark.parametrize(
    "text",
    [
        "I don't know",
        "what?",
        "500 km",  # a number, and no intent takes one
        "",
        "?!",
        "joke",  # of which the bot could not ask for what is missing
        "не знаю",
    ],
)
def test_the_prompt_comes_again(talk, text):
    reply = talk(text)
    assert (reply.status, reply.intent) == ("incomplete", "pay")
    assert (reply.missing, reply.prompt, reply.text) == (("amount",), "How much?", "How much?")
    assert reply.slots["to"].value == "Peter"
    reply = talk("50 euros")
    assert (reply.status, reply.slots["to"].value) == ("matched", "Peter")


def test_the_explanation_says_so(talk):
    assert "the prompt, which is repeated" in str(talk("what?").explanation)


def test_nothing_is_waited_for_after_too_many_in_a_row(talk):
    assert [talk("what?").status for _ in range(4)] == ["incomplete"] * 3 + ["rejected"]
    assert talk("50 euros").slots.get("to") is None


def test_an_answer_between_begins_the_count_anew(talk):
    for text in ("what?", "what?", "Mary", "what?", "what?", "what?"):
        assert talk(text).status == "incomplete"
    assert talk("50 euros").slots["to"].value == "Mary"


def test_another_question_that_can_be_completed_takes_its_place(talk):
    assert talk("my balance").prompt == "Which account?"
    assert talk("what?").prompt == "Which account?"
    assert talk("savings").intent == "balance"


def test_a_reset_phrase_ends_it(talk):
    assert talk("forget it").status == "reset"
    assert talk("what?").status == "rejected"


def test_so_does_the_timeout(talk):
    talk.now += timedelta(minutes=4)
    assert talk("what?").status == "incomplete"
    talk.now += timedelta(minutes=4)  # since then
    assert talk("what?").status == "incomplete"
    talk.now += timedelta(minutes=6)
    assert talk("what?").status == "rejected"


def test_a_question_that_breaks_a_limit_is_rejected_as_ever():
    talk = Talk()
    talk.engine = Engine(parse_model(BANK + "limits: {max_words: 4}"))
    talk("send Peter some money")
    assert talk("one two three four five").status == "rejected"
    assert talk("50 euros").status == "matched"
