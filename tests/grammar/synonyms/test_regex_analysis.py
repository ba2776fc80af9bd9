"""Which regular expressions can match a word."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.regex_analysis import can_match_word
from tests.support.examples import examples


@pytest.mark.parametrize(
    "text",
    [
        "a^b", "a$b", "$a", "a^", "new york", r"[0-9]+ kg", r"\s+", "()", "x{0}", "", "(|)", "^$",
        r"a\bb", r"a\B", r"\B\B5\b5", r"\ba\B", "[ \t]", r"a\sb|c d", r"\zx", "(?i)a B",
        r"[^\S]", r"\p{Zs}", "(a b){2}", "(a ){1,2}", r"\Qa b\E", r"\x20", r"(?:(?P<n>a )|b\Ac)",
    ],
)  # fmt: skip
def test_these_match_no_word(text):
    Pattern(text)
    assert not can_match_word(text)


@pytest.mark.parametrize(
    "text",
    [
        "a", "^a$", r"\ba\b", "(^|-)a", "a( b)?", "(a b|c)", r"\$[0-9]+", "[0-9]+%", "a{0,3}",
        r"[^\s]+", r"a\Bb\b-\B", r"a\Bb", r"-\B-", r"\B-\ba\b", ".", r"\Q[a\E", "[]a]",
        r"[[:alpha:]]+",
        r"\pL+", r"\p{Greek}+", r"\x{1F600}", "[\U0001f600-\U0001f64f]", r"(?i:straße)", "(?s).+",
        r"(?P<year>\d{4})-(?P<month>\d\d)", "a{", "a{,3}", r"x*?y+?z??", r"\101", "[^a]", "[ x]",
        "пого+да", "天気?", r"\.", "a|b c",
    ],
)  # fmt: skip
def test_these_match_some_word(text):
    Pattern(text)
    assert can_match_word(text)


atoms = st.sampled_from(["a", "-", " ", "[a-]", "[ -]", r"\w", r"\W", ".", "^", "$", r"\b", r"\B"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: f"({'|'.join(some)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,1}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)
words = ["".join(one) for size in range(1, 9) for one in product("a-", repeat=size)]


@settings(max_examples=examples(300), deadline=None)
@given(expressions)
def test_it_agrees_with_trying_all_short_words(text):
    pattern = Pattern(text)
    matches = any(map(pattern.fullmatch, words))
    assert matches <= can_match_word(text)
    if len(text) < 12:  # of a longer one the shortest match may be longer than the words here
        assert matches == can_match_word(text)
