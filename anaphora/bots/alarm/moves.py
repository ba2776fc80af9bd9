"""The handlers of the model ``alarm`` that move alarms which are set."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from anaphora.bots.alarm.alarm_list import AlarmList
from anaphora.bots.alarm.match_times import (
    counts_from_alarm,
    entities_of,
    find_added_seconds,
    find_several,
    offered_in,
)
from anaphora.bots.alarm.times import TooFarError, resolve_new_time, split_range
from anaphora.bots.ordinals import find_ordinal, select_by_ordinal
from anaphora.engine.callbacks.answer import Answer

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.intents.match import Match

__all__ = ["move", "move_all", "move_by", "move_to", "scale"]


def move_to(
    match: Match, data: dict[str, Any], at: datetime, language: str, *, text: str = ""
) -> Answer | str:
    """Move an alarm to the last of the given times, or to the same time on another day. The times
    before it, or a place in the list, name the alarm; without them it is the only one."""
    alarms = AlarmList(data, at, language)
    if not alarms.times:
        return alarms.answer("none")
    *old, new = split_range(entities_of(match.slots.get("time")))
    try:
        old = old or offered_in(match)
        place = select_by_ordinal(alarms.last_listed(), find_ordinal(text, language))
        chosen = find_several(match, alarms)
        it = alarms.last_touched() if "added" in new.meta else []
        chosen = chosen or (alarms.find(old) if old else place or it or alarms.times)
        if "added" in new.meta and (len(chosen) == 1 or "all" in match.slots):
            return alarms.move_by(chosen, new.meta["added"])  # "the other one an hour earlier"
        if len(chosen) != 1:
            return alarms.answer("which_to_move", alarms=alarms.format_times(alarms.times))
    except TooFarError:
        return alarms.answer("far")
    return move(alarms, chosen, new, at)


def move(alarms: AlarmList, chosen: Sequence[datetime], new: Entity, at: datetime) -> Answer | str:
    """Move the only alarm of ``chosen`` to a new time."""
    try:
        time = resolve_new_time(new, chosen[0], at)
    except TooFarError:
        return alarms.answer("far")
    if time <= alarms.now:
        return alarms.answer("past", when=alarms.format_times([time]))
    alarms.save({*alarms.times, time} - {*chosen} | {time})
    alarms.note_last([time])
    when, to = alarms.format_times(chosen), alarms.format_times([time])
    return alarms.answer_change("moved", when=when, to=to)


def move_all(
    match: Match, data: dict[str, Any], at: datetime, language: str, *, correction: bool = False
) -> Answer | str:
    """Let all alarms, or both, ring earlier or later: "all of them half an hour later"."""
    alarms = AlarmList(data, at, language)
    if not alarms.times:
        return alarms.answer("none")
    chosen = find_several(match, alarms)
    if not chosen:
        return alarms.ask_which_pair()
    said = match.slots["time"].entities
    added = find_added_seconds(match, said)
    if added is None:
        return alarms.answer("which_to_move", alarms=alarms.format_times(alarms.times))
    return alarms.move_by(chosen, added, correction=correction and not counts_from_alarm(said[0]))


def move_by(
    match: Match,
    data: dict[str, Any],
    at: datetime,
    language: str,
    *,
    text: str = "",
    correction: bool = False,
) -> Answer | str:
    """Let the alarm at a place in the list, else the one that was set last, else the only one, or
    all, ring earlier or later: "later", and to "How much later?" "an hour" or a time."""
    alarms = AlarmList(data, at, language)
    several = find_several(match, alarms)
    place = find_ordinal(text, language, match.slots["length"].entities)
    named = select_by_ordinal(alarms.last_listed(), place)
    chosen = several or named or alarms.last_touched() or alarms.times
    if not chosen:
        return alarms.answer("none")
    if len(chosen) > 1 and not several:
        return alarms.answer("which_to_move", alarms=alarms.format_times(alarms.times))
    (new,) = match.slots["length"].entities
    if "seconds" in new.meta:
        sign = -1 if match.slots["direction"].value == "earlier" else 1
        return alarms.move_by(chosen, sign * new.meta["seconds"], correction=correction)
    try:
        time = resolve_new_time(new, chosen[0], at)
    except TooFarError:
        return alarms.answer("far")
    return alarms.move_by(chosen[:1], (time - chosen[0]).total_seconds())


def scale(match: Match, data: dict[str, Any], at: datetime, language: str) -> Answer | str:
    """Make the last timer a part of its length: "half", "10 % less"."""
    alarms = AlarmList(data, at, language)
    (part,) = match.slots["part"].entities
    last = alarms.last_touched()
    if len(last) != 1:
        return alarms.answer("which_to_move", alarms=alarms.format_times(alarms.times))
    return alarms.move_by(last, data["length"] * (part.meta["factor"] - 1))
