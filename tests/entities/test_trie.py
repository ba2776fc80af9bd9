from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.lexicon import Lexicon
from anaphora.entities.trie import Trie
from anaphora.grammar.patterns import Pattern

LEXICON = Lexicon("en")


def trie(*phrases: str | tuple) -> Trie:
    known = Trie()
    for entry, phrase in enumerate(phrases):
        steps = phrase.split() if isinstance(phrase, str) else phrase
        known.add([s if isinstance(s, Pattern) else LEXICON.words([s])[0] for s in steps], entry)
    return known


def found(known: Trie, text: str) -> list[tuple[int, int, int, bool]]:
    texts = text.split()
    hits = known.find(LEXICON.words(texts), texts)
    return sorted((hit.start, hit.end, hit.entry, hit.exact) for hit in hits)


def test_it_finds_every_phrase_at_every_place():
    known = trie("new york", "york", "new york city", "city")
    assert found(known, "new york city york") == [
        (0, 2, 0, True), (0, 3, 2, True), (1, 2, 1, True), (2, 3, 3, True), (3, 4, 1, True),
    ]  # fmt: skip


def test_the_same_stems_in_another_spelling_are_no_exact_hit():
    known = trie("sales report")
    assert found(known, "Sales REPORT") == [(0, 2, 0, True)]
    assert found(known, "sale reports") == [(0, 2, 0, False)]


def test_an_entry_with_two_spellings_of_one_stem_is_found_once_and_exactly():
    known = Trie()
    for text in ("light", "lights", "light"):
        known.add(LEXICON.words([text]), 0)
    assert len(known) == 2
    assert found(known, "lights") == [(0, 1, 0, True)]
    assert found(known, "lighting") == [(0, 1, 0, False)]


def test_two_entries_may_have_one_phrase():
    assert found(trie("mercury", "mercury"), "mercury") == [(0, 1, 0, True), (0, 1, 1, True)]


def test_a_pattern_takes_one_word_as_written_or_in_lower_case():
    known = trie((Pattern("[a-z]{2}[0-9]+"), "model"), (Pattern("[A-Z]{3}"),), "model")
    assert found(known, "AB12 models") == [(0, 2, 0, False), (1, 2, 2, False)]
    assert found(known, "ab12 model") == [(0, 2, 0, True), (1, 2, 2, True)]
    assert found(known, "XYZ xyz") == [(0, 1, 1, True)]


def test_patterns_and_words_may_lead_to_the_same_place():
    known = Trie()
    known.add([*LEXICON.words(["dim"]), Pattern("[0-9]+")], 0)
    known.add(LEXICON.words(["dim", "50"]), 0)
    assert found(known, "dim 50") == [(0, 2, 0, True)]
    assert found(known, "dim 60") == [(0, 2, 0, True)]


def test_words_with_hyphens_inside_are_their_parts():
    known = trie("rez de chaussée", "e-mail")
    assert found(known, "rez-de-chaussée") == [(0, 1, 0, True)]
    assert found(known, "rez de-chaussée") == [(0, 2, 0, True)]
    assert found(known, "e mail") == [(0, 2, 1, True)]
    assert found(known, "de-chaussée") == []


def test_a_phrase_without_words_is_never_found():
    known = Trie()
    known.add([], 0)
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
    hits = known.find(LEXICON.words(said), said)
    assert {(hit.start, hit.end, hit.entry) for hit in hits} == expected
    assert len(hits) == len(expected)


def test_a_phrase_takes_less_than_300_bytes():
    phrases = [[f"north{n % 300}", f"place{n % 7000}", f"{n % 11}th"] for n in range(20_000)]
    read = [LEXICON.read(phrase) for phrase in phrases]
    tracemalloc.start()
    known = Trie()
    for entry, phrase in enumerate(read):
        known.add(phrase, entry)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / len(phrases) < 300
