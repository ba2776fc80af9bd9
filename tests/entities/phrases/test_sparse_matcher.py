from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anaphora.entities.phrases import step_positions as module
from anaphora.entities.phrases.gaps import Gaps
from anaphora.entities.phrases.sparse_matcher import SparseMatcher, SparsePhrase
from anaphora.entities.phrases.trie import PhraseMatch, SearchedText, match_nothing
from anaphora.entities.tokens.sentence import Sentence
from anaphora.entities.words.lexicon import Lexicon
from anaphora.grammar.patterns import Pattern
from tests.entities.helpers.model_builders import part, pattern_ends, token_starts
from tests.support.examples import examples
from tests.support.line_counter import count_lines

LEXICON = Lexicon("en")


def steps(*phrase):
    return tuple(LEXICON.words([s])[0] if isinstance(s, str) else s for s in phrase)


def known(*phrases, any_order=False, **more):
    return SparseMatcher(
        SparsePhrase(
            steps(*(one.split() if isinstance(one, str) else one)), entry, any_order, **more
        )
        for entry, one in enumerate(phrases)
    )


def search(texts: list[str], parts_in=None) -> Callable[[SparseMatcher], list[PhraseMatch]]:
    words = LEXICON.words(texts)
    sentence = Sentence(" ".join(texts), texts, token_starts(texts), words)
    text = SearchedText(words, pattern_ends(words, texts), parts_in=parts_in or match_nothing)
    return lambda phrases: phrases.find(text, Gaps(words, sentence, negations={"not"}))


def matches_in(phrases: SparseMatcher, texts: list[str], parts_in=None) -> list[PhraseMatch]:
    return search(texts, parts_in)(phrases)


def found(phrases: SparseMatcher, text: str, parts_in=None) -> list[str]:
    texts = text.split()
    matches = matches_in(phrases, texts, parts_in)
    return [
        " ".join(texts[i] for i in match.tokens or range(match.start, match.end))
        + f" @{match.start}+{match.gaps}"
        for match in sorted(matches, key=lambda match: (match.start, match.end))
    ]


def test_other_words_may_stand_between_the_words_of_a_phrase():
    phrases = known("turn off")
    assert found(phrases, "turn the light off please") == ["turn off @0+2"]
    assert found(phrases, "off we turn") == []


def test_a_contiguous_phrase_in_order_is_left_to_the_trie():
    assert found(known("turn off"), "turn off the light") == []


def test_of_several_ways_the_smallest_windows_are_taken():
    text = "turn the light off and turn the fan off"
    assert found(known("turn off"), text) == ["turn off @0+2", "turn off @5+2"]
    assert found(known("turn off"), "turn turn it off off") == ["turn off @1+1"]


def test_words_match_in_any_order_if_permutations_are_allowed():
    phrases = known("turn off", any_order=True)
    assert found(phrases, "off I turn it") == ["off turn @0+1"]
    assert found(phrases, "off turn") == ["off turn @0+0"]
    (match,) = matches_in(phrases, ["off", "turn"])
    assert (match.permuted, match.exact, match.tokens) == (True, False, ())


def test_a_word_that_a_phrase_has_twice_must_stand_there_twice():
    assert found(known("on and on", any_order=True), "on it goes and then") == []
    assert found(known("on and on"), "on it goes and goes on") == ["on and on @0+3"]


def test_a_match_is_exact_if_it_is_spelled_as_the_phrase():
    texts = ["turns", "it", "off"]
    (match,) = matches_in(known("turn off"), texts)
    assert not match.exact
    texts = ["TURN", "it", "off"]
    (match,) = matches_in(known("turn off", "turns off"), texts)[:1]
    assert match.exact


def test_words_that_are_only_alike_hide_none_that_are_spelled_so():
    assert found(known("is locked"), "is the lock locked") == ["is lock @0+1", "is locked @0+2"]
    assert found(known("heat up"), "heat the old heating up") == ["heat up @0+3"]
    assert found(known("is locked"), "is the lock open") == ["is lock @0+1"]
    assert found(known("is locked"), "is it locked or a lock") == ["is locked @0+1"]


def test_of_words_that_are_alike_any_may_come_first():
    for phrase in ("lock locked", "locked lock"):
        for said in ("locked the lock", "lock the locked"):
            texts = said.split()
            (match,) = matches_in(known(phrase, any_order=True), texts)
            assert (match.tokens, match.exact) == ((0, 2), True)


