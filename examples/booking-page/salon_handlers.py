"""The handlers of the bot. Its appointments are kept with the conversation, for thirty minutes:
put your calendar in their place."""

from datetime import datetime

from anaphora import Answer

OPENS, CLOSES = 9, 19
SUNDAY = 6
_time = datetime.fromisoformat


def is_open(date):
    """Whether the shop is open on a day, or at a time; called before the bot confirms."""
    start = _time(date.meta["start"])
    has_time = date.meta["grain"] in ("hour", "minute")
    return start.weekday() != SUNDAY and (not has_time or OPENS <= start.hour < CLOSES)


def book(match, service, data, move, correction):
    booked = list(data.get("appointments", []))
    if correction:  # "no, at 4", after the yes
        del booked[-1:]
    elif move:  # "move the haircut to Friday"
        old = (_find(booked, service) or booked)[-1:]
        booked = [one for one in booked if one not in old]
    at = match.slots["when"].meta["start"]
    data["appointments"] = [*booked, {"service": service, "at": at}]
    return Answer(result=_time(at))


def show(data):
    return Answer(result=_with_times(data.get("appointments", [])))


def cancel(match, service, when, day, data):
    """Cancel the appointment that is named; if it may be several, offer them."""
    booked = data.get("appointments", [])
    dates = [match.slots[name].meta for name, value in (("when", when), ("day", day)) if value]
    found = _find(booked, service, *dates)
    if len(found) != 1:
        offers = [{"service": one["service"], "date": one["at"]} for one in found]
        return Answer(result=_with_times(found), offers=offers, then="cancel")
    data["appointments"] = [one for one in booked if one not in found]
    return Answer(result=_with_times(found))


def _find(booked, service, *dates):
    """The appointments for a service, if one is named, within the dates."""
    return [
        one
        for one in booked
        if service in (None, one["service"])
        and all(_time(date["start"]) <= _time(one["at"]) < _time(date["end"]) for date in dates)
    ]


def _with_times(booked):
    return [{**one, "at": _time(one["at"])} for one in booked]
