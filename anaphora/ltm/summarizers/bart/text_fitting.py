"""How a text is made to fit: a long one into the windows of a model, a summary into its words."""

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
    """The lines of ``pieces`` (one for each exchange) as texts of which none is larger than
    ``room`` by ``size``; nothing is left out.

    What is too large is halved: between two exchanges, else between two turns, two sentences
    or two words, and within a word only if there is no other place near the middle.
    """
    text = "\n".join(pieces)
    halves = _split_in_half(pieces) if size(text) > room else None
    if halves is None:
        return [text]
    return [one for half in halves for one in split_into_windows(half, size, room)]


def fit_to_words(text: str, max_words: int) -> str:
    """The first sentences of ``text`` that are at most ``most`` words, without one at its end
    that is broken off; of a first sentence that is too long itself the first words and "…"."""
    text = text.strip()
    ends = _end_offsets(split_sentences(text))
    if len(ends) > 1 and not _COMPLETE_SENTENCE.search(text):
        ends.pop()
    fitting = [end for end in ends if count_words(text[:end]) <= max_words]
    if fitting or not ends:
        return text[: fitting[-1] if fitting else 0].rstrip()
    return f"{take_first_words(text[: ends[0]], max_words).rstrip(',;:')}…"


def _split_in_half(pieces: Sequence[str]) -> tuple[Sequence[str], Sequence[str]] | None:
    """``pieces`` in two halves of about the same length, None if they are a single letter."""
    if len(pieces) == 1:
        pieces = pieces[0].split("\n")
    if len(pieces) == 1:
        return _split_turn(pieces[0])
    lengths = list(accumulate(map(len, pieces)))
    at = min(range(1, len(pieces)), key=lambda at: abs(2 * lengths[at - 1] - lengths[-1]))
    return pieces[:at], pieces[at:]


def _split_turn(line: str) -> tuple[Sequence[str], Sequence[str]] | None:
    """The two halves of a turn, each with its speaker."""
    found = LINE_HEAD.match(line)
    speaker = found.group() if found else ""
    said = line[len(speaker) :]
    if len(said) < 2:
        return None
    at = _find_split(said)
    return [speaker + said[:at].rstrip()], [speaker + said[at:].lstrip()]


def _find_split(text: str) -> int:
    """The border between sentences that is nearest to the middle, else that between words; the
    middle itself if there is none in the middle half."""
    middle = len(text) // 2
    for parts in (split_sentences(text), _WORD.findall(text)):
        nearest = min(_end_offsets(parts), key=lambda at: abs(at - middle), default=0)
        if middle <= 2 * nearest <= 3 * middle:
            return nearest
    return middle


def _end_offsets(parts: Iterable[str]) -> list[int]:
    """Where parts end that are a text when they are joined."""
    return list(accumulate(map(len, parts)))
