from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.phrases.trie import SearchedText, Step, Trie
from anaphora.entities.phrases.trie_builder import TrieBuilder
from anaphora.entities.words.lexicon import Lexicon
from anaphora.grammar.patterns import Pattern
from tests.entities.helpers.model_builders import pattern_ends

LEXICON = Lexicon("en")


def trie(*phrases: str | tuple) -> Trie:
    read = (phrase.split() if isinstance(phrase, str) else phrase for phrase in phrases)
    return planted(
        *(
            ([s if isinstance(s, Pattern) else LEXICON.words([s])[0] for s in steps], entry)
            for entry, steps in enumerate(read)
        )
    )


def planted(*phrases: tuple[Sequence[Step], int]) -> Trie:
    builder = TrieBuilder()
    for steps, entry in phrases:
        builder.add(steps, entry)
    return builder.build()


def found(known: Trie, text: str) -> list[tuple[int, int, int, bool]]:
    texts = text.split()
    matches = known.find(SearchedText(words := LEXICON.words(texts), pattern_ends(words, texts)))
    return sorted((match.start, match.end, match.entry, match.exact) for match in matches)


def test_it_finds_every_phrase_at_every_place():
    known = trie("new york", "york", "new york city", "city")
    assert found(known, "new york city york") == [
        (0, 2, 0, True), (0, 3, 2, True), (1, 2, 1, True), (2, 3, 3, True), (3, 4, 1, True),
    ]  # fmt: skip


def test_the_same_stems_in_another_spelling_are_no_exact_match():
    known = trie("lamps report")
    assert found(known, "Lamps REPORT") == [(0, 2, 0, True)]
    assert found(known, "lamp reports") == [(0, 2, 0, False)]


def test_an_entry_with_two_spellings_of_one_stem_is_found_once_and_exactly():
    known = planted(*((LEXICON.words([text]), 0) for text in ("play", "plays", "play")))
    assert len(known) == 2
    assert found(known, "plays") == [(0, 1, 0, True)]
    assert found(known, "played") == [(0, 1, 0, False)]


def test_two_entries_may_have_one_phrase():
    assert found(trie("mercury", "mercury"), "mercury") == [(0, 1, 0, True), (0, 1, 1, True)]


def test_a_pattern_takes_one_word_as_written_or_in_lower_case():
    known = trie((Pattern("[a-z]{2}[0-9]+"), "model"), (Pattern("[A-Z]{3}"),), "model")
    assert found(known, "AB12 models") == [(0, 2, 0, False), (1, 2, 2, False)]
    assert found(known, "ab12 model") == [(0, 2, 0, True), (1, 2, 2, True)]
    assert found(known, "XYZ xyz") == [(0, 1, 1, True)]


def test_patterns_and_words_may_lead_to_the_same_place():
    dimmed = ([*LEXICON.words(["dim"]), Pattern("[0-9]+")], 0)
    known = planted(dimmed, (LEXICON.words(["dim", "50"]), 0))
    assert found(known, "dim 50") == [(0, 2, 0, True)]
    assert found(known, "dim 60") == [(0, 2, 0, True)]


def test_words_with_hyphens_inside_are_their_parts():
    known = trie("rez de chaussée", "e-mail")
    assert found(known, "rez-de-chaussée") == [(0, 1, 0, True)]
    assert found(known, "rez de-chaussée") == [(0, 2, 0, True)]
    assert found(known, "e mail") == [(0, 2, 1, True)]
    assert found(known, "de-chaussée") == []


def test_a_phrase_without_words_is_never_found():
    known = planted(([], 0))
    assert found(known, "anything") == []


words = st.lists(st.sampled_from(["a", "b", "c", "cs", "x-y", "x", "y"]), max_size=6)


@given(st.lists(words.filter(bool), max_size=8), words)
def test_it_finds_what_a_search_through_all_phrases_finds(phrases, said):
    known = trie(*(tuple(phrase) for phrase in phrases))

    def stems(texts):
        return [s for w in LEXICON.words(texts) for s in (w.parts or (w.stem,))]

    expected = {
        (start, end, entry)
        for entry, phrase in enumerate(phrases)
        for start in range(len(said))
        for end in range(start + 1, len(said) + 1)
        if stems(said[start:end]) == stems(phrase)
    }
    matches = known.find(SearchedText(LEXICON.words(said)))
    assert {(match.start, match.end, match.entry) for match in matches} == expected
    assert len(matches) == len(expected)


def test_a_phrase_takes_less_than_60_bytes():
    phrases = [[f"north{n % 300}", f"place{n % 7000}", f"{n % 11}th"] for n in range(20_000)]
    read = [LEXICON.read_phrase_words(phrase) for phrase in phrases]
    tracemalloc.start()
    known = planted(*((phrase, entry) for entry, phrase in enumerate(read)))
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(known) == 20_000
    assert size / len(phrases) < 60


def test_the_cache_of_looked_up_words_is_bounded():
    known = trie("new york")
    for number in range(50_000):
        assert known.stems[f"word{number}"] == -1
    assert len(known.stems) <= 20_000
    assert known.stems["york"] >= 0


def test_words_of_many_phrases_are_distinguished():
    names = [f"{one} {other}" for one in range(300) for other in range(one % 7)]
    known = trie(*names)
    for entry, name in enumerate(names):
        assert [match[2] for match in found(known, name)] == [entry]
    assert found(known, "1 1") == found(known, "299 299") == []


def test_patterns_in_the_middle_and_at_the_end_lead_on():
    number = Pattern("[0-9]+")
    known = trie(("dim", number, "percent"), ("dim", number), (number, number), (number, "kelvin"))
    assert found(known, "dim 50 percent") == [(0, 2, 1, True), (0, 3, 0, True)]
    assert found(known, "50 60 kelvin") == [(0, 2, 2, True), (1, 3, 3, True)]
