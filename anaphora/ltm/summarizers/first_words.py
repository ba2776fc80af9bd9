"""The first words of a segment: what every other summarizer has to beat."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from anaphora.ltm.history.measure import WORDS, count_words
from anaphora.ltm.summarizers.summarizer import Segment
from anaphora.ltm.summarizers.turns import SpeakerNames, iterate_turns, normalize_whitespace

__all__ = ["FirstWords", "take_first_words"]

_SPEAKERS = SpeakerNames()
_DEFAULT_LANGUAGE = "en"  # of what names none


class FirstWords:
    """Keeps the first words of a segment, as many as may stand for it, a line for each turn."""

    name = "cut"

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """The first ``max_words`` words of each segment with the names of the speakers, and never
        the whole of it."""
        return ["\n".join(_format_lines(segment)) for segment in segments]


def take_first_words(text: str, limit: int) -> str:
    """The first ``limit`` words of ``text``, as :func:`~anaphora.ltm.history.measure.count_words`
    counts them, with one blank between them. It cuts inside of no word, except in scripts that put
    no blanks between words: there a word is two characters."""
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
    for turn in iterate_turns(segment.parts, speakers=_SPEAKERS, language=_DEFAULT_LANGUAGE):
        text, label = normalize_whitespace(turn.text), _SPEAKERS.label(turn.speaker)
        if not text:
            continue
        start = take_first_words(text, left - count_words(label))
        if start:
            yield f"{label} {start}"
        if start != text:
            return
        left -= count_words(label) + count_words(start)


def _cut_unspaced(chunk: str, limit: int) -> str:
    """What fits of a chunk of an unspaced script, cut between two of its characters."""
    if limit < 1 or count_words(chunk) == 1:
        return ""
    end = (
        bisect_right(range(len(chunk) + 1), limit, key=lambda length: count_words(chunk[:length]))
        - 1
    )
    while end and chunk[end - 1].isascii() and chunk[end - 1].isalnum():
        end -= 1
    return chunk[:end]
