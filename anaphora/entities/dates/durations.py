"""The built-in entity ``duration``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.dates.operations import Amount, amounts_of
from anaphora.entities.dates.operations.amounts import length_of
from anaphora.entities.dates.reader import Reader, reader
from anaphora.entities.dates.recognizer import load
from anaphora.entities.recognition import Mention, Passage, text_of

__all__ = ["DurationRecognizer", "create", "load"]

_LETTERS = {"year": "Y", "month": "M", "week": "W", "day": "D", "hour": "H", "minute": "M"}
_OF_DATES = ("year", "month", "week", "day")
_OTHERS: Mapping[str, tuple[int, str]] = {
    "century": (100, "year"), "decade": (10, "year"), "quarter": (3, "month"),
    "season": (3, "month"), "weekend": (2, "day"), "night": (1, "day"),
}  # fmt: skip


def create(language: str, options: Mapping[str, Any]) -> DurationRecognizer:
    """A recognizer of durations in texts in ``language``."""
    return DurationRecognizer(reader(language))


class DurationRecognizer:
    """Finds lengths of time. The value of a mention is the duration as ISO 8601 writes it
    (``PT1H30M``, ``P3D``); its metadata: ``seconds`` (months and years by their average), and
    ``amount`` and ``unit`` of one that has one unit. A range of them (3 to 4 days) is written
    ``P3D..P4D``, and has ``from`` and ``to``, in seconds, and ``unit``."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __call__(self, doc: Doc | Passage, at: datetime) -> Iterable[Mention]:
        return self.read(text_of(doc))

    def read(self, text: str) -> list[Mention]:
        """The durations in ``text``."""
        mentions = []
        for start, end, meaning in self._reader.durations(text):
            try:
                least, most = amounts_of(meaning)
            except (ValueError, OverflowError):
                continue
            if least == most:
                mentions.append(Mention(start, end, _iso(most), _meta(most)))
            else:
                value = f"{_iso(least)}..{_iso(most)}"
                meta: dict[str, Any] = {"from": _seconds(least), "to": _seconds(most)}
                units = {unit for _, unit in (*least, *most)}
                if len(units) == 1:
                    meta["unit"] = units.pop()
                mentions.append(Mention(start, end, value, meta))
        return mentions


def _seconds(amount: Amount) -> int | float:
    return _plain(length_of(amount))


def _meta(amount: Amount) -> dict[str, Any]:
    meta: dict[str, Any] = {"seconds": _seconds(amount)}
    if len(amount) == 1:
        ((n, unit),) = amount
        meta |= {"amount": _plain(n), "unit": unit}
    return meta


def _iso(amount: Amount) -> str:
    """Fractions as decimals, in the unit that was said."""
    dates, times = "", ""
    for n, said in amount:
        factor, unit = _OTHERS.get(said, (1, said))
        number = _decimal(n * factor)
        if unit in _OF_DATES:
            dates += f"{number}{_LETTERS[unit]}"
        else:
            times += f"{number}{_LETTERS.get(unit, 'S')}"
    return f"P{dates}" + (f"T{times}" if times else "")


def _decimal(n: Fraction) -> str:
    plain = _plain(n)
    return str(plain) if isinstance(plain, int) else f"{plain:.10g}"


def _plain(n: Fraction | int) -> int | float:
    return int(n) if n == int(n) else float(n)
