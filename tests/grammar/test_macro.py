"""The synonym language: what a synonym stands for, and what it must not."""

from __future__ import annotations

from itertools import count, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anaphora import GrammarError
from anaphora.grammar.macro import check_macros, expand
from anaphora.grammar.patterns import Pattern

MACROS = {"<ASK>": "{what|how} {is|_}", "<DEEP>": "<ASK> <ASK>"}


def texts(synonym, **options):
    return [" ".join(map(str, phrase)) for phrase in expand(synonym, MACROS, **options)]


@pytest.mark.parametrize(
    ("synonym", "phrases"),
    [
        ("weather", ["weather"]),
        ("  the   weather ", ["the weather"]),
        ("{a|b|_} c", ["a c", "b c", "c"]),
        ("{ _ | a } c", ["c", "a c"]),
        ("{a {b|c}|d} e", ["a b e", "a c e", "d e"]),
        ("{{a}}", ["a"]),
        ("{A|B}[1,2]", ["A", "A A", "B", "B B"]),
        ("{a}[0,2] b", ["b", "a b", "a a b"]),
        ("{a} [1,2] b", ["a b", "a a b"]),
        ("{a|b}? c", ["c", "a c", "b c"]),
        ("ben{z|s}", ["benz", "bens"]),
        ("{un|_}known", ["unknown", "known"]),
        ("<ASK> it", ["what is it", "what it", "how is it", "how it"]),
        ("{a|a|a}", ["a"]),
        (r"snake\_case \{x\} a\|b \<c\>", ["snake_case {x} a|b <c>"]),
        ("what's up?", ["what's up?"]),
        ("a/b, c", ["a/b, c"]),
    ],
)
def test_what_a_synonym_stands_for(synonym, phrases):
    assert texts(synonym) == phrases


def test_macros_may_use_macros():
    assert len(texts("<DEEP>")) == 16


def test_a_regular_expression_is_a_word_of_its_own():
    assert expand(r"room //[0-9]+// {left|_}") == (
        ("room", Pattern("[0-9]+"), "left"),
        ("room", Pattern("[0-9]+")),
    )
    assert expand(r"//a b{1,2}|c//") == ((Pattern("a b{1,2}|c"),),)


MISTAKES = {
    "": "empty",
    "   ": "empty",
    "{_}": "nothing but _",
    "{a|}": "an alternative is empty",
    "{}": "an alternative is empty",
    "{a": "a '{' is not closed",
    "a}": "no '{' for this '}'",
    "a|b": "outside of a group",
    "_": "_ stands outside of a group",
    "a_b": "_ stands outside of a group",
    "{a|_b}": "alone between bars",
    "{a}[2,1]": "minimum 2 is above",
    "{a}[0,0]": "maximum must be from 1",
    "{a}[1]": "a repetition is written {word}[1,2]",
    "{a}[x,y]": "this is no repetition",
    "{a}[1,99999999999]": "not 99999999999",
    "^^{# == 'a'}^^": "'^^' has no meaning in a synonym",
    "////": "this regular expression is empty",
    "//\ud83d//": "half of a character",
    "a \ud83d": "half of a character",
    "http://example": "// is \\/\\/",
    "{a}[1,999]": "maximum must be from 1",
    "{a}[1": "a '[' is not closed",
    "[a]": "a repetition is written",
    "//a": "not closed",
    "//(//": "missing )",
    r"//(a)\1//": "regular expression",
    "<ASK": "a macro is written <NAME>",
    "a > b": "a macro is written <NAME>",
    "<ASX>": "did you mean <ASK>",
    r"a\q": "no escape",
    "{a}?": "nothing at all",
    "{a|b}[1,50]{a|b}[1,50]{c|d}[1,50]": "stands for 1,000,000 phrases",
    "{" * 60 + "a" + "}" * 60: "nested over 50 deep",
    "x" * 20_000 + "{a|b}": "more than the 16,384 allowed",
}


@pytest.mark.parametrize("synonym", MISTAKES, ids=lambda text: text[:40])
def test_a_mistake_is_told_in_plain_words(synonym):
    with pytest.raises(GrammarError) as caught:
        expand(synonym, MACROS)
    assert MISTAKES[synonym] in str(caught.value)


def test_a_mistake_is_shown_where_it_stands():
    with pytest.raises(GrammarError) as caught:
        expand("the {a|b", source="bot.yaml")
    assert (caught.value.line, caught.value.column) == (1, 9)
    assert str(caught.value).startswith("bot.yaml:1:9: ")


def test_the_number_of_phrases_is_limited_and_the_synonym_named():
    assert len(texts("{a|b}{a|b}", limit=4)) == 4
    with pytest.raises(
        GrammarError, match=r"'\{a\|b\}\{a\|b\}' stands for 4 phrases, more than the 3"
    ):
        texts("{a|b}{a|b}", limit=3)


