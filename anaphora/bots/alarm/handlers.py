"""The handlers of the model ``alarm``, which store the alarms in the conversation.

Besides the alarms, ``data`` holds ``last``, the alarms that were set, moved or brought back last,
which a correction replaces, ``counted``, those that were set together, ``moved``, from where to
where some were moved last, ``timer`` and ``length``, the unit and the seconds of the last one if it
was a length of time, what :mod:`anaphora.bots.undo` remembers, and what the last answer was about:
``day``, the day whose hour is missing, ``offered``, the time that it offered, ``asked: which``, if
the user should name one of the alarms, or ``asked: other``, if some of several were cancelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from anaphora.bots.alarm.alarm_list import AlarmList
from anaphora.bots.alarm.match_times import (
    asks_for_another,
    counts_from_alarm,
    entities_of,
    find_added_seconds,
    find_said_times,
    is_remembered,
    offered_in,
    sets_total,
)
from anaphora.bots.alarm.moves import move, move_to
from anaphora.bots.alarm.times import (
    TooFarError,
    find_clock,
    find_day,
    find_ends,
    find_first,
    find_first_of_several_days,
    find_unit,
    format_repeat,
    may_be_am_or_pm,
    place_on_day,
    read_as_timer,
    resolve_new_time,
    resolve_on_asked_day,
    resolve_time,
)
from anaphora.bots.ordinals import find_ordinal, has_cue, select_by_ordinal, select_several
from anaphora.engine.callbacks.answer import Answer
from anaphora.engine.callbacks.handlers import Skip
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.intents.interpretation.alternatives import find_joints

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.engine.callbacks.live_conversation import LiveConversation
    from anaphora.intents.match import Match

__all__ = [
    "cancel",
    "cancel_other",
    "drop",
    "keep",
    "left",
    "once",
    "rather_not",
    "show",
    "undo",
    "wake",
]

_MAX_ALARMS = 100


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
    of several ("from Monday to Friday at 6"). A correction ("no, at 8", "not at 8, at 9") replaces
    the alarms that were set last, or those that it negates; a bare hour keeps the day of the last
    one; after a timer it has the unit of that ("no, 20"). "5 more minutes" moves the last one, and
    "the second at 9" the one at that place."""
    alarms = AlarmList(data, at, language)
    # "Remind me at 5" does not answer "At what time on Monday?".
    asked = alarms.day if match.slots["action"].source == "memory" else None
    times = []
    if match.slots["action"].source == "sentence" and not correction:
        alarms.offered = None  # "Remind me at 5" is no answer to an offer, either
    last = alarms.offered or _last_set(match, data, correction=correction)
    said = find_said_times(match)
    is_total = sets_total(match, said, text, language)
    if is_total and "timer" in data:
        said = tuple([read_as_timer(one, data["timer"]) for one in said])
    if "more" in match.slots or ("timer" in data and (correction or asks_for_another(match))):
        said = tuple([read_as_timer(one, data.get("timer", "minute")) for one in said])
    is_new = is_total or asks_for_another(match)
    added = None if is_new else find_added_seconds(match, said)
    if added is not None and "length" in data and has_cue(text, language, "factor"):
        added *= data["length"] / (said[0].meta["seconds"] - added)  # "twice as long" as it is now
    if added is not None:  # "the second one an hour later"
        moved = select_by_ordinal(alarms.last_listed(), find_ordinal(text, language))
        moved = moved or [time for time in alarms.times if time == last]
        if moved:
            return alarms.move_by(
                moved, added, correction=correction and not counts_from_alarm(said[0])
            )
    is_follow_up = correction or is_remembered(match.slots["action"])
    if is_follow_up and len(said) == 1 and not asks_for_another(match):
        place = find_ordinal(text, language, said)
        if chosen := select_by_ordinal(alarms.last_listed(), place):
            return move(alarms, chosen, said[0], at)
        if correction and place is not None:
            return alarms.answer("which_to_move", alarms=alarms.format_times(alarms.times))
    if (shared := _find_shared_day(said)) is not None:
        asked = find_day(shared)
        if asked is None:
            asked = datetime.fromisoformat(shared.meta["start"]).date()
        else:
            said = tuple([one for one in said if one is not shared])
    for entity in said:
        if (day := find_day(entity)) is not None:
            if last is None:
                return alarms.ask_for_hour(day)
            times.append(place_on_day(day, last.astimezone(at.tzinfo)))
            continue
        if (first := find_first_of_several_days(entity)) is not None:
            return alarms.offer_once(entity.text, first)
        try:
            if ends := find_ends(entity):  # "from 5 to 7"
                return alarms.offer_choice([resolve_time(end, at) for end in ends])
            is_change = correction or alarms.offered is not None
            if is_change and last is not None and may_be_am_or_pm(entity):
                times.append(resolve_new_time(entity, last, at))
            else:
                times.append(resolve_on_asked_day(asked, resolve_time(entity, at), entity, at))
        except TooFarError:
            return alarms.answer("far")
    past = [time for time in times if time <= alarms.now]
    if past:
        return alarms.answer("past", when=alarms.format_times(past))
    if len(times) > 1 and _are_alternatives(said, text, language):
        return alarms.offer_choice(times)
    alarms.drop_corrected(match.filling.variant.entities, is_correction=correction)
    answer = _set(alarms, data, times, find_unit(said[0]))
    is_bare = said[-1].element == "hour" and not correction
    if isinstance(answer, Answer) and is_bare:  # "8", and then "half past"
        return replace(answer, mentions={"date": times[-1].astimezone(at.tzinfo)})
    return answer


