"""Change how many of something: "one more suitcase", "make it five", "remove one box"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue import Cue
from anaphora.entities.matching.quantity_linker import count_of
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.index import may_take
from anaphora.intents.interpretation.dialog_turn import DialogTurn, stand_in
from anaphora.stm.offers import is_same_meaning, takes_back

__all__ = ["add_up", "count_anew", "is_recount", "take_off"]

_CLOCK_GRAINS = frozenset({"hour", "minute"})


def add_up(turn: DialogTurn, held: Sequence[Entity], counted: Collection[str]) -> DialogTurn:
    """Give what the question names of the ``counted`` elements the number that it has now, if some
    of it is ``held``: "one more" adds to it, and a mention without a number leaves it."""
    adds = any(map(_is_more, turn.cues))

    def change(own: Sequence[Entity]) -> list[Entity]:
        return [_add(one, held, adds=adds) if one.element in counted else one for one in own]

    return turn.change(change) if any(one.element in counted for one in turn.said) else turn


def _is_more(cue: Cue) -> bool:
    return cue.kind == "other" or (cue.kind == "add" and cue.value == "")


def _add(entity: Entity, held: Iterable[Entity], *, adds: bool) -> Entity:
    before = next((one for one in held if is_same_meaning(one, entity)), None)
    if before is None or entity.negated:
        return entity
    if adds:
        return replace(entity, quantity=(before.quantity or 1) + (entity.quantity or 1))
    if entity.quantity is None and before.quantity is not None:
        return replace(entity, quantity=before.quantity)
    return entity


def count_anew(
    turn: DialogTurn,
    held: Sequence[Entity],
    counted_by: Mapping[str, str],
    intent: Intent | None,
) -> DialogTurn:
    """Read a bare number ("make it five", "two more", "five instead of three") as that of the one
    counted thing ``held``, or of the one that the question names, or of which it negates as many.
    Not if the ``intent`` takes numbers itself; ``counted_by`` has the elements of numbers by those
    that they count."""
    things = [one for one in held if one.element in counted_by]
    said, negated = turn.said, turn.negated
    numbers = [one for one in said if one.element in counted_by.values()]
    if len(numbers) != 1 or intent is None or _takes(intent, numbers[0]):
        return turn
    value = count_of(numbers[0])
    named = [one for one in (*said, *negated) if one.element in counted_by]
    if value is None or len(said) > 1 + len(named) or any(one.quantity for one in said):
        return turn
    if named:  # "change the boxes to four", "not three boxes, four"
        meant = [one for one in things if all(is_same_meaning(one, other) for other in named)]
    else:
        counts = [count_of(one) for one in negated if one.element in counted_by.values()]
        meant = [one for one in things if one.quantity in counts] or things
    adds = any(map(_is_more, turn.cues))
    has_time = any(one.meta.get("grain") in _CLOCK_GRAINS for one in held)
    if len(meant) != 1 or (has_time and not (adds or negated or named)):
        return turn  # "make it ten" is rather another hour
    if adds:
        value += meant[0].quantity or 1
    changed = stand_in(meant[0], numbers[0].tokens, turn.question.utterance)
    changed = replace(changed, quantity=value)
    gone = {*counted_by, *counted_by.values()}

    def change(own: Sequence[Entity]) -> list[Entity]:
        return [changed, *[one for one in own if one.element not in gone]]

    return turn.change(change)


def _takes(intent: Intent, number: Entity) -> bool:
    return any(may_take(term, number) for term in intent.terms)


def is_recount(turn: DialogTurn, held: Sequence[Entity], counted: Collection[str]) -> bool:
    """Whether all that a question names is counted and already ``held``: "five boxes"."""
    said = turn.said
    return bool(said) and all(
        one.element in counted
        and one.quantity is not None
        and any(is_same_meaning(one, other) for other in held)
        for one in said
    )


def take_off(entity: Entity, negated: Iterable[Entity]) -> Entity | None:
    """Return what is left of an entity without the ``negated`` ones: the entity itself, fewer of it
    ("remove one box" of three), or None."""
    for one in negated:
        if takes_back(one, entity):
            left = (entity.quantity or 1) - one.quantity if one.quantity is not None else 0
            if left <= 0:
                return None
            entity = replace(entity, quantity=left)
    return entity
