"""Functions on texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.errors import EvaluationError
from tests.grammar.functions.evaluation import (
    call,
    evaluate,
    evaluation_error,
    grammar_error,
    is_same,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lowercase('Ä')", "ä"),
        ("uppercase('ä')", "Ä"),
        ("trim('  a b ')", "a b"),
        ("strip('  a b ')", "a b"),
        ("strip('')", ""),
        ("starts_with('abc', 'ab')", True),
        ("starts_with('abc', '')", True),
        ("ends_with('abc', 'ab')", False),
        ("contains('abc', 'b')", True),
        ("regex('abc', 'a.c')", True),
        ("regex('abcd', 'a.c')", False),
        ("index_of('abcabc', 'c')", 2),
        ("index_of('abc', 'x')", -1),
        ("index_of('abc', '')", 0),
        ("substr('abc', 1, 2)", "b"),
        ("substr('abc', 0, 3)", "abc"),
        ("substr('abc', 3, 3)", ""),
        ("to_string(4.5)", "4.5"),
        ("to_string(true)", "true"),
        ("to_string('a')", "a"),
        ("to_string(list(1, 'a'))", ("1", "a")),
        ("to_string(list())", ()),
    ],
)
def test_a_text_becomes(text: str, expected: Any) -> None:
    assert is_same(evaluate(text), expected)


@pytest.mark.parametrize(
    ("text", "separator", "expected"),
    [
        ("a, b,c,,", ", *", ("a", "b", "c")),
        (",a,,b", ",", ("", "a", "", "b")),
        ("abc", "", ("a", "b", "c")),
        ("abc", "x", ("abc",)),
        ("", ",", ("",)),
        (",", ",", ()),
        ("a1b22c", "([0-9])+", ("a", "b", "c")),
        ("äöü", "ö", ("ä", "ü")),
        ("axbc", "x*", ("a", "", "b", "c")),
    ],
)
def test_a_text_is_split_as_java_does(text: str, separator: str, expected: Any) -> None:
    assert call("split", text, separator) == expected


def test_split_trim_takes_the_white_space_off_the_pieces() -> None:
    assert evaluate("split_trim(' a | b |', '[|]')") == ("a", "b")
    assert evaluate("split(' a | b', '[|]')") == (" a ", " b")


@pytest.mark.parametrize(
    ("text", "pattern", "replacement", "expected"),
    [
        ("aXbX", "X", "-", "a-b-"),
        ("abc", "x", "-", "abc"),
        ("2026-01", "([0-9]+)-([0-9]+)", "$2/$1", "01/2026"),
        ("ab", "(?P<it>a)", "<${it}>", "<a>b"),
        ("ab", "a|(b)", "[$1]", "[][b]"),
        ("ab", "a", "$0$0", "aab"),
        ("ab", "(a)", "$12", "a2b"),
        ("ab", "a", r"\$1", "$1b"),
        ("ab", "a", r"\\", "\\b"),
        ("axb", "x*", "-", "-a--b-"),
        ("äöü", "ö", "ß", "äßü"),
        ("", "", "-", "-"),
    ],
)
def test_all_places_of_a_pattern_are_replaced(
    text: str, pattern: str, replacement: str, expected: str
) -> None:
    assert call("replace", text, pattern, replacement) == expected


def test_a_tenth_group_has_a_number_of_two_digits() -> None:
    assert call("replace", "abcdefghij", "(.)" * 10, "$10$1") == "ja"
    assert call("replace", "abcdefghijk", "(.)" * 10, "$11$1") == "a1ak"


@pytest.mark.parametrize(
    ("replacement", "message"),
    [
        ("$1", "the pattern 'a' has no group 1"),
        ("${x}", "the pattern 'a' has no group x"),
        ("5$", "'$' in the replacement the text '5$' has no meaning: write '\\$'"),
        ("\\", "has no meaning: write '\\\\'"),
        ("${", "'$' in the replacement"),
    ],
)
def test_a_replacement_that_means_nothing_is_rejected(replacement: str, message: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        call("replace", "a", "a", replacement)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("is_alpha", ["a", "Äß", "東"], ["", "a1", "a b", "a-"]),
        ("is_alphanum", ["a1", "7", "٣"], ["", "a b", "½", "²"]),
        ("is_num", ["007", "٣"], ["", "-7", "1.5", "½", "1 2"]),
        ("is_whitespace", ["", " \t\n", "\u2003", "\x1f"], ["a", "\u00a0", "\u202f", "\x85"]),
        ("is_alphaspace", ["", " ", "New York"], ["a1", "a\tb"]),
        ("is_numspace", ["", "12 000"], ["12\t0", "a"]),
        ("is_alphanumspace", ["", "Gate 7"], ["Gate-7", "a\n"]),
    ],
)
def test_what_a_text_is_made_of(name: str, yes: list[str], no: list[str]) -> None:
    assert [call(name, text) for text in yes] == [True] * len(yes)
    assert [call(name, text) for text in no] == [False] * len(no)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("substr('abc', 1, 4)", "finds no characters from the integer 1 to the integer 4 in a"),
        ("substr('abc', -1, 2)", "finds no characters from the integer -1"),
        ("substr('abc', 2, 1)", "in a text of 3"),
        ("substr('abc', meta_ent('half'), 2)", "needs an integer as its 2nd argument, not the nu"),
        ("lowercase(meta_ent('one'))", "'lowercase' needs a text as its 1st argument, not the in"),
        ("trim(meta_ent('none'))", "not null"),
        ("regex('a', meta_ent('one'))", "'regex' needs a text as its 2nd argument"),
        ("regex('a', '(' + ent_text)", "is not a regular expression"),
        ("to_string(null)", "cannot make a text of null"),
        ("to_string(list(list(1)))", "cannot make a text of a list of 1"),
        ("to_string(ent_this)", "cannot make a text of the entity 'city'"),
    ],
)
def test_what_has_no_result_is_an_error(text: str, message: str) -> None:
    assert message in evaluation_error(text)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("uppercase", ("ß" * 600_000,), "1000000 is the most"),
        ("split", ("a" * 20_000, "a*b|a"), None),
        ("split", ("a" * 100_000, "a*b|a"), "is found too often in a text of 100000"),
        ("split", (",b" * 15_000, ","), None),
        ("replace", ("a" * 1_000_000, "", "b"), "is found too often"),
        ("replace", ("a" * 10_000, "a", "b" * 1_000), "a text of more than 1000000"),
        ("replace", ("a" * 1_000, "(a+)", "$1" * 10_000), "a text of more than 1000000"),
    ],
)
def test_no_pattern_uses_up_memory_or_time(
    name: str, arguments: tuple[str, ...], message: str | None
) -> None:
    if message is None:
        assert call(name, *arguments) is not None
        return
    with pytest.raises(EvaluationError, match=message):
        call(name, *arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("split('a')", "'split' takes 2 arguments, not 1"),
        ("replace('a', '(', 'b')", "'(' is not a regular expression"),
        ("replace('a', 'b')", "'replace' takes 3 arguments, not 2"),
        ("substr('a', 1, 'b')", "'substr' needs an integer as its 3rd argument, not a text"),
        ("index_of(ent_groups, 'b')", "'index_of' needs a text as its 1st argument, not a list"),
        ("is_num(5)", "'is_num' needs a text as its 1st argument, not an integer"),
    ],
)
def test_a_wrong_call_is_found_before_it_runs(text: str, message: str) -> None:
    assert message in grammar_error(text)


@given(st.text(max_size=20), st.text("ab,", min_size=1, max_size=1))
def test_split_pieces_joined_again_are_the_text_without_separators_at_its_end(
    text: str, separator: str
) -> None:
    pieces = call("split", text, separator)
    assert separator.join(pieces) == (text.rstrip(separator) if separator in text else text)


@given(st.text(max_size=20), st.text(max_size=2))
def test_index_of_says_where_the_part_is(text: str, part: str) -> None:
    at = call("index_of", text, part)
    assert (at < 0) is not call("contains", text, part)
    assert at < 0 or call("substr", text, at, at + len(part)) == part


@given(st.text(max_size=20))
def test_to_replace_everything_by_itself_changes_nothing(text: str) -> None:
    assert call("replace", text, "(?s).", "$0") == text
