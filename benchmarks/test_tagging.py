"""How does tagging grow with the synonyms of a model, and what does it cost to build?"""

from __future__ import annotations

import pytest

from anaphora.entities.pipeline import Pipeline
from benchmarks.models import model_of_synonyms, names

COUNTS = [1_000, 10_000, 100_000]


@pytest.mark.parametrize("count", COUNTS)
def test_tag_an_utterance(benchmark, count):
    pipeline = Pipeline(model_of_synonyms(count))
    text = f"I would like to order {names(1_000)[500]} please"
    assert pipeline(text).entities[-1].element == "name"
    benchmark(pipeline, text)


@pytest.mark.parametrize("count", COUNTS)
def test_build_the_pipeline(benchmark, count):
    model = model_of_synonyms(count)
    benchmark.pedantic(Pipeline, (model,), rounds=3)
