"""The built-in entity ``duration``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.dates.operations import Amount, amounts_of
from anaphora.entities.dates.reader import Reader, reader
from anaphora.entities.dates.recognizer import load
from anaphora.entities.recognition import Mention, Passage, text_of

__all__ = ["DurationRecognizer", "create", "load"]

_SECONDS: Mapping[str, int] = {
    "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "night": 86_400, "weekend": 172_800,
    "week": 604_800, "month": 2_629_746, "season": 7_889_238, "quarter": 7_889_238,
    "year": 31_556_952, "decade": 315_569_520, "century": 3_155_695_200,
}  # fmt: skip
"""A month and a year of the Gregorian calendar have 30.436875 and 365.2425 days on average."""

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
                meta = {"from": _seconds(least), "to": _seconds(most), "unit": most[0][1]}
                mentions.append(Mention(start, end, value, meta))
        return mentions


def _seconds(amount: Amount) -> int | float:
    return _plain(sum((n * _SECONDS[unit] for n, unit in amount), Fraction()))


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
