"""How long a text is: in words, or in the tokens of a language model.

The size of a history of exchanges (u, d) is W = Σ(|u| + |d|): each text is counted by itself, so
that no words are glued together where two texts meet, and a sum is kept up by adding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import regex

from anaphora.ltm.exchange import Exchange, Summary

__all__ = ["UNSPACED_SCRIPTS", "WORDS", "Measure", "Tokenizer", "count_words", "token_measure"]

# Scripts that put no blanks between words: Thai, Lao, Tibetan, Burmese, Khmer, those of the Tai,
# kana and Han.
UNSPACED_SCRIPTS = regex.compile(
    r"[\u0E00-\u109F\u1780-\u17FF\u1950-\u19FF\u1A20-\u1AAF\u3005-\u3007\u3041-\u30FF"
    r"\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uA9E0-\uA9FF\uAA60-\uAADF\uF900-\uFAFF"
    r"\uFF66-\uFF9F\U0001B000-\U0001B16F\U00020000-\U0003FFFF]"
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to measure texts. ``name`` tells it from all others: sizes that are kept are kept
    under it, and counted anew when it changes. ``of(text)`` is the size of one text."""

    name: str
    count: Callable[[str], int]

    def count_exchange(self, exchange: Exchange) -> int:
        """|u| + |d|."""
        return self.count(exchange.question) + self.count(exchange.answer)

    def total(self, parts: Iterable[Exchange | Summary]) -> int:
        """W: the size of exchanges and of summaries."""
        return sum(
            self.count(part.text) if isinstance(part, Summary) else self.count_exchange(part)
            for part in parts
        )


def count_words(text: str) -> int:
    """The number of words in ``text``: of what white space divides.

    A text in a script without blanks between words (Chinese, Japanese, Thai, Lao, Khmer,
    Burmese, Tibetan) counts two of its characters as one word, which is about their mean length.
    """
    if text.isascii() or not UNSPACED_SCRIPTS.search(
        text
    ):  # 0.5 µs for nine words, with the others 3
        return len(text.split())
    return sum(_count_words_in_chunk(chunk) for chunk in text.split())


def token_measure(tokenizer: Tokenizer, name: str = "") -> Measure:
    """The measure in the tokens of a tokenizer of ``transformers`` or ``tokenizers``, or of
    ``tiktoken`` (anything with a method ``encode``), without special tokens. ``name`` is its own
    (``name_or_path``, ``name``) if left out; it must tell the vocabulary.

    Raises ValueError for a tokenizer that has no name, if none is given.
    """
    known = name or getattr(tokenizer, "name_or_path", "") or getattr(tokenizer, "name", "")
    if not known:
        raise ValueError("this tokenizer has no name: write tokens_of(tokenizer, 'my-tokenizer')")

    # tiktoken's encode() refuses texts such as "<|endoftext|>", which a user may well write.
    ordinary = getattr(tokenizer, "encode_ordinary", None)

    def count(text: str) -> int:
        if not text:
            return 0
        if ordinary is not None:
            return len(ordinary(text))
        try:
            encoded = tokenizer.encode(text, add_special_tokens=False)
        except TypeError:  # one without special tokens knows no such argument
            encoded = tokenizer.encode(text)
        return len(getattr(encoded, "ids", encoded))

    return Measure(f"tokens of {known}", count)


class Tokenizer(Protocol):
    """What cuts a text into the tokens of a language model."""

    @property
    def encode(self) -> Callable[..., Sequence[Any] | Any]: ...


WORDS = Measure("words", count_words)

_SPACED_RUN = regex.compile(rf"[[\p{{L}}\p{{N}}\p{{M}}]--{UNSPACED_SCRIPTS.pattern}]+", regex.V1)


def _count_words_in_chunk(chunk: str) -> int:
    """The words in a chunk without white space: its unspaced characters by two, and what stands
    between them as one each."""
    unspaced = len(UNSPACED_SCRIPTS.findall(chunk))
    return (unspaced + 1) // 2 + len(_SPACED_RUN.findall(chunk)) if unspaced else 1
