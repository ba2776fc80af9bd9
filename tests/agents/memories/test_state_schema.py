"""Values of state memories: what fits, what is refused, and why."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.agents.functions.function import CallError
from anaphora.agents.memories.state_schema import StateField, StateSchema

CHARACTER = StateSchema(
    {
        "name": StateField(),
        "level": StateField("integer"),
        "class": StateField(choices=("fighter", "wizard")),
        "born": StateField("date", required=False),
        "items": StateField("list", required=False),
    }
)


def test_fields_are_collected_one_by_one():
    value = CHARACTER.merge(None, {"name": "Bea"})
    assert CHARACTER.missing(value) == ["level", "class"]
    value = CHARACTER.merge(value, {"level": 3, "class": "wizard"})
    assert value == {"name": "Bea", "level": 3, "class": "wizard"}
    assert CHARACTER.missing(value) == []


def test_a_new_value_of_a_field_replaces_the_old_one():
    assert CHARACTER.merge({"name": "Bea", "level": 3}, {"level": 4}) == {"name": "Bea", "level": 4}


def test_null_and_an_empty_text_clear_a_field():
    assert CHARACTER.merge({"name": "Bea", "level": 3}, {"level": None}) == {"name": "Bea"}
    assert CHARACTER.merge({"name": "Bea"}, {"name": " "}) == {}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"class": "bard"}, "class: input should be 'fighter' or 'wizard'"),
        ({"level": "many"}, "level: input should be a valid integer"),
        ({"born": "soon"}, "born: input should be a valid date"),
        ({"items": "a sword"}, "items: input should be a valid list"),
        ({"weight": 3}, "weight: extra inputs are not permitted"),
        ({}, "no field is given; the fields are name, level, class, born, items"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(arguments, reason):
    with pytest.raises(CallError) as refused:
        CHARACTER.merge({"name": "Bea"}, arguments)
    assert reason in str(refused.value)


def test_a_value_over_its_limit_is_refused():
    schema = StateSchema(limit=10)
    assert schema.merge(None, {"text": "short"}) == "short"
    with pytest.raises(CallError):
        schema.merge(None, {"text": "much too long"})
    fields = StateSchema({"a": StateField(), "b": StateField()}, limit=20)
    with pytest.raises(CallError, match="limit of 20"):
        fields.merge({"a": "eight ch"}, {"b": "eight ch"})


def test_values_are_plain_data_and_readable():
    value = CHARACTER.merge(None, {"born": "2001-02-03", "items": ["a sword", "a lamp"]})
    assert json.loads(json.dumps(value)) == value
    assert CHARACTER.format(value) == "born: 2001-02-03\nitems: a sword; a lamp"


def test_the_model_sees_the_types_and_may_leave_fields_out():
    parameters = CHARACTER.parameters
    assert parameters["required"] == []
    assert parameters["properties"]["class"]["anyOf"][0]["enum"] == ["fighter", "wizard"]
    assert StateSchema().parameters["required"] == ["text"]


arguments = st.dictionaries(
    st.sampled_from([*CHARACTER.fields, "other"]),
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=8)
    | st.lists(st.text(max_size=4), max_size=3),
)


@given(st.lists(arguments, max_size=6))
def test_whatever_a_model_writes_the_value_fits_its_schema(calls):
    value = None
    for call in calls:
        try:
            value = CHARACTER.merge(value, call)
        except CallError:
            continue
        assert value.keys() <= CHARACTER.fields.keys()
        assert len(CHARACTER.format(value)) <= CHARACTER.limit
        if value:
            assert CHARACTER.merge(None, value) == value
