"""The templates of whole sentences."""

from __future__ import annotations

import pytest

from anaphora.errors import GrammarError
from anaphora.grammar.sentences.expansion import TextExpander
from anaphora.grammar.sentences.parser import is_template, parse_sentence
from anaphora.grammar.sentences.syntax import ListReference, RuleReference, Sequence, Text


def expand(template: str, **rules: str) -> set[str]:
    parsed = {name: parse_sentence(body) for name, body in rules.items()}
    texts = TextExpander(parsed, 100).expand(parse_sentence(template))
    assert texts is not None
    return {text.strip() for text in texts}


@pytest.mark.parametrize(
    ("template", "texts"),
    [
        ("turn on", {"turn on"}),
        ("lamp[s]", {"lamp", "lamps"}),
        ("(red|blue) light", {"red light", "blue light"}),
        ("[please] stop", {"please stop", "stop"}),
        ("a [b|c] d", {"a d", "a b d", "a c d"}),
        ("(on;now)", {"on now", "now on"}),
        ("go (up;[quickly];now) end", {
            "go up quickly now end", "go up now quickly end", "go quickly up now end",
            "go quickly now up end", "go now up quickly end", "go now quickly up end",
            "go up now end", "go now up end",
        }),
        (r"50\[\%\]", {"50[%]"}),
        ("a|b", {"a", "b"}),
        ("", {""}),
        ("Turn  ON", {"turn on"}),
    ],
)  # fmt: skip
def test_a_template_stands_for_texts(template: str, texts: set[str]) -> None:
    assert expand(template) == texts


def test_rules_stand_for_their_bodies() -> None:
    assert expand("<turn> on", turn="(turn|switch)") == {"turn on", "switch on"}


def test_a_list_fills_a_slot_of_its_name_or_of_another() -> None:
    parsed = parse_sentence("{area} {percent:brightness} {command:@said}<the>")
    assert isinstance(parsed, Sequence)
    area, _, brightness, _, said, rule = parsed.items
    assert area == ListReference("area", "area", ends_word=True, offset=0)
    assert brightness == ListReference("percent", "brightness", ends_word=True, offset=7)
    assert said == ListReference("command", "said", capture=True, offset=28)
    assert rule == RuleReference("the", 43)


def test_as_in_hassil_a_bar_applies_to_all_before_it() -> None:
    assert expand("(a;b|c)") == {"a b", "b a", "c"}


def test_quotes_and_white_space_are_folded() -> None:
    assert parse_sentence("what’s\tup") == Text("what's up")


@pytest.mark.parametrize(
    ("template", "column", "message"),
    [
        ("turn (on", 6, "'(' is not closed"),
        ("turn [on", 6, "'[' is not closed"),
        ("turn on)", 8, "')' closes nothing"),
        ("turn (on]", 9, "']' closes nothing"),
        ("turn {name", 6, "'{' is not closed"),
        ("turn <name", 6, "'<' is not closed"),
        ("turn {}", 6, "a list has no name"),
        ("turn {name:}", 6, "a list has no name"),
        ("turn <>", 6, "a rule has no name"),
        ("turn on>", 8, "'>' closes nothing"),
        ("turn on\\", 8, "a backslash ends the template"),
    ],
)
def test_a_mistake_is_shown_where_it_is(template: str, column: int, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse_sentence(template)
    (problem,) = caught.value.problems
    assert (problem.column, problem.message) == (column, message)
    assert problem.hint


def test_a_plain_text_is_no_template() -> None:
    assert not is_template("Floor lamp")
    assert is_template("Floor lamp[s]")


def test_an_expression_with_slots_or_too_many_texts_is_not_expanded() -> None:
    expander = TextExpander({}, 8)
    assert expander.expand(parse_sentence("on {area}")) is None
    assert expander.expand(parse_sentence("(a|b) (a|b) (a|b) (a|b)")) is None
