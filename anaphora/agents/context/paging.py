"""Pages of texts that are too long for a prompt."""

from __future__ import annotations

from bisect import bisect_right

from anaphora.ltm.prompt.escaping import find_cut_points

__all__ = ["split_pages"]

_MIN_FILL = 0.5  # of a page: no earlier sentence end or blank is used as its end


def split_pages(text: str, size: int) -> list[str]:
    """Split a text into pages of at most ``size`` characters, after a sentence if there is one in
    the second half of the page, else after a word, else anywhere. The pages joined are the text."""
    if len(text) <= size:
        return [text]
    pages, start = [], 0
    while len(text) - start > size:
        piece = text[start : start + size]
        sentences, words = find_cut_points(piece)
        end = _last_above(sentences, size) or _last_above(words, size) or size
        pages.append(text[start : start + end])
        start += end
    return [*pages, text[start:]]


def _last_above(places: list[int], size: int) -> int:
    last = bisect_right(places, size)
    return places[last - 1] if last and places[last - 1] >= _MIN_FILL * size else 0
