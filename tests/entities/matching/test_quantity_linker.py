"""Numbers that count what is named beside them."""

from __future__ import annotations

from functools import cache

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from anaphora import parse_model
from anaphora.core.utterance import Entity
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "ru", "uk", "ja", "zh")
MARKET = f"""
id: market
language: [{", ".join(LANGUAGES)}]
entities: [number, date, money]
elements:
  - id: fruit
    id_synonym: false
    counts: number
    values:
      apple: [Apfel, Äpfel, pomme, manzana, mela, maçã, яблоко, яблуко, りんご, 苹果]
      pear: [Birne, poire, pera, pêra, груша, 梨]
  - id: drink
    id_synonym: false
    counts: number
    values:
      tea: {{de: [Tee], fr: [thé], ru: [чай], ja: [お茶], zh: [茶]}}
      juice: [Saft, jus, zumo, succo, suco, сок, сік, ジュース, 果汁]
  - {{id: size, id_synonym: false, values: {{small: [klein, kleine], big: [große, большая]}}}}
  - {{id: room, id_synonym: false, synonyms: [room]}}
intents: ["intent=buy term(fruit)={{# == 'fruit'}}"]
"""


@cache
def pipeline() -> Pipeline:
    return Pipeline(parse_model(MARKET))


def best_reading(text: str, language: str = "en") -> tuple[Entity, ...]:
    return find_variants(pipeline()(text, language))[0].entities


def counted(text: str, language: str = "en") -> list[tuple[str | None, float | None]]:
    """The values of what can be counted, with their quantities, in the best reading."""
    return [
        (entity.value, entity.quantity)
        for entity in best_reading(text, language)
        if entity.element in ("fruit", "drink")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two apples", [("apple", 2)]),
        ("Seven pears, please", [("pear", 7)]),
        ("twelve apples and a pear", [("apple", 12), ("pear", None)]),
        ("4 apples, 5 pears", [("apple", 4), ("pear", 5)]),
        ("2 x tea", [("tea", 2)]),
        ("2x tea", [("tea", 2)]),
        ("tea × 2", [("tea", 2)]),
        ("tea x2 and juice x3", [("tea", 2), ("juice", 3)]),
        ("tea times three", [("tea", 3)]),
        ("six of the apples", [("apple", 6)]),
        ("six of those small apples", [("apple", 6)]),
        ("three more pears", [("pear", 3)]),
        ("four glasses of juice", [("juice", 4)]),
        ("four cups of tea", [("tea", 4)]),
        ("5 small apples", [("apple", 5)]),
        ("5 organic apples", [("apple", 5)]),
        ("two and a half apples", [("apple", 2.5)]),
        ("add one apple to the three pears", [("apple", 1), ("pear", 3)]),
        ("apples, 3 pcs", [("apple", None)]),
        ("apples 3 pcs", [("apple", 3)]),
    ],
)
def test_a_number_counts_the_thing_beside_it(text: str, expected: list[object]) -> None:
    assert counted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "apples",
        "an apple",
        "apples at 9",
        "at 9 an apple",
        "at five o'clock, apples",
        "tea for two and apples",
        "for four people tea",
        "the second apple",
        "room 5 tea",
        "5 euros apples",
        "3 kg of apples",
        "more than 3 apples",
        "2 to 4 apples",
        "-3 apples",
        "20 % apples",
        "on May 5 tea",
    ],
)
def test_other_numbers_count_nothing(text: str) -> None:
    assert {quantity for _, quantity in counted(text)} == {None}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Drei Äpfel bitte", [("apple", 3)]),
        ("de", "zweimal Tee und einmal Saft", [("tea", 2), ("juice", 1)]),
        ("de", "fünf kleine Birnen", [("pear", 5)]),
        ("de", "4 Gläser Saft", [("juice", 4)]),
        ("fr", "six pommes et deux poires", [("apple", 6), ("pear", 2)]),
        ("fr", "trois verres de jus", [("juice", 3)]),
        ("es", "tres manzanas", [("apple", 3)]),
        ("es", "cuatro vasos de zumo", [("juice", 4)]),
        ("it", "cinque mele e due pere", [("apple", 5), ("pear", 2)]),
        ("pt", "quatro copos de suco", [("juice", 4)]),
        ("ru", "пять яблок и две груши", [("apple", 5), ("pear", 2)]),
        ("ru", "три стакана сока", [("juice", 3)]),
        ("ru", "груши 4 шт", [("pear", 4)]),
        ("uk", "три яблука", [("apple", 3)]),
        ("ja", "りんごを三つください", [("apple", 3)]),
        ("ja", "お茶2杯とジュース3本", [("tea", 2), ("juice", 3)]),
        ("ja", "四個のりんご", [("apple", 4)]),
        ("zh", "我要三个苹果和两杯茶", [("apple", 3), ("tea", 2)]),
        ("zh", "果汁四瓶", [("juice", 4)]),
    ],
)
def test_every_language_counts_in_its_way(language: str, text: str, expected: list[object]) -> None:
    assert counted(text, language) == expected


