"""What does tolerance of misspellings cost, and how does it scale with the synonyms of a model?"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from anaphora.entities.phrases.edit_distance import SpellingIndex
from anaphora.entities.pipeline import Pipeline
from anaphora.models.domain import Element, Model
from benchmarks.models import model_of_synonyms, names

COUNTS = [1_000, 10_000, 100_000]


def tolerant(model: Model, typos: int) -> Model:
    def lax(element: Element) -> Element:
        return replace(element, typos=typos)

    return replace(model, elements=tuple(map(lax, model.elements)))


@pytest.mark.parametrize("typos", [0, 1, 2])
def test_tag_an_utterance_without_a_wrong_letter(benchmark, typos):
    """A text with two known words, whose other words are not stop words."""
    pipeline = Pipeline(tolerant(model_of_synonyms(10_000), typos))
    text = f"I would like to order {names(1_000)[500]} please"
    assert pipeline(text).entities[-1].exact
    benchmark(pipeline, text)


@pytest.mark.parametrize("typos", [1, 2])
def test_tag_an_utterance_with_wrong_letters_again(benchmark, typos):
    pipeline = Pipeline(tolerant(model_of_synonyms(10_000), typos))
    first, second = names(1_000)[500].split()
    text = f"I would like to order {first}x {second}x please"
    assert "misspelt" in pipeline(text).entities[-1].marks
    benchmark(pipeline, text)


@pytest.mark.parametrize("typos", [1, 2])
@pytest.mark.parametrize("size", COUNTS)
def test_look_up_a_word_that_was_never_seen(benchmark, size, typos):
    words = [f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}word{_letters(i)}" for i in range(size)]
    spellings = SpellingIndex({(word, word): typos for word in words})
    numbers = count()
    assert spellings.find_nearest(words[7] + "x", words[7] + "x")[0] == (words[7], 1)

    def look_up() -> None:
        word = f"xword{_letters(next(numbers))}"
        spellings.find_nearest(word, word)

    benchmark(look_up)


@pytest.mark.parametrize("typos", [0, 2])
def test_build_the_pipeline_of_a_tolerant_model(benchmark, typos):
    model = tolerant(model_of_synonyms(10_000), typos)
    benchmark.pedantic(Pipeline, (model,), rounds=3)


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
