"""The handlers of the bot. Its appointments are kept with the conversation, for thirty minutes:
put your calendar in their place."""

from datetime import datetime

from anaphora import Answer, Skip
from anaphora.bots.ordinals import has_cue, select_by_ordinal
from anaphora.bots.undo import data_before, remember, take_back

OPENS, CLOSES = 9, 19
SUNDAY = 6
TAKEN = {
    "de": "Da haben Sie schon einen Termin. Wann sonst?",
    "en": "You have an appointment then. When else?",
    "ru": "На это время вы уже записаны. Когда ещё?",
}
_time = datetime.fromisoformat


def is_open(date):
    """Whether the shop is open on a day, or at a time; called before the bot confirms."""
    start = _time(date.meta["start"])
    has_time = date.meta["grain"] in ("hour", "minute")
    return start.weekday() != SUNDAY and (not has_time or OPENS <= start.hour < CLOSES)


def is_free(date, question):
    """Whether the shop is open at a time, and the user has no other appointment then."""
    if not is_open(date):
        return False
    booked = question.conversation_data.get("appointments", [])
    others = [] if question.correction or "move" in question.slots else booked
    return all(one["at"] != date.meta["start"] for one in others) or TAKEN[question.language]


def book(match, service, data, move, correction):
    booked = list(data.get("appointments", []))
    if correction:  # "no, at 4", after the yes
        del booked[-1:]
    elif move:  # "move the haircut to Friday"
        old = (_find(booked, service) or booked)[-1:]
        booked = [one for one in booked if one not in old]
    elif (changed := match.slots["when"].meta.get("changed_from")) and "beside" not in changed:
        # "An hour later", after the yes, moves it; "and the day after" books another one.
        old = {"service": service, "at": changed["meta"]["start"]}
        booked = [one for one in booked if one != old]
    at = match.slots["when"].meta["start"]
    remember(data)
    data["appointments"] = [*booked, {"service": service, "at": at}]
    return Answer(result=_time(at))


def show(data):
    """Tell the appointments, and offer them: "cancel the second one"."""
    booked = data.get("appointments", [])
    return Answer(result=_with_times(booked), offers=_offers(booked))


def cancel(match, service, when, day, every, data, conversation):
    """Cancel the appointment that is named, or all; if it may be several, offer them."""
    booked = data.get("appointments", [])
    dates = [match.slots[name].meta for name, value in (("when", when), ("day", day)) if value]
    found = _find(booked, service, *dates)
    if len(found) > 1 and not (every == "all" or (every == "both" and len(found) == 2)):
        result = {"which": _with_times(found)}
        return Answer(result=result, offers=_offers(found), then="cancel")
    conversation.forget(lambda entity: entity.element in ("service", "date"))  # of what is gone
    return _cancel(found, data)


def cancel_other(place, data, text, language):
    """Cancel another one of the list than just now, which comes back ("no, I meant the second"), or
    that one, too ("and the second")."""
    booked, left = data_before(data).get("appointments", []), data["appointments"]
    if len(booked) <= len(left):
        raise Skip  # the last change was another one
    found = select_by_ordinal(booked, int(place))
    if not found:
        return Answer(result={"which": _with_times(left)}, offers=_offers(left), then="cancel")
    if has_cue(text, language, "add"):
        found = [one for one in booked if one in found or one not in left]
    take_back(data)
    return _cancel(found, data)


def undo(data):
    undone = take_back(data)
    return Answer(result={"undone": undone, "booked": _with_times(data.get("appointments", []))})


def _cancel(found, data):
    if found:
        remember(data)
        data["appointments"] = [one for one in data["appointments"] if one not in found]
    return Answer(result={"cancelled": _with_times(found)}, offers=[])


def _find(booked, service, *dates):
    """The appointments for a service, if one is named, within the dates."""
    return [
        one
        for one in booked
        if service in (None, one["service"])
        and all(_time(date["start"]) <= _time(one["at"]) < _time(date["end"]) for date in dates)
    ]


def _offers(booked):
    return [
        {"service": one["service"], "date": f"{_time(one['at']):%Y-%m-%dT%H:%M}"} for one in booked
    ]


def _with_times(booked):
    return [{**one, "at": _time(one["at"])} for one in booked]
