"""A flow that names an intent which does not exist is told."""

from __future__ import annotations

import pytest

from anaphora import parse_model

MODEL = """
id: bot
elements: [{id: a}]
intents:
  - "intent=greet term={# == 'a'}"
  - "intent=re:order term={# == 'a'}"
  - %s
"""


def warnings(flow: str) -> list[str]:
    model = parse_model(MODEL % f"{{id: pay, flow: '{flow}', slots: {{a: a}}}}")
    return [problem.message for problem in model.warnings]


@pytest.mark.parametrize(
    ("flow", "word"),
    [
        ("oder$", "oder"),
        ("(greet|oder)$", "oder"),
        ("^(?:gret )*re:order$", "gret"),
        ("greets?x", "x"),
        (r"\bbuy\b", "buy"),
    ],
)
def test_a_word_that_names_no_intent_is_a_warning(flow, word):
    assert warnings(flow) == [f"the flow of 'pay' names no intent: '{word}'"]


@pytest.mark.parametrize(
    "flow",
    [
        "^$",
        "order",
        "(^| )re:order$",
        "^greet( re:order){0,2}$",
        "greet?s?$",
        "gre[xyz]*.*",
        r"^gre\w+ (?P<last>pay)$",
        "(?i)GREET",
        r"\p{L}+",
    ],
)
def test_parts_of_names_and_what_stands_for_many_are_none(flow):
    assert not warnings(flow)


def test_the_warning_stands_at_the_flow_and_suggests_an_intent():
    (problem,) = parse_model(MODEL % "\"intent=pay flow='greeet' term={# == 'a'}\"").warnings
    assert (problem.line, problem.column) == (7, 22)
    assert problem.hint == "did you mean 'greet'?"


def test_nothing_is_told_while_the_names_of_intents_are_unknown():
    text = MODEL % "{flow: 'oder', slots: {a: a}}"
    with pytest.raises(Exception, match="id") as error:
        parse_model(text)
    assert "names no intent" not in str(error.value)
