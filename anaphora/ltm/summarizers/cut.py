"""The first words of a segment: what every other summarizer has to beat."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from anaphora.ltm.counting import WORDS, words
from anaphora.ltm.summarizers.summarizer import Segment
from anaphora.ltm.summarizers.turns import Speakers, fold, turns_of

__all__ = ["WordCut", "first_words"]

_SPEAKERS = Speakers()
_LANGUAGE = "en"  # of what names none


class WordCut:
    """Keeps the first words of a segment, as many as may stand for it, a line for each turn."""

    name = "cut"

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """The first ``max_words`` words of each segment with the names of the speakers, and never
        the whole of it."""
        return ["\n".join(_lines(segment)) for segment in segments]


def first_words(text: str, limit: int) -> str:
    """The first ``limit`` words of ``text``, as :func:`~anaphora.ltm.counting.words` counts them,
    with one blank between them. It cuts inside of no word, except in scripts that put no blanks
    between words: there a word is two characters."""
    kept: list[str] = []
    left = limit
    for chunk in text.split():
        size = words(chunk)
        if size > left:
            kept.append(_start(chunk, left))
            break
        kept.append(chunk)
        left -= size
    return " ".join(filter(None, kept))


def _lines(segment: Segment) -> Iterator[str]:
    left = min(segment.max_words, WORDS.total(segment.parts) - 1)
    for turn in turns_of(segment.parts, speakers=_SPEAKERS, language=_LANGUAGE):
        text, label = fold(turn.text), _SPEAKERS.label(turn.speaker)
        if not text:
            continue
        start = first_words(text, left - words(label))
        if start:
            yield f"{label} {start}"
        if start != text:
            return
        left -= words(label) + words(start)


def _start(chunk: str, limit: int) -> str:
    """What fits of a chunk of an unspaced script, cut between two of its characters."""
    if limit < 1 or words(chunk) == 1:
        return ""
    end = bisect_right(range(len(chunk) + 1), limit, key=lambda length: words(chunk[:length])) - 1
    while end and chunk[end - 1].isascii() and chunk[end - 1].isalnum():
        end -= 1
    return chunk[:end]
