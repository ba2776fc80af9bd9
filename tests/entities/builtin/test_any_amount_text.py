"""No text makes the recognizers of numbers, money and times raise an error, in any language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from anaphora.entities.builtin.registry import create_builtin
from anaphora.models.schema.builtin_entities import resolve_options
from tests.support.examples import examples

AT = datetime(2026, 11, 18, 9, tzinfo=UTC)
KINDS = ("number", "money", "date", "duration", "recurrence")
LANGUAGES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ru", "uk", "ar", "he", "ja", "ko"),
    *("zh", "en-IN", "sw"),
)
VOCAB = Vocab()
RECOGNIZERS = {}

digits = st.text("0123456789", min_size=1, max_size=50)
marks = st.text(".,'’/:-–+%€$½²٫٬،·° \u00a0()eE^x", min_size=1, max_size=3)
words = st.sampled_from(
    [
        *("to", "от", "до", "bis", "a", "from", "von", "次", "点", "時", "半"),
        *("几", "割", "分", "米", "年末", "斤", "成", "etti", "'ten", "fazla", "ر.س", "دولار"),
        *("kg", "days", "Uhr", "h", "€", "USD", "TL", "رمضان", "1448", "half", "um", "in", "UTC"),
        *("percent", "million", "1e9", "10^", "week", "every", "last", "st", ".", "minus", "+"),
    ]
)  # fmt: skip
texts = st.lists(st.one_of(digits, marks, words), max_size=8).flatmap(
    lambda found: st.sampled_from(["".join(found), " ".join(found)])
)


def find_mentions(kind: str, language: str, text: str) -> None:
    known = RECOGNIZERS.get((kind, language))
    if known is None:
        known = create_builtin(kind, language, resolve_options(kind, {}))
        RECOGNIZERS[kind, language] = known
    doc = Doc(VOCAB, words=[text] if text else [], spaces=[False] if text else [])
    for one in known(doc, AT):
        assert 0 <= one.start < one.end <= len(text)


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from(KINDS), st.sampled_from(LANGUAGES), texts)
def test_no_text_raises(kind: str, language: str, text: str) -> None:
    find_mentions(kind, language, text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_of_too_many_digits_are_none(kind: str, language: str) -> None:
    for many in ("9" * 40, "1" * 400, "9" * 5_000):
        for text in (f",{many}", f".{many}", f"{many},", f"1,{many}", f"{many},5", f"-{many}"):
            find_mentions(kind, language, f"{text} kg €{text}")
