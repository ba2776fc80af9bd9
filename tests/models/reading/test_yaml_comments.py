"""A # behind a blank begins a comment in YAML: who did not mean one is told."""

from __future__ import annotations

import pytest

from anaphora import Model, ModelError, parse_model

each = pytest.mark.parametrize


def model_of(synonyms: str = "[]", values: str = "[one]", response: str = "Yes.") -> Model:
    return parse_model(written(synonyms, values, response))


def written(synonyms: str = "[]", values: str = "[one]", response: str = "Yes.") -> str:
    return f"""id: bot
elements:
  - id: number
    synonyms: {synonyms}
    values: {values}
intents:
  - "intent=any term(x)={{# == 'number'}}"
responses:
  any: {response}
"""


def place(text: str, of: str) -> tuple[int, int]:
    """Line and column of the # of a part of the text."""
    before = text[: text.index(of) + of.index("#")]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


@each(
    ("synonyms", "comment"),
    [
        ("[the #, number]", "#, number]"),
        ("[number, the #]", "#]"),
        ("[number, '#5', the #1]", "#1]"),
        ("['a #5 b', the #1]", "#1]"),
        ("[it's, the #5]", "#5]"),
        ("[{the|a} #5]", "#5]"),
        ("[[a], the #, number]", "#, number]"),
        ("{en: [the #, number]}", "#, number]"),
        ("{en: the #}", "#}"),
        ("[number,\n      the #, other]", "#, other]"),
        ("[number, # so far\n      the #, other]", "#, other]"),
        ("[the #1,\n      other]", "#1,"),
    ],
)
def test_a_comment_that_cuts_off_the_end_of_a_list_is_named(synonyms, comment):
    with pytest.raises(ModelError) as raised:
        model_of(synonyms)
    (problem,) = raised.value.problems
    assert (problem.line, problem.column) == place(written(synonyms), comment)
    assert "' #' begins a comment" in problem.message
    assert "quotes" in problem.hint


def test_a_long_list_is_searched_from_its_end():
    many = ",\n      ".join(f"number {i}" for i in range(2_000))
    with pytest.raises(ModelError, match="' #' begins a comment"):
        model_of(f"[{many}, the #1]")


@each("synonyms", ["[the, number  # a comment", "[the, number", "['the #, number]", "['a #]', b"])
def test_other_errors_are_reported_as_ever(synonyms):
    with pytest.raises(ModelError) as raised:
        model_of(synonyms)
    assert "' #' begins a comment" not in str(raised.value)


@each(
    "parts",
    [
        {"values": "\n      issue #5: [fifth]"},
        {"values": "\n      issue #5:\n        - fifth"},
        {"values": "\n      one: []\n      issue #5: [fifth]"},
        {"values": "\n      one: the #5: x"},
        {"values": "\n      one:\n        - #1"},
        {"synonyms": "\n      - #5\n      - a"},
        {"synonyms": "\n      - order #5\n        and more"},
        {"response": "Ticket #5\n    is open"},
        {"response": "Ticket\n    #5 is open #now\n    now"},
        {"response": "#5 is open"},
        {"response": ">- text #5\n    more"},
        {"response": "Yes.\n  other #5: No"},
        {"response": "Yes.\nprompts:\n  any #x: {x: a}"},
        {"response": "Yes.\nmacros #1: x\nreset: [a]"},
    ],
)
def test_a_comment_that_makes_an_error_is_hinted_at(parts):
    with pytest.raises(ModelError) as raised:
        model_of(**parts)
    assert any("' #' begins a comment" in one.hint for one in raised.value.problems)
    assert any("quotes" in one.hint for one in raised.value.problems)


@each(
    "response",
    ["[a]  # a comment", "Yes.\n bad", "'a #5'\n    b: c", "{a: b} # a comment", "a: b # the c"],
)
def test_an_error_that_no_comment_makes_is_not_blamed_on_one(response):
    with pytest.raises(ModelError) as raised:
        model_of(response=response)
    assert "begins a comment" not in str(raised.value)


@each(
    ("parts", "comment"),
    [
        ({"synonyms": "\n      - order #5"}, "#5"),
        ({"synonyms": "\n      - the #"}, "#"),
        ({"synonyms": "{en: [a, order #5\n      ]}"}, "#5"),
        ({"values": "\n      - room #2"}, "#2"),
        ({"values": "{one: [a\n      , two #2\n      ]}"}, "#2"),
        ({"response": "Ticket #{{ x }} is open."}, "#{{ x }} is open."),
    ],
)
def test_a_text_that_a_comment_cuts_causes_a_warning(parts, comment):
    (warning,) = model_of(**parts).warnings
    text = written(**parts)
    assert (warning.line, warning.column) == place(text.replace("# ==", "- =="), comment)
    assert "' #' begins a comment" in warning.message
    assert "quotes" in warning.hint


@each("comment", ["", " # five", "  # five", "  #five", " ## five", " #!x", "\n      #five"])
def test_comments_that_are_meant_are_no_errors(comment):
    assert model_of(f"\n      - order{comment}", f"[one]{comment}").warnings == ()
    assert model_of(response=f"'Ticket'{comment}").warnings == ()


@pytest.mark.parametrize(
    "text", ["port: [", "a: {", "[", "{", "a: [b, ", "a: [b #", "a: [\n", "- [#"]
)
def test_a_file_that_ends_in_a_bracket_is_no_more_than_an_error(text):
    with pytest.raises(ModelError):
        parse_model(text)
