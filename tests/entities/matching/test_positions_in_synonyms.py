"""Predicates in synonyms that ask what stands before or after an entity."""

from __future__ import annotations

import pytest

from anaphora import parse_model
from anaphora.entities.pipeline import Pipeline
from anaphora.models.composition import composition_levels

INTENTS = "intents: ['intent=i term={true}']"
MODEL = """
id: trips
elements:
  - {id: from, groups: [way], synonyms: [from]}
  - {id: to, groups: [way], synonyms: [to]}
  - {id: city, values: {Oslo: [], Bergen: [], Oslo West: []}}
  - {id: start, synonyms: ["^^{# == 'city' && tok_is_between_ids('from', 'to')}^^"]}
  - {id: end, synonyms: ["^^{# == 'city' && tok_is_after_id('to')}^^"]}
  - {id: sole, synonyms: ["^^{# == 'city' && tok_count == 1}^^"]}
"""


def found(model: str, text: str) -> set[tuple[str, str]]:
    return {
        (one.element, one.text)
        for one in Pipeline(parse_model(f"{model}\n{INTENTS}"))(text).entities
    }


def test_an_entity_is_what_its_place_makes_it() -> None:
    cities = {("city", "Oslo"), ("city", "Bergen"), ("from", "from"), ("to", "to")}
    assert found(MODEL, "from Oslo to Bergen") == {*cities, ("start", "Oslo"), ("end", "Bergen")}
    assert found(MODEL, "to Oslo from Bergen") == {
        *cities,
        ("end", "Oslo"),
        ("end", "Bergen"),
    }


def test_entities_that_overlap_it_do_not_count() -> None:
    # "Oslo" within "Oslo West" stands neither before nor after it.
    assert ("sole", "Oslo West") in found(
        MODEL.replace("city, v", "city, greedy: false, v"), "Oslo West"
    )
    assert ("sole", "Oslo") not in found(MODEL, "Oslo or Bergen")


COMPOSED = """
id: roads
elements:
  - {id: road, synonyms: ["^^[n]{# == 'number' && tok_is_after_id('via')}^^"]}
  - {id: number, values: ["7", "8"]}
  - {id: via, synonyms: ["^^{# == 'by'}^^ road"]}
  - {id: by}
"""


@pytest.mark.parametrize("step", [1, -1])
def test_what_stands_beside_may_be_composed_itself(step: int) -> None:
    head, *lines = COMPOSED.strip().split("\n")
    elements = lines[1:][::step]
    text = "\n".join((head, lines[0], *elements))
    assert ("road", "8") in found(text, "7 by road 8")
    assert ("road", "7") not in found(text, "7 by road 8")


def test_those_that_ask_for_each_other_are_found_in_their_order() -> None:
    model = parse_model(
        "id: m\nelements:\n  - {id: x, synonyms: [a, b]}\n"
        "  - {id: p, synonyms: [\"^^{# == 'x' && tok_is_after_id('q')}^^\"]}\n"
        "  - {id: q, synonyms: [\"^^{# == 'x' && tok_is_before_id('p')}^^\"]}\n" + INTENTS
    )
    assert [[one.id for one in level] for level in composition_levels(model.elements)] == [
        ["x"],
        ["p", "q"],
    ]


def test_very_many_of_them_are_tested_in_bounded_time() -> None:
    assert found(MODEL, "from Oslo to " + "Bergen " * 3_000)
