"""The recognizers of the model ``alarm`` (docs/entities.md): bare hours ("8, please", «в семь»),
with words in ``hours.yaml``, and parts of a length of time ("half", "10 % less")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from anaphora.bots.tables import load_language_table
from anaphora.entities.builtin.atoms import Atom, get_atoms
from anaphora.entities.builtin.numbers.numerals.numeral_reader import (
    EmbeddedNumber,
    Numeral,
    get_numeral_reader,
)
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText
from anaphora.entities.words.normalization import base_code

__all__ = ["hours", "parts"]

_HOURS, _NOON = 24, 12
_DIGITS = 2
_MAX_PART_WORDS = 6  # "no, make it 10 percent less"
_PART_KINDS = frozenset({"fraction", "percent"})
_PERCENT = re.compile(r"%|per ?cent|prozent|процент", re.IGNORECASE)
_NO_DIGIT = re.compile(r"\D*")
_CORRECTING = frozenset({"correct", "decline", "instead"})


def hours(text: str, at: datetime, language: str) -> Iterator[Mention]:
    """Recognize numbers that can only be hours: "and 8", «в 7», "7" alone. The value is the next
    time at that hour; the metadata are those of a date."""
    words = _load_words(language)
    found = get_atoms(text, language)
    literals = {
        index: EmbeddedNumber(index + 1, int(atom.text))
        for index, atom in enumerate(found)
        if atom.kind == "digits" and len(atom.text) <= _DIGITS
    }
    numbers = get_numeral_reader(base_code(language)).find_mixed(found, literals)
    numbers = [one for one in numbers if not one.ordinal and one.value in range(_HOURS + 1)]
    for first, last in pairwise(numbers):
        if _are_ends(first, last, found, words):
            yield _range(first, last, found, at)
            return
    starts = _find_starts(text, language)
    for number in numbers:
        if _is_standalone(number, found, words, starts):
            hour = int(number.value)
            begin = _next_occurrence(hour, at)
            meta = {
                "grain": "hour",
                "expression": ["clock", ["time", hour]],
                "start": begin.isoformat(),
                "end": (begin + timedelta(hours=1)).isoformat(),
            }
            start, end = found[number.start].start, found[number.end - 1].end
            yield Mention(start, end, f"{begin:%Y-%m-%dT%H:%M}", meta)


def parts(text: str, at: datetime, language: str) -> Iterator[Mention]:
    """Recognize the part that a length of time is to be changed to, or by: "half", "10 % less".
    The metadata have the ``factor``."""
    if not (_NO_DIGIT.fullmatch(text) or _PERCENT.search(text)):
        return
    atoms, phrases = load_cue_words(language).read(text)
    words = [one for one in atoms if one.kind == "word"]
    if len(words) > _MAX_PART_WORDS:
        return
    changes = [one for one in phrases if one.reading.kind == "change"]
    for one in _load_numbers(language)(TokenizedText(text, [text], [0]), at):
        if (
            one.meta.get("kind") not in _PART_KINDS
            or "unit" in one.meta
            or one.void
            or one.fallback
        ):
            continue
        cues = {atoms[index].start for cue in phrases for index in range(cue.first, cue.last)}
        if any(not one.start <= word.start < one.end for word in words if word.start not in cues):
            continue  # "half an hour"
        part = one.meta["value"] / (100 if one.meta["kind"] == "percent" else 1)
        end, factor = one.end, part
        if changes:
            end = max(end, atoms[changes[0].last - 1].end)
            factor = 1 + part if changes[0].reading.value == "more" else 1 - part
        yield Mention(one.start, end, f"{factor:g}", {"factor": factor})


def _are_ends(
    first: Numeral, last: Numeral, found: Sequence[Atom], words: Mapping[str, Sequence[str]]
) -> bool:
    """Whether the numbers are the start and the end of a range: «с 5 до 7»."""
    if not first.start or last.start - first.end != 1:
        return False
    before, between = found[first.start - 1].text, found[first.end].text
    is_last = last.end == len(found) or found[last.end].kind == "mark"
    return before in words["from"] and between in words["to"] and is_last


def _range(first: Numeral, last: Numeral, found: Sequence[Atom], at: datetime) -> Mention:
    """The time from one hour to another one."""
    hours = [int(one.value) for one in (first, last)]
    begin = _next_occurrence(hours[0], at)
    end = _next_occurrence(hours[1], begin)
    meta = {
        "grain": "minute",
        "expression": ["times", *(["time", hour] for hour in hours)],
        "start": begin.isoformat(),
        "end": end.isoformat(),
    }
    start, stop = found[first.start - 1].start, found[last.end - 1].end
    return Mention(start, stop, f"{begin:%Y-%m-%dT%H:%M}/{end:%Y-%m-%dT%H:%M}", meta)


def _find_starts(text: str, language: str) -> set[int]:
    """Where a text goes on behind the words of a dialog that it starts with: "no 10"."""
    atoms, phrases = load_cue_words(language).read(text)
    ends = {one.first: one.last for one in phrases if one.reading.kind in _CORRECTING}
    starts, last = set(), 0
    while last in ends:
        last = ends[last]
        starts.add(atoms[last].start if last < len(atoms) else len(text))
    return starts


def _is_standalone(
    number: Numeral, found: Sequence[Atom], words: Mapping[str, Sequence[str]], starts: set[int]
) -> bool:
    """Whether the adjacent words allow the number to be an hour."""
    is_start = found[number.start].start in starts
    before = found[number.start - 1].text if number.start and not is_start else ""
    behind = found[number.end] if number.end < len(found) else None
    if before and before not in words["before"]:
        return False
    if behind is None:
        return True
    if behind.kind == "mark":
        ends = number.end + 1 == len(found) or not found[number.end + 1].glued
        return behind.text in ",;.!?" and ends
    return behind.kind == "word" and behind.text in words["behind"] and not behind.glued


def _next_occurrence(hour: int, at: datetime) -> datetime:
    """The next time at this hour, am or pm if it can be both."""
    candidates = {hour % _HOURS, (hour + _NOON) % _HOURS} if 0 < hour <= _NOON else {hour % _HOURS}
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return min(
        time
        for day in (0, 1)
        for one in candidates
        if (time := (midnight + timedelta(days=day)).replace(hour=one)) > at
    )


@lru_cache(maxsize=16)
def _load_numbers(language: str) -> Recognizer:
    return create_builtin("number", language, {})


def _load_words(language: str) -> Mapping[str, Sequence[str]]:
    return load_language_table("alarm/hours.yaml", language)
