"""The handlers of the model ``alarm``, which store the alarms in the conversation.

Besides the alarms, ``data`` holds ``last``, the alarms that were set last, which a correction
replaces, and what the last answer asked for: ``day``, the day whose hour is missing, or ``asked:
which``, if the user should name one of the alarms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from anaphora.bots.date_text import format_clock, format_day
from anaphora.bots.tables import load_texts
from anaphora.engine.callbacks.answer import Answer
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.intents.interpretation.alternatives import find_joints

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.engine.callbacks.live_conversation import LiveConversation
    from anaphora.intents.match import Candidate, Match, Slot

__all__ = ["cancel", "drop", "left", "move", "once", "shift", "show", "wake"]

_CLOCKS = frozenset({"second", "minute", "hour", "part"})  # grains of times of the day
_SECOND, _MINUTE, _DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
_MAX_AHEAD = timedelta(days=3660)
_MAX_ALARMS = 100
_NOON = 12
_PAIR = 2
# From an exact match to "at 7", which may be in the morning or in the evening.
_MATCH_FORMATS = ("%Y-%m-%d %H:%M", "%H:%M", "%I:%M")
_BARE_CLOCK = re.compile(r"(?:\w+ )?0?(\d{1,2})(?:[:.]\d\d)?")  # "at 7": am or pm
_RELATIVE = re.compile(r"[^\d:]*\d+(?![\d:.])\D*")  # "in 20 minutes", but not "7:20"


class _TooFarError(Exception):
    """The time is more than ten years ahead."""


def wake(
    match: Match,
    data: dict[str, Any],
    at: datetime,
    language: str,
    *,
    text: str = "",
    correction: bool = False,
) -> Answer | str:
    """Set an alarm for each time; ask for the hour if there is only a day, and offer the first day
    of several ("from Monday to Friday at 6"). A correction ("no, at
    8", "not at 8, at 9") replaces the alarms that were set last, or those that it negates; a bare
    hour keeps the day of the last one. "5 more minutes" moves the last one."""
    alarms = _Alarms(data, at, language)
    # "Remind me at 5" does not answer "At what time on Monday?".
    asked = alarms.day if match.slots["action"].source == "memory" else None
    times = []
    last = _last_set(match, data, correction=correction)
    added = None if _is_another(match) else _find_added_seconds(match)
    if added is not None and last is not None and last in alarms.times:
        return alarms.prolong(last, added)
    for entity in _entities(match.slots.get("time")):
        if (day := _date_without_time(entity)) is not None:
            if last is None:
                return alarms.ask_for_hour(day)
            times.append(_move_to_day(day, last.astimezone(at.tzinfo)))
            continue
        if (first := _first_of_several_days(entity)) is not None:
            return alarms.offer_once(entity, first)
        try:
            if correction and last is not None and entity.element == "hour":
                times.append(_move_to(entity, last, at))
            else:
                times.append(_on_asked_day(asked, _resolve_time(entity, at), entity, at))
        except _TooFarError:
            return alarms.answer("far")
    past = [time for time in times if time <= alarms.now]
    if not past:
        alarms.drop_corrected(match.filling.variant.entities, is_correction=correction)
    new = [time for time in dict.fromkeys(times) if time not in alarms.times]
    if past:
        return alarms.answer("past", when=alarms.format_times(past))
    if len(times) > 1 and _are_alternatives(_entities(match.slots["time"]), text, language):
        return alarms.offer_choice(times)
    if not new:
        return alarms.answer("known", when=alarms.format_times(times))
    if len(alarms.times) + len(new) > _MAX_ALARMS:
        return alarms.answer("full")
    alarms.save([*alarms.times, *new])
    data["last"] = [time.isoformat() for time in new]
    if len(new) > 1:
        return alarms.answer("many", when=alarms.format_times(new))
    return alarms.answer("set", when=alarms.format_times(new), left=alarms.format_time_left(new[0]))


def once(match: Match, data: dict[str, Any], at: datetime, language: str) -> Answer | str:
    """Refuse a repeated alarm: one that rings only once would be mistaken for it. If its time is
    said, offer the first one."""
    alarms = _Alarms(data, at, language)
    (repeat,) = match.slots["repeat"].entities
    if "byhour" not in repeat.meta["rule"]:
        return alarms.answer("once", repeat=repeat.text)
    return alarms.offer_once(repeat, datetime.fromisoformat(repeat.meta["next"]))


def cancel(
    match: Match, data: dict[str, Any], at: datetime, language: str, *, text: str = ""
) -> Answer | str:
    """Cancel the alarms at the given times: on that date, else on any date, else also twelve hours
    off; or all alarms of a day. Without a time, cancel the one at that place in the order of the
    times ("the first one"), the only alarm, or all if the user says so; "both" are the only two, or
    the two that were set last."""
    alarms = _Alarms(data, at, language)
    if not alarms.times:
        return alarms.answer("none")
    mentioned = _entities(match.slots.get("time"))
    named = [entity for entity in mentioned if entity.element != "all"]
    if named:
        try:
            chosen = alarms.find(named)
        except _TooFarError:
            chosen = []
    elif any(entity.value == "both" for entity in (*mentioned, *_entities(match.slots.get("all")))):
        chosen = alarms.both()
    elif listed := [one.entity for one in _taken(match.slots.get("listed")) if one.offered]:
        chosen = alarms.find(listed)
    else:
        every = "all" in match.slots or bool(mentioned)
        chosen = alarms.times if every else alarms.at_place(text)
        if not chosen and len(alarms.times) == 1:
            chosen = alarms.times
    if chosen:
        alarms.save(time for time in alarms.times if time not in chosen)
        return Answer(alarms.answer("cancelled", when=alarms.format_times(chosen)), offers=[])
    return Answer(alarms.ask_which(named), offers=alarms.offers(), then="which")


def move(match: Match, data: dict[str, Any], at: datetime, language: str, *, text: str = "") -> str:
    """Move an alarm to the last of the given times, or to the same time on another day. The times
    before it, or a place in the list, name the alarm; without them it is the only one."""
    alarms = _Alarms(data, at, language)
    if not alarms.times:
        return alarms.answer("none")
    *old, new = _split_range(_entities(match.slots.get("time")))
    old = old or [one.entity for one in _taken(match.slots.get("listed")) if one.offered]
    try:
        chosen = alarms.find(old) if old else alarms.at_place(text) or alarms.times
        if len(chosen) != 1:
            return alarms.answer("which_to_move", alarms=alarms.format_times(alarms.times))
        time = _move_to(new, chosen[0], at)
    except _TooFarError:
        return alarms.answer("far")
    if time <= alarms.now:
        return alarms.answer("past", when=alarms.format_times([time]))
    alarms.save({*alarms.times, time} - {*chosen} | {time})
    data["last"] = [time.isoformat()]
    return alarms.answer("moved", when=alarms.format_times(chosen), to=alarms.format_times([time]))


def shift(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """Let the alarm that was set last, else the only one, ring earlier or later: "later", and to
    "How much later?" "an hour" or a time."""
    alarms = _Alarms(data, at, language)
    last = [datetime.fromisoformat(text) for text in data.get("last", ())]
    chosen = [time for time in last if time in alarms.times] or alarms.times
    if not chosen:
        return alarms.answer("none")
    if len(chosen) > 1:
        return alarms.answer("which_to_move", alarms=alarms.format_times(alarms.times))
    (new,) = match.slots["length"].entities
    if "seconds" in new.meta:
        sign = -1 if match.slots["shift"].value == "earlier" else 1
        return alarms.prolong(chosen[0], sign * new.meta["seconds"])
    try:
        time = _move_to(new, chosen[0], at)
    except _TooFarError:
        return alarms.answer("far")
    return alarms.prolong(chosen[0], (time - chosen[0]).total_seconds())


def show(data: dict[str, Any], at: datetime, language: str) -> Answer | str:
    """List the alarms, of which the user may then mean "the second one"."""
    alarms = _Alarms(data, at, language)
    if not alarms.times:
        return alarms.answer("none")
    text = alarms.answer("list", when=alarms.format_times(alarms.times))
    return Answer(text, offers=alarms.offers())


def left(data: dict[str, Any], at: datetime, language: str) -> str:
    """Answer with the time left until the next alarm."""
    alarms = _Alarms(data, at, language)
    if not alarms.times:
        return alarms.answer("none")
    first = alarms.times[0]
    return alarms.answer(
        "left", when=alarms.format_times([first]), left=alarms.format_time_left(first)
    )


def drop(data: dict[str, Any], at: datetime, language: str, conversation: LiveConversation) -> None:
    """Drop a pending question of the bot; the model's response is the answer."""
    _Alarms(data, at, language)
    conversation.forget(lambda entity: entity.element == "date")


class _Alarms:
    """The future alarms of a conversation. Times are in UTC, which skips no hour, and shown in the
    user's local time.

    ``day`` is the day whose hour the last answer asked for.
    """

    def __init__(self, data: dict[str, Any], at: datetime, language: str) -> None:
        self._data = data
        self._at = at
        self._language = language
        self._words = load_texts("alarm", language)
        self.now = at.astimezone(UTC)
        self.day = date.fromisoformat(data.pop("day")) if "day" in data else None
        data.pop("asked", None)
        known = (datetime.fromisoformat(text) for text in data.get("alarms", ()))
        self.times = sorted(time for time in known if time > self.now)

    def answer(self, key: str, **values: str) -> str:
        """The answer with that name."""
        return str(self._words[key].format(**values))

    def prolong(self, alarm: datetime, seconds: float) -> str:
        """Let an alarm ring later, or earlier."""
        if not seconds:
            return self.answer("known", when=self.format_times([alarm]))
        if seconds > (self.now + _MAX_AHEAD - alarm).total_seconds():
            return self.answer("far")
        time = alarm + timedelta(seconds=seconds)
        if time <= self.now:
            return self.answer("past", when=self.format_times([time]))
        self.save({*self.times, time} - {alarm})
        self._data["last"] = [time.isoformat()]
        return self.answer("moved", when=self.format_times([alarm]), to=self.format_times([time]))

    def ask_for_hour(self, day: date) -> str:
        """Ask for the hour of an alarm on ``day``."""
        text = format_day(day, self._language, self._at.date())
        if day < self._at.date():
            return self.answer("past", when=text)
        self._data["day"] = day.isoformat()
        return self.answer("hour", day=text)

    def offer_once(self, repeat: Entity, first: datetime) -> Answer:
        """Offer an alarm at the ``first`` of several times."""
        text = self.answer("once_then", repeat=repeat.text, when=self.format_times([first]))
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

    def offers(self) -> list[dict[str, datetime]]:
        """The alarms as what a list offers."""
        return [{"date": self._local(time)} for time in self.times]

    def drop_corrected(self, said: Iterable[Entity], *, is_correction: bool) -> None:
        """Drop the alarms that a correction replaces: those that it negates, else the last."""
        if negated := [entity for entity in said if entity.negated]:
            gone = set(self.find(negated))
        else:
            last = self._data.get("last", ()) if is_correction else ()
            gone = {datetime.fromisoformat(text) for text in last}
        self.times = [time for time in self.times if time not in gone]

    def find(self, named: Iterable[Entity]) -> list[datetime]:
        """The alarms at the ``named`` times. Raises :class:`_TooFarError`."""
        chosen: list[datetime] = []
        times = []
        for entity in named:
            if (day := _date_without_time(entity)) is not None:
                chosen += [time for time in self.times if self._local(time).date() == day]
            else:
                times.append(_resolve_time(entity, self._at))
        for form in _MATCH_FORMATS:
            texts = {self._local(time).strftime(form) for time in times}
            if same := [time for time in self.times if self._local(time).strftime(form) in texts]:
                return chosen + same
        return chosen

    def at_place(self, text: str) -> list[datetime]:
        """The alarm at the place in the order of the times that a text names: "the second one".
        Empty if it names none, or more than one."""
        _, phrases = load_cue_words(self._language).read(text)
        places = {one.reading.number for one in phrases if one.reading.kind == "ordinal"}
        if len(places) != 1:
            return []
        (place,) = places
        index = place - 1 if place > 0 else place + len(self.times)
        return self.times[index : index + 1] if index >= 0 else []

    def both(self) -> list[datetime]:
        """The only two alarms, else the two that were set together last; empty without these."""
        if len(self.times) <= _PAIR:
            return self.times
        last = {datetime.fromisoformat(text) for text in self._data.get("last", ())}
        found = [time for time in self.times if time in last]
        return found if len(found) == _PAIR else []

    def save(self, times: Iterable[datetime]) -> None:
        """Store these as the alarms."""
        self._data["alarms"] = sorted(time.isoformat() for time in times)

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


def _taken(slot: Slot | None) -> tuple[Candidate, ...]:
    return slot.taken if slot else ()


def _entities(slot: Slot | None) -> tuple[Entity, ...]:
    return slot.entities if slot else ()


def _split_range(times: tuple[Entity, ...]) -> tuple[Entity, ...]:
    """Replace a single range ("at 8 to 9 am") by its start and its end. An end at midnight is a
    day."""
    meta = times[0].meta if len(times) == 1 and "/" in times[0].value_or_text else {}
    if not {"start", "end"} <= meta.keys():
        return times
    start, end = (datetime.fromisoformat(meta[key]) for key in ("start", "end"))
    first = {"grain": "hour", "start": start.isoformat()}
    last = {"grain": "hour", "start": end.isoformat()}
    if (end.hour, end.minute) == (0, 0):
        last = {"grain": "day", "start": (end - _DAY).isoformat()}
    return replace(times[0], meta=first), replace(times[0], meta=last)


def _last_set(match: Match, data: Mapping[str, Any], *, correction: bool) -> datetime | None:
    """The alarm that the last answer has set, if a question goes on with it ("and tomorrow") or
    corrects it ("no, 9")."""
    is_follow_up = correction or any(one.remembered for one in match.slots["action"].taken)
    last: list[str] = data.get("last", []) if is_follow_up else []
    return datetime.fromisoformat(last[0]) if len(last) == 1 else None


def _are_alternatives(times: Iterable[Entity], text: str, language: str) -> bool:
    """Whether a text has "or" between two of the times: "Wednesday or Thursday at 8"."""
    joints = find_joints(text, load_cue_words(language))
    in_order = sorted(times, key=lambda one: one.start)
    return any(
        before.end <= start and end <= behind.start
        for before, behind in pairwise(in_order)
        for start, end in joints
    )


def _is_another(match: Match) -> bool:
    """Whether the sentence asks for another alarm beside the last one: "and one an hour later"."""
    slot = match.slots.get("another")
    return slot is not None and slot.source == "sentence"


def _find_added_seconds(match: Match) -> float | None:
    """The length of what a question adds to the last alarm, or takes from it: "5 more minutes",
    "twice as long"."""
    times = _entities(match.slots.get("time"))
    if len(times) != 1:
        return None
    length = times[0]
    if "added" in length.meta:
        added: float = length.meta["added"]
        return added
    beside = {length.tokens[0] - 1, length.tokens[-1] + 1}  # not "another one for 5 minutes"
    words = _entities(match.slots.get("more"))
    is_added = length.meta.get("more") or any(not beside.isdisjoint(one.tokens) for one in words)
    return length.meta.get("seconds") if is_added else None


def _first_of_several_days(entity: Entity) -> datetime | None:
    """The time on the first day, if a date names several days and a time ("Monday to Friday at
    6"), else None."""
    meta = entity.meta
    if meta.get("grain") not in _CLOCKS or not {"start", "end"} <= meta.keys():
        return None
    start, end = (datetime.fromisoformat(meta[key]) for key in ("start", "end"))
    return datetime.combine(start, end.timetz()) if end - start > _DAY else None


def _date_without_time(entity: Entity) -> date | None:
    """The (first) day of a date without a time of the day, else None."""
    start = entity.meta.get("start") or entity.meta.get("end")
    if "seconds" in entity.meta or start is None or entity.meta.get("grain") in _CLOCKS:
        return None
    return datetime.fromisoformat(start).date()


def _resolve_time(entity: Entity, at: datetime) -> datetime:
    """The start of a date, in UTC, or now plus a duration; "before 8" is at 8. Raises
    :class:`_TooFarError`."""
    meta, now = entity.meta, at.astimezone(UTC)
    try:
        if "seconds" in meta:
            time = now + timedelta(seconds=meta["seconds"])
        else:
            start, end = (
                datetime.fromisoformat(meta[key]).astimezone(UTC) if key in meta else None
                for key in ("start", "end")
            )
            time = start or end or now
            if meta.get("grain") == "part":  # "in the morning" is over at noon
                today = time.astimezone(at.tzinfo).date() == at.date()
                time += _DAY if today and time <= now else timedelta()
            elif start and start <= now and meta.get("expression", ("",))[0] in ("clock", "at"):
                time += _DAY if meta["expression"][0] == "clock" else timedelta()  # 9 am at 9:05
            elif end and time <= now and end - now > _MINUTE:
                time = end
    except OverflowError:
        raise _TooFarError from None
    if time - now > _MAX_AHEAD:
        raise _TooFarError
    return time


def _on_asked_day(day: date | None, time: datetime, entity: Entity, at: datetime) -> datetime:
    """Move the time to the day that the bot asked about, unless the words name another one; a time
    that may be am or pm is am."""
    ahead = time - at.astimezone(UTC)
    if day is None or not timedelta() < ahead <= _DAY or "seconds" in entity.meta:
        return time
    if entity.meta.get("grain") != "hour" and _RELATIVE.fullmatch(entity.text):
        return time
    clock = time.astimezone(at.tzinfo)
    bare = _BARE_CLOCK.fullmatch(entity.text)
    if bare and int(bare[1]) == clock.hour - 12:
        clock = clock.replace(hour=clock.hour - 12)
    return _move_to_day(day, clock)


def _move_to(new: Entity, alarm: datetime, at: datetime) -> datetime:
    """The time that an alarm is moved to, in UTC. A new day keeps its time, a new time its day; one
    that may be am or pm is the nearest to it. Raises :class:`_TooFarError`."""
    local = alarm.astimezone(at.tzinfo)
    if (day := _date_without_time(new)) is not None:
        return _move_to_day(day, local)
    time = _resolve_time(new, at)
    kind, *rest = new.meta.get("expression") or [""]
    if kind != "clock":
        return time
    clocks = [time.astimezone(at.tzinfo)]
    if rest[0][0] == "time" and 0 < rest[0][1] <= _NOON:
        clocks.append(clocks[0].replace(hour=(clocks[0].hour + _NOON) % (2 * _NOON)))
    moved = [_move_to_day(local.date(), one) for one in clocks]
    ahead = [one for one in moved if one > at.astimezone(UTC)]
    return min(ahead, key=lambda one: abs(one - alarm), default=time)


def _move_to_day(day: date, clock: datetime) -> datetime:
    """The same local time on another day, in UTC."""
    return clock.replace(year=day.year, month=day.month, day=day.day).astimezone(UTC)


def _format_duration(left: timedelta, units: Mapping[str, str]) -> str:
    """ "1 d 2 h", "21 h 30 min", "20 min", "5 s": in two units at most, rounded up."""
    if left < _MINUTE:
        return f"{-(-left // _SECOND)} {units['s']}"
    days, rest = divmod(-(-left // _MINUTE), _DAY // _MINUTE)
    hours, minutes = divmod(rest, 60)
    parts = [(days, units["d"]), (hours, units["h"]), (minutes, units["m"])]
    return " ".join([f"{count} {unit}" for count, unit in parts if count][:2])
