"""The words between two parts of one date or recurrence that are said apart."""

from __future__ import annotations

import re

from anaphora.entities.builtin.atoms import split_atoms

__all__ = ["COMMAS", "find_gap", "split_clause", "split_gap"]

COMMAS = frozenset(",，、،")
_SENTENCE_MARK = re.compile(r"[.!?;:。！？；：…\n]")


def find_gap(start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """The range between two ranges that do not overlap."""
    return (end, first) if first >= end else (last, start)


def split_gap(
    text: str, gap: tuple[int, int], *, across_sentences: bool = False
) -> list[str] | None:
    """The words and marks in a gap, in lower case; None if a sentence ends in it, unless it may
    lie ``across_sentences``."""
    between = text[slice(*gap)]
    # An abbreviated weekday may have taken the full stop
    if not across_sentences and _SENTENCE_MARK.search(text[max(gap[0] - 1, 0) : gap[1]]):
        return None
    return [atom.text for atom in split_atoms(between, str.casefold)]


def split_clause(text: str, end: int) -> list[str]:
    """The words and marks of a sentence up to an offset, in lower case."""
    return [atom.text for atom in split_atoms(_SENTENCE_MARK.split(text[:end])[-1], str.casefold)]
