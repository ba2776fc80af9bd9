"""Fitting of texts: long ones into the windows of a model, summaries into a number of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

import regex

from anaphora.ltm.history.measure import count_words
from anaphora.ltm.summarizers.first_words import take_first_words
from anaphora.ltm.summarizers.sentences import split_sentences
from anaphora.ltm.summarizers.transcript import LINE_HEAD

__all__ = ["fit_to_words", "split_into_windows"]

_WORD = regex.compile(r"\S+\s*")
_COMPLETE_SENTENCE = regex.compile(r"""[\p{Sentence_Terminal}…]["'\p{Pe}\p{Pf}]*$""")


def split_into_windows(pieces: Sequence[str], size: Callable[[str], int], room: int) -> list[str]:
    """Join the lines of ``pieces`` (one per exchange) into texts, each at most ``room`` by
    ``size``, without loss.

    A text that is too large is halved: between two exchanges, else between two turns, sentences or
    words, and within a word only if there is no better place near the middle.
    """
    text = "\n".join(pieces)
    halves = _split_in_half(pieces) if size(text) > room else None
    if halves is None:
        return [text]
    return [one for half in halves for one in split_into_windows(half, size, room)]


def fit_to_words(text: str, max_words: int) -> str:
    """Return the first sentences of ``text`` within ``max_words``, without an incomplete one at the
    end; if the first sentence alone is too long, its first words and "…"."""
    text = text.strip()
    ends = _end_offsets(split_sentences(text))
    if len(ends) > 1 and not _COMPLETE_SENTENCE.search(text):
        ends.pop()
    fitting = [end for end in ends if count_words(text[:end]) <= max_words]
    if fitting or not ends:
        return text[: fitting[-1] if fitting else 0].rstrip()
    return f"{take_first_words(text[: ends[0]], max_words).rstrip(',;:')}…"


def _split_in_half(pieces: Sequence[str]) -> tuple[Sequence[str], Sequence[str]] | None:
    """Split ``pieces`` into halves of similar length; None for a single letter."""
    if len(pieces) == 1:
        pieces = pieces[0].split("\n")
    if len(pieces) == 1:
        return _split_turn(pieces[0])
    lengths = list(accumulate(map(len, pieces)))
    at = min(range(1, len(pieces)), key=lambda at: abs(2 * lengths[at - 1] - lengths[-1]))
    return pieces[:at], pieces[at:]


def _split_turn(line: str) -> tuple[Sequence[str], Sequence[str]] | None:
    """Split a turn into halves, each with the speaker."""
    found = LINE_HEAD.match(line)
    speaker = found.group() if found else ""
    text = line[len(speaker) :]
    if len(text) < 2:
        return None
    at = _find_split(text)
    return [speaker + text[:at].rstrip()], [speaker + text[at:].lstrip()]


def _find_split(text: str) -> int:
    """Return the sentence boundary nearest to the middle, else the word boundary; the middle itself
    if neither is in the middle half."""
    middle = len(text) // 2
    for parts in (split_sentences(text), _WORD.findall(text)):
        nearest = min(_end_offsets(parts), key=lambda at: abs(at - middle), default=0)
        if middle <= 2 * nearest <= 3 * middle:
            return nearest
    return middle


def _end_offsets(parts: Iterable[str]) -> list[int]:
    return list(accumulate(map(len, parts)))
