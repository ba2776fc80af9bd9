"""The tree of a synonym, and the text that is made of it again."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anaphora import GrammarError
from anaphora.grammar.synonyms.expansion import expand_synonym
from anaphora.grammar.synonyms.fast_parser import parse_simple
from anaphora.grammar.synonyms.parser import _parser as parser
from anaphora.grammar.synonyms.parser import parse_synonym
from anaphora.grammar.synonyms.spacing import insert_blanks
from anaphora.grammar.synonyms.syntax import (
    EMPTY_SEQUENCE,
    BlankPiece,
    EntityPiece,
    GroupPiece,
    ReferencePiece,
    RegexPiece,
    SequencePiece,
    TextPiece,
)
from tests.grammar.synonyms.printer import print_synonym
from tests.grammar.synonyms.strategies import MACROS, SIGNS, TREES, slips

PRINTED = TREES.map(print_synonym)
SIMPLE = st.sampled_from(
    ["a", "b/c", "a_b", "?", " ", "\n", "_", "<A>", "{", "|", "}", "{a|_}", "{ _ |b}"]
)


def test_a_text_is_read_as_its_pieces():
    assert parse_synonym("{<ASK>|_}?  //a+//^^[x]{# == 'a'}^^ b\\_c") == SequencePiece(
        (
            GroupPiece((ReferencePiece("<ASK>"), EMPTY_SEQUENCE), 0, 1),
            BlankPiece(),
            RegexPiece("a+"),
            EntityPiece("x", "# == 'a'"),
            BlankPiece(),
            TextPiece("b_c"),
        )
    )


def test_each_piece_has_its_offset():
    tree = parse_synonym("ab {c|<D>}//e//^^{# == 'f'}^^")
    assert isinstance(tree, SequencePiece)
    assert [piece.at for piece in tree.pieces] == [0, 2, 3, 10, 15]
    group = tree.pieces[2]
    assert isinstance(group, GroupPiece)
    assert [piece.at for piece in group.alternatives] == [4, 6]


def test_a_tree_is_read_whether_its_macros_exist_or_not():
    assert parse_synonym("<NOWHERE>") == ReferencePiece("<NOWHERE>")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("{ a  |\n_ } [ 1 , 2 ]", "{ a |_}[1,2]"),
        ("{a}[1,1]{b}[0,1] ?", "{a}{b}? \\?"),
        ("what's a/b, c^d?", "what's a/b, c^d?"),
        ("^^ [x] { # == 'a' } ^^", "^^[x]{# == 'a'}^^"),
        ("a < b", "a \\< b"),
        ("", ""),
    ],
)
def test_a_tree_is_printed_plainly(text, printed):
    assert print_synonym(parse_synonym(text)) == printed


@given(TREES)
def test_every_tree_is_parsed_again_as_it_was_printed(tree):
    assert parse_synonym(print_synonym(tree)) == tree


@given(slips(PRINTED) | st.lists(SIGNS).map("".join) | st.text())
def test_any_text_is_read_or_rejected_and_printed_as_what_was_read(text):
    try:
        tree = parse_synonym(text)
    except GrammarError as error:
        assert error.message
        assert not text or error.line <= text.count("\n") + 1
    else:
        assert parse_synonym(print_synonym(tree)) == tree


@given(slips(PRINTED) | PRINTED | st.lists(SIGNS).map("".join))
def test_any_text_is_expanded_or_rejected(text):
    try:
        phrases = expand_synonym(text, MACROS, limit=100)
    except GrammarError as error:
        assert error.message
    else:
        assert phrases
        assert len(set(phrases)) == len(phrases)
        assert all(chunk for phrase in phrases for chunk in phrase if isinstance(chunk, str))


@pytest.mark.parametrize(
    "text",
    ["a/b, c? <D>", "{<ASK>|_}  ? {b {c|d}\n| _ }e", " a ", "{ a|b }", "{_|a|_}"],
)
def test_words_groups_and_macros_need_no_parser(text):
    assert parse_simple(text) is not None


@pytest.mark.parametrize("text", ["", " ", "_", "{a|}", "{_}", "{a_|b}", "{a", "a}", "a|b", "{ }"])
def test_what_is_nothing_or_wrong_is_left_to_the_parser(text):
    assert parse_simple(text) is None


@given(st.lists(SIMPLE).map("".join) | slips(PRINTED))
def test_without_the_parser_the_same_is_read(text):
    tree = parse_simple(text)
    if tree is not None:
        assert repr(tree) == repr(parser().parse(text))  # the places, too


@given(PRINTED)
def test_a_tree_says_the_same_after_it_was_printed(text):
    again = print_synonym(parse_synonym(text))
    try:
        phrases = expand_synonym(text, MACROS, limit=100)
    except GrammarError:
        assume(False)
    assert expand_synonym(again, MACROS, limit=100) == phrases


class TestSeparate:
    NAMED: ClassVar = {
        "<G>": "x {y|z}",
        "<W>": "w",
        "<IN>": "<G>",
        "<LOOP>": "<LOOP>a",
        "<BAD>": "{",
    }

    @pytest.mark.parametrize(
        ("text", "separated"),
        [
            ("ben{z|s}", "ben {z|s}"),
            ("{a}{b}?{c}[1,2].", "{a} {b}? {c}[1,2] ."),
            ("{x{y|_}|a} b", "{x {y|_}|a} b"),
            ("<G>s s<G> <IN>s", "<G> s s<G> <IN> s"),
            ("<W>s{a}<W>", "<W>s {a} <W>"),
            ("^^{# == 'a{b}c'}^^{d}", "^^{# == 'a{b}c'}^^ {d}"),
        ],
    )
    def test_a_blank_comes_between_neighbours_of_which_one_is_a_group(self, text, separated):
        assert insert_blanks(text, self.NAMED) == separated

    @pytest.mark.parametrize(
        "text",
        ["a b", "a  {b|c}\td", "<W>s", "{a b|_}", "<LOOP>b", "<BAD>b", "<NONE>b", "{a", "a|b", ""],
    )
    def test_nothing_else_is_touched(self, text):
        assert insert_blanks(text, self.NAMED) == text

    @given(slips(PRINTED) | PRINTED | st.text())
    def test_once_is_enough_and_only_blanks_are_added(self, text):
        separated = insert_blanks(text, MACROS)
        assert insert_blanks(separated, MACROS) == separated
        assert separated.replace(" ", "") == text.replace(" ", "")

    @given(TREES)
    def test_no_group_touches_its_neighbour(self, tree):
        def check(piece):
            inner = getattr(piece, "pieces", ())
            for left, right in pairwise(inner):
                if isinstance(left, GroupPiece):
                    assert isinstance(right, BlankPiece)
                if isinstance(right, GroupPiece):
                    assert isinstance(left, BlankPiece)
            for one in (*inner, *getattr(piece, "alternatives", ())):
                check(one)

        check(parse_synonym(insert_blanks(print_synonym(tree))))