def _set(
    alarms: AlarmList, data: dict[str, Any], times: Sequence[datetime], unit: str = ""
) -> Answer | str:
    """Set an alarm at each of the times; ``unit`` is that of a timer."""
    new = [time for time in dict.fromkeys(times) if time not in alarms.times]
    if len(alarms.times) + len(new) > _MAX_ALARMS:
        return alarms.answer("full")
    alarms.save([*alarms.times, *new])
    data["last"] = [time.isoformat() for time in new or times]
    data["counted"] = [time.isoformat() for time in sorted(new)] if len(new) > 1 else []
    if not new:
        return alarms.answer("known", when=alarms.format_times(times))
    if unit:
        data["timer"] = unit
        data["length"] = (times[-1] - alarms.now).total_seconds()
    else:
        data.pop("timer", None)
        data.pop("length", None)
    if len(new) > 1:
        return alarms.answer_change("many", when=alarms.format_times(new))
    left = alarms.format_time_left(new[0])
    return alarms.answer_change("set", when=alarms.format_times(new), left=left)


def once(
    match: Match,
    data: dict[str, Any],
    at: datetime,
    language: str,
    *,
    conversation: LiveConversation,
    text: str = "",
    correction: bool = False,
) -> Answer | str:
    """Refuse a repeated alarm: one that rings only once would be mistaken for it. If its time is
    said, offer the first one; another hour than the one just offered ("no, 10") is what is meant,
    and "no" alone refuses it. What corrects an alarm ("no, every day") keeps its time."""
    alarms = AlarmList(data, at, language)
    correction = correction or has_cue(text, language, "correct", "decline", "instead")
    (repeat,) = match.slots["repeat"].entities
    hours = [one for one in entities_of(match.slots.get("time")) if may_be_am_or_pm(one)]
    if hours and alarms.offered is not None:
        alarms.drop_corrected((), is_correction=False)
        return _set(alarms, data, [resolve_new_time(hours[-1], alarms.offered, at)])
    if alarms.offered is not None and not match.filling.from_sentence:
        return _refuse_offer(alarms, conversation)
    last = _last_set(match, data, correction=correction)
    kept = last if last in alarms.times else None
    is_follow_up = kept is None and (correction or is_remembered(match.slots.get("action")))
    said = format_repeat(repeat, language) if is_follow_up else repeat.text
    clock = find_clock(repeat, kept, at)
    if hours:
        clock = resolve_on_asked_day(at.date(), resolve_time(hours[-1], at), hours[-1], at)
    if clock is None:
        return alarms.answer("once", repeat=said)
    replaced = kept if correction else None
    return alarms.offer_once(said, find_first(repeat, clock.astimezone(at.tzinfo), at), replaced)


def _refuse_offer(alarms: AlarmList, conversation: LiveConversation) -> Answer:
    """Set no alarm at the time that the bot offered."""
    conversation.forget(lambda entity: entity.element == "recurrence")
    return Answer(alarms.answer("declined"), offers=[])


def cancel(
    match: Match,
    data: dict[str, Any],
    at: datetime,
    language: str,
    *,
    conversation: LiveConversation,
    text: str = "",
    correction: bool = False,
) -> Answer | str:
    """Cancel the alarms at the given times: on that date, else on any date, else also twelve hours
    off; or all alarms of a day. Without a time, cancel the one at that place in the order of the
    times ("the first one", "the last two"), the only alarm, or all if the user says so, but for
    those that are excepted; "both" are the only two, or the two that were set last. A correction
    takes back what was cancelled before."""
    alarms = AlarmList(data, at, language)
    if alarms.offered is not None and match.slots.keys() <= {"action", "listed"}:
        return _refuse_offer(alarms, conversation)  # "forget it"
    left = alarms.times
    if correction and alarms.has_cancelled:
        alarms.take_back()
    back = [time for time in alarms.times if time not in left]
    if not alarms.times:
        return alarms.answer("none")
    mentioned = entities_of(match.slots.get("time"))
    if "all" in match.slots and find_ordinal(text, language) is not None:
        said = [one.entity for one in match.filling.from_sentence]
        mentioned = tuple([one for one in mentioned if one in said])  # "all but the last"
    named = [entity for entity in mentioned if entity.element != "all"]
    if any("added" in entity.meta for entity in named):  # "the other one an hour earlier"
        return move_to(match, data, at, language, text=text)
    several = select_several(alarms.last_listed(), text, language)
    if several is not None:  # whatever else the "two" of "the last two" may be
        chosen, named = several, []
    elif named:
        try:
            chosen = alarms.find(named)
        except TooFarError:
            chosen = []
    elif any(
        entity.value == "both" for entity in (*mentioned, *entities_of(match.slots.get("all")))
    ):
        chosen = alarms.both()
        if not chosen:
            return Answer(alarms.ask_which_pair(), offers=alarms.offers(), then="which")
    elif "all" in match.slots or mentioned:
        excepted = alarms.find(one for one in match.filling.variant.entities if one.negated)
        excepted += select_by_ordinal(alarms.times, find_ordinal(text, language))
        chosen = [time for time in alarms.times if time not in excepted]
    elif listed := offered_in(match):
        chosen = alarms.find(listed)
    else:
        place = find_ordinal(text, language)
        is_only = place is None and len(alarms.times) == 1
        chosen = alarms.times if is_only else select_by_ordinal(alarms.last_listed(), place)
    if chosen:
        return alarms.cancel(chosen, back)
    return Answer(alarms.ask_which(named), offers=alarms.offers(), then="which")


