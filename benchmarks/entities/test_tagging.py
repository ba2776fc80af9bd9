"""How does tagging scale with the synonyms of a model, and what does building cost?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from anaphora.entities.pipeline import Pipeline
from anaphora.grammar.idl.compiler import compile_entity_part
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import Element, Model, StopWords
from benchmarks.models import element, model_of_synonyms, names

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


LOOSE = {
    "plain": {},
    "permuted": {"permute": True},
    "sparse": {"sparse": True},
    "sparse and permuted": {"sparse": True, "permute": True},
}


@pytest.mark.parametrize("how", LOOSE)
def test_tag_an_utterance_with_loose_phrases(benchmark, how):
    """1,000 names of two words, in any order or with other words between them."""
    names_ = replace(element("name", values=names(1_000)), **LOOSE[how])
    pipeline = Pipeline(Model("loose", (element("order"), names_), ()))
    text = f"I would like to order {names(1_000)[500]} please"
    assert pipeline(text).entities[-1].element == "name"
    benchmark(pipeline, text)


def test_tag_an_utterance_with_skipped_stop_words(benchmark):
    model = replace(model_of_synonyms(1_000), stop_words=StopWords(skipped=True))
    first, second = names(1_000)[500].split()
    pipeline = Pipeline(model)
    text = f"I would like to order {first} of the {second} please"
    assert pipeline(text).entities[-1].gaps == 2
    benchmark(pipeline, text)


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_tag_an_utterance_with_composed_elements(benchmark, depth):
    """A chain of composed elements."""
    elements = [element("level0", *names(1_000))]
    for level in range(1, depth + 1):
        predicate = f"# == 'level{level - 1}'"
        phrase = ("with", EntityPart("inner", predicate, compile_entity_part(predicate)))
        elements.append(Element(f"level{level}", frozenset({f"level{level}"}), {"": (phrase,)}))
    pipeline = Pipeline(Model("composed", tuple(elements), ()))
    text = f"I would like to order {'with ' * depth}{names(1_000)[500]} please"
    assert {entity.element for entity in pipeline(text).entities} == {one.id for one in elements}
    benchmark(pipeline, text)
