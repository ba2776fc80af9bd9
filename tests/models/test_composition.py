from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.errors import ModelError
from anaphora.grammar.idl.compiler import compile_entity_part
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.composition import CompositionCycleError, composition_levels
from anaphora.models.domain import Element, ElementValue


def part(text: str) -> EntityPart:
    return EntityPart("", text, compile_entity_part(text))


def element(id: str, *parts: str, groups: tuple[str, ...] = (), ancestors: tuple[str, ...] = ()):
    phrases = ((id,), *((part(text),) for text in parts))
    return Element(id, frozenset(groups or {id}), {"": phrases}, ancestors=ancestors)


def layers(*elements: Element) -> list[str]:
    return [" ".join(one.id for one in layer) for layer in composition_levels(elements)]


def test_elements_without_parts_are_one_layer():
    assert layers(element("a"), element("b")) == ["a b"]
    assert layers() == [""]


def test_an_element_comes_after_those_that_its_parts_name():
    assert layers(
        element("trip", "# == 'range'", "# == 'city'"),
        element("range", "# == 'day'"),
        element("day"),
        element("city"),
    ) == ["day city", "range", "trip"]


def test_the_parts_of_values_and_of_any_language_count():
    day = element("day", "# == 'number'")
    late = Element(
        "late", frozenset({"late"}), {}, (ElementValue("x", {"ru": ((part("# == 'day'"),),)}),)
    )
    assert layers(late, day, element("number")) == ["number", "day", "late"]


def test_a_group_or_an_ancestor_stands_for_every_other_element_that_has_it():
    assert layers(
        element("range", "has(ent_groups(), 'time')", groups=("time",)),
        element("day", "# == 'number'", groups=("time", "x")),
        element("number"),
    ) == ["number", "day", "range"]
    assert layers(
        element("pair", "has(tok_ancestors(), 'food')", ancestors=("food",)),
        element("dish", "# == 'sauce'", ancestors=("meal", "food")),
        element("sauce"),
    ) == ["sauce", "dish", "pair"]


def test_what_may_be_made_of_anything_comes_last_in_the_order_of_the_model():
    assert layers(
        element("second", "tok_value() == null"),
        element("third", "true"),
        element("range", "# == 'day'"),
        element("day"),
    ) == ["day", "range", "second", "third"]


def test_what_needs_such_an_element_comes_after_it():
    assert layers(
        element("top", "# == 'any'"), element("any", "true"), element("other", "true"), element("x")
    ) == ["x", "any", "top", "other"]


def test_a_part_that_no_element_can_be_needs_nothing():
    assert layers(element("range", "# == 'builtin'"), element("day")) == ["day", "range"]


@pytest.mark.parametrize(
    ("elements", "circle"),
    [
        ([element("a", "# == 'a'")], ("a",)),
        ([element("a", "# == 'b'"), element("b", "# == 'a'")], ("a", "b")),
        (
            [
                element("x", "# == 'a'"),
                element("a", "has(ent_groups(), 'g')"),
                element("b", "# == 'a'", groups=("g",)),
            ],
            ("a", "b"),
        ),
        (
            [
                element("a", "has(ent_groups(), 'g')", groups=("g",)),
                element("b", "has(ent_groups(), 'g')", groups=("g",)),
            ],
            ("a", "b"),
        ),
        ([element("a", "true", "# == 'b'"), element("b", "# == 'a'")], ("a", "b")),
    ],
)
def test_a_cycle_is_an_error_that_names_it(elements, circle):
    with pytest.raises(CompositionCycleError) as caught:
        composition_levels(elements)
    assert caught.value.cycle == circle
    assert all(f"'{id}'" in str(caught.value) or f"{id} →" in str(caught.value) for id in circle)
    assert isinstance(caught.value, ModelError)


@given(st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=8))
def test_every_element_stands_after_all_that_it_needs(needs):
    elements = [
        element(f"e{n}", *(f"# == 'e{other}'" for other in sorted(others)))
        for n, others in enumerate(needs)
    ]
    try:
        found = composition_levels(elements)
    except CompositionCycleError as error:
        after = [*error.cycle[1:], error.cycle[0]]
        for id, following in zip(error.cycle, after, strict=True):
            assert int(following[1:]) in needs[int(id[1:])]
        return
    assert sorted(one.id for layer in found for one in layer) == sorted(e.id for e in elements)
    place = {one.id: at for at, layer in enumerate(found) for one in layer}
    for n, others in enumerate(needs):
        assert all(place[f"e{other}"] < place[f"e{n}"] for other in others if other < len(needs))
