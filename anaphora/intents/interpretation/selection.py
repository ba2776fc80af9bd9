"""Which of the offers a sentence means: the second one, the cheaper one, Kiku, the one at seven
(rule 13)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from msgspec import Struct

from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue import Cue
from anaphora.stm.conversation import Offers

__all__ = ["Selection", "compare_bundles", "is_same_value", "names_offer", "select_bundles"]

_Bundle: TypeAlias = tuple[Entity, ...]

_DAY, _NOON, _EVENING = timedelta(days=1), 12, 18
_TIMES = ("hour", "minute")  # grains
_ON_A_DAY = ("at", "at_times", "within")  # the operations on a day
_SCALE_KEYS = ("amount", "value", "start")  # of the metadata of numbers, money and dates


class Selection(Struct, frozen=True):
    """The ``bundles`` that a sentence may mean, by their indexes, the cues that selected them, and
    the entities of the sentence that name them."""

    bundles: tuple[int, ...]
    cues: tuple[Cue, ...] = ()
    entities: tuple[Entity, ...] = ()

    @property
    def is_explicit(self) -> bool:
        """Whether the sentence selects anything at all."""
        return bool(self.cues or self.entities)


def select_bundles(
    offers: Offers,
    cues: Iterable[Cue],
    entities: Sequence[Entity],
    refused: Collection[int] = (),
) -> Selection:
    """Select among what lies on the table, but for the ``refused``, by place in the list, by
    comparison, and by values that the sentence names. "Something cheaper" selects nothing: "the
    cheaper one" does."""
    cues = tuple(cues)
    accepts = any(cue.kind == "accept" for cue in cues)
    count = len(offers.bundles)
    left = [index for index in range(count) if index not in refused]
    used = [cue for cue in cues if cue.kind == "ordinal" and -count <= cue.number <= count]
    if used:  # of several ("the first or the third") any may be meant
        pointed = {cue.number - 1 if cue.number > 0 else count + cue.number for cue in used}
        left = [index for index in left if index in pointed]
    for cue in cues:
        if cue.kind == "comparison" and (cue.number or (accepts and len(left) > 1)):
            place = used[0].number - 1 if len(used) == 1 and used[0].number > 0 else 0
            among = range(count) if place else left  # "the second cheapest"
            best = compare_bundles(offers.bundles, among, cue.value, place)
            if best is not None:
                left = [best]
                used.append(cue)
    named = [one for one in entities if not one.negated and names_offer(one, offers, left)]
    for element in dict.fromkeys(one.element for one in named):
        values = [one for one in named if one.element == element]
        naming = [i for i in left if any(_names(one, offers.bundles[i]) for one in values)]
        left = naming or left
    return Selection(tuple(left), tuple(used), tuple(named))


def names_offer(entity: Entity, offers: Offers, indexes: Iterable[int] | None = None) -> bool:
    """Whether an entity is a value of any offer, or of those with these ``indexes``."""
    chosen = range(len(offers.bundles)) if indexes is None else indexes
    return any(_names(entity, offers.bundles[index]) for index in chosen)


def _names(entity: Entity, bundle: _Bundle) -> bool:
    return any(is_same_value(entity, offered) for offered in bundle)


def is_same_value(entity: Entity, offered: Entity) -> bool:
    """Whether the user names the ``offered`` value: the same value of the same element, a time
    that leaves open what the offer says ("7" for 7 pm), or the day, or the part of the day, of
    what has a time."""
    if entity.element != offered.element:
        return False
    if entity.value_or_text.casefold() == offered.value_or_text.casefold():
        return True
    if entity.text.casefold() == offered.text.casefold():
        return True
    said, start = _start_of(entity), _start_of(offered)
    if said is None or start is None or offered.meta.get("grain") not in _TIMES:
        return False
    if entity.meta.get("grain") not in _TIMES:
        end = entity.meta.get("end")
        if not isinstance(end, str):
            return False
        is_part = entity.meta.get("assumed") == "day"  # of any day
        return (_is_in_part if is_part else _is_between)(start, said, datetime.fromisoformat(end))
    expression = entity.meta.get("expression")
    if expression and expression[0] in _ON_A_DAY and said.date() != start.date():
        return False
    is_open = bool(entity.meta.get("alternatives"))
    hours = (said.hour - start.hour) % (12 if is_open else 24)
    return hours == 0 and said.minute == start.minute


def _is_between(time: datetime, start: datetime, end: datetime) -> bool:
    return start <= time < end


def _is_in_part(time: datetime, start: datetime, end: datetime) -> bool:
    """Whether a time is in a part of its own day. One that ends at noon begins at midnight, and an
    evening an hour early: five in the morning, five in the evening."""
    begin = timedelta(hours=start.hour, minutes=start.minute)
    if end.hour == _NOON:
        begin = timedelta()
    elif start.hour == _EVENING:
        begin -= timedelta(hours=1)
    since = timedelta(hours=time.hour, minutes=time.minute) - begin
    whole = timedelta(hours=end.hour, minutes=end.minute) - begin
    return since % _DAY < (whole % _DAY or _DAY)


def compare_bundles(
    bundles: Sequence[_Bundle], indexes: Sequence[int], comparison: str, place: int = 0
) -> int | None:
    """The index of the bundle with the least or the most on a scale ("price:less"), or of the one
    at a later ``place`` on it; None if the bundles cannot be compared, or two of them are equal
    there."""
    scale, _, direction = comparison.partition(":")
    measured = []
    for index in indexes:
        amounts = [
            amount
            for entity in bundles[index]
            if _is_on_scale(entity, scale) and (amount := _measure(entity)) is not None
        ]
        if not amounts:
            return None
        measured.append((amounts[0], index))
    measured.sort(reverse=direction == "more")
    amounts = [amount for amount, _ in measured]
    if place >= len(measured) or amounts.count(amounts[place]) > 1:
        return None
    return measured[place][1]


def _is_on_scale(entity: Entity, scale: str) -> bool:
    """Whether the entity measures something on the scale: its element, a group or an ancestor of
    it has the name of the scale, or its recognizer is of that kind."""
    if scale in (entity.element, *entity.groups, *entity.ancestors):
        return True
    if scale == "price":
        return "currency" in entity.meta
    return scale == "time" and "grain" in entity.meta


def _measure(entity: Entity) -> float | None:
    for key in _SCALE_KEYS:
        value = entity.meta.get(key)
        if isinstance(value, int | float):
            return float(value)
        if key == "start" and (start := _start_of(entity)) is not None:
            return start.timestamp()
    try:
        return float(entity.value_or_text)
    except ValueError:
        return None


def _start_of(entity: Entity) -> datetime | None:
    start = entity.meta.get("start")
    return datetime.fromisoformat(start) if isinstance(start, str) else None
