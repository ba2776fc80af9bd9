"""The handlers of the bot. Its appointments are kept with the conversation, for thirty minutes:
put your calendar in their place."""

from datetime import datetime

from anaphora import Answer

OPENS, CLOSES = 9, 19
SUNDAY = 6


def is_open(date):
    """Whether the shop is open on a day, or at a time; called before the bot confirms."""
    start = datetime.fromisoformat(date.meta["start"])
    has_time = date.meta["grain"] in ("hour", "minute")
    return start.weekday() != SUNDAY and (not has_time or OPENS <= start.hour < CLOSES)


def book(match, service, data):
    at = match.slots["when"].meta["start"]
    data["appointments"] = [*data.get("appointments", []), {"service": service, "at": at}]
    return Answer(result=datetime.fromisoformat(at))


def show(data):
    booked = data.get("appointments", [])
    return Answer(result=[{**one, "at": datetime.fromisoformat(one["at"])} for one in booked])


def cancel(data):
    *kept, last = [None, *data.get("appointments", [])]
    data["appointments"] = kept[1:]
    return Answer(result=last)