def test_the_entity_keeps_its_words_and_takes_those_of_the_number() -> None:
    (found,) = best_reading("four cups of tea")
    assert (found.text, found.start, found.end, found.stem) == ("tea", 13, 16, "tea")
    assert (found.tokens, found.gaps) == ((0, 1, 2, 3), 0)


def test_what_describes_the_thing_remains_an_entity_of_its_own() -> None:
    size, found = sorted(best_reading("two small apples"), key=lambda one: one.start)
    assert (size.value, size.tokens) == ("small", (1,))
    assert (found.tokens, found.gaps, found.quantity) == ((0, 2), 1, 2)


def test_the_number_and_the_thing_can_still_be_read_apart() -> None:
    found = {(one.element, one.quantity) for one in pipeline()("two apples", "en").entities}
    assert found == {("fruit", 2), ("fruit", None), ("number", None)}


def test_a_time_before_the_thing_is_a_time() -> None:
    found = best_reading("at 9 apples")
    assert [(one.element, one.quantity) for one in found] == [("date", None), ("fruit", None)]


def test_only_elements_that_say_so_are_counted() -> None:
    text = MARKET.replace("counts: number", "several: true")
    utterance = Pipeline(parse_model(text))("two apples", "en")
    assert [str(one) for one in utterance.entities] == ["number=2", "fruit=apple"]


def test_each_element_is_counted_by_its_own_numbers() -> None:
    text = """
        id: m
        entities: [number]
        elements:
          - {id: dozen, recognizer: number}
          - {id: egg, synonyms: [eggs], counts: dozen}
        intents: ["intent=i term={# == 'egg'}"]
    """
    (egg,) = find_variants(Pipeline(parse_model(text))("three eggs"))[0].entities
    assert (egg.element, egg.quantity) == ("egg", 3)


def test_they_are_found_in_a_pipeline_of_the_user_as_well() -> None:
    found = Pipeline(parse_model(MARKET), {"en": spacy.blank("en")})("two cups of tea", "en")
    (tea,) = find_variants(found)[0].entities
    assert (tea.value, tea.quantity) == ("tea", 2)


WORDS = ["2", "three", "x", "x3", "apples", "tea", "cups", "of", "the", "small", "and", "at", ","]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_a_counted_entity_differs_from_another_only_in_the_number(text: str) -> None:
    entities = pipeline()(text, "en").entities
    plain = {(one.element, one.start): one for one in entities if one.quantity is None}
    for one in entities:
        if one.quantity is not None:
            other = plain[one.element, one.start]
            assert (one.text, one.value, one.end) == (other.text, other.value, other.end)
            assert set(one.tokens) > set(other.tokens)
            assert one.gaps == one.tokens[-1] - one.tokens[0] + 1 - len(one.tokens)


@given(st.integers(1, 999), st.sampled_from(["apples", "tea", "small pears"]))
def test_any_number_counts(number: int, thing: str) -> None:
    assert [quantity for _, quantity in counted(f"{number} {thing}")] == [number]
