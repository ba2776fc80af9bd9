"""How long does one question take?"""

from __future__ import annotations

from itertools import cycle

import pytest

from anaphora import Engine
from benchmarks.models import model_of_intents, model_of_synonyms, names
from tests.support.plain_models import PLAIN_WEATHER


def test_weather_dialog(benchmark):
    """A complete question and its follow-ups in turn, with warm caches."""
    engine = Engine(PLAIN_WEATHER)
    questions = cycle(["What is the weather in Tokyo now?", "And in Kyoto?", "And tomorrow?"])
    benchmark(lambda: engine.ask(next(questions)))


def test_weather_with_its_explanation(benchmark):
    engine = Engine(PLAIN_WEATHER)
    benchmark(lambda: engine.ask("What is the weather in Tokyo now?", explain=True))


@pytest.mark.parametrize("count", [1_000, 10_000, 100_000])
def test_ask_as_the_synonyms_grow(benchmark, count):
    engine = Engine(model_of_synonyms(count))
    text = f"I would like to order {names(1_000)[500]} please"
    assert engine.ask(text).status == "matched"
    benchmark(lambda: engine.ask(text))


@pytest.mark.parametrize("count", [10, 1_000, 10_000])
def test_ask_as_the_intents_grow(benchmark, count):
    engine = Engine(model_of_intents(count))
    topic = names(count)[count // 2]
    questions = cycle([f"what about {topic} in Tokyo", "and in Kyoto?"])
    assert engine.ask(next(questions)).status == "matched"
    benchmark(lambda: engine.ask(next(questions)))


@pytest.mark.parametrize("count", [10, 1_000, 10_000])
def test_a_question_that_is_rejected_as_the_intents_grow(benchmark, count):
    engine = Engine(model_of_intents(count))
    assert engine.ask("and in Kyoto?").status == "rejected"
    benchmark(lambda: engine.ask("and in Kyoto?"))
