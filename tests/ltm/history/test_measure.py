"""How long texts are: in words of any script, and in the tokens of a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, count_words, token_measure

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
texts = st.text(st.sampled_from("ab é\t\n.,-ж日本カタうกาখ🙂\u200d1"), max_size=20)
exchanges = st.builds(Exchange, texts, texts, st.just(NOON))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        (" \n\t", 0),
        ("What is the weather in Tokyo?", 6),
        ("  two\n\nwords ", 2),
        ("no\u00a0break", 2),
        ("какая погода", 2),
        ("שלום עולם", 2),
        ("날씨 어때", 2),
        ("it's 3.5 km-long", 3),
    ],
)
def test_words_are_separated_by_white_space(text: str, expected: int) -> None:
    assert count_words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京", 1),
        ("東京の天気", 3),
        ("こんにちは世界", 4),
        ("ｶﾀｶﾅ", 2),
        ("东京天气 北京", 3),
        ("สวัสดี", 3),
        ("བོད་སྐད", 4),
        ("iPhone15を買う", 3),
        ("東京Tower2階", 3),
        ("日本。", 1),
    ],
)
def test_scripts_without_spaces_count_two_characters_as_a_word(text: str, expected: int) -> None:
    assert count_words(text) == expected


@given(texts, texts)
def test_joined_texts_have_the_words_of_both(one: str, other: str) -> None:
    assert count_words(f"{one} {other}") == count_words(one) + count_words(other)


@given(texts.filter(str.strip))
def test_a_text_that_is_not_blank_has_at_least_one_word(text: str) -> None:
    assert count_words(text) >= 1


@given(st.lists(exchanges, max_size=5))
def test_words_of_adjacent_texts_are_not_merged(history: list[Exchange]) -> None:
    joined = " ".join(f"{one.question} {one.answer}" for one in history)
    assert WORDS.total(history) == count_words(joined)


def test_a_summary_counts_as_its_text() -> None:
    summary = Summary("They spoke of Tokyo.", 1, 5, NOON, NOON, by="cut")
    exchange = Exchange("And now?", "Rain.", NOON)
    assert WORDS.total([summary, exchange]) == 4 + 2 + 1


class Letters:
    """A tokenizer with a token for each letter, and special ones around them if it is let."""

    name_or_path = "letters"

    def encode(self, text: str, *, add_special_tokens: bool = True) -> Sequence[int]:
        around = [0] if add_special_tokens else []
        return [*around, *map(ord, text), *around]


class Encoded:
    def __init__(self, ids: Sequence[int]) -> None:
        self.ids = ids


class Fast(Letters):
    """As the tokenizers of the library of that name: ids are in an object."""

    def encode(self, text: str, *, add_special_tokens: bool = True) -> Any:
        return Encoded(super().encode(text, add_special_tokens=add_special_tokens))


class Plain:
    """One that knows nothing of special tokens."""

    name = "plain"

    def encode(self, text: str) -> Sequence[int]:
        return list(map(ord, text))


class Wary(Plain):
    """As tiktoken's: it refuses texts that look like special tokens, unless they are ordinary."""

    def encode(self, text: str) -> Sequence[int]:
        if "<|" in text:
            raise ValueError("disallowed special token")
        return super().encode(text)

    def encode_ordinary(self, text: str) -> Sequence[int]:
        return super().encode(text)


@pytest.mark.parametrize("tokenizer", [Letters(), Fast(), Plain(), Wary()])
def test_special_tokens_are_not_counted(tokenizer: Any) -> None:
    measure = token_measure(tokenizer)
    assert (measure.count(""), measure.count("Tokyo")) == (0, 5)


def test_a_text_that_looks_like_a_special_token_is_counted() -> None:
    assert token_measure(Wary()).count("<|end|>") == 7


def test_a_measure_is_named_after_its_tokenizer() -> None:
    assert token_measure(Letters()).name == "tokens of letters"
    assert token_measure(Plain()).name == "tokens of plain"
    assert token_measure(Plain(), "mine").name == "tokens of mine"


def test_a_tokenizer_without_a_name_needs_one() -> None:
    class Nameless:
        encode = Plain().encode

    with pytest.raises(ValueError, match=r"write token_measure\(tokenizer, 'my-tokenizer'\)"):
        token_measure(Nameless())
