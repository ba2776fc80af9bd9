"""``anaphora expand`` from the command line."""

from __future__ import annotations

import inspect
import json

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from anaphora.cli.grammar.expand import expand
from anaphora.grammar.synonyms.expansion import MAX_PHRASES

APP = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
APP.command()(expand)


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(APP, arguments, input=stdin)


def test_each_phrase_is_a_line():
    result = run("{good|_} coffee{s|_}")
    assert result.stdout.splitlines() == ["good coffees", "good coffee", "coffees", "coffee"]
    assert result.exit_code == 0


def test_patterns_and_predicates_are_shown_in_their_syntax():
    result = run("//[0-9]+// ^^[size]{ # == 'size' }^^ cups")
    assert result.stdout == "//[0-9]+// ^^[size]{# == 'size'}^^ cups\n"


@pytest.mark.parametrize("name", ["<ASK>", "ASK"])
def test_macro_names_may_have_angle_brackets(name):
    result = run("<ASK> it", "--macro", f"{name}={{what|<IS>}}", "-m", "IS=is=")
    assert result.stdout.splitlines() == ["what it", "is= it"]


def test_json_distinguishes_the_pieces():
    result = run("--json", "a b {//c+//|^^[x]{# == 'd'}^^}")
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        ["a b", {"regex": "c+"}],
        ["a b", {"alias": "x", "predicate": "# == 'd'"}],
    ]


def test_texts_come_from_the_standard_input_one_per_line():
    result = run("-", stdin="{a|b}\n\nc {\r\nd\n")
    assert result.stdout.splitlines() == ["a", "b", "d"]
    assert "<stdin>:3:4: a '{' is not closed" in result.stderr
    assert result.exit_code == 1


def test_a_mistake_is_shown_with_a_caret():
    result = run("the {a|b")
    assert result.exit_code == 1
    assert "  the {a|b\n          ^\n  hint: add the missing }" in result.stderr


def test_more_phrases_than_allowed_are_counted_and_none_is_printed():
    result = run("{a|b} {c|d}", "--limit", "3")
    assert result.exit_code == 1
    assert "expands to 4 phrases, more than the 3 allowed" in result.stderr
    assert result.stdout == ""


def test_a_mistake_in_an_unused_macro_is_reported():
    result = run("a", "-m", "A=<B> b", "-m", "C={c")
    assert result.exit_code == 1
    assert "<A>:1:1: there is no macro <B>" in result.stderr
    assert "<C>:1:3: a '{' is not closed" in result.stderr


@pytest.mark.parametrize("options", [["-m", "A"], ["-m", "A=a", "-m", "<A>=b"], ["--limit", "0"]])
def test_invalid_options_are_rejected(options):
    assert run("a", *options).exit_code == 2


def test_the_default_limit_equals_that_of_models():
    assert inspect.signature(expand).parameters["limit"].default == MAX_PHRASES
