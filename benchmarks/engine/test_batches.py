"""What is the gain of batches of questions, and of more processes?"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import pytest
import spacy
from spacy.language import Language
from thinc.api import fix_random_seed

from anaphora import Engine
from anaphora.engine.samples.runner import run_dialogs
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.prefetch import UnreadText
from anaphora.models.domain import AskStep, Dialog
from anaphora.models.loader import load_model
from benchmarks.models import model_of_synonyms, names
from tests.support.plain_models import PLAIN_WEATHER

TEXTS = [f"I would like to order {name} please" for name in names(256)]


def neural() -> Language:
    """A small network for parts of speech and names with random weights: its results are useless,
    but it is as slow as a trained one."""
    fix_random_seed(7)
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger").add_label("NOUN")
    nlp.get_pipe("tagger").add_label("VERB")
    nlp.add_pipe("ner").add_label("PERSON")
    nlp.initialize()
    return nlp


def ask_each(engine: Engine) -> None:
    for text in TEXTS:
        engine.ask(text)


def ask_many(engine: Engine) -> None:
    deque(engine.ask_many(TEXTS), 0)


@pytest.mark.parametrize("ask", [ask_each, ask_many])
@pytest.mark.parametrize("components", ["ours", "neural"])
def test_questions(benchmark, components, ask):
    """256 questions, asked in a loop or by :meth:`Engine.ask_many`."""
    nlp = neural() if components == "neural" else None
    engine = Engine(model_of_synonyms(1_000), nlp=nlp)
    benchmark(ask, engine)


@pytest.mark.parametrize("batch_size", [1, 8, 32, 128, 256])
def test_texts_of_a_given_pipeline_as_the_batches_grow(benchmark, batch_size):
    pipeline = Pipeline(model_of_synonyms(1_000), neural())
    texts = [UnreadText(text) for text in TEXTS]
    batches = [texts[n : n + batch_size] for n in range(0, len(texts), batch_size)]
    benchmark(lambda: [pipeline.prefetch(batch) for batch in batches])


def dialogs(questions: int) -> Sequence[Dialog]:
    steps = ("weather in Tokyo now", "And in Kyoto?", "And tomorrow?", "What about Oslo?")
    return [Dialog(tuple(map(AskStep, steps)))] * (questions // len(steps))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("questions", [400, 20_000])
def test_samples_in_several_processes(benchmark, questions, jobs):
    """A new process has to import the whole package and spaCy."""
    model, listed = load_model(PLAIN_WEATHER), dialogs(questions)
    benchmark.pedantic(lambda: deque(run_dialogs(model, listed, jobs=jobs), 0), rounds=2)
