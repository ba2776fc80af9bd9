"""The handlers of the model ``alarm``, which keep the alarms with the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from anaphora.bots.days import shown_clock, shown_day
from anaphora.bots.texts import said_in

if TYPE_CHECKING:
    from anaphora.intents.match import Match, Slot
    from anaphora.models.utterance import Entity

__all__ = ["cancel", "left", "show", "wake"]

_CLOCKS = frozenset({"second", "minute", "hour", "part"})  # the grains of times of the day
_DAY = timedelta(days=1)
# From the very same to "at 7", which may be in the morning or in the evening.
_LIKENESS = ("%Y-%m-%d %H:%M", "%H:%M", "%I:%M")


def wake(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """Sets an alarm for each time; asks for the hour of a day that comes without one."""
    alarms, words = _Alarms(data, at, language), said_in("alarm", language)
    day = date.fromisoformat(data.pop("day")) if "day" in data else None
    times = []
    for entity in _entities(match.slots.get("time")):
        if entity.meta.get("grain", "second") not in _CLOCKS:
            asked = datetime.fromisoformat(entity.meta.get("start") or at.isoformat())
            data["day"] = asked.date().isoformat()
            return str(words["hour"].format(day=shown_day(asked.date(), language, at.date())))
        times.append(_on(day, _time(entity, at), at))
    gone = [time for time in times if time <= alarms.now]
    new = [time for time in dict.fromkeys(times) if time not in alarms.times]
    if gone:
        return str(words["past"].format(when=alarms.shown(gone)))
    if not new:
        return str(words["known"].format(when=alarms.shown(times)))
    alarms.keep([*alarms.times, *new])
    if len(new) > 1:
        return str(words["many"].format(when=alarms.shown(new)))
    return str(
        words["set"].format(when=alarms.shown(new), left=_length(new[0] - alarms.now, words))
    )


def cancel(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """Cancels the alarms at the times that are named: those very times, else on whatever day,
    else in whatever half of it; without a time the only one, or all of them if all are meant."""
    alarms, words = _Alarms(data, at, language), said_in("alarm", language)
    if not alarms.times:
        return str(words["none"])
    named = [_time(entity, at) for entity in _entities(match.slots.get("time"))]
    if named:
        chosen = next(filter(None, (alarms.alike(named, form) for form in _LIKENESS)), [])
    else:
        chosen = alarms.times if "all" in match.slots or len(alarms.times) == 1 else []
    if chosen:
        alarms.keep(time for time in alarms.times if time not in chosen)
        return str(words["cancelled"].format(when=alarms.shown(chosen)))
    key = "unknown" if named else "which"
    return str(words[key].format(when=alarms.shown(named), alarms=alarms.shown(alarms.times)))


def show(data: dict[str, Any], at: datetime, language: str) -> str:
    """Lists the alarms."""
    alarms, words = _Alarms(data, at, language), said_in("alarm", language)
    if not alarms.times:
        return str(words["none"])
    return str(words["list"].format(when=alarms.shown(alarms.times)))


def left(data: dict[str, Any], at: datetime, language: str) -> str:
    """How long it is until the next alarm."""
    alarms, words = _Alarms(data, at, language), said_in("alarm", language)
    if not alarms.times:
        return str(words["none"])
    first = alarms.times[0]
    return str(
        words["left"].format(when=alarms.shown([first]), left=_length(first - alarms.now, words))
    )


class _Alarms:
    """The alarms that are still to come. Times are counted in UTC, in which no hour is skipped,
    and shown in the local time of the one who asks."""

    def __init__(self, data: dict[str, Any], at: datetime, language: str) -> None:
        self._data = data
        self._at = at
        self._language = language
        self.now = at.astimezone(UTC)
        known = (datetime.fromisoformat(text) for text in data.get("alarms", ()))
        self.times = sorted(time for time in known if time > self.now)

    def alike(self, named: Iterable[datetime], form: str) -> list[datetime]:
        """The alarms that look like those times in a form of writing them."""
        looks = {self._local(time).strftime(form) for time in named}
        return [time for time in self.times if self._local(time).strftime(form) in looks]

    def keep(self, times: Iterable[datetime]) -> None:
        """Let these be the alarms."""
        self._data["alarms"] = sorted(time.isoformat() for time in times)

    def shown(self, times: Iterable[datetime]) -> str:
        """ "Tue 6 Jan, 06:30; Wed 7 Jan, 07:00"."""
        form, today = said_in("alarm", self._language)["moment"], self._at.date()
        return "; ".join(
            form.format(day=shown_day(time.date(), self._language, today), clock=shown_clock(time))
            for time in map(self._local, times)
        )

    def _local(self, time: datetime) -> datetime:
        return time.astimezone(self._at.tzinfo)


def _entities(slot: Slot | None) -> tuple[Entity, ...]:
    return slot.entities if slot else ()


def _time(entity: Entity, at: datetime) -> datetime:
    """The time that a date begins at, or that is as far ahead as a duration says."""
    if "seconds" in entity.meta:
        return at.astimezone(UTC) + timedelta(seconds=entity.meta["seconds"])
    start = entity.meta.get("start") or entity.meta.get("end")
    return (datetime.fromisoformat(start) if start else at).astimezone(UTC)


def _on(day: date | None, time: datetime, at: datetime) -> datetime:
    """The time, on the day that was asked about before, if there was one."""
    if day is None:
        return time
    clock = time.astimezone(at.tzinfo)
    return clock.replace(year=day.year, month=day.month, day=day.day).astimezone(UTC)


def _length(left: timedelta, words: Mapping[str, Any]) -> str:
    """ "1 d 2 h", "21 h 30 min", "20 min": in two units, rounded up to minutes."""
    minutes = -(-left // timedelta(minutes=1))
    days, rest = divmod(minutes, _DAY // timedelta(minutes=1))
    hours, minutes = divmod(rest, 60)
    units = words["units"]
    parts = [(days, units["d"]), (hours, units["h"]), (minutes, units["m"])]
    return " ".join(f"{count} {unit}" for count, unit in parts if count)
