"""The handlers of the model ``restaurant``. The bookings are stored with the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from anaphora.bots.date_text import date_range, format_clock, format_day
from anaphora.bots.ordinals import (
    find_comparison,
    find_ordinal,
    has_cue,
    select_by_ordinal,
    select_several,
)
from anaphora.bots.restaurant.table import (
    Criteria,
    Restaurant,
    find_bound,
    find_restaurants,
    restaurants,
)
from anaphora.bots.tables import load_texts
from anaphora.bots.undo import data_before, remember, take_back
from anaphora.engine.callbacks.answer import Answer

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.intents.match import Match

__all__ = [
    "book",
    "cancel",
    "cancel_other",
    "drop",
    "find",
    "is_open",
    "show",
    "tell",
    "undo",
]

_MAX_OFFERED = 3
_CLOCKS = frozenset({"second", "minute", "hour"})  # grains of times that can be booked


def find(
    match: Match,
    data: dict[str, Any],
    at: datetime,
    language: str,
    declined: Sequence[Mapping[str, str]],
    comparison: str,
    text: str = "",
) -> Answer:
    """Offer up to three restaurants that fit and that the user has not declined, or that compare
    with another one ("cheaper than Forno")."""
    words = _Words(language, at)
    seen = [name for bundle in declined if (name := bundle.get("restaurant"))]
    if bound := _said(match, "bound"):
        seen = [find_bound(bound[0].value_or_text)]
        comparison = find_comparison(text, language)
    (price,) = _said(match, "price") or (None,)
    if price in [one.entity for one in match.filling.from_sentence]:  # "cheaper than 50"
        seen, comparison = [], ""
    low, high = (None, None) if comparison.startswith("price") else _price_range(price)
    criteria = Criteria(
        kitchens=[one.value_or_text for one in _said(match, "kitchen")],
        districts=[one.value_or_text for one in _said(match, "district")],
        excluded=[one.value_or_text for one in _said(match, "excluded")],
        min_price=low,
        max_price=high,
        is_open=_opening(_said(match, "when")),
        seen=seen,
        comparison=comparison or next((one.value_or_text for one in _said(match, "first")), ""),
    )
    found = find_restaurants(criteria)[:_MAX_OFFERED]
    head, tail = "better" if seen else "here", "which" if len(found) > 1 else "shall"
    if not found and seen:
        found, tail = find_restaurants(replace(criteria, seen=()))[:_MAX_OFFERED], "or_else"
        head = "all"
    if not found:
        others = criteria.is_open and find_restaurants(replace(criteria, is_open=None))
        return Answer(words.say("none_then" if others else "none"), offers=[])
    names = [one.name for one in found]
    is_known = data.get("shown") == names
    data["shown"] = names
    if is_known or head == "all":
        head = "all" if head == "all" else "still"
        text = f"{words.say(head, names=', '.join(names))} {words.say(tail)}"
    else:
        lines = [words.describe(number, one) for number, one in enumerate(found, 1)]
        text = "\n".join([words.say(head), *lines, words.say(tail)])
    return Answer(text, offers=[_bundle(one) for one in found], then="book")


def tell(match: Match, at: datetime, language: str) -> Answer:
    """Tell the address, the phone number and the like of a restaurant."""
    words = _Words(language, at)
    name = str(match.slots["restaurant"].value)
    place = restaurants()[name]
    details = dict.fromkeys(one.value_or_text for one in match.slots["detail"].entities)
    told = [words.tell(detail, place) for detail in details]
    is_open = _opening(_said(match, "when"))
    if "hours" in details and is_open is not None and not is_open(place):
        told.insert(0, words.say("not_then"))
    return Answer(" ".join(told), mentions={"restaurant": name})


def is_open(date: Entity, question: Any) -> bool | str:
    """Check that a table can be had then, before the bot asks for the rest or for a yes."""
    place, grain = question.slots.get("restaurant"), date.meta.get("grain")
    if place is None or "start" not in date.meta or grain == "second":  # "now" begins a sentence
        return True
    words, one = _Words(question.language, question.at), restaurants()[str(place.value)]
    start = datetime.fromisoformat(date.meta["start"])
    if grain in _CLOCKS:
        return words.refuse(one, start, question.at) or True
    first, last = date_range(date.meta, start.date())
    return first != last or one.is_open(start, whole_day=True) or words.refuse_day(one, start)


def book(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """Book a table. It replaces one at the same restaurant on the same day, and one at the same
    time: nobody sits at two tables. "Move it to Saturday" replaces the last one made there."""
    words = _Words(language, at)
    place = restaurants()[str(match.slots["restaurant"].value)]
    people = int(float(str(match.slots["people"].value)))
    time = datetime.fromisoformat(match.slots["when"].entities[0].meta["start"])
    if refusal := words.refuse(place, time, at):
        return refusal
    new = {"name": place.name, "people": people, "time": time.isoformat()}
    known = _bookings(data, at)
    if new in known:
        return words.say("known", booking=words.booking(new))
    moved = _last_made(known, place.name, data) if _is_change(match) else None
    old = [one for one in known if one == moved or _is_replaced(one, new)]
    kept = [one for one in known if one not in old]
    remember(data)
    data["last"] = new
    data["bookings"] = sorted([*kept, new], key=lambda one: str(one["time"]))
    if old:
        listed = "; ".join(map(words.booking, old))
        return words.say("changed", booking=words.booking(new), old=listed)
    return words.say("booked", booking=words.booking(new))


def show(data: dict[str, Any], at: datetime, language: str) -> Answer:
    """List the bookings, which can then be referred to: "cancel the second one"."""
    words, known = _Words(language, at), _bookings(data, at)
    if not known:
        return Answer(words.say("nothing"), offers=[])
    text = words.list_bookings(known)
    if len(known) == 1:
        return Answer(text, mentions={"restaurant": known[0]["name"]}, offers=[])
    return Answer(text, offers=_booking_bundles(known), then="cancel")


def cancel(
    match: Match, data: dict[str, Any], at: datetime, language: str, *, text: str = ""
) -> Answer | str:
    """Cancel the bookings at a restaurant or of a day, or all, or the only one, or the one at a
    place in their list ("the first one")."""
    words, known = _Words(language, at), _bookings(data, at)
    if not known:
        return Answer(words.say("nothing"), offers=[])
    place = None if _named(match, "when") else find_ordinal(text, language)
    several = select_several(known, text, language)
    # The first one is the first booking, whatever is first among the restaurants on offer.
    meant = _meant(match, known) if place is None else select_by_ordinal(known, place)
    chosen = known if "all" in match.slots else several or meant
    if not chosen and place is None:
        return words.say("not_booked")
    if not chosen or (len(chosen) > 1 and "all" not in match.slots and not several):
        listed = chosen or known
        text = f"{words.say('which_booking')} {words.list_bookings(listed)}"
        return Answer(text, offers=_booking_bundles(listed), then="cancel")
    return _cancel(known, chosen, data, words)


def cancel_other(
    match: Match, data: dict[str, Any], at: datetime, language: str, *, text: str = ""
) -> Answer:
    """Cancel the booking at another place of the list than the one just cancelled, which comes back
    ("no, I meant the second"), or that one as well ("and the second")."""
    words, left = _Words(language, at), _bookings(data, at)
    if len(data_before(data).get("bookings", ())) > len(data.get("bookings", ())):
        take_back(data)
    known = _bookings(data, at)
    chosen = select_by_ordinal(known, find_ordinal(text, language))
    if not chosen:
        listed = f"{words.say('which_booking')} {words.list_bookings(left)}" if left else ""
        return Answer(listed or words.say("nothing"), offers=_booking_bundles(left), then="cancel")
    back = [one for one in known if one not in left]
    if has_cue(text, language, "add"):
        chosen = [one for one in known if one in back or one in chosen]
    return _cancel(known, chosen, data, words, [one for one in back if one not in chosen])


def undo(data: dict[str, Any], at: datetime, language: str) -> Answer:
    """Take back the last booking, or what was cancelled last."""
    words = _Words(language, at)
    if not take_back(data):
        return Answer(words.say("not_undone"))
    known = _bookings(data, at)
    listed = words.list_bookings(known) if known else words.say("nothing")
    return Answer(f"{words.say('undone')} {listed}", offers=_booking_bundles(known), then="cancel")


def drop() -> Answer:
    """Take the offers from the table; the model's response is the answer."""
    return Answer(offers=[])


