"""Summarizer that keeps the first words of a segment: the baseline, and the fallback."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from anaphora.ltm.history.measure import WORDS, count_words
from anaphora.ltm.summarizers.summarizer import Segment
from anaphora.ltm.summarizers.turns import DEFAULT_SPEAKERS, iterate_turns, normalize_whitespace

__all__ = ["FirstWords", "take_first_words"]


class FirstWords:
    """Keeps the first words of a segment within its limit, one line per turn."""

    name = "cut"

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """Return the first ``max_words`` words of each segment, with speaker names, and never the
        whole segment."""
        return ["\n".join(_format_lines(segment)) for segment in segments]


def take_first_words(text: str, limit: int) -> str:
    """Return the first ``limit`` words of ``text`` (see
    :func:`~anaphora.ltm.history.measure.count_words`), separated by single spaces. Words are never
    cut, except in scripts without spaces, where a word is two characters."""
    kept: list[str] = []
    left = limit
    for chunk in text.split():
        size = count_words(chunk)
        if size > left:
            kept.append(_cut_unspaced(chunk, left))
            break
        kept.append(chunk)
        left -= size
    return " ".join(filter(None, kept))


def _format_lines(segment: Segment) -> Iterator[str]:
    left = min(segment.max_words, WORDS.total(segment.parts) - 1)
    for turn in iterate_turns(segment.parts):
        text, label = normalize_whitespace(turn.text), DEFAULT_SPEAKERS.label(turn.speaker)
        if not text:
            continue
        start = take_first_words(text, left - count_words(label))
        if start:
            yield f"{label} {start}"
        if start != text:
            return
        left -= count_words(label) + count_words(start)


def _cut_unspaced(chunk: str, limit: int) -> str:
    """Cut a chunk of an unspaced script to ``limit`` words, between two characters."""
    if limit < 1 or count_words(chunk) == 1:
        return ""
    end = (
        bisect_right(range(len(chunk) + 1), limit, key=lambda length: count_words(chunk[:length]))
        - 1
    )
    while end and chunk[end - 1].isascii() and chunk[end - 1].isalnum():
        end -= 1
    return chunk[:end]
