"""Texts that no tokenizer was made for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.entities.tokens.linear_tokenizer import make_doc
from anaphora.entities.tokens.tokenizers import blank

NLP = blank("en")


@pytest.mark.parametrize("text", ["(" * 10_000, "()" * 5_000, "a(" * 5_000, "..." * 3_000])
def test_a_long_row_of_marks_is_cut(text):
    assert make_doc(NLP, text).text == text


@given(st.text(max_size=100))
def test_an_ordinary_text_has_the_tokens_that_spacy_gives_it(text):
    assert [token.text for token in make_doc(NLP, text)] == [token.text for token in NLP(text)]


@settings(deadline=None)
@given(st.lists(st.text(min_size=1, max_size=400), max_size=4), st.sampled_from([" ", "\n", "  "]))
def test_no_character_is_lost(texts, blank_):
    text = blank_.join(texts)
    assert make_doc(NLP, text).text == text
