"""The recognizer of the model ``alarm`` (see docs/entities.md): bare hours ("8, please", «в семь»).
Its words are in ``hours.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from anaphora.bots.tables import load_language_table
from anaphora.entities.builtin.atoms import Atom, get_atoms
from anaphora.entities.builtin.numbers.numerals.numeral_reader import (
    EmbeddedNumber,
    Numeral,
    get_numeral_reader,
)
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.words.normalization import base_code

__all__ = ["hours"]

_HOURS, _NOON = 24, 12
_DIGITS = 2


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
    for number in get_numeral_reader(base_code(language)).find_mixed(found, literals):
        if number.ordinal or number.value not in range(_HOURS + 1):
            continue
        if _is_standalone(number, found, words):
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


def _is_standalone(
    number: Numeral, found: Sequence[Atom], words: Mapping[str, Sequence[str]]
) -> bool:
    """Whether the adjacent words allow the number to be an hour."""
    before = found[number.start - 1].text if number.start else ""
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


def _load_words(language: str) -> Mapping[str, Sequence[str]]:
    return load_language_table("alarm/hours.yaml", language)