def test_macros_that_double_each_other_cost_nothing_before_they_are_refused():
    doubling = {f"<M{n}>": f"<M{n + 1}><M{n + 1}>" for n in range(40)}
    with pytest.raises(GrammarError, match="1,000,000,000,000 or more phrases"):
        expand("<M0>", doubling | {"<M40>": "{a|b}"})
    with pytest.raises(GrammarError, match="more than 2,000 characters"):
        expand("<M0>", doubling | {"<M40>": "a"})


def test_every_bad_macro_is_found_once():
    bad = {
        "<A>": "<B>",
        "<B>": "{<A>|b}",
        "<SYNTAX>": "{a",
        "<UNKNOWN>": "<NOWHERE>",
        "noname": "a",
        "<GOOD>": "{a|b}",
    }
    problems = dict(check_macros(bad))
    assert set(problems) == set(bad) - {"<GOOD>"}
    assert "<A> → <B> → <A>" in problems["<A>"].message
    assert "not the name of a macro" in problems["noname"].message


def test_macros_nested_too_deep_are_refused():
    chain = {f"<M{n}>": f"<M{n + 1}>" for n in range(100)} | {"<M100>": "a"}
    with pytest.raises(GrammarError, match="nested more than 50 deep"):
        expand("<M0>", chain)


def test_macros_and_groups_may_both_be_nested_as_deep_as_each_of_them_may():
    nested = {f"<M{n}>": "{a " * 50 + f"<M{n + 1}>" + "}" * 50 for n in range(45)}
    with pytest.raises(GrammarError, match="more than 2,000 characters"):
        expand("<M0>", nested | {"<M45>": "b"})
    assert check_macros(nested | {"<M45>": "b"}) == []
    plain = {name: text.replace("a ", "") for name, text in nested.items()}
    assert expand("<M0>", plain | {"<M45>": "b"}) == (("b",),)


def test_a_mistake_inside_a_macro_is_shown_where_the_synonym_names_it():
    macros = {"<A>": "<B> x", "<B>": "{y"}
    with pytest.raises(GrammarError) as caught:
        expand("the <A>", macros)
    assert (caught.value.line, caught.value.column) == (1, 5)
    assert caught.value.message == "in <B>: a '{' is not closed"


words = st.text("abc", min_size=1, max_size=3)


@given(st.lists(words, min_size=1))
def test_plain_words_stand_for_themselves(some):
    assert expand(" ".join(some)) == ((" ".join(some),),)


@given(st.lists(st.lists(words, min_size=1, max_size=3, unique=True), min_size=1, max_size=4))
def test_groups_in_a_row_stand_for_every_choice_from_each(groups):
    synonym = " ".join("{" + "|".join(group) + "}" for group in groups)
    phrases = expand(synonym)
    count = 1
    for group in groups:
        count *= len(group)
    assert len(phrases) == len(set(phrases)) == count
    assert phrases[0] == (" ".join(group[0] for group in groups),)


@given(st.text(r"{}|_[]<>\/,?1 ab^"))
@example("{a}[1,2")
@example("{a}[99999999999,99999999999]")
@example("//\\//")
@example("{//a//|_}b")
def test_any_text_is_expanded_or_refused(text):
    try:
        phrases = expand(text, MACROS, limit=100)
    except GrammarError as error:
        assert error.message
    else:
        assert phrases
        assert len(set(phrases)) == len(phrases)
        assert all(chunk for phrase in phrases for chunk in phrase if isinstance(chunk, str))


# A tree is the name of a word, a row of trees, or a group of trees with a quantifier.
trees = st.recursive(
    st.just("word"),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda row: ("row", row))
        | st.tuples(
            st.just("group"),
            st.lists(inner, min_size=1, max_size=3),
            st.sampled_from([("", [1]), ("?", [0, 1]), ("[1,2]", [1, 2]), (" [ 2,2 ]", [2])]),
        )
    ),
    max_leaves=5,
)


def written(tree, number):
    """A synonym with a word of its own at each leaf, and the phrases that it must stand for."""
    if tree == "word":
        word = f"w{next(number)}"
        return word, [(word,)]
    parts = [written(part, number) for part in tree[1]]
    if tree[0] == "row":
        ways = product(*(phrases for _, phrases in parts))
        return " ".join(text for text, _ in parts), [sum(way, ()) for way in ways]
    quantifier, repeats = tree[2]
    text = "{" + "|".join(text for text, _ in parts) + "}" + quantifier
    return text, [way * times for _, ways in parts for way in ways for times in repeats]


@given(trees)
def test_a_nested_synonym_stands_for_what_its_parts_stand_for(tree):
    text, phrases = written(tree, count())
    expected = list(dict.fromkeys((" ".join(("first", *phrase)),) for phrase in phrases))
    assert list(expand(f"first {text}", limit=100_000)) == expected
    if len(phrases) > 1:
        with pytest.raises(
            GrammarError, match=f"stands for .* more than the {len(phrases) - 1:,} "
        ):
            expand(f"first {text}", limit=len(phrases) - 1)
