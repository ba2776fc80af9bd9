"""The alarms of a conversation, and what the bot says about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from anaphora.bots.alarm.times import MAX_AHEAD, find_day, resolve_time
from anaphora.bots.date_text import format_clock, format_day
from anaphora.bots.tables import load_texts
from anaphora.bots.undo import data_before, remember, take_back
from anaphora.engine.callbacks.answer import Answer

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity

__all__ = ["AlarmList"]

_SECOND, _MINUTE, _DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
_PAIR = 2
# From an exact match to "at 7", which may be in the morning or in the evening.
_MATCH_FORMATS = ("%Y-%m-%d %H:%M", "%H:%M", "%I:%M")


class AlarmList:
    """The future alarms of a conversation. Times are in UTC, which skips no hour, and shown in the
    user's local time.

    ``day`` is the day whose hour the last answer asked for, ``offered`` the only time that it
    offered, and ``replaced`` the alarm that this one replaces.
    """

    def __init__(self, data: dict[str, Any], at: datetime, language: str) -> None:
        self._data = data
        self._at = at
        self._language = language
        self._words = load_texts("alarm", language)
        self.now = at.astimezone(UTC)
        self.day = date.fromisoformat(data.pop("day")) if "day" in data else None
        data.pop("asked", None)
        offered, replaced = data.pop("offered", ("", ""))
        self.offered = datetime.fromisoformat(offered) if offered else None
        self.replaced = datetime.fromisoformat(replaced) if replaced else None
        known = (datetime.fromisoformat(text) for text in data.get("alarms", ()))
        self.times = sorted(time for time in known if time > self.now)

    def answer(self, key: str, **values: str) -> str:
        """The answer with that name."""
        return str(self._words[key].format(**values))

    def answer_change(self, key: str, **values: str) -> Answer:
        """The answer with that name; no list that was shown before is true any more."""
        return Answer(self.answer(key, **values), offers=[])

    def move_by(
        self, alarms: Sequence[datetime], seconds: float, *, correction: bool = False
    ) -> Answer | str:
        """Let alarms ring later, or earlier. A ``correction`` of such a move begins where that
        began: "5 more minutes" and then "no, 10 more minutes"."""
        moves = self._data.get("moved", "").split(";") if correction else ()
        began = {end: start for start, _, end in (move.partition("/") for move in moves)}
        bases = []
        for alarm in alarms:
            before = datetime.fromisoformat(began.get(alarm.isoformat(), alarm.isoformat()))
            bases.append(before if (alarm > before) == (seconds > 0) else alarm)
        if not seconds:
            return self.answer("known", when=self.format_times(alarms))
        if seconds > (self.now + MAX_AHEAD - max(bases)).total_seconds():
            return self.answer("far")
        times = [base + timedelta(seconds=seconds) for base in bases]
        if past := [time for time in times if time <= self.now]:
            return self.answer("past", when=self.format_times(past))
        self.save({*self.times} - {*alarms} | {*times})
        self.note_last(times, replaced=alarms)
        if "length" in self._data:
            self._data["length"] += (times[0] - alarms[0]).total_seconds()
        moved = zip(bases, times, strict=True)
        self._data["moved"] = ";".join(
            [f"{old.isoformat()}/{new.isoformat()}" for old, new in moved]
        )
        when, to = self.format_times(alarms), self.format_times(times)
        return self.answer_change("moved", when=when, to=to)

    def ask_for_hour(self, day: date) -> str:
        """Ask for the hour of an alarm on ``day``."""
        text = format_day(day, self._language, self._at.date())
        if day < self._at.date():
            return self.answer("past", when=text)
        self._data["day"] = day.isoformat()
        return self.answer("hour", day=text)

    def offer_once(
        self, repeat: str, first: datetime, replaced: datetime | None = None
    ) -> Answer | str:
        """Offer an alarm at the ``first`` of several times, in the place of the ``replaced`` one;
        say so if there is one already."""
        when = self.format_times([first])
        if first.astimezone(UTC) in self.times:
            return self.answer("once_set", repeat=repeat, when=when)
        self._data["offered"] = [first.isoformat(), replaced.isoformat() if replaced else ""]
        text = self.answer("once_then", repeat=repeat, when=when)
        return Answer(text, offers=[{"date": first}], then="wake")

    def offer_choice(self, times: Sequence[datetime]) -> Answer:
        """Ask at which of several times an alarm is to be set."""
        text = self.answer("choose", alarms=self.format_times(times))
        return Answer(text, offers=[{"date": self._local(time)} for time in times], then="wake")

    def ask_which(self, named: Iterable[Entity]) -> str:
        """Ask for one of the alarms; say so if there is none at the ``named`` times."""
        self._data["asked"] = "which"
        listed = self.format_times(self.times)
        if when := ", ".join(entity.text for entity in named):
            return self.answer("unknown", when=when, alarms=listed)
        return self.answer("which", alarms=listed)

    def ask_which_pair(self) -> str:
        """Ask for the two alarms of several that "both" means."""
        listed, count = self.format_times(self.times), len(self.times)
        self._data["asked"] = "which"
        return self.answer("both", count=str(count), alarms=listed)

    def offers(self) -> list[dict[str, datetime]]:
        """The alarms as what a list offers, by which the user counts them from now on."""
        self._data.pop("counted", None)
        return [{"date": self._local(time)} for time in self.times]

    def drop_corrected(self, said: Iterable[Entity], *, is_correction: bool) -> None:
        """Drop the alarms that a correction replaces: those that it negates, else the last."""
        if negated := [entity for entity in said if entity.negated]:
            gone = set(self.find(negated))
        elif self.offered is not None:
            gone = {self.replaced} if self.replaced else set()
        else:
            last = self._data.get("last", ()) if is_correction else ()
            gone = {datetime.fromisoformat(text) for text in last}
        self.times = [time for time in self.times if time not in gone]

    def find(self, named: Iterable[Entity]) -> list[datetime]:
        """The alarms at the ``named`` times. Raises :class:`TooFarError`."""
        chosen: list[datetime] = []
        times = []
        for entity in named:
            if (day := find_day(entity)) is not None:
                chosen += [time for time in self.times if self._local(time).date() == day]
            else:
                times.append(resolve_time(entity, self._at))
        for form in _MATCH_FORMATS:
            texts = {self._local(time).strftime(form) for time in times}
            if same := [time for time in self.times if self._local(time).strftime(form) in texts]:
                return chosen + same
        return chosen

    def last_touched(self) -> list[datetime]:
        """The alarms that were set, moved or brought back last."""
        last = map(datetime.fromisoformat, self._data.get("last", ()))
        return [time for time in last if time in self.times]

    def note_last(self, times: Sequence[datetime], replaced: Sequence[datetime] = ()) -> None:
        """Note the alarms that were set, moved or brought back last. They are a timer only if they
        replace one that was the last."""
        if not replaced or [*replaced] != self.last_touched():
            self._data.pop("timer", None)
            self._data.pop("length", None)
        self._data["last"] = [time.isoformat() for time in times]

    def last_listed(self) -> list[datetime]:
        """The alarms as the user counts them: those that were set together, until all are listed,
        else all."""
        counted = map(datetime.fromisoformat, self._data.get("counted", ()))
        together = [time for time in counted if time in self.times]
        return together if len(together) > 1 else self.times

    def both(self) -> list[datetime]:
        """The only two alarms, else the two that were set together last; empty without these."""
        if len(self.times) <= _PAIR:
            return self.times
        found = sorted(self.last_touched())
        return found if len(found) == _PAIR else []

    def cancel(self, chosen: Sequence[datetime], back: Iterable[datetime] = ()) -> Answer:
        """Cancel the ``chosen`` alarms. Those that are ``back`` were cancelled by mistake."""
        self.save(time for time in self.times if time not in chosen)
        if len(self.times) > 1:
            self._data["asked"] = "other"
        when, kept = self.format_times(chosen), [time for time in back if time not in chosen]
        if kept:
            return self.answer_change("swapped", when=when, kept=self.format_times(kept))
        return self.answer_change("cancelled", when=when)

    def save(self, times: Iterable[datetime]) -> None:
        """Store these as the alarms. What was stored before can be taken back."""
        alarms = sorted(time.isoformat() for time in times)
        if alarms != self._data.get("alarms", []):
            remember(self._data)
            self._data["alarms"] = alarms

    @property
    def has_cancelled(self) -> bool:
        """Whether the last change was that alarms were cancelled."""
        return {*self._data.get("alarms", ())} < {*data_before(self._data).get("alarms", ())}

    def take_back(self) -> bool:
        """Take back the last change that is not over; whether there was one. The alarms that come
        back are then the last ones."""
        now = self.times
        while self.times == now:
            if not take_back(self._data):
                return False
            known = map(datetime.fromisoformat, self._data.get("alarms", ()))
            self.times = [time for time in known if time > self.now]
        if back := [time for time in self.times if time not in now]:
            self.note_last(back, replaced=back)
        return True

    def format_times(self, times: Iterable[datetime]) -> str:
        """ "Tue 6 Jan, 06:30; Wed 7 Jan, 07:00"."""
        today = self._at.date()
        local = [
            (format_day(time.date(), self._language, today), format_clock(time))
            for time in map(self._local, times)
        ]
        return "; ".join(self.answer("moment", day=day, clock=clock) for day, clock in local)

    def format_time_left(self, time: datetime) -> str:
        """The time left until ``time``, as text."""
        return _format_duration(time - self.now, self._words["units"])

    def _local(self, time: datetime) -> datetime:
        return time.astimezone(self._at.tzinfo)


def _format_duration(left: timedelta, units: Mapping[str, str]) -> str:
    """ "1 d 2 h", "21 h 30 min", "20 min", "5 s": in two units at most, rounded up."""
    if left < _MINUTE:
        return f"{-(-left // _SECOND)} {units['s']}"
    days, rest = divmod(-(-left // _MINUTE), _DAY // _MINUTE)
    hours, minutes = divmod(rest, 60)
    parts = [(days, units["d"]), (hours, units["h"]), (minutes, units["m"])]
    return " ".join([f"{count} {unit}" for count, unit in parts if count][:2])