def test_patterns_and_entities_are_steps_too():
    percent = known(("dim", Pattern("[0-9]+")))
    assert found(percent, "dim the lamp to 50 or 60") == ["dim 50 @0+3"]
    day = part("# == 'day'", "when")
    phrases = known(("book", day))
    matches = matches_in(
        phrases, ["book", "a", "room", "next", "monday", "now"], lambda _: [(3, 5, (9,))]
    )
    assert [(match.tokens, match.gaps, match.parts) for match in matches] == [
        ((0, 3, 4), 2, (("when", 9),)),
    ]  # fmt: skip


def test_of_a_word_and_a_pattern_the_word_takes_its_own():
    phrases = known(("dim", Pattern("[a-z]+")), any_order=True)
    assert found(phrases, "lamp 5 dim") == ["lamp dim @0+1"]
    assert found(phrases, "dim 5 dim") == ["dim dim @0+1"]


words = st.lists(st.sampled_from(["a", "a", "b", "b", "c", "c", "d", ".", "not"]), max_size=11)
phrases_ = st.lists(st.sampled_from(["a", "b", "c", "not"]), min_size=2, max_size=3)


def is_gap(words: list[str], most: int) -> bool:
    """Whether the words may stand between two words of a phrase."""
    return len(words) <= most and not {".", "not"}.intersection(words)


@settings(max_examples=examples(600), deadline=None)
@given(phrases_, words, st.booleans(), st.integers(0, 4))
@example(["a", "b", "c"], list("abdbddc"), False, 2)
@example(["a", "b", "c"], list("abdbddc"), True, 2)
@example(["a", "b", "c"], list("acdbddc"), True, 2)
@example(["a", "not"], ["a", "d", "not"], False, 1)
def test_it_finds_the_windows_that_a_search_through_all_places_finds(
    phrase, said, any_order, max_gap
):
    orders = set(permutations(phrase)) if any_order else {tuple(phrase)}
    places = {
        (chosen[0], chosen[-1] + 1)
        for chosen in combinations(range(len(said)), len(phrase))
        if tuple(said[i] for i in chosen) in orders
        and all(is_gap(said[one + 1 : other], max_gap) for one, other in pairwise(chosen))
    }
    smallest = {
        one
        for one in places
        if not any(o != one and one[0] <= o[0] and o[1] <= one[1] for o in places)
    }
    matches = matches_in(known(tuple(phrase), any_order=any_order, max_gap=max_gap), said)
    as_it_is = {
        (at, at + len(phrase))
        for at in range(len(said))
        if said[at : at + len(phrase)] == phrase
    }  # fmt: skip
    assert {(match.start, match.end) for match in matches} == smallest - as_it_is
    for match in matches:
        own = match.tokens or tuple(range(match.start, match.end))
        assert len(own) == len(phrase)
        assert match.gaps == match.end - match.start - len(own)
        assert tuple(said[i] for i in own) in orders
        assert all(is_gap(said[one + 1 : other], max_gap) for one, other in pairwise(own))
        assert match.permuted == ([said[i] for i in own] != phrase)


@pytest.mark.parametrize("any_order", [False, True])
@pytest.mark.parametrize(
    "text",
    ["a " * 5000, "a b " * 2500, "a a a b " * 1250 + "c", "c b a " * 1700, "a " * 4999 + "c"],
)
def test_the_work_on_a_long_text_is_bounded(text, any_order):
    phrases = known(*["a b a c", "a b c", "c b a", "b a a a"] * 5, any_order=any_order)
    find = search(text.split())
    work, _ = count_lines(lambda: find(phrases))
    assert 0 < work < 30 * module.MAX_WORK


def test_phrases_with_a_word_that_is_not_there_cost_nothing():
    few, many = known("turn red"), known(*(f"turn word{n}" for n in range(3000)))
    find = search(["turn", "it", "blue"])
    assert count_lines(lambda: find(many))[0] <= count_lines(lambda: find(few))[0]


@pytest.mark.parametrize("phrase", [("w", "[a-z0-9]+", "[a-z]+"), ("w", "[a-z]+", "[a-z0-9]+")])
def test_of_two_patterns_the_one_that_fits_fewer_words_takes_its_own(phrase):
    word, *patterns = phrase
    phrases = known((word, *map(Pattern, patterns)), any_order=True)
    texts = ["w", ",", "a", "5"]
    (match,) = matches_in(phrases, texts)
    assert match.tokens == (0, 2, 3)
