"""``anaphora functions`` from the command line."""

from __future__ import annotations

import json

import typer
from typer.testing import CliRunner, Result

from anaphora.cli.grammar.functions import functions
from anaphora.grammar.functions import FUNCTIONS
from anaphora.grammar.functions.reference import FUNCTION_GROUPS

app = typer.Typer(rich_markup_mode=None)
app.command()(functions)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_all_functions_are_listed_by_group():
    lines = run().stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == list(FUNCTION_GROUPS)
    summary = "The text without leading and trailing white space."
    assert f"  trim(text) → a text (also strip)  {summary}" in lines
    assert len(lines) == len(FUNCTION_GROUPS) + len(set(FUNCTIONS.values()))


def test_one_group_can_be_listed():
    lines = run("statistics").stdout.splitlines()
    assert lines[0] == "statistics"
    assert [line.split("(")[0].strip() for line in lines[1:]] == ["min", "max", "avg", "stdev"]


def test_a_single_function_is_shown_in_full():
    shown = run("strip").stdout
    assert "trim(text) → a text\nstrip(text) → a text\n  text: a text\n" in shown
    assert "The text without leading and trailing white space." in shown
    assert "  trim(' a b ') == 'a b'" in shown
    assert "#([entity]) → a text" in run("#").stdout


def test_json_is_one_list_with_these_keys():
    listed = json.loads(run("--json").stdout)
    assert len(listed) == len(set(FUNCTIONS.values()))
    keys = {"names", "group", "parameters", "returns", "doc", "examples"}
    assert all(set(one) == keys for one in listed)
    parameters = [parameter for one in listed for parameter in one["parameters"]]
    assert all(set(one) == {"name", "kinds", "optional", "variadic"} for one in parameters)


def test_json_of_one_function_or_group_is_a_list_as_well():
    (one,) = json.loads(run("to_int", "--json").stdout)
    assert one["names"] == ["to_int"]
    assert one["parameters"][0]["kinds"] == ["text", "integer", "number"]
    assert [each["group"] for each in json.loads(run("logic", "--json").stdout)] == ["logic"] * 2


def test_an_unknown_name_gets_a_suggestion():
    result = run("tok_is_frist")
    assert result.exit_code == 2
    assert "there is no function and no group 'tok_is_frist'; did you mean" in result.output
    assert "did you mean 'text'?" in run("tekst").output


def test_a_name_without_similar_ones_gets_no_suggestion():
    result = run("zzzzzzzz")
    assert result.exit_code == 2
    assert "no group 'zzzzzzzz'" in result.output
    assert "did you mean" not in result.output


def test_an_unsupported_function_of_nlpcraft_is_explained():
    result = run("tok_is_wordnet")
    assert result.exit_code == 2
    assert "there is no WordNet dictionary in this package" in " ".join(result.output.split())
