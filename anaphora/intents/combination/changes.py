"""Change what was said before by what is said of it: add to an amount ("2 more"), multiply it
("half of that"), move a time ("an hour later").

What corrects such a change ("no, two hours later", "no, two hours") takes its place: the metadata
of a changed entity keep what it was before, as ``changed_from``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.dates.combining.durations import (
    express_change_of_length,
    express_shift,
)
from anaphora.entities.builtin.dates.combining.readings import read_direction
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.cues.cue import Cue
from anaphora.intents.combination.amount_changes import AmountChange, read_factor
from anaphora.intents.combination.combiners import Combiners
from anaphora.intents.combination.completed_entity import Completed, place_entity

__all__ = ["Changes"]

_BEFORE = "changed_from"
_NOTES = frozenset({_BEFORE, "added"})  # of a change, in the metadata
_MOST_BEFORE = 2  # words that say that a duration is a length: for, *per le*
_MORE = frozenset({"add", "other"})  # the cues of another hour


class Changes(NamedTuple):
    """Changes what a conversation holds. ``amounts`` are what the utterance adds or takes away;
    what was said ``by_bot`` is not multiplied."""

    utterance: Utterance
    combiners: Combiners
    at: datetime
    cues: Sequence[Cue]
    amounts: Sequence[AmountChange]
    by_bot: Sequence[Entity]

    def change(self, old: Entity, new: Entity) -> Completed | None:
        """Change an old entity by a new one that would replace it: "30 minutes longer", "an hour
        later". None if the new one says no such thing."""
        if not new.groups <= old.groups or new.element != old.element:
            return None
        added = self._add(old, new) if self.amounts else None
        if added is not None:
            return added
        sign = read_direction(new)
        return self._move(old, new, sign) if sign else None

    def _add(self, old: Entity, new: Entity) -> Completed | None:
        """Add a new amount to an old one. That stays if they cannot be added: "20 dollars more"
        than 100 euros."""
        change = next((one for one in self.amounts if one.amount is new), None)
        if change is None:
            return None
        amounts, (_, sign, whole) = self.combiners.amounts[new.element], change
        found = self._apply(lambda base: amounts.add(base, whole, sign), old, sign)
        return found or Completed(replace(whole, value=old.value, meta=old.meta), old, base=old)

    def _move(self, old: Entity, new: Entity, sign: int) -> Completed | None:
        combiner = self.combiners.by_element[new.element]
        return self._apply(lambda base: combiner.combine(base, new, self.at), old, sign)

    def lengthen(self, held: Sequence[Entity], new: Entity) -> Completed | None:
        """Let a duration that is added, or taken away, change the end of a range of times: "half an
        hour longer" after "from 1 to 3". None if a length was said later than such a range."""
        change = next((one for one in self.amounts if one.amount is new), None)
        said = change and express_change_of_length(new.value, change.sign)
        if change is None or said is None:
            return None
        whole, sign = change.whole, change.sign
        for old in held:
            if new.groups <= old.groups:
                return None
            if old.element in self.combiners.dates:
                found = self._move(old, _place(old, whole, said), sign)
                if found is not None:
                    return found
        return None

    def replace_length(self, held: Sequence[Entity], new: Entity) -> Completed | None:
        """Let a duration replace that of a date which has one ("no, three hours" after "at nine for
        two hours"), or be that of one without if no intent takes durations ("for two hours" after
        "at nine"). None if a length was said later."""
        for old in held:
            if new.groups <= old.groups:
                return None
            if old.element in self.combiners.dates:
                if old.meta.get("expression", ("",))[0] == "lasting":
                    return self._complete_with(old, new.tokens)
                if self.combiners.takes_lengths:
                    return None
                first, last = new.tokens[0], new.tokens[-1] + 1
                starts = range(max(0, first - _MOST_BEFORE), first)
                found = (self._complete_with(old, range(start, last)) for start in starts)
                return next(filter(None, found), None)
        return None

    def _complete_with(self, old: Entity, words: Sequence[int]) -> Completed | None:
        """The old date, completed by some tokens of the sentence."""
        place = [self.utterance.tokens[index] for index in words]
        text = self.utterance.text[place[0].start : place[-1].end]
        combiner = self.combiners.by_element[old.element]
        found = combiner.complete(old, text, self.utterance.language, self.at)
        if found is None or found.end < len(text):
            return None
        changed = replace(old, value=found.value, meta=found.meta)
        return Completed(place_entity(changed, place, text), old)

    def move_again(self, held: Sequence[Entity], new: Entity) -> Completed | None:
        """Let a duration correct by how much a time has been moved: "no, an hour" after "half an
        hour later". None if that is not what was said last of times and durations."""
        if not self._corrects():
            return None
        for old in held:
            if new.groups <= old.groups:
                return None
            if old.element in self.combiners.dates:
                return self.move_by(old, new, new.value)
        return None

    def move_by(self, old: Entity, place: Entity, duration: str | None) -> Completed | None:
        """Correct by how much a time has been moved, or a range is longer, by a ``duration`` in ISO
        8601 that is said in a ``place``. None for what has not been moved, and for what corrects
        nothing."""
        if not self.may_move_again(old):
            return None
        before = old.meta[_BEFORE]
        is_longer = "start" in old.meta and before["meta"].get("start") == old.meta["start"]
        express = express_change_of_length if is_longer else express_shift
        shift = express(duration, before["sign"])
        if shift is None:
            return None
        base = _undo(old, before)
        said = _place(old, place, shift)
        moved = self.combiners.by_element[old.element].combine(base, said, self.at)
        return None if moved is None else _complete(moved, old, base, before["sign"])

    def may_move_again(self, old: Entity) -> bool:
        """Whether a sentence may correct by how much an old time has been moved."""
        is_moved = old.element in self.combiners.dates and _BEFORE in old.meta
        return is_moved and self._corrects()

    def multiply(self, held: Sequence[Entity]) -> Completed | None:
        """Multiply the amount that the user said last: "twice as long", "half of that"."""
        for cue in self.cues:
            if cue.kind != "factor":
                continue
            for old in held:
                amounts = self.combiners.amounts.get(old.element)
                factor = read_factor(cue, old)
                if amounts is None or factor is None or old in self.by_bot:
                    continue
                multiply = partial(amounts.multiply, factor=factor)
                found = self._apply(multiply, old, 1 if factor > 1 else -1)
                if found is not None:
                    tokens = [self.utterance.tokens[index] for index in cue.tokens]
                    text = self.utterance.text[tokens[0].start : tokens[-1].end]
                    entity = place_entity(found.entity, tokens, text)
                    return found._replace(entity=entity, is_certain=True)
        return None

    def find_meaningless(self, held: Sequence[Entity], said: Sequence[Entity]) -> list[Entity]:
        """The amounts in words that multiply only what the bot has said, which is not multiplied:
        "half of that" after "it is at 23 degrees" is no half a degree."""
        cues = [
            cue
            for cue in self.cues
            if any(read_factor(cue, old) is not None for old in held if old in self.by_bot)
        ]
        return [
            one
            for one in said
            if one.element in self.combiners.amounts
            and any(set(one.tokens) <= set(cue.tokens) for cue in cues)
        ]

    def _apply(
        self, change: Callable[[Entity], Entity | None], old: Entity, sign: int
    ) -> Completed | None:
        """Change an old entity, or what that was before its last change if the sentence corrects
        this. Who says the same once more ("sorry, 2 more") wants it once more."""
        base = self._find_base(old, sign)
        changed = change(base)
        if base is not old and changed is not None and changed.value == old.value:
            base, changed = old, change(old)
        if changed is None:
            return None
        return _complete(changed, old, base, sign, is_beside=self._adds())

    def _adds(self) -> bool:
        """Whether what is said is wanted beside what was said before: "and the day after"."""
        kinds = {cue.kind for cue in self.cues}
        return "add" in kinds and kinds.isdisjoint(("correct", "decline", "instead"))

    def _find_base(self, old: Entity, sign: int) -> Entity:
        """What is to be changed: the old entity, or what that was before its last change, if the
        sentence corrects it. "No, 20 less" after "50 more" corrects nothing, as it may be less than
        what there is now; "I meant 20 less" does."""
        before = old.meta.get(_BEFORE)
        if before is None or not self._corrects(sign * before["sign"]):
            return old
        return _undo(old, before)

    def _corrects(self, sign: int = 1) -> bool:
        """Whether the sentence corrects a change, with one in the same direction or, with the
        ``sign`` -1, in the other one."""
        kinds = {cue.kind for cue in self.cues}
        if any(cue.kind == "correct" and not cue.value for cue in self.cues):
            return True
        is_further = not self.amounts and not kinds.isdisjoint(_MORE)
        return sign > 0 and not is_further and not kinds.isdisjoint(("decline", "instead"))


