"""Size of texts and histories: in words, or in tokens of a language model.

The size of a history of exchanges (u, d) is W = Σ(|u| + |d|). Each text is counted separately, so
that sizes can be summed up incrementally and no words merge where two texts meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import regex

from anaphora.ltm.exchange import Exchange, Summary

__all__ = ["UNSPACED_SCRIPTS", "WORDS", "Measure", "Tokenizer", "count_words", "token_measure"]

# Scripts without spaces between words: Thai, Lao, Tibetan, Burmese, Khmer, the Tai scripts, kana
# and Han.
UNSPACED_SCRIPTS = regex.compile(
    r"[\u0E00-\u109F\u1780-\u17FF\u1950-\u19FF\u1A20-\u1AAF\u3005-\u3007\u3041-\u30FF"
    r"\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uA9E0-\uA9FF\uAA60-\uAADF\uF900-\uFAFF"
    r"\uFF66-\uFF9F\U0001B000-\U0001B16F\U00020000-\U0003FFFF]"
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A unit for text sizes. ``count(text)`` is the size of one text. ``name`` identifies the
    measure: stored sizes carry it, and are recounted when it changes."""

    name: str
    count: Callable[[str], int]

    def count_exchange(self, exchange: Exchange) -> int:
        """Return |u| + |d|."""
        return self.count(exchange.question) + self.count(exchange.answer)

    def total(self, parts: Iterable[Exchange | Summary]) -> int:
        """Return W, the total size of exchanges and summaries."""
        return sum(
            self.count(part.text) if isinstance(part, Summary) else self.count_exchange(part)
            for part in parts
        )


def count_words(text: str) -> int:
    """Count the whitespace-separated words in ``text``.

    In scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese,
    Tibetan), two characters count as one word, which is about their mean length.
    """
    # 0.5 µs for nine ASCII words, else 3
    if text.isascii() or not UNSPACED_SCRIPTS.search(text):
        return len(text.split())
    return sum(_count_words_in_chunk(chunk) for chunk in text.split())


def token_measure(tokenizer: Tokenizer, name: str = "") -> Measure:
    """Build a measure from a tokenizer of ``transformers``, ``tokenizers`` or ``tiktoken`` (any
    object with a method ``encode``), without special tokens. ``name`` must identify the
    vocabulary; it defaults to the tokenizer's ``name_or_path`` or ``name``.

    Raises ValueError if no name is given and the tokenizer has none.
    """
    known = name or getattr(tokenizer, "name_or_path", "") or getattr(tokenizer, "name", "")
    if not known:
        raise ValueError(
            "this tokenizer has no name: write token_measure(tokenizer, 'my-tokenizer')"
        )

    # tiktoken's encode() rejects texts such as "<|endoftext|>", which users may write.
    ordinary = getattr(tokenizer, "encode_ordinary", None)

    def count(text: str) -> int:
        if not text:
            return 0
        if ordinary is not None:
            return len(ordinary(text))
        try:
            encoded = tokenizer.encode(text, add_special_tokens=False)
        except TypeError:  # a tokenizer without special tokens has no such argument
            encoded = tokenizer.encode(text)
        return len(getattr(encoded, "ids", encoded))

    return Measure(f"tokens of {known}", count)


class Tokenizer(Protocol):
    """A tokenizer of a language model."""

    @property
    def encode(self) -> Callable[..., Sequence[Any] | Any]: ...


WORDS = Measure("words", count_words)

_SPACED_RUN = regex.compile(rf"[[\p{{L}}\p{{N}}\p{{M}}]--{UNSPACED_SCRIPTS.pattern}]+", regex.V1)


def _count_words_in_chunk(chunk: str) -> int:
    """Count the words in a chunk without white space: two unspaced characters as one word, each
    run of other characters as one."""
    unspaced = len(UNSPACED_SCRIPTS.findall(chunk))
    return (unspaced + 1) // 2 + len(_SPACED_RUN.findall(chunk)) if unspaced else 1
