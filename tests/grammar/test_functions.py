"""The functions of the language, and how one is added."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.errors import EvaluationError
from anaphora.grammar.context import Context, EntityView, Surroundings
from anaphora.grammar.functions import FUNCTIONS
from anaphora.grammar.functions.registry import CURRENT, Lazy, collect, function
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.values import ANYTHING, Kind, equal, kind_of
from anaphora.models.utterance import Entity
from tests.grammar.trees import NOW, TOKYO

AROUND = Surroundings(
    (TOKYO, NOW),
    text="tokyo now",
    user="ann",
    model_id="weather",
    model_name="Weather",
    model_version="1.0",
    model_meta={"k": "model"},
    intent_meta={"k": "intent"},
    conversation_data={"k": "conversation"},
)


def value(name: str, *arguments: Any) -> Any:
    return FUNCTIONS[name].call(name, *arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("lowercase", ("Ä",), "ä"),
        ("uppercase", ("ä",), "Ä"),
        ("trim", ("  a b ",), "a b"),
        ("strip", ("  a b ",), "a b"),
        ("starts_with", ("abc", "ab"), True),
        ("ends_with", ("abc", "ab"), False),
        ("contains", ("abc", "b"), True),
        ("regex", ("abc", "a.c"), True),
        ("regex", ("abcd", "a.c"), False),
        ("split", ("a, b,c,,", ", *"), ("a", "b", "c")),
        ("to_string", (4.5,), "4.5"),
        ("to_string", (True,), "true"),
        ("to_string", ((1, "a"),), ("1", "a")),
        ("abs", (-2,), 2),
        ("abs", (-2.5,), 2.5),
        ("min", ((3, 1.5),), 1.5),
        ("max", ((3, 1.5),), 3),
        ("round", (2.5,), 3),
        ("round", (-2.5,), -2),
        ("floor", (-1.5,), -2.0),
        ("ceil", (1.2,), 2.0),
        ("to_int", (2.5,), 3),
        ("to_int", ("-12",), -12),
        ("to_int", (7,), 7),
        ("to_double", ("1.5e2",), 150.0),
        ("to_double", (2,), 2.0),
        ("list", (), ()),
        ("list", (1, "a"), (1, "a")),
        ("get", (("a", "b"), 1), "b"),
        ("get", ({"k": 1}, "k"), 1),
        ("get", ({"k": 1}, "x"), None),
        ("get", ({1: "a"}, True), None),
        ("has", ((1, 2), 1.0), False),
        ("has", ((None,), None), True),
        ("has_any", (("a", "b"), ("b", "c")), True),
        ("has_any", (("a",), ()), False),
        ("has_all", (("a", "b"), ("b", "a", "a")), True),
        ("has_all", (("a",), ("a", "b")), False),
        ("first", ((),), None),
        ("first", ((1, 2),), 1),
        ("last", ((1, 2),), 2),
        ("length", ("abc",), 3),
        ("size", ((1,),), 1),
        ("count", ({},), 0),
        ("is_empty", ("",), True),
        ("non_empty", ((1,),), True),
        ("keys", ({"a": 1},), ("a",)),
        ("values", ({"a": 1},), (1,)),
        ("concat", ((1,), (2,)), (1, 2)),
        ("reverse", ((1, 2),), (2, 1)),
        ("sort", ((2, 1.5, 1),), (1, 1.5, 2)),
        ("sort", (("b", "a"),), ("a", "b")),
        ("sort", ((),), ()),
        ("distinct", ((1, 1.0, True, 1, "1"),), (1, 1.0, True, "1")),
    ],
)
def test_a_function_gives(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    result = value(name, *arguments)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("lowercase", (1,), "'lowercase' needs a text as its 1st argument, not the integer 1"),
        ("trim", (None,), "not null"),
        ("abs", (True,), "needs a number as its 1st argument, not true"),
        ("min", ((),), "'min' has no result for an empty list"),
        ("max", ((1, "a"),), "it holds the text 'a'"),
        ("round", (float("inf"),), "'round' has no integer for the number inf"),
        ("round", (1e300,), "does not fit 64 bits"),
        ("abs", (-(2**63),), "does not fit 64 bits"),
        ("to_int", ("1_0",), "finds no integer in the text '1_0'"),
        ("to_int", ("99999999999999999999",), "does not fit 64 bits"),
        ("to_double", ("nan",), "finds no number"),
        ("to_string", (None,), "cannot make a text of null"),
        ("to_string", (((1,),),), "cannot make a text of a list of 1"),
        ("get", ((1,), 1), "'get' finds no place 1 in a list of 1"),
        ("get", ((1,), -1), "'get' finds no place -1"),
        ("get", ((1,), True), "'get' needs an integer as the place, not true"),
        ("sort", ((1, "a"),), "the list holds a text and an integer"),
        ("sort", ((None,),), "the list holds null"),
        ("regex", ("a", "("), "is not a regular expression"),
        ("concat", (tuple(range(60_000)), tuple(range(60_000))), "100000 is the most"),
        ("uppercase", ("ß" * 600_000,), "1000000 is the most"),
    ],
)
def test_a_function_refuses(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        value(name, *arguments)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ent_count", (), 2),
        ("ent_all", (), (TOKYO, NOW)),
        ("ent_this", (), NOW),
        ("ent_index", (NOW,), 1),
        ("tok_index", (TOKYO,), 0),
        ("ent_is_first", (NOW,), False),
        ("ent_is_last", (NOW,), True),
        ("ent_is_after_type", ("city",), True),
        ("ent_is_before_type", ("city",), False),
        ("ent_is_after_type", ("date",), False),
        ("ent_is_after_group", ("geo",), True),
        ("ent_is_before_group", ("geo",), False),
        ("meta_ent", ("x",), None),
        ("meta_cfg", ("k",), "model"),
        ("meta_model", ("k",), "model"),
        ("meta_intent", ("k",), "intent"),
        ("meta_conv", ("k",), "conversation"),
        ("req_text", (), "tokyo now"),
        ("user_id", (), "ann"),
        ("mdl_id", (), "weather"),
        ("mdl_name", (), "Weather"),
        ("mdl_ver", (), "1.0"),
    ],
)
def test_a_function_sees_the_surroundings(
    name: str, arguments: tuple[Any, ...], expected: Any
) -> None:
    assert value(name, Context(NOW, AROUND), *arguments) == expected


def test_a_remembered_entity_has_no_place_in_the_sentence() -> None:
    remembered = Entity(TOKYO.element, TOKYO.groups, "tokyo")
    context = Context(remembered, AROUND)
    assert value("ent_index", context, remembered) == -1
    assert not value("ent_is_first", context, remembered)
    assert not value("ent_is_last", context, remembered)
    assert not value("ent_is_before_type", context, "date")
    assert not value("ent_is_last", Context(remembered, Surroundings()), remembered)


def test_both_spellings_of_0_9_and_1_0_name_one_function() -> None:
    for new, old in (("ent_type", "tok_id"), ("ent_text", "tok_txt"), ("meta_ent", "meta_tok")):
        assert FUNCTIONS[new] is FUNCTIONS[old]
    assert FUNCTIONS["#"] is FUNCTIONS["ent_type"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.lists(JSON, max_size=5))
def test_collections_never_change_their_arguments(items: list[Any]) -> None:
    before = list(items)
    for name in ("reverse", "distinct", "first", "last", "length", "is_empty"):
        value(name, items)
    for name in ("concat", "has_any", "has_all"):
        value(name, items, items)
    if all(kind_of(item) is Kind.TEXT for item in items):
        value("sort", items)
    assert items == before
    assert all(old is new for old, new in zip(before, items, strict=True))


@given(JSON, JSON)
def test_equality_is_symmetric_and_everything_equals_itself(one: Any, other: Any) -> None:
    assert equal(one, one)
    assert equal(one, other) == equal(other, one)


@given(st.lists(JSON, max_size=5))
def test_what_is_in_a_list_is_found_in_it(items: list[Any]) -> None:
    assert all(value("has", items, item) for item in items)
    assert value("has_all", items, value("distinct", items))
    assert equal(items, items[::-1])


def test_adding_a_function_is_one_decorated_python_function() -> None:
    @function("extra", "near", "close_to")
    def near(context: Context, place: str, far: float, entity: EntityView = CURRENT) -> bool:
        """Whether the entity is near a place."""
        return entity.text == place and far > 0

    assert (near.names, near.group) == (("near", "close_to"), "extra")
    assert near.doc == "Whether the entity is near a place."
    assert [one.name for one in near.parameters] == ["place", "far", "entity"]
    assert [one.type for one in near.parameters] == [
        {Kind.TEXT},
        {Kind.INTEGER, Kind.NUMBER},
        {Kind.ENTITY},
    ]
    assert near.returns == {Kind.BOOLEAN}
    assert (near.takes_context, near.reads_entity, near.constant) == (True, True, False)
    assert (near.fewest, near.most) == (2, 3)
    assert near.call("near", Context(NOW, AROUND), "now", 1, NOW)
    with pytest.raises(EvaluationError, match="'close_to' needs a number as its 2nd argument"):
        near.call("close_to", Context(NOW, AROUND), "now", True, NOW)


def test_annotations_tell_how_an_argument_is_handed_over() -> None:
    @function("extra")
    def several(pattern: Pattern, later: Lazy, *more: object) -> str | None:
        """Anything."""
        return str(later()) if pattern.fits("a") else None

    assert several.names == ("several",)
    assert [one.form for one in several.parameters] == ["pattern", "lazy", "value"]
    assert [one.variadic for one in several.parameters] == [False, False, True]
    assert several.parameters[2].type == ANYTHING
    assert several.returns == {Kind.TEXT, Kind.NULL}
    assert several.most is None
    assert several.call("several", "a", lambda: "x", 1, 2) == "x"


def test_two_functions_cannot_share_a_spelling() -> None:
    @function("extra", "same")
    def one() -> int:
        """One."""
        return 1

    @function("extra", "same")
    def two() -> int:
        """Two."""
        return 2

    module = ModuleType("extra")
    vars(module).update(one=one, two=two)
    with pytest.raises(ValueError, match="two functions are called 'same'"):
        collect(module)


def test_every_function_is_documented() -> None:
    assert all(one.doc and one.group for one in FUNCTIONS.values())
    with pytest.raises(TypeError):
        FUNCTIONS["new"] = FUNCTIONS["#"]  # type: ignore[index]  # it cannot be changed
