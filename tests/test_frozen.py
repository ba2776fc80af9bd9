"""Data that many share: whoever writes to it is told to copy it, and nobody else sees a change."""

from __future__ import annotations

import copy
import json
import pickle
from types import MappingProxyType

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.frozen import FrozenDict, FrozenList, freeze

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_it_equals_what_it_was_made_of_and_is_written_as_that(plain):
    made = freeze(plain)
    assert made == plain
    assert json.dumps(made) == json.dumps(plain)
    assert msgspec.json.encode(made) == msgspec.json.encode(plain)
    assert msgspec.msgpack.encode(made) == msgspec.msgpack.encode(plain)
    assert freeze(made) is made
    assert repr(pickle.loads(pickle.dumps(made))) == repr(made)


@given(PLAIN)
def test_what_it_was_made_of_may_change_and_it_does_not(plain):
    made, before = freeze(plain), copy.deepcopy(plain)
    if isinstance(plain, dict):
        plain["new"] = 1
    elif isinstance(plain, list):
        plain.append("new")
    assert made == before


WRITES = {
    "set an item": lambda data: data.__setitem__("key", 1),
    "delete an item": lambda data: data.__delitem__("key"),
    "update": lambda data: data.update(key=1),
    "|=": lambda data: data.__ior__({"key": 1}),
    "setdefault": lambda data: data.setdefault("new", 1),
    "pop": lambda data: data.pop("key"),
    "popitem": lambda data: data.popitem(),
    "clear": lambda data: data.clear(),
    "set an item of a list": lambda data: data["list"].__setitem__(0, 1),
    "delete an item of a list": lambda data: data["list"].__delitem__(0),
    "append": lambda data: data["list"].append(1),
    "extend": lambda data: data["list"].extend([1]),
    "+=": lambda data: data["list"].__iadd__([1]),
    "*=": lambda data: data["list"].__imul__(2),
    "insert": lambda data: data["list"].insert(0, 1),
    "pop from a list": lambda data: data["list"].pop(),
    "remove": lambda data: data["list"].remove(3),
    "reverse": lambda data: data["list"].reverse(),
    "sort": lambda data: data["list"].sort(),
    "clear a list": lambda data: data["list"].clear(),
    "write far inside": lambda data: data["list"][1]["deep"].append(1),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_who_writes_is_told_to_copy(write):
    data = freeze({"key": 0, "list": [3, {"deep": []}]})
    with pytest.raises(TypeError, match=r"cannot be changed: change a copy, made by"):
        write(data)
    assert data == {"key": 0, "list": [3, {"deep": []}]}


def test_no_method_that_changes_is_left():
    for made, plain in ((FrozenDict, dict), (FrozenList, list)):
        same = {name for name in vars(plain) if getattr(made, name) is getattr(plain, name)}
        reads = {*["copy", "fromkeys", "get", "items", "keys", "values", "count", "index"]}
        changing = {name for name in same if not name.startswith("__")} - reads
        assert not changing
        assert not same & {"__setitem__", "__delitem__", "__ior__", "__iadd__", "__imul__"}


def test_copies_can_be_changed():
    data = freeze({"list": [{"deep": 1}]})
    for made in (dict(data), data.copy(), copy.copy(data), data | {}):
        made["new"] = 1
    deep = copy.deepcopy(data)
    deep["list"][0]["deep"] = 2
    deep["list"].append(3)
    assert data == {"list": [{"deep": 1}]}


def test_views_and_sets_are_frozen_and_other_objects_left():
    one = object()
    made = freeze({"view": MappingProxyType({"a": []}), "set": {1}, "tuple": ([],), "one": one})
    assert isinstance(made["view"], FrozenDict)
    assert made["set"] == frozenset({1})
    assert isinstance(made["tuple"][0], FrozenList)
    assert made["one"] is one
