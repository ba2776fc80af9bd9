"""Any text is accepted by the recognizers of patterns, booleans and references."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from anaphora.entities.builtin.registry import create_builtin
from anaphora.models.schema.builtin_entities import resolve_options
from tests.support.cpu_time import cpu_seconds
from tests.support.examples import examples

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
KINDS = ("boolean", "coordinate", "email", "url", "phone", "limit", "sort", "relation")
LANGUAGES = ("en", "ru", "ja", "ar", "sw-KE")  # no table for the last one
VOCAB = Vocab()

pieces = st.sampled_from(
    [
        *("yes", "no", "да", "はい", "نعم", "top", "first", "10", "5%", "\u200d", "of", "desc"),
        *("vs", "compare", "a@b.com", "@", "https://", "example.com", "://", ":99999999/", "[::1]"),
        *("48°51'N", "2°21'E", "48.85", ",", "N", "+", "-", "650-253-0000", "8 (495)", "\u0301"),
        *("топ", "上位", "10件", "по убыванию", "geo:1,2", "1.2.3", "٤٨", "５", "'", "\n", "²"),
    ]
)  # fmt: skip
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.lists(pieces, max_size=12).map(" ".join),
    st.lists(pieces, max_size=12).map("".join),
)


def find_mentions(kind: str, language: str, text: str) -> list[object]:
    doc = Doc(VOCAB, words=[text] if text else [], spaces=[False] if text else [])
    recognize = create_builtin(kind, language, resolve_options(kind, {}))
    mentions = list(recognize(doc, AT))
    for one in mentions:
        assert 0 <= one.start < one.end <= len(text)
        assert text[one.start : one.end].strip() == text[one.start : one.end]
    return list(mentions)


@settings(max_examples=examples(150), deadline=None)
@given(st.sampled_from(KINDS), st.sampled_from(LANGUAGES), texts)
def test_any_text_gives_the_same_mentions_twice(kind: str, language: str, text: str) -> None:
    assert find_mentions(kind, language, text) == find_mentions(kind, language, text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        *("1" * 10_000, "1 " * 5_000, "1," * 5_000, "1/" * 5_000, "(1" * 5_000, "+1 " * 3_300),
        *("a@" * 5_000, "a." * 5_000, "://" * 3_300, "a@b.com" * 1_400, "°" * 10_000, "." * 10_000),
        *("yes " * 2_500, "no, " * 2_500, "top " * 2_500, "five of " * 1_250, "sort by " * 1_250),
        *("\u0301" * 10_000, " " * 10_000, "是" * 10_000, "N 1 " * 2_500, "compare a vs b " * 700),
    ],
    ids=lambda text: repr(text[:8]),
)
def test_a_hostile_text_takes_linear_time(kind: str, text: str) -> None:
    find_mentions(kind, "en", text[:100])
    # Some 0.1 s on a quiet machine; squared, it is 10 s.
    assert cpu_seconds(lambda: find_mentions(kind, "en", text)) < 5
