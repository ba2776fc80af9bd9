"""A number and a unit, said one after the other, are what one text with both is."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.numbers.combination import combine_amounts, create_combiner
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import TokenizedText
from anaphora.models.schema.builtin_entities import resolve_options

MONDAY = datetime(2026, 11, 23, 15, tzinfo=UTC)
UNITS = [
    ("number", "en", "km"),
    ("number", "en", "kilograms"),
    ("number", "de", "Kilometer"),
    ("number", "ru", "метров"),
    ("money", "en", "euros"),
    ("money", "en", "USD"),
    ("money", "de", "Franken"),
    ("money", "ru", "рублей"),
]
NUMBERS = st.integers(2, 99_999)


@lru_cache
def recognizer(name: str, language: str):
    return create_builtin(name, language, resolve_options(name, {}))


def read(name: str, language: str, text: str) -> Entity:
    (one,) = recognizer(name, language)(TokenizedText(text, [text], [0]), MONDAY)
    return Entity(name, frozenset({name}), text, value=one.value, meta=one.meta)


@given(st.sampled_from(UNITS), NUMBERS)
def test_a_unit_completes_a_number(unit, number):
    name, language, word = unit
    combiner = create_combiner(name, "en", resolve_options(name, {}), is_full=True)
    found = combiner.complete(read(name, language, str(number)), word, language, MONDAY)
    whole = read(name, language, f"{number} {word}")
    assert found is not None
    assert (found.value, found.meta) == (whole.value, whole.meta)


@given(st.sampled_from(UNITS), NUMBERS, NUMBERS)
def test_a_number_keeps_the_unit_of_the_old_one(unit, number, other):
    name, language, word = unit
    old, new = read(name, language, f"{number} {word}"), read(name, language, str(other))
    combined = combine_amounts(old, new)
    whole = read(name, language, f"{other} {word}")
    assert combined is not None
    assert (combined.value, combined.meta) == (whole.value, whole.meta)


@given(st.sampled_from(UNITS), NUMBERS, NUMBERS)
def test_an_amount_with_a_unit_replaces_the_old_one(unit, number, other):
    name, language, word = unit
    old, new = (read(name, language, f"{one} {word}") for one in (number, other))
    assert combine_amounts(old, new) is None