def _cancel(
    known: Sequence[dict[str, Any]],
    chosen: Sequence[dict[str, Any]],
    data: dict[str, Any],
    words: _Words,
    kept: Sequence[dict[str, Any]] = (),
) -> Answer:
    """Cancel the ``chosen`` bookings. Those that are ``kept`` had been cancelled by mistake."""
    remember(data)
    data["bookings"] = [one for one in known if one not in chosen]
    text = words.say("cancelled", booking="; ".join(map(words.booking, chosen)))
    if kept:
        text = f"{words.say('kept', booking='; '.join(map(words.booking, kept)))} {text}"
    return Answer(text, offers=[])


class _Words:
    """The texts of the bot in one language."""

    def __init__(self, language: str, at: datetime) -> None:
        self._texts = load_texts("restaurant", language)
        self._language = language
        self._today = at.date()

    def say(self, key: str, **values: Any) -> str:
        return str(self._texts[key].format(**values))

    def describe(self, number: int, one: Restaurant) -> str:
        """A line of a list of offers."""
        return self.say("offer", number=number, **self.values(one))

    def tell(self, detail: str, one: Restaurant) -> str:
        return self.say(detail, **self.values(one))

    def refuse(self, one: Restaurant, time: datetime, at: datetime) -> str:
        """Why no table can be had at a time; empty if one can."""
        if time <= at:
            return self.say("past")
        if not one.is_open(time, whole_day=True):
            return self.refuse_day(one, time)
        return "" if one.is_open(time) else self.say("closed_hour", **self.values(one))

    def refuse_day(self, one: Restaurant, time: datetime) -> str:
        day = format_day(time.date(), self._language, self._today)
        return self.say("closed_day", name=one.name, day=day)

    def booking(self, one: Mapping[str, Any]) -> str:
        time = datetime.fromisoformat(one["time"])
        day = format_day(time.date(), self._language, self._today)
        clock = format_clock(time)
        return self.say("booking", name=one["name"], people=one["people"], day=day, clock=clock)

    def list_bookings(self, known: Sequence[Mapping[str, Any]]) -> str:
        lines = [f"{number}. {self.booking(one)}" for number, one in enumerate(known, 1)]
        return "\n".join([self.say("bookings"), *lines])

    def values(self, one: Restaurant) -> dict[str, Any]:
        """What the texts may say of a restaurant."""
        texts = self._texts
        closed = texts["daily"]
        if one.closed is not None:
            closed = self.say("closed", weekday=texts["weekdays"][one.closed])
        return {
            "name": one.name,
            "kitchen": texts["kitchens"][one.kitchen],
            "district": texts["districts"][one.district],
            "price": one.price,
            "rating": one.rating,
            "distance": one.distance,
            "phone": one.phone,
            "street": one.street.get(self._language[:2], one.street["en"]),
            "opens": f"{one.opens:%H:%M}",
            "closes": f"{one.closes:%H:%M}",
            "closed": closed,
        }


