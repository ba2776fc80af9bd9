"""The synonym language: what a synonym stands for, and what it must not."""

from __future__ import annotations

from itertools import count, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora import GrammarError
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.expansion import check_macros, expand_synonym

MACROS = {"<ASK>": "{what|how} {is|_}", "<DEEP>": "<ASK> <ASK>"}


def texts(synonym, **options):
    return [" ".join(map(str, phrase)) for phrase in expand_synonym(synonym, MACROS, **options)]


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
        (
            "pick_up {last_order|last order|_}",
            ["pick_up last_order", "pick_up last order", "pick_up"],
        ),
        (r"snake\_case \{x\} a\|b \<c\>", ["snake_case {x} a|b <c>"]),
        ("what's up?", ["what's up?"]),
        ("a/b, c", ["a/b, c"]),
        (r"\{ \} \\ \_ \[ \] \| \, \/\/ \< \> \^\^ \?", [r"{ } \ _ [ ] | , // < > ^^ ?"]),
        ("{really} ? {a} [ 1 , 2 ]", ["a", "a a", "really a", "really a a"]),
        (r"{really} \?", ["really ?"]),
        ("{a|b}[2,2]", ["a a", "b b"]),
        ("{a|_|b} c", ["a c", "c", "b c"]),
        ("{_|a|_} c", ["c", "a c"]),
        ("{{a|_} {b|_}} c", ["a b c", "a c", "b c", "c"]),
        ("{{a|b}[1,2] c}[1,1]", ["a c", "a a c", "b c", "b b c"]),
        ("x < 5 {<=|<>|>} y", ["x < 5 <= y", "x < 5 <> y", "x < 5 > y"]),
        (
            "<ASK>ever {is}it",
            ["what isever isit", "what ever isit", "how isever isit", "how ever isit"],
        ),
    ],
)
def test_what_a_synonym_stands_for(synonym, phrases):
    assert texts(synonym) == phrases


def test_macros_may_use_macros():
    assert len(texts("<DEEP>")) == 16


def test_a_regular_expression_is_a_word_of_its_own():
    assert expand_synonym(r"room //[0-9]+// {left|_}") == (
        ("room", Pattern("[0-9]+"), "left"),
        ("room", Pattern("[0-9]+")),
    )
    assert expand_synonym(r"//a b{1,2}|c//") == ((Pattern("a b{1,2}|c"),),)
    assert expand_synonym("a//[{]//b") == (("a", Pattern("[{]"), "b"),)


def test_a_slash_in_a_regular_expression_is_the_same_with_and_without_a_backslash():
    ((slash,),) = expand_synonym(r"//a\/\/b//")
    assert slash.fullmatch("a//b")
    ((backslash,),) = expand_synonym(r"//a\\/b//")
    assert backslash.fullmatch("a\\/b")
    assert not backslash.fullmatch("a/b")


class TestPart:
    def test_a_predicate_stands_for_an_entity(self):
        ((word, part, more),) = expand_synonym("in ^^[where]{ # == 'city' }^^ now")
        assert (word, more) == ("in", "now")
        assert (part.alias, part.text) == ("where", "# == 'city'")
        assert part.predicate.requires == frozenset({("element", "city")})
        assert str(part) == "^^[where]{# == 'city'}^^"

    def test_its_name_may_be_left_out(self):
        ((part,),) = expand_synonym("^^{# == 'city'}^^")
        assert part.alias == ""

    @pytest.mark.parametrize(
        "predicate",
        [
            "# == '^^'",
            '# == "it\'s ^^ {a|b} _"',
            "has(list('a', 'b|c'), #) || # == '}'",
            "@id = # @id == 'a' && !false",
            "# == 'a\\'^^'",
        ],
    )
    def test_it_is_closed_to_the_language_around_it(self, predicate):
        phrases = expand_synonym(f"{{x|^^{{{predicate}}}^^}}")
        assert [getattr(phrase[0], "text", phrase[0]) for phrase in phrases] == ["x", predicate]

    def test_it_may_stand_in_groups_and_macros(self):
        macros = {"<SIZE>": "{^^{# == 'size'}^^|any}[1,2]"}
        phrases = expand_synonym("<SIZE> one", macros)
        assert [" ".join(map(str, phrase)) for phrase in phrases] == [
            "^^{# == 'size'}^^ one",
            "^^{# == 'size'}^^ ^^{# == 'size'}^^ one",
            "any one",
            "any any one",
        ]

    def test_an_error_in_its_predicate_is_reported_at_its_position(self):
        with pytest.raises(GrammarError) as caught:
            expand_synonym("a\n ^^[x]{\n  # == 'a' &&\n  foo() }^^")
        assert (caught.value.line, caught.value.column) == (4, 3)
        assert "foo" in caught.value.message


def test_the_number_of_phrases_is_limited_and_the_synonym_named():
    assert len(texts("{a|b}{a|b}", limit=4)) == 4
    with pytest.raises(
        GrammarError, match=r"'\{a\|b\}\{a\|b\}' expands to 4 phrases, more than the 3"
    ):
        texts("{a|b}{a|b}", limit=3)


