from __future__ import annotations

from functools import cache

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.phrases.phrase_reader import PhraseReader
from anaphora.entities.words.lexicon import Lexicon
from anaphora.grammar.patterns import Pattern

AWKWARD = ["cannot", "Im", "id", "ID", "dont", "gonna", "km", "am", "pm", "Mr", "z", "B", "тыс",
           "ул", "EE", "UU", "наст", "время", "см", "также",
           "don't", "a.m.", "New-York", "50km"]  # fmt: skip


@cache
def reader_of(code):
    return PhraseReader(spacy.blank(code).tokenizer, Lexicon(code))


@pytest.mark.parametrize("code", ["en", "ru", "de", "es"])
@given(
    st.lists(
        st.sampled_from(AWKWARD) | st.text(st.characters(categories=["L"]), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    )
)
def test_a_phrase_is_cut_as_the_tokenizer_cuts_it(code, words):
    text = " ".join(words)
    reader = reader_of(code)
    (_, first), *_ = reader.read([(0, (text,))])
    assert first == reader._tokenize(text)


def forms(reader: PhraseReader, *phrases):
    return [
        " ".join(step.text if isinstance(step, Pattern) else step.form for step in steps)
        for _, steps in reader.read([(0, phrase) for phrase in phrases])
    ]


def test_a_word_that_its_case_splits_is_there_in_both_ways():
    assert sorted(forms(reader_of("en"), ("id",))) == ["i d", "id"]


def test_texts_in_a_row_are_one_text():
    assert forms(reader_of("en"), ("give", "me", Pattern("[0-9]+"), "of it")) == [
        "give me [0-9]+ of it"
    ]


def test_a_phrase_of_blanks_has_no_words():
    assert forms(reader_of("en"), (" ",), ("",)) == []


def test_another_tokenizer_gets_whole_texts():
    seen = []
    nlp = spacy.blank("en")

    def tokenizer(text):
        seen.append(text)
        return nlp.tokenizer(text)

    assert forms(PhraseReader(tokenizer, Lexicon("en")), ("big apple",)) == ["big apple"]
    assert "big apple" in seen
