"""A tree is written as a text that says the same."""

from __future__ import annotations

import pytest
from hypothesis import given

from anaphora.grammar.idl.parsing.parser import parse_idl, parse_predicate
from anaphora.grammar.idl.printer import print_predicate, print_statements
from tests.grammar.idl.strategies import predicates, statements


@given(statements)
def test_what_is_printed_is_parsed_to_the_same_tree(tree):
    assert list(parse_idl(print_statements(tree))) == tree


@given(predicates())
def test_a_predicate_alone_comes_back_as_well(tree):
    assert parse_predicate(print_predicate(tree)) == tree


@given(statements)
def test_printing_again_changes_nothing(tree):
    text = print_statements(tree)
    assert print_statements(parse_idl(text)) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("((1+2)) == 3", "1 + 2 == 3"),
        ("1 - (2 - 3) == 0", "1 - (2 - 3) == 0"),
        ("a || (b && c)", "a() || (b() && c())"),
        ("(a || b) && c", "a() || b() && c()"),
        ("!(a == b)", "!(a() == b())"),
        ("- 5 < 1", "-5 < 1"),
        ('has(ent_groups, "it\'s")', "has(ent_groups(), 'it\\'s')"),
        ("@x=1 @y = @x @x==@y", "@x = 1  @y = @x  @x == @y"),
    ],
)
def test_a_predicate_is_written_with_no_more_parentheses_than_it_needs(text, canonical):
    assert print_predicate(parse_predicate(text)) == canonical


def test_a_whole_text_is_easy_to_read():
    text = """
        fragment=place term(city)~{# == 'city'}   // where
        intent=go ordered=true flow="greet" meta={"a":[1,-2]} fragment(place,{'x':null})
        term={true}* term=/bot#f/[2,3]   import("more.idl")
    """
    assert print_statements(parse_idl(text)) == (
        "fragment=place\n"
        "  term(city)~{# == 'city'}\n"
        "\n"
        "intent=go\n"
        "  options={'ordered': true}\n"
        "  flow='greet'\n"
        "  meta={'a': [1, -2]}\n"
        "  fragment(place, {'x': null})\n"
        "  term={true}*\n"
        "  term=/bot#f/[2,3]\n"
        "\n"
        "import('more.idl')"
    )


def test_the_short_form_comes_out_in_the_long_one():
    (short,) = parse_idl("id=sale term={id == sale && groups @@ a}")
    assert print_statements([short]) == (
        "intent=sale\n  term~{# == 'sale' && has(ent_groups(), 'a')}"
    )
