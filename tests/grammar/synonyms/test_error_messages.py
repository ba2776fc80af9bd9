"""What is said of a synonym that is not in the language, and where it is shown."""

from __future__ import annotations

import pytest

from anaphora import GrammarError
from anaphora.grammar.synonyms.expansion import expand_synonym

MACROS = {"<ASK>": "{what|how} {is|_}"}

# What is written, where the caret stands (from 0), and words of the message or the hint.
MISTAKES = [
    ("", 0, "empty"),
    ("   ", 0, "empty"),
    # groups
    (
        "the {a|b",
        8,
        "a '{' is not closed\n  the {a|b\n          ^\n  hint: add the missing } for: {a|b",
    ),
    ("{{a}|{b c", 9, "add the missing } for: {b c"),
    ("{a|//[{]// ^^{# == '}'}^^", 25, "add the missing } for: {a|//"),
    ("a}", 1, "no '{' for this '}'"),
    ("a|b", 1, "outside of a group"),
    ("{a|}", 3, "an alternative is empty"),
    ("{a||b}", 3, "an alternative is empty"),
    ("{a| |b}", 3, "an alternative is empty"),
    ("{}", 1, "write _ for nothing"),
    ("a {_} b", 2, "nothing but _"),
    ("{_|_}", 0, "nothing but _"),
    ("{{_}|a}", 1, "nothing but _"),
    # _
    ("_", 0, "_ is outside of a group"),
    ("{a} b_ c", 5, "_ is outside of a group"),
    ("{a}_b", 3, "_ is outside of a group"),
    ("{a|_b}", 3, "alone between bars"),
    ("{a|b_}", 4, "alone between bars"),
    ("{a b|_ c}", 5, "alone between bars"),
    ("{_{a}|b}", 1, "alone between bars"),
    # repetitions
    ("{a}[2,1]", 4, "minimum 2 is above the maximum 1"),
    ("{a}[99999999999,2]", 4, "minimum 99999999999 is above"),
    ("{a}[0,0]", 6, "maximum must be from 1"),
    ("{a}[1,999]", 6, "maximum must be from 1 to 100, not 999"),
    ("{a}[1,99999999999]", 6, "not 99999999999"),
    ("{a}[3]", 3, "for exactly 3 write [3,3]"),
    ("{a}[1:2]", 3, "write [1,2]"),
    ("{a} [1-2]", 4, "write [1,2]"),
    ("{a}[,2]", 3, "write [0,2]"),
    ("{a}[2,]", 3, "such as [2,9]"),
    ("{a}[x,y]", 3, "'[x,y]' is no repetition"),
    ("{a}[]", 3, "'[]' is no repetition"),
    ("{a}[1", 5, "a '[' is not closed"),
    ("{a}[1,2 {b}", 3, "a '[' is not closed"),
    ("[a]", 0, "a repetition must follow a group"),
    ("a[1,2]", 1, "write {word}[1,2]"),
    ("a]", 1, "no '[' for this ']'"),
    ("{a}[1,2][3,4]", 8, "a repetition already"),
    ("{a}?[1,2]", 4, "? is [0,1]"),
    # macros
    ("<ASX>", 0, "did you mean <ASK>"),
    ("a <ASK", 2, "a macro is written <NAME>"),
    ("ASK>", 3, "write <ASK>"),
    ("a->b", 2, "the sign itself is written \\>"),
    ("<A SK>", 0, "has no blanks"),
    ("<A|B>", 0, "a macro is written <NAME>"),
    # regular expressions
    ("a //b", 2, "not closed"),
    ("http://example", 5, "// is \\/\\/"),
    ("a ////", 2, "this regular expression is empty"),
    ("a //(//", 2, "missing )"),
    (r"//(a)\1//", 0, "without look-ahead"),
    # predicates
    ("a ^^", 2, "this predicate is not closed"),
    ("a ^^{# == 'b'}", 2, "this predicate is not closed"),
    ("^^{# == 'a^^ b^^", 8, "this text has no closing quote"),
    ("^^{# == 'a}^^", 8, "this text has no closing quote"),
    ("^^^^", 2, "this predicate is empty"),
    ("^^[a]{ }^^", 5, "this predicate is empty"),
    ("a ^^id == 'x'^^", 4, "is put in braces"),
    ("^^(id == 'x')^^", 2, "write ^^{# == 'city'}^^"),
    ("^^{# == 'x'^^", 11, "there is no '}' of this predicate"),
    ("^^{# == 'x'} b^^", 14, "nothing may follow"),
    ("^^[1]{# == 'x'}^^", 3, "'1' cannot be the name of a part"),
    ("^^[]{# == 'x'}^^", 3, "begins with a letter"),
    ("^^[a{# == 'x'}^^", 2, "is put in brackets"),
    ("^^{# == }^^", 7, "expected is a value"),
    ("b ^^[a]{ # == 'x' && foo() }^^", 21, "no function 'foo'"),
    ("^^{#}^^", 3, "must be true or false"),
    # escapes and signs
    (r"a\q", 1, r"'\q' is no escape"),
    ("a\\", 1, "nothing follows it"),
    ("a\\ b", 1, "nothing follows it"),
    ("//\ud83d//", 2, "unpaired surrogate"),
    ("a \ud83d", 2, "unpaired surrogate"),
    # bounds
    ("{a}?", 0, "can expand to nothing"),
    ("{a|b}[1,50]{a|b}[1,50]{c|d}[1,50]", 0, "expands to 1,000,000 phrases"),
    ("{a}[100,100] " * 20 + "x", 0, "more than 2,000 characters"),
    ("{" * 60 + "a" + "}" * 60, 50, "nested over 50 deep"),
    ("x" * 20_000 + "{a|b}", 0, "more than the 16,384 allowed"),
]


@pytest.mark.parametrize(
    ("synonym", "at", "words"), MISTAKES, ids=[mistake[0][:40] for mistake in MISTAKES]
)
def test_an_error_is_reported_with_its_position(synonym, at, words):
    with pytest.raises(GrammarError) as caught:
        expand_synonym(synonym, MACROS)
    assert words in str(caught.value)
    assert not synonym or caught.value.column == at + 1


def test_the_source_and_the_line_are_named():
    with pytest.raises(GrammarError) as caught:
        expand_synonym("a\n{b|\nc", source="bot.yaml")
    assert str(caught.value).startswith("bot.yaml:3:2: ")


def test_an_error_inside_a_macro_is_shown_where_the_synonym_names_it():
    macros = {"<A>": "<B> x", "<B>": "{y"}
    with pytest.raises(GrammarError) as caught:
        expand_synonym("the <A>", macros)
    assert (caught.value.line, caught.value.column) == (1, 5)
    assert caught.value.message == "in <B>: a '{' is not closed"
