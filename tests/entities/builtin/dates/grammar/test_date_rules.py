"""A rule of any language gives its operations everything that they need."""

import ast
import inspect
import re

import pytest

from anaphora.entities.builtin.dates.grammar import date_grammar
from anaphora.entities.builtin.dates.operations.clock_times import CLOCK_OPERATIONS
from anaphora.entities.builtin.dates.operations.registry import OPERATIONS
from anaphora.entities.languages import languages_with

_OPTIONAL_BEHIND_MOMENT = {
    name: [
        parameter.default is not parameter.empty
        for parameter in list(inspect.signature(function).parameters.values())[1:]
    ]
    for name, function in OPERATIONS.items()
} | {
    name: [
        parameter.default is not parameter.empty
        for parameter in inspect.signature(function).parameters.values()
    ]
    for name, function in CLOCK_OPERATIONS.items()
}


def find_missing_arguments(meaning, references):
    """The operations in a meaning that lack an argument, which the rule has no word for."""
    known = {one.replace("$", "_") for one in references}
    known |= {f"{one}{at}" for one in known for at in range(2, 5)}
    tree = ast.parse(re.sub(r"\$|\b(?=from\()", "_", meaning), mode="eval")
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.id.removeprefix("_")
        optional = _OPTIONAL_BEHIND_MOMENT.get(name, ())
        for argument, may_lack in zip(call.args, optional, strict=False):
            is_absent = isinstance(argument, ast.Name) and argument.id.startswith("_")
            if is_absent and argument.id not in known and not may_lack:
                yield f"{name}: {argument.id}"


@pytest.mark.parametrize("code", languages_with("dates"))
def test_every_operation_of_a_rule_has_its_arguments(code):
    compiled = date_grammar._compile_language(code, date_grammar.RECURRENCE_TABLES)
    lacking = {
        (rule.category, rule.meaning, missing)
        for rule in compiled.rules
        for missing in find_missing_arguments(rule.meaning, rule.references)
    }
    assert lacking == set()


def test_a_rule_without_its_argument_is_found():
    assert list(find_missing_arguments("at($today, $time)", ("$today",))) == ["at: _time"]
    assert list(find_missing_arguments("monthday($month, $day, $year)", ("$month", "$day"))) == []
