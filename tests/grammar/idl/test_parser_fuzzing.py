"""Whatever is written: an intent comes of it, or a GrammarError that says where it is wrong."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anaphora.errors import GrammarError
from anaphora.grammar.idl.compiler import Compiler, compile_expression
from anaphora.grammar.idl.imports import ImportedText
from anaphora.grammar.idl.parsing.parser import parse_idl
from anaphora.grammar.idl.printer import print_statements
from tests.grammar.idl.strategies import almost, statements

GOOD = """
    fragment=place term(city)~{@c = ent_value() # == 'city' && @c != null}
    intent=weather options={'ordered': false} flow='greet.*' meta={'a': [1, {'b': null}]}
        term(topic)~{# == 'weather' || has(ent_groups(), "topic")} fragment(place, {'x': 1})
        term(date)={meta_ent('k') >= 1_000.5e-1 + 2 * (3 - 1) / 4 % 5}[0,2]  // when
    id=sale term={id == sale && ~size > 3}
"""


def nowhere(location, folder):
    return ImportedText("intent=imported term={true}", location, None)


def compiled(text):
    """What the compiler makes of it; fails for any error but a GrammarError with a place."""
    try:
        return Compiler(read=nowhere).compile(text, "bot.idl").intents
    except GrammarError as error:
        assert error.message
        assert all(problem.line or not text.strip() for problem in error.problems)
        return None


@given(st.text(max_size=60))
@example("intent=x term={\N{LATIN SMALL LETTER LONG S}}")
def test_any_text_is_an_intent_or_a_located_error(text):
    compiled(text)


@given(almost)
def test_texts_made_of_the_words_of_the_language_are_intents_or_located_errors(text):
    compiled(text)


@given(st.data())
def test_a_good_text_with_anything_changed_in_it(data):
    at = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(at, min(len(GOOD), at + 6)))
    put = data.draw(st.text(max_size=3) | almost)
    compiled(GOOD[:at] + put + GOOD[end:])


@given(statements)
def test_whatever_the_grammar_allows_compiles_or_has_a_located_error(tree):
    compiled(print_statements(tree))


@given(almost | st.text(max_size=40))
def test_an_expression_alone_as_well(text):
    try:
        compile_expression(text)
    except GrammarError as error:
        assert error.message


@given(almost)
def test_what_can_be_parsed_is_printed_and_parsed_to_the_same(text):
    try:
        tree = parse_idl(text)
    except GrammarError:
        return
    assert parse_idl(print_statements(tree)) == tree


def test_the_good_text_is_good():
    assert [intent.id for intent in compiled(GOOD)] == ["weather", "sale"]


@pytest.mark.parametrize("depth", [150, 250, 5_000])
def test_depth_is_bounded(depth):
    text = f"intent=x term={{{'(' * depth}1{')' * depth} == 1}}"
    compiled(text)
    compiled(f"intent=x term={{{'!' * depth}true}}")
    compiled(f"intent=x meta={{'a': {'[' * depth}{']' * depth}}} term={{true}}")