def cancel_other(data: dict[str, Any], at: datetime, language: str, *, text: str = "") -> Answer:
    """Cancel the alarm at another place of the list than the one just cancelled, which comes back
    ("no, I meant the second"), or that one as well ("and the second")."""
    alarms = AlarmList(data, at, language)
    left = alarms.times
    alarms.take_back()
    back = [time for time in alarms.times if time not in left]
    chosen = select_by_ordinal(alarms.last_listed(), find_ordinal(text, language))
    if not chosen:
        return Answer(alarms.ask_which(()), offers=alarms.offers(), then="which")
    if has_cue(text, language, "add"):
        chosen = sorted({*chosen, *back})
    return alarms.cancel(chosen, back)


def rather_not(
    match: Match,
    data: dict[str, Any],
    at: datetime,
    language: str,
    *,
    conversation: LiveConversation,
) -> Answer | str:
    """Take back a cancellation that was the last change, else cancel: "doch nicht"."""
    if AlarmList(data, at, language).has_cancelled:
        return undo(data, at, language)
    return cancel(match, data, at, language, conversation=conversation)


def keep(data: dict[str, Any], at: datetime, language: str) -> Answer | str:
    """Take back a cancellation that was the last change: "no, leave it". Raises :class:`Skip` if
    it was none."""
    if not AlarmList(data, at, language).has_cancelled:
        raise Skip
    return undo(data, at, language)


def undo(data: dict[str, Any], at: datetime, language: str) -> Answer | str:
    """Take back the last change."""
    alarms = AlarmList(data, at, language)
    if not alarms.take_back():
        return alarms.answer("nothing")
    if not alarms.times:
        return alarms.answer_change("undone_all")
    text = alarms.answer("undone", when=alarms.format_times(alarms.times))
    return Answer(text, offers=alarms.offers())


def show(data: dict[str, Any], at: datetime, language: str) -> Answer | str:
    """List the alarms, of which the user may then mean "the second one"."""
    alarms = AlarmList(data, at, language)
    if not alarms.times:
        return alarms.answer("none")
    text = alarms.answer("list", when=alarms.format_times(alarms.times))
    return Answer(text, offers=alarms.offers())


def left(data: dict[str, Any], at: datetime, language: str) -> str:
    """Answer with the time left until the next alarm."""
    alarms = AlarmList(data, at, language)
    if not alarms.times:
        return alarms.answer("none")
    first = alarms.times[0]
    return alarms.answer(
        "left", when=alarms.format_times([first]), left=alarms.format_time_left(first)
    )


def drop(data: dict[str, Any], at: datetime, language: str, conversation: LiveConversation) -> None:
    """Drop a pending question of the bot; the model's response is the answer."""
    AlarmList(data, at, language)
    conversation.forget(lambda entity: entity.element == "date")


def _last_set(match: Match, data: Mapping[str, Any], *, correction: bool) -> datetime | None:
    """The alarm that the last answer has set, if a question goes on with it ("and tomorrow") or
    corrects it ("no, 9")."""
    is_follow_up = correction or is_remembered(match.slots.get("action"))
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


def _find_shared_day(said: Sequence[Entity]) -> Entity | None:
    """The only date with a day among several hours: "5, 6 and 7 tomorrow", "tomorrow at 5, 6 and
    7"."""
    hours = [one for one in said if one.meta.get("expression", ("",))[0] == "clock"]
    others = [one for one in said if one not in hours]
    if len(others) != 1 or not hours:
        return None
    is_before = others[0].start < hours[0].start
    return others[0] if find_day(others[0]) or (is_before and _is_on_day(others[0])) else None


def _is_on_day(entity: Entity) -> bool:
    """Whether a date is a time of a day that it says: tomorrow at 5."""
    return bool(entity.meta.get("expression", ("",))[0] == "at")
