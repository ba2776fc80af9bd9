"""``anaphora eval`` from the command line."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner, Result

from anaphora.cli.grammar.evaluate import evaluate

app = typer.Typer(rich_markup_mode=None)
app.command()(evaluate)

TOKYO = '{"element": "city", "value": "Tokyo", "text": "tokyo", "start": 3, "groups": ["b", "a"]}'
SENTENCE = f'[{TOKYO}, {{"element": "date", "start": 9}}, {{"element": "flight"}}]'


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def shown(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout.removesuffix("\n")


def told(*arguments: str) -> str:
    """The error message on one line."""
    result = run(*arguments)
    assert result.exit_code == 2
    return " ".join(result.output.split())


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", "7"),
        ("7 / 2.0", "3.5"),
        ("true && !false", "true"),
        ("null", "null"),
        ("'a' + 1", "'a1'"),
        (r"'it\'s\n\\'", r"'it\'s\n\\'"),
        ("list(1, 'a', null, list())", "[1, 'a', null, []]"),
        ("""json('{"k": [1, {"l": "x"}]}')""", "{'k': [1, {'l': 'x'}]}"),
        ("@x = 2  @y = @x * 3  @x + @y", "8"),
        ("sqrt(-1)", "NaN"),
        ("list(exp(1000), log(0))", "[Infinity, -Infinity]"),
    ],
)
def test_a_value_is_printed_in_the_syntax_of_the_language(expression: str, value: str) -> None:
    assert shown(expression) == value


def test_an_expression_with_a_leading_minus_follows_a_double_dash() -> None:
    assert shown("--", "-1 + 2") == "1"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'a\"b'", 'a"b'),
        ("list(1, 2.5, null)", [1, 2.5, None]),
        ("""json('{"k": "ä"}')""", {"k": "ä"}),
        ("list(sqrt(-1), exp(1000))", ["NaN", "Infinity"]),
    ],
)
def test_json_prints_json(expression: str, value: object) -> None:
    assert json.loads(shown(expression, "--json")) == value


def test_the_entity_is_described_in_json() -> None:
    assert shown("ent_value == 'Tokyo' && has(ent_groups, 'a')", "--entity", TOKYO) == "true"
    assert shown("list(tok_start_idx, tok_end_idx, tok_lemma)", "--entity", TOKYO) == (
        "[3, 8, 'tokyo']"
    )
    assert shown("list(#, ent_groups, tok_is_user)", "--entity", '{"element": "x"}') == (
        "['x', ['x'], true]"
    )


def test_an_entity_may_have_parts_with_aliases() -> None:
    part = '{"element": "day", "aliases": ["when"], "meta": {"k": 5}, "own": false}'
    entity = f'{{"element": "date", "parts": [{part}], "marks": ["quoted"], "gaps": 2}}'
    expression = "list(meta_part('when', 'k'), tok_is_quoted, tok_sparsity)"
    assert shown(expression, "--entity", entity) == "[5, true, 2]"


def test_of_several_entities_the_first_is_evaluated_for() -> None:
    expression = "list(#, ent_index, ent_is_between_types('flight', 'date'), ent_count)"
    assert shown(expression, "--entity", SENTENCE) == "['city', 1, true, 3]"


def test_an_entity_is_printed_as_an_object() -> None:
    assert shown("ent_this", "--entity", TOKYO) == (
        "{'element': 'city', 'value': 'Tokyo', 'text': 'tokyo', 'groups': ['a', 'b']}"
    )
    assert json.loads(shown("ent_all", "--entity", TOKYO, "--json"))[0]["element"] == "city"


@pytest.mark.parametrize(
    ("section", "expression", "value"),
    [
        ('"model": {"k": 1, "id": "m"}', "list(meta_model('k'), mdl_id)", "[1, 'm']"),
        ('"model": {}', "list(mdl_name, mdl_ver, mdl_origin)", "['', '', '']"),
        ('"intent": {"k": 2}', "meta_intent('k')", "2"),
        ('"conversation": {"k": 3}', "meta_conv('k')", "3"),
        ('"fragment": {"k": 4}', "meta_frag('k')", "4"),
        ('"request": {"k": 5, "id": "q"}', "list(meta_req('k'), req_id)", "[5, 'q']"),
        ('"request": {"text": "Hi  You"}', "list(req_text, req_normtext)", "['Hi  You', 'hi you']"),
        ('"request": {"at": "2026-01-05T10:00:00+01:00"}', "list(year, hour)", "[2026, 9]"),
        ('"request": {"at": "2026-01-05"}', "now", "1767571200000"),
        ('"user": {"k": 6, "id": "ann", "admin": true}', "meta_user('k')", "6"),
        ('"user": {"id": "ann", "admin": true}', "list(user_id, user_admin)", "['ann', true]"),
        ('"user": {"signed_up": "1970-01-02"}', "user_signup_tstamp", "86400000"),
        (
            '"company": {"k": 7, "name": "Acme"}',
            "list(meta_company('k'), comp_name)",
            "[7, 'Acme']",
        ),
        ('"company": {"city": "Cork"}, "user": {"id": "a"}', "user_id + comp_city", "'aCork'"),
    ],
)
def test_the_context_is_described_in_json(section: str, expression: str, value: str) -> None:
    assert shown(expression, "--meta", f"{{{section}}}") == value


def test_the_time_is_now_and_the_environment_is_the_real_one(monkeypatch) -> None:
    monkeypatch.setenv("ANAPHORA_TEST", "x")
    assert shown("meta_sys('ANAPHORA_TEST')") == "'x'"
    assert int(shown("year")) >= 2026


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("1 / (ent_count * 1)", "Error: '/' divides the integer 1 by zero"),
        ("get(list(1), 5)", "Error: 'get' finds no index 5 in a list of 1"),
        ("ent_text", "Error: there is no entity under test"),
    ],
)
def test_evaluation_errors_are_printed(expression: str, message: str) -> None:
    result = run(expression)
    assert result.exit_code == 1
    assert message in result.output


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            "siez('a')",
            "there is no function 'siez'\n  siez('a')\n  ^\n  hint: did you mean 'size'?",
        ),
        ("1 + 'a' - 2", "  1 + 'a' - 2\n          ^"),
        ("list(1", "^"),
        ("", "Error: "),
    ],
)
def test_a_mistake_is_shown_with_a_caret(expression: str, message: str) -> None:
    result = run(expression)
    assert result.exit_code == 1
    assert message in result.output


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--entity", '{"elemnt": "x"}', "an entity has no 'elemnt'; did you mean 'element'?"),
        ("--entity", '{"value": "x"}', "an entity needs an 'element', the id of its element"),
        ("--entity", '{"element": 1}', "'element' must be a text, not the integer 1"),
        ("--entity", '{"element": "x", "groups": "g"}', "'groups' must be a list of texts, not"),
        ("--entity", '{"element": "x", "start": -1}', "'start' must be a non-negative integer"),
        ("--entity", '{"element": "x", "start": true}', "'start' must be a non-negative integer"),
        ("--entity", '{"element": "x", "own": 1}', "'own' must be a boolean"),
        ("--entity", '{"element": "x", "marks": ["bold"]}', "a list of some of abstract, brack"),
        ("--entity", '{"element": "x", "parts": [{}]}', "an entity needs an 'element'"),
        ("--entity", '{"element": "x", "meta": []}', "'meta' must be an object"),
        ("--entity", "[1]", "an entity must be an object, not the integer 1"),
        ("--entity", "{", "it is not JSON: "),
        ("--entity", "city", """write it as '{"element": "city", "value": "Tokyo"}'"""),
        ("--meta", "unit=2", """write it as '{"model": {"unit": 2.5}}'"""),
        ("--entity", "[" * 100_000, "nested too deeply"),
        ("--meta", "[]", "it must be an object, not a list of 0"),
        ("--meta", '{"usr": {}}', "there is no 'usr'; did you mean 'user'?"),
        ("--meta", '{"zzz": {}}', "there is no 'zzz'; there are: model, intent, conversation"),
        ("--meta", '{"user": 1}', "'user' must be an object, not the integer 1"),
        ("--meta", '{"user": {"id": 1}}', "'id' of 'user' must be a text, not the integer 1"),
        ("--meta", '{"user": {"admin": "no"}}', "'admin' of 'user' must be a boolean"),
        ("--meta", '{"user": {"admin": null}}', "'admin' of 'user' must be a boolean, not null"),
        ("--meta", '{"request": {"text": 0}}', "'text' of 'request' must be a text"),
        ("--entity", '{"element": "x", "marks": ["\\ud800"]}', "'marks' must be a list of some"),
        ("--meta", '{"request": {"at": "noon"}}', "'at' of 'request' must be a time such as"),
        ("--meta", '{"company": {"city": 1}}', "'city' of 'company' must be a text"),
        ("--meta", '{"model": {"name": 1}}', "'name' of 'model' must be a text"),
    ],
)
def test_an_invalid_description_names_its_option(option: str, text: str, message: str) -> None:
    complaint = told("true", option, text)
    assert f"Invalid value for {option}: " in complaint
    assert message in complaint
