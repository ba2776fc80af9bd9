"""Quotes that are not closed, and typographic ones, are told where they stand."""

from __future__ import annotations

import pytest

from anaphora import parse_model
from anaphora.errors import ModelError

MODEL = """id: tea
elements:
  - id: order
    synonyms: [give me]
  - id: size
    values: {small: [little], large: []}
intents:
  - id: order
    slots: {order: order}
    response: "All right."
"""


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize(
    ("text", "broken", "place"),
    [
        ("[give me]", "[{q}give me]", (4, 16)),
        ("id: tea", "id: {q}tea", (1, 5)),
        ("[little]", "[{q}little]", (6, 22)),
        ("id: size", "id: {q}size", (5, 9)),
    ],
)
def test_a_quote_that_is_not_closed_is_told_where_it_stands(text, broken, place, quote):
    model = MODEL.replace('"', quote).replace(text, broken.format(q=quote))
    with pytest.raises(ModelError) as error:
        parse_model(model)
    (problem,) = error.value.problems
    assert (problem.line, problem.column) == place
    assert "the quote opened here is closed on line 10 only" in problem.message


def test_a_text_on_several_lines_is_not_to_blame_for_another_mistake():
    model = MODEL.replace('"All right."', '"All\n      right." x: y')
    with pytest.raises(ModelError) as error:
        parse_model(model)
    assert error.value.problems[0].line == 11


@pytest.mark.parametrize(
    "text", ["[“give me”]", "[„give me“]", "[‘give me’]", "[“give me, please”]"]
)
def test_typographic_quotes_are_a_warning(text):
    (warning,) = parse_model(MODEL.replace("[give me]", text)).warnings
    assert (warning.line, warning.column) == (4, 16)
    assert "typographic quotes" in warning.message


@pytest.mark.parametrize("text", ["“Hamlet” is on.", "It’s on.", "'“On.”'", "‘tis on"])
def test_quotes_within_a_text_are_none(text):
    assert not parse_model(MODEL.replace('"All right."', text)).warnings


def test_values_with_further_words_in_a_list_are_explained():
    with pytest.raises(ModelError) as error:
        parse_model(MODEL.replace("{small: [little], large: []}", "[small: [little], large]"))
    (problem,) = error.value.problems
    assert problem.line == 6
    assert "{small: [little], large: []}" in problem.hint
