"""Whatever was asked before: a yes undoes the pause, anything else undoes the offer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from textwrap import dedent

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anaphora import Engine, Reply, parse_model
from anaphora.engine.samples.in_process_long_term import InProcessLongTerm
from tests.support.examples import examples
from tests.support.weather_models import TOPICS, WEATHER

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
PAUSE = timedelta(minutes=6)

TOPIC = ["weather", "hotel", "how much"]
COMPLETE = ["weather Tokyo", "weather Kyoto tomorrow", "hotel Tokyo now", "how much coffee"]
PARTS = ["Tokyo", "Kyoto", "now", "tomorrow", "Kyoto tomorrow", "coffee", *TOPIC]
complete = st.sampled_from(COMPLETE)
questions = st.sampled_from([*PARTS, "weather tomorrow", "hotel Kyoto"])
answers = questions | st.sampled_from(["hello", "forget it", "yes or no", *COMPLETE])
models = st.integers(0, 2)
dialogs = st.builds(
    lambda first, *more: [first, *more],
    st.sampled_from(COMPLETE[:2]),
    complete | questions,
    questions,
)

PROMPTS = "prompts: {weather: {city: For which city?}, hotel: {city: Where?}}\n"
MODELS = [
    parse_model(text)
    for text in (
        dedent(WEATHER),
        dedent(TOPICS) + PROMPTS + "reset: [forget it]\n",
        dedent(TOPICS).replace("groups: [topic], topic: true", "groups: [topic]")
        + "reset: [forget it]\n",
    )
]


NUMBERS = count()


@cache
def engine_of(model: int, *, long_term: bool) -> Engine:
    """One engine serves all examples, each with users of its own."""
    return Engine(MODELS[model], long_term=InProcessLongTerm() if long_term else None)


class Somebody:
    """A user who has never asked before, with a clock of their own."""

    def __init__(self, model: int, *, long_term: bool = True) -> None:
        self.at = BEGIN
        self._engine = engine_of(model, long_term=long_term)
        self._name = f"user {next(NUMBERS)}"

    def ask(self, text: str) -> Reply:
        return self._engine.ask(text, user=self._name, at=self.at)


def understood(reply: Reply) -> tuple[object, ...]:
    """All that a user sees of a reply, and what the bot has made of the question."""
    slots = {name: (slot.value, slot.source) for name, slot in reply.slots.items()}
    return reply.status, reply.intent, slots, reply.missing, reply.text, reply.memory


def is_offer(reply: Reply) -> bool:
    return reply.status == "incomplete" and not reply.missing


@given(models, dialogs, questions)
@settings(max_examples=examples(50), deadline=None)
def test_a_yes_is_answered_as_the_question_would_have_been_without_the_pause(
    model, before, follow_up
):
    soon, late = Somebody(model), Somebody(model)
    for text in before:
        soon.ask(text)
        reply = late.ask(text)
        assume(reply.status == "matched")
    late.at += PAUSE
    answer, offer = soon.ask(follow_up), late.ask(follow_up)
    assume(answer.status == "matched")
    if offer.status == "matched":  # it needs no memory, or takes what it likes from the sentence
        assert offer.intent
        return
    assert is_offer(offer)
    assert understood(late.ask("yes")) == understood(answer)


@given(models, dialogs, questions, answers)
@settings(max_examples=examples(50), deadline=None)
def test_anything_but_yes_or_no_is_answered_as_if_there_had_been_no_offer(
    model, before, follow_up, after
):
    offering, silent = Somebody(model), Somebody(model, long_term=False)
    for text in before:
        offering.ask(text)
        silent.ask(text)
    offering.at += PAUSE
    silent.at += PAUSE
    offer = offering.ask(follow_up)
    silent.ask(follow_up)
    assume(is_offer(offer))
    reply = offering.ask(after)
    assume(not is_offer(reply))
    assert understood(reply) == understood(silent.ask(after))