def _place(old: Entity, place: Entity, expression: TimeExpression) -> Entity:
    """A date like an old one that says an ``expression``, with the words of another entity."""
    return replace(
        old,
        text=place.text,
        tokens=place.tokens,
        start=place.start,
        end=place.end,
        meta={"expression": expression},
    )


def _complete(
    changed: Entity, old: Entity, base: Entity, sign: int, *, is_beside: bool = False
) -> Completed:
    """The changed entity with notes of the change in its metadata."""
    before = {
        "text": base.text,
        "value": base.value,
        "meta": {key: one for key, one in base.meta.items() if key not in _NOTES},
        "sign": sign,
        **({"beside": True} if is_beside else {}),
    }
    meta = {key: one for key, one in changed.meta.items() if key not in _NOTES}
    added = _count_seconds(old.meta, meta)
    meta |= {} if added is None else {"added": added}
    return Completed(replace(changed, meta={**meta, _BEFORE: before}), old, base=base)


def _undo(old: Entity, before: Mapping[str, Any]) -> Entity:
    """The old entity as it was before its last change."""
    return replace(old, text=before["text"], value=before["value"], meta=before["meta"])


def _count_seconds(old: Mapping[str, Any], new: Mapping[str, Any]) -> float | None:
    """By how many seconds a duration is longer, or a time later; None for anything else."""
    if "seconds" in old and "seconds" in new:
        added: float = new["seconds"] - old["seconds"]
        return added
    for edge in ("start", "end"):
        if edge in old and edge in new and old[edge] != new[edge]:
            before, after = (datetime.fromisoformat(one[edge]) for one in (old, new))
            return (after - before).total_seconds()
    return None
