"""Validators of elements and terms in model files."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora.core.utterance import Entity
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.models.domain import Validator
from anaphora.models.loader import load_model, parse_model
from anaphora.storage.cache import Cache
from tests.models.model_texts import START, problems_of

TABLE = """\
id: table
language: [en, de]
elements:
  - id: guests
    values: [one, two, hundred]
    validate: {check: "ent_value() != 'hundred'", text: "{{ value }} is too many"}
  - {id: day, values: [today, sunday]}
intents:
  - id: book
    slots:
      guests: guests
      day:
        ask: When?
        validate:
          check: "ent_value() != 'sunday'"
          text: {en: "Closed, {{ user }}!", de: Ruhetag}
"""
CODE = """
def is_open(entity):
    return "Sundays are quiet." if entity.value == "sunday" else True

def wants_two(entity, question):
    return question.text != entity.value

def fails(entity):
    return 1 / 0

def counts(entity):
    return 5

def takes_nothing():
    return True
"""


def result_of(validator: Validator, value: str) -> bool | str:
    entity = Entity("day", frozenset({"day"}), value, (0,), value=value)
    return validator.test(EntityContext(entity, QuestionContext()))


def test_an_element_and_a_slot_have_validators() -> None:
    validators = parse_model(TABLE).validators
    assert validators.elements.keys() == {"guests"}
    guests, day = validators.elements["guests"], validators.terms["book"]["day"]
    assert guests.text == {"": "{{ value }} is too many"}
    assert day.text == {"en": "Closed, {{ user }}!", "de": "Ruhetag"}
    assert result_of(guests, "hundred") is False
    assert result_of(day, "sunday") is False
    assert result_of(day, "today") is True


def test_the_validators_of_terms_may_stand_beside_the_prompts() -> None:
    outside = TABLE.replace(TABLE[TABLE.index("        validate:") :], "") + (
        "validate: {book: {day: {check: \"ent_value() != 'sunday'\", "
        'text: {en: "Closed, {{ user }}!", de: Ruhetag}}}}\n'
    )
    assert parse_model(outside) == parse_model(TABLE)


def test_a_model_without_validators_has_none() -> None:
    assert not parse_model(START).validators


@pytest.mark.parametrize("function", ["#is_open", "table_code#is_open"])
def test_a_python_function_may_be_a_validator(tmp_path: Path, function: str) -> None:
    model = load_model(write_table(tmp_path, function))
    validator = model.validators.terms["book"]["day"]
    assert result_of(validator, "sunday") == "Sundays are quiet."
    assert result_of(validator, "today") is True


def write_table(folder: Path, check: str) -> Path:
    (folder / "table_code.py").write_text(CODE, encoding="utf-8")
    file = folder / "table.yaml"
    text = TABLE.replace("\"ent_value() != 'sunday'\"", f'"{check}"')
    file.write_text(f"{text}code: table_code\n", encoding="utf-8")
    return file


def test_a_cached_model_has_the_same_validators(tmp_path: Path) -> None:
    file, cache = tmp_path / "table.yaml", Cache(tmp_path / "cache")
    file.write_text(TABLE, encoding="utf-8")
    first, second = load_model(file, cache=cache), load_model(file, cache=cache)
    assert second == first
    assert result_of(second.validators.elements["guests"], "hundred") is False
    assert result_of(second.validators.terms["book"]["day"], "today") is True


def test_a_model_with_a_python_validator_is_not_cached(tmp_path: Path) -> None:
    file, cache = write_table(tmp_path, "#is_open"), Cache(tmp_path / "cache")
    load_model(file, cache=cache)
    (tmp_path / "table_code.py").write_text("def is_open(entity): return 'no'", encoding="utf-8")
    validator = load_model(file, cache=cache).validators.terms["book"]["day"]
    assert result_of(validator, "today") == "no"


SUNDAY = "\"ent_value() != 'sunday'\""
MISTAKES = {
    "no text": (', text: "{{ value }} is too many"}', "}", (6, 15, "the check has no 'text'")),
    "no check": (
        "{check: \"ent_value() != 'hundred'\", ",
        "{",
        (6, 15, "the check has no 'check'"),
    ),
    "a misspelt key": ("          check:", "          chek:", (15, 11, "unknown key 'chek'")),
    "no mapping": (
        '{check: "ent_value() != \'hundred\'", text: "{{ value }} is too many"}',
        "true",
        (6, 15, "expected a mapping, not true"),
    ),
    "a predicate that cannot be parsed": (
        SUNDAY,
        "'length('",
        (15, 26, "a '(' is not closed"),
    ),
    "a predicate that is a text": (SUNDAY, "ent_value()", (15, 18, "a term must be true or false")),
    "an unknown function": (SUNDAY, "ent_valu() == 1", (15, 18, "there is no function 'ent_valu'")),
    "a comment": (SUNDAY, "# == 'x'", (15, 11, "expected text, not nothing")),
    "an unknown module": (
        SUNDAY,
        "'no_such_module#f'",
        (15, 18, "there is no Python module 'no_such_module'"),
    ),
    "an unknown language": ("de: Ruhetag", "fr: non", (16, 45, "the model has no language 'fr'")),
    "an unknown variable": (
        "{{ user }}",
        "{{ usr }}",
        (16, 34, "unknown variable 'usr' in the template"),
    ),
    "a slot in the text of an element": (
        "{{ value }}",
        "{{ guests }}",
        (6, 61, "unknown variable 'guests' in the template"),
    ),
    "an unknown filter": (
        "{{ value }}",
        "{{ value | big }}",
        (6, 69, "unknown filter 'big' in the template"),
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_reported_at_its_place(case: str) -> None:
    old, new, place = MISTAKES[case]
    (found,) = problems_of(TABLE.replace(old, new))
    assert (found.line, found.column, found.message[: len(place[2])]) == place


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ("{book: {dy: {check: 'true', text: x}}}", "unknown term of the intent 'book': 'dy'"),
        ("{bok: {day: {check: 'true', text: x}}}", "unknown intent 'bok'"),
    ],
)
def test_unknown_intents_and_terms_are_reported(terms: str, message: str) -> None:
    text = TABLE.replace(TABLE[TABLE.index("        validate:") :], "") + f"validate: {terms}\n"
    (found,) = problems_of(text)
    assert found.message == message
    assert "did you mean" in found.hint


def test_the_refused_value_is_a_variable_of_validators_only() -> None:
    (found,) = problems_of(TABLE.replace("ask: When?", "ask: 'When, {{ value }}?'"))
    assert found.message == "unknown variable 'value' in the template"
    assert problems_of(TABLE.replace("{{ user }}", "{{ value }}")) == ()


def test_a_function_takes_one_argument_or_two(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="'#takes_nothing' must take one argument or two"):
        load_model(write_table(tmp_path, "#takes_nothing"))
