"""The built-in entity ``date``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.dates.calendar import Moment
from anaphora.entities.dates.operations import (
    Meaning,
    assumed,
    disagrees,
    is_daily,
    is_fine,
    names_day,
    resolve,
)
from anaphora.entities.dates.reader import Reader, reader
from anaphora.entities.dates.shown import as_hours, as_meta, as_value
from anaphora.entities.dates.tables import table
from anaphora.entities.recognition import Mention, Passage, text_of
from anaphora.storage.cache import Cache

__all__ = ["DateRecognizer", "create", "load"]

_KEPT = 4096  # dates


def create(language: str, options: Mapping[str, Any]) -> DateRecognizer:
    """A recognizer of dates in texts in ``language``."""
    return DateRecognizer(
        reader(language, options.get("order", "")),
        ahead=options["prefer"] == "future",
        first_day=0 if options["week"] == "monday" else 6,
    )


def load(language: str, options: Mapping[str, Any], cache: Cache) -> None:
    """Loads what a recognizer needs through the ``cache``."""
    table(language, cache)


class DateRecognizer:
    """Finds dates: days, weeks, months, quarters, years, times, and ranges of them.

    The value of a mention is the date as ISO 8601 writes it (its level 2, EDTF, for ranges):
    ``2026-11-22``, ``2026-11-22T17:00``, ``2026-W48``, ``2026-11``, ``2026-Q4``,
    ``2026-05-01/2026-06-03`` with both days in it, ``2026-05-01/..``. Its metadata: ``from`` and
    ``to`` in milliseconds since 1970 (half open; left out where the date is open), ``start`` and
    ``end`` the same as local times with their offset from UTC, and the ``grain``; ``assumed`` is
    the unit that was not said and comes from the time of the question (the ``year`` of "May 5"),
    ``conflict`` is ``weekday`` where one was said that is not that of the date; ``hours`` are
    the times of each day (``09:00/17:00``), where some were said of several days.
    """

    def __init__(self, reader: Reader, *, ahead: bool = True, first_day: int = 0) -> None:
        self._reader = reader
        self._ahead = ahead
        self._first_day = first_day
        # Within a minute nothing changes but what is said in seconds.
        self._told = lru_cache(maxsize=_KEPT)(self._tell)

    def __call__(self, doc: Doc | Passage, at: datetime) -> Iterable[Mention]:
        """The dates in ``doc``, and what names a day that is on no calendar, as void."""
        return self._mentions(text_of(doc), at)

    def read(self, text: str, at: datetime) -> list[Mention]:
        """The dates in ``text``, as they are understood at the local time ``at``."""
        return [mention for mention in self._mentions(text, at) if not mention.void]

    def _mentions(self, text: str, at: datetime) -> list[Mention]:
        found = self._reader.dates(text)
        names = self._reader.names(text, found)
        if not (found or names):
            return []
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        minute = at.replace(second=0, microsecond=0)
        mentions = []
        places = [(*date, False) for date in found]
        for start, end, meaning, is_fallback in sorted([*places, *names]):
            moment = at if is_fine(meaning) else minute
            # Times of different zones are equal, and so are both of a time that is shown twice.
            told = self._told(meaning, moment, moment.tzinfo, moment.fold)
            if told is not None:
                mentions.append(Mention(start, end, *told, fallback=is_fallback))
            elif names_day(meaning):
                mentions.append(Mention(start, end, void=True))
        return mentions

    def _tell(
        self, meaning: Meaning, at: datetime, zone: tzinfo, fold: int
    ) -> tuple[str, Mapping[str, Any]] | None:
        moment = Moment(at, self._ahead, self._first_day)
        interval = resolve(meaning, moment)
        if interval is None:
            return None
        try:
            meta = as_meta(interval)
            if (unit := assumed(meaning)) is not None:
                meta["assumed"] = unit
            if disagrees(meaning, moment):
                meta["conflict"] = "weekday"
            if is_daily(meaning):
                meta["hours"] = as_hours(interval)
            return as_value(interval, moment), meta
        except OverflowError:  # at the ends of the calendar there are hours without a name
            return None