def test_macros_that_double_each_other_cost_nothing_before_they_are_rejected():
    doubling = {f"<M{n}>": f"<M{n + 1}><M{n + 1}>" for n in range(40)}
    with pytest.raises(GrammarError, match="1,000,000,000,000 or more phrases"):
        expand_synonym("<M0>", doubling | {"<M40>": "{a|b}"})
    with pytest.raises(GrammarError, match="more than 2,000 characters"):
        expand_synonym("<M0>", doubling | {"<M40>": "a"})


def test_every_error_of_macros_is_found_once():
    bad = {
        "<USES>": "{<SYNTAX>|<A>} <UNKNOWN>",
        "<A>": "x <B>",
        "<B>": "{<A>|b}",
        "<SELF>": "<SELF>",
        "<SYNTAX>": "{a",
        "<PATTERN>": "//(//",
        "<UNKNOWN>": "<NOWHERE>",
        "noname": "a",
        "<GOOD>": "{a|b}",
    }
    problems = dict(check_macros(bad))
    assert list(problems) == ["<A>", "<SELF>", "<SYNTAX>", "<PATTERN>", "<UNKNOWN>", "noname"]
    assert problems["<A>"].message.endswith("contains itself: <A> → <B> → <A>")
    assert (problems["<A>"].line, problems["<A>"].column) == (1, 3)
    assert problems["<SELF>"].message.endswith("<SELF> → <SELF>")
    assert "there is no macro <NOWHERE>" in problems["<UNKNOWN>"].message
    assert "not the name of a macro" in problems["noname"].message


def test_of_macros_nested_too_deep_the_first_that_is_too_deep_is_named():
    chain = {f"<M{n}>": f"<M{n + 1}>" for n in range(100)} | {"<M100>": "a"}
    ((name, problem),) = check_macros(chain)
    assert (name, problem.excerpt) == ("<M50>", "<M51>")
    assert expand_synonym("<M51>", chain) == (("a",),)
    with pytest.raises(GrammarError, match="nested more than 50 deep"):
        expand_synonym("<M50>", chain)


@given(
    st.dictionaries(
        st.sampled_from(["<A>", "<B>", "<C>", "<D>"]),
        st.text("<>ABCDE {}|x", max_size=12) | st.sampled_from(["<A> <B>", "<C>", "{<D>|x}"]),
    )
)
def test_macros_are_free_of_errors_exactly_if_each_can_be_used(macros):
    unusable = set()
    for name in macros:
        try:
            expand_synonym(f"first {name}", macros)
        except GrammarError:
            unusable.add(name)
    found = dict(check_macros(macros))
    assert found.keys() <= unusable
    assert bool(found) == bool(unusable)


def test_macros_and_groups_may_both_be_nested_as_deep_as_each_of_them_may():
    nested = {f"<M{n}>": "{a " * 50 + f"<M{n + 1}>" + "}" * 50 for n in range(45)}
    with pytest.raises(GrammarError, match="more than 2,000 characters"):
        expand_synonym("<M0>", nested | {"<M45>": "b"})
    assert check_macros(nested | {"<M45>": "b"}) == []
    plain = {name: text.replace("a ", "") for name, text in nested.items()}
    assert expand_synonym("<M0>", plain | {"<M45>": "b"}) == (("b",),)


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(.*)*,(.*)*x", "([a-z]+)*!", "(a|aa)+$b"]
)
def test_no_pattern_takes_longer_for_a_word_than_the_word_is_long(pattern):
    ((found,),) = expand_synonym(f"//{pattern}//")
    assert not found.fullmatch("a" * 100_000)


@pytest.mark.parametrize("pattern", ["((a{100}){100}){100}", "a{5000}", "(((a+){99})+){99}"])
def test_a_pattern_that_would_be_huge_is_rejected(pattern):
    with pytest.raises(GrammarError, match="is not a regular expression"):
        expand_synonym(f"//{pattern}//")


@pytest.mark.parametrize("word", ["a" * 3_000, "a " * 3_000])
def test_a_phrase_is_no_longer_than_a_phrase_may_be(word):
    with pytest.raises(GrammarError, match="more than 2,000 characters"):
        expand_synonym(word)


words = st.text("abc", min_size=1, max_size=3)


@given(st.lists(words, min_size=1))
def test_plain_words_stand_for_themselves(some):
    assert expand_synonym(" ".join(some)) == ((" ".join(some),),)


@given(st.lists(st.lists(words, min_size=1, max_size=3, unique=True), min_size=1, max_size=4))
def test_groups_in_a_row_stand_for_every_choice_from_each(groups):
    synonym = " ".join("{" + "|".join(group) + "}" for group in groups)
    phrases = expand_synonym(synonym)
    count = 1
    for group in groups:
        count *= len(group)
    assert len(phrases) == len(set(phrases)) == count
    assert phrases[0] == (" ".join(group[0] for group in groups),)


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
    assert list(expand_synonym(f"first {text}", limit=100_000)) == expected
    if len(phrases) > 1:
        with pytest.raises(
            GrammarError, match=f"expands to .* more than the {len(phrases) - 1:,} "
        ):
            expand_synonym(f"first {text}", limit=len(phrases) - 1)