def _said(match: Match, slot: str) -> tuple[Entity, ...]:
    """What the user wants: what the bot told of another restaurant is no wish."""
    filled = match.slots.get(slot)
    taken = filled.taken if filled else ()
    return tuple(
        one.entity
        for one in taken
        if not (one.offered or (one.remembered and one.remembered.by == "bot"))
    )


def _price_range(price: Entity | None) -> tuple[float | None, float | None]:
    """The limits of a price: "20 to 30 euros"; a bare amount is the most one wants to pay."""
    if price is None:
        return None, None
    meta = price.meta
    if "from" in meta or "to" in meta:
        return meta.get("from"), meta.get("to")
    return None, meta.get("amount")


def _opening(whens: Iterable[Entity]) -> Any:
    """A test whether a restaurant is open at a time; None if no time is wanted."""
    when = next(iter(whens), None)
    if when is None or "start" not in when.meta:
        return None
    start = datetime.fromisoformat(when.meta["start"])
    first, last = date_range(when.meta, start.date())
    whole_day = when.meta.get("grain") not in _CLOCKS
    if whole_day and first != last:
        return None
    return lambda one: one.is_open(start, whole_day=whole_day)


def _bundle(one: Restaurant) -> dict[str, Any]:
    return {
        "restaurant": one.name,
        "price": f"{one.price} EUR",
        "rating": {
            "text": str(one.rating),
            "value": str(one.rating),
            "meta": {"value": one.rating},
        },
        "distance": {
            "text": str(one.distance),
            "value": str(one.distance),
            "meta": {"value": one.distance},
        },
    }


def _bookings(data: Mapping[str, Any], at: datetime) -> list[dict[str, Any]]:
    """The bookings that are not over."""
    known = data.get("bookings", ())
    return [dict(one) for one in known if datetime.fromisoformat(one["time"]) > at]


def _booking_bundles(known: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "restaurant": one["name"],
            "people": {
                "text": str(one["people"]),
                "value": str(one["people"]),
                "meta": {"value": one["people"]},
            },
            "date": datetime.fromisoformat(one["time"]),
        }
        for one in known
    ]


def _meant(match: Match, known: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """The bookings that the user names by restaurant or time; a remembered restaurant counts only
    if there is a table, a remembered time never."""
    place, (when,) = match.slots.get("restaurant"), _named(match, "when") or (None,)
    if when is not None and "start" in when.meta:
        start = datetime.fromisoformat(when.meta["start"])
        first, last = date_range(when.meta, start.date())
        known = [one for one in known if str(first) <= one["time"][:10] <= str(last)]
    if place is None:
        return known
    there = [one for one in known if one["name"] == place.value]
    return there if there or place.source == "sentence" else known


def _named(match: Match, slot: str) -> tuple[Entity, ...]:
    """What the sentence names in a slot, or the offer that it accepts."""
    filled = match.slots.get(slot)
    return tuple(one.entity for one in filled.taken if one.source == "sentence") if filled else ()


def _is_change(match: Match) -> bool:
    """Whether this booking is to replace another: what is remembered has been changed already."""
    change = match.slots.get("change")
    return change is not None and not any(one.remembered for one in change.taken)


def _last_made(
    known: Sequence[dict[str, Any]], name: str, data: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The last booking made, if it is at that restaurant, else the first one there."""
    there = [one for one in known if one["name"] == name]
    return data["last"] if data.get("last") in there else next(iter(there), None)


def _is_replaced(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    if old["time"] == new["time"]:
        return True
    return bool(old["name"] == new["name"] and old["time"][:10] == new["time"][:10])
