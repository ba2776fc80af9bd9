"""Functions on lists and maps, and on the length of things."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.errors import EvaluationError
from anaphora.grammar.values import Kind, is_equal, kind_of
from tests.grammar.functions.evaluation import (
    FUNCTIONS,
    call,
    evaluate,
    evaluation_error,
    grammar_error,
    is_same,
)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("list", (), ()),
        ("list", (1, "a"), (1, "a")),
        ("get", (("a", "b"), 1), "b"),
        ("get", ({"k": 1}, "k"), 1),
        ("get", ({"k": 1}, "x"), None),
        ("get", ({1: "a"}, 1), "a"),
        ("get", ({1: "a"}, True), None),
        ("has", ((1, 2), 2), True),
        ("has", ((1, 2), 1.0), False),
        ("has", ((None,), None), True),
        ("has", ((("a", "b"),), ("b", "a")), True),
        ("has_any", (("a", "b"), ("b", "c")), True),
        ("has_any", (("a",), ()), False),
        ("has_any", ((1,), (1.0, True)), False),
        ("has_all", (("a", "b"), ("b", "a", "a")), True),
        ("has_all", (("a",), ("a", "b")), False),
        ("has_all", ((), ()), True),
        ("first", ((),), None),
        ("first", ((1, 2),), 1),
        ("last", ((),), None),
        ("last", ((1, 2),), 2),
        ("length", ("abc",), 3),
        ("size", ((1,),), 1),
        ("count", ({},), 0),
        ("is_empty", ("",), True),
        ("is_empty", ({"k": 1},), False),
        ("non_empty", ((1,),), True),
        ("non_empty", ("",), False),
        ("keys", ({"a": 1},), ("a",)),
        ("values", ({"a": 1, "b": frozenset({"y", "x"})},), (1, ("x", "y"))),
        ("concat", ((1,), (2,)), (1, 2)),
        ("reverse", ((1, 2),), (2, 1)),
        ("sort", ((2, 1.5, 1),), (1, 1.5, 2)),
        ("sort", (("b", "a"),), ("a", "b")),
        ("sort", ((True, False),), (False, True)),
        ("sort", ((),), ()),
        ("distinct", ((1, 1.0, True, 1, "1"),), (1, 1.0, True, "1")),
        ("distinct", ((("a", "b"), ("b", "a")),), (("a", "b"),)),
    ],
)
def test_a_collection_gives(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    assert is_same(call(name, *arguments), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "b": [1.5, null, true]}', {"a": 1, "b": [1.5, None, True]}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        (" {} ", {}),
        ('{"a": 9223372036854775807}', {"a": 2**63 - 1}),
        ('{"a": 9223372036854775808}', {"a": float(2**63)}),
        ('{"a": -12}', {"a": -12}),
        ('{"a": -9223372036854775808}', {"a": -(2**63)}),
        ('{"a": -9223372036854775809}', {"a": -float(2**63)}),
    ],
)
def test_json_spells_a_map(text: str, expected: Any) -> None:
    found = call("json", text)
    assert found == expected
    assert [type(item) for item in found.values()] == [type(item) for item in expected.values()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "'json' needs a text that spells a map, not a list of 1"),
        ("1", "not the integer 1"),
        ("", "'json' cannot read the text '': Expecting value"),
        ("{'a': 1}", "'json' cannot read the text"),
        ('{"a": NaN}', "NaN is no JSON"),
        ('{"a": 1} x', "Extra data"),
        ('{"a":' * 200_000, "'json' "),
    ],
)
def test_what_is_no_map_in_json_is_an_error(text: str, message: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        call("json", text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("get", ((1,), 1), "'get' finds no index 1 in a list of 1"),
        ("get", ((1,), -1), "'get' finds no index -1"),
        ("get", ((1,), True), "'get' needs an integer as the index, not true"),
        ("get", ((1,), "a"), "'get' needs an integer as the index, not the text 'a'"),
        ("sort", ((1, "a"),), "the list contains a text and an integer"),
        ("sort", ((True, 1),), "the list contains an integer and a boolean"),
        ("sort", ((None,),), "the list contains null"),
        ("concat", (tuple(range(60_000)), tuple(range(60_000))), "100000 is the most"),
        ("concat", (("a" * 10**6,) * 6, ("b" * 10**6,) * 6), "have 12000000 characters"),
        ("keys", (dict.fromkeys(range(100_001)),), "100000 is the most"),
        ("length", (5,), "needs a text, a list or a map as its 1st argument, not the integer 5"),
        ("is_empty", (None,), "not null"),
        ("first", ("abc",), "'first' needs a list as its 1st argument, not the text 'abc'"),
        ("keys", ((),), "'keys' needs a map as its 1st argument, not a list of 0"),
        ("has_any", (("a",), "a"), "'has_any' needs a list as its 2nd argument"),
    ],
)
def test_what_has_no_result_is_an_error(
    name: str, arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(EvaluationError) as raised:
        call(name, *arguments)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("has(ent_groups)", "'has' takes 2 arguments, not 1"),
        ("has(#, 'x')", "'has' needs a list as its 1st argument, not a text"),
        ("get(1, 2)", "'get' needs a list or a map as its 1st argument, not an integer"),
        ("first()", "'first' takes 1 argument, not 0"),
        ("sort('abc')", "'sort' needs a list as its 1st argument, not a text"),
        ("keys(list())", "'keys' needs a map as its 1st argument, not a list"),
        ("json(ent_groups)", "'json' needs a text as its 1st argument, not a list"),
        ("concat(list(1))", "'concat' takes 2 arguments, not 1"),
    ],
)
def test_a_wrong_call_is_found_before_it_runs(text: str, message: str) -> None:
    assert message in grammar_error(text)


def test_the_length_has_three_names() -> None:
    assert FUNCTIONS["length"] is FUNCTIONS["size"] is FUNCTIONS["count"]


def test_lists_compare_whatever_their_order_and_by_kind() -> None:
    assert evaluate("list(1, 2, 3) == list(3, 2, 1)")
    assert evaluate("list(1, 2, 3) != list(1.0, 2, 3)")
    assert evaluate("list(1, 1) != list(1)")


def test_a_value_nested_deeply_is_an_error_and_no_crash() -> None:
    deep: Any = ()
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(EvaluationError, match="nested too deeply"):
        call("has", (deep,), deep)
    while deep:  # else Python itself takes it apart one in the other
        (deep,) = deep


def test_a_list_holds_no_more_texts_than_can_be_compared_in_no_time() -> None:
    text = "a" * 10**6
    items = call("concat", (text,) * 5, (text,) * 5)
    assert not call("has", items, text[:-1] + "b")
    with pytest.raises(EvaluationError, match="have 20000000 characters"):
        call("concat", items, items)


def _doubled() -> list[Any]:
    items: list[Any] = [1, 2]
    for _ in range(15):
        items = [items, items]
    return [items] * 1_000


@pytest.mark.parametrize(
    "compare",
    [
        lambda many: call("has", many, [0]),
        lambda many: call("has_any", [0], many),
        lambda many: call("has_all", many, [0]),
        lambda many: call("distinct", many),
        lambda many: is_equal(many, [0]),
    ],
)
def test_values_that_are_held_again_and_again_are_not_all_looked_through(
    compare: Callable[[Any], object],
) -> None:
    many = _doubled()
    with pytest.raises(EvaluationError, match="of more than 250000 parts cannot be compared"):
        compare(many)


def test_lists_as_long_as_they_may_be_are_compared() -> None:
    numbers = tuple(range(100_000))
    assert call("has_all", numbers, numbers[::-1])
    assert not call("has_any", numbers, ("x",) * 100_000)
    assert call("distinct", numbers) == numbers
    assert is_equal(numbers, numbers[::-1])


def test_what_is_no_number_is_sorted_behind_the_numbers() -> None:
    text = evaluate("to_string(sort(list(2, sqrt(-1), 3.5, sqrt(-1), 1)))")
    assert text == ("1", "2", "3.5", "nan", "nan")


def test_a_set_of_python_is_a_list_wherever_it_is_held() -> None:
    held = ({"b", "a"}, {"a"})
    assert call("first", held) == call("get", held, 0) == ("a", "b")
    assert call("last", held) == ("a",)


def test_an_error_names_the_function_as_it_was_called() -> None:
    assert "'size' needs a text, a list or a map" in evaluation_error("size(meta_ent('one'))")
    assert "'count' needs" in evaluation_error("count(meta_ent('one'))")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.lists(JSON, max_size=5))
def test_collections_never_change_their_arguments(items: list[Any]) -> None:
    before = list(items)
    for name in ("reverse", "distinct", "first", "last", "length", "is_empty"):
        call(name, items)
    for name in ("concat", "has_any", "has_all"):
        call(name, items, items)
    if all(kind_of(item) is Kind.TEXT for item in items):
        call("sort", items)
    assert items == before
    assert all(old is new for old, new in zip(before, items, strict=True))


@given(JSON, JSON)
def test_equality_is_symmetric_and_everything_equals_itself(one: Any, other: Any) -> None:
    assert is_equal(one, one)
    assert is_equal(one, other) == is_equal(other, one)


@given(st.lists(JSON, max_size=5))
def test_what_is_in_a_list_is_found_in_it(items: list[Any]) -> None:
    assert all(call("has", items, item) for item in items)
    assert call("has_all", items, call("distinct", items))
    assert is_equal(items, items[::-1])


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=4))
def test_json_reads_what_json_writes(mapping: dict[str, Any]) -> None:
    assert is_equal(call("json", json.dumps(mapping)), mapping)
