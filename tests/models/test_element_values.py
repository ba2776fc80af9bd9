"""Many values of an element: packed, and yet what they were."""

from __future__ import annotations

import pickle
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.grammar.patterns import Pattern
from anaphora.models.domain import ANY_LANGUAGE, Element, ElementValue
from anaphora.models.element_values import (
    PackedValues,
    find_complex_values,
    iter_phrases,
    value_names,
)

texts = st.text(st.characters(), min_size=1, max_size=5)
phrases = st.lists(texts.map(lambda text: (text,)), max_size=3).map(tuple)
odd_phrases = st.just(((Pattern("[0-9]+"), "x"),))
values = st.lists(
    st.builds(
        ElementValue,
        texts,
        st.dictionaries(
            st.sampled_from([ANY_LANGUAGE, "en", "ru"]), phrases | odd_phrases, max_size=3
        ),
    )
    | texts.map(lambda name: ElementValue(name, {ANY_LANGUAGE: ((name,), ("also",))})),
    max_size=8,
).map(tuple)


@given(values)
def test_packed_values_are_what_they_were(values):
    packed = PackedValues(values)
    assert packed == values
    assert values == packed
    assert packed == PackedValues(values)
    assert list(packed) == list(values)
    assert [packed[index] for index in range(len(packed))] == list(values)
    assert packed[1:-1] == values[1:-1]
    assert [list(value.phrases) for value in packed] == [list(value.phrases) for value in values]
    assert pickle.loads(pickle.dumps(packed)) == values


@given(values)
def test_what_is_asked_of_packed_values_is_as_of_others(values):
    packed = PackedValues(values)
    assert value_names(packed) == value_names(values)
    for languages in ((), ("en", ANY_LANGUAGE), (ANY_LANGUAGE, "ru", "en")):
        assert list(iter_phrases(packed, languages)) == list(iter_phrases(values, languages))
    odd = [one for one in values if any(len(p) > 1 for ps in one.phrases.values() for p in ps)]
    assert list(find_complex_values(packed)) == odd


@given(values, values)
def test_other_values_are_not_equal(some, others):
    assert (PackedValues(some) == PackedValues(others)) == (some == others)
    assert PackedValues(some) != list(some)


@given(values)
def test_packed_values_can_be_kept_as_plain_data(values):
    data = PackedValues(values).to_data()
    if data is not None:
        assert PackedValues.from_data(data) == values


def test_there_is_no_value_beyond_the_last_one():
    packed = PackedValues([ElementValue("a", {})])
    assert packed[-1].name == "a"
    for index in (1, -2):
        with pytest.raises(IndexError):
            packed[index]


def test_many_values_of_an_element_take_less_than_50_bytes_each():
    def element() -> Element:
        names = (f"north{n % 300} place{n}" for n in range(10_000))
        made = (ElementValue(name, {ANY_LANGUAGE: ((name,),)}) for name in names)
        return Element("name", frozenset({"name"}), values=tuple(made))

    tracemalloc.start()
    held = element()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(held.values) == 10_000
    assert size / 10_000 < 50


def test_few_values_stay_as_they_are():
    few = (ElementValue("a", {ANY_LANGUAGE: (("a",),)}),)
    assert Element("x", frozenset({"x"}), values=few).values == few
