"""Which entities of a sentence the validators of a model refuse."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from anaphora.core.utterance import Entity, Variant
from anaphora.errors import EvaluationError, HandlerError
from anaphora.grammar.context import QuestionContext
from anaphora.intents.checks.validation import find_invalid
from anaphora.intents.match import Candidate, SlotFilling, TermMatch
from anaphora.models.domain import Model
from anaphora.models.loader import load_model, parse_model

TABLE = """\
id: table
elements:
  - id: guests
    values: [one, two, hundred]
    validate: {check: "ent_value() != 'hundred'", text: too many}
  - {id: day, values: [today, sunday]}
intents:
  - id: book
    meta: {closed: sunday}
    slots:
      day: {validate: {check: "ent_value() != meta_intent('closed')", text: closed}}
      guests: {several: true}
  - {id: cancel, slots: {day: day}}
"""


def fill(model: Model, intent: str, *values: str, remembered: str = "") -> SlotFilling:
    """What the intent takes; the element is that with this value."""
    found = next(one for one in model.intents if one.id == intent)
    entities = []
    for value in values:
        element = next(
            one.id for one in model.elements if value in {each.name for each in one.values}
        )
        entities.append(Entity(element, frozenset({element}), value, (0,), value=value))
    terms = tuple(
        TermMatch(
            term,
            tuple(
                Candidate(one, pending=one.value == remembered)
                for one in entities
                if one.element == term.id
            ),
            1,
        )
        for term in found.terms
    )
    return SlotFilling(found, 0, Variant(tuple(entities)), terms)


def refused(*values: str, intent: str = "book", remembered: str = "", text: str = TABLE):
    model = parse_model(text)
    filling = fill(model, intent, *values, remembered=remembered)
    found = find_invalid(model.validators, filling, QuestionContext())
    return found and (found.term.id, found.entity.value, found.text)


def test_what_is_valid_passes():
    assert refused("today", "two") is None


def test_the_validator_of_an_element_refuses_a_value():
    assert refused("today", "hundred") == ("guests", "hundred", {"": "too many"})


def test_the_validator_of_a_slot_refuses_a_value_and_knows_the_intent():
    assert refused("sunday", "two") == ("day", "sunday", {"": "closed"})


def test_the_first_in_the_order_of_the_terms_is_found():
    assert refused("hundred", "sunday") == ("day", "sunday", {"": "closed"})


def test_each_of_several_entities_is_checked():
    assert refused("today", "two", "hundred") == ("guests", "hundred", {"": "too many"})


def test_the_validator_of_a_slot_is_for_its_intent_only():
    assert refused("sunday", intent="cancel") is None


def test_what_is_remembered_is_checked_with_what_is_said_now():
    assert refused("sunday", "two", remembered="sunday") == refused("sunday", "two")


def test_a_slot_speaks_before_its_element():
    text = TABLE.replace(
        "guests: {several: true}",
        "guests: {validate: {check: \"ent_value() == 'one'\", text: one only}}",
    )
    assert refused("today", "hundred", text=text) == ("guests", "hundred", {"": "one only"})
    assert refused("today", "two", text=text) == ("guests", "two", {"": "one only"})


def test_a_predicate_that_fails_names_the_intent_the_term_and_the_entity():
    text = TABLE.replace("ent_value() != 'hundred'", "1 / length('') == 1")
    with pytest.raises(EvaluationError, match=r"intent book, term guests, check 1 / length.*two"):
        refused("today", "two", text=text)


CODE = """
def check(entity, question):
    if entity.value == "hundred":
        return 1 / 0
    if entity.value == "two":
        return 2
    return f"not {entity.value}, {question.model.id or 'you'}"
"""


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    (tmp_path / "table_code.py").write_text(dedent(CODE), encoding="utf-8")
    file = tmp_path / "table.yaml"
    text = TABLE.replace("\"ent_value() != 'hundred'\"", "table_code#check")
    file.write_text(text, encoding="utf-8")
    return file


def test_a_function_that_says_nothing_leaves_it_to_the_text(table_file: Path):
    (table_file.parent / "table_code.py").write_text("def check(entity): return ''")
    model = load_model(table_file)
    found = find_invalid(model.validators, fill(model, "book", "one"), QuestionContext())
    assert found
    assert found.text == {"": "too many"}


def test_a_function_may_say_why(table_file: Path):
    model = load_model(table_file)
    found = find_invalid(model.validators, fill(model, "book", "one"), QuestionContext())
    assert found
    assert found.text == "not one, you"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("hundred", r"of guests=hundred failed: .*division by zero \(table_code.py, line 4\)"),
        ("two", r"must give true, false or a text, not .*\(table_code.py, line 2\)"),
    ],
)
def test_a_function_that_fails_is_an_error_of_its_author(table_file: Path, value: str, reason: str):
    model = load_model(table_file)
    with pytest.raises(HandlerError, match=reason):
        find_invalid(model.validators, fill(model, "book", value), QuestionContext())
