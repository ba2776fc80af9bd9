"""Combine what a question says with what is remembered of the same value: "at eight" after "on
Friday" is Friday at eight, and "until the 28th" after "from December 20" is December 28."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.dates.combining.readings import is_relative
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.negation import find_negated
from anaphora.intents.combination.amount_changes import AmountChange, find_amount_changes
from anaphora.intents.combination.changes import Changes
from anaphora.intents.combination.combiners import Combiners
from anaphora.intents.combination.completed_entity import Completed
from anaphora.intents.combination.completion import Completion, is_number
from anaphora.intents.interpretation.selection import select_bundles
from anaphora.models.domain import ConversationSettings
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import expire

if TYPE_CHECKING:
    from anaphora.entities.builtin.dates.recurrences.combiner import RecurrenceCombiner

__all__ = ["CombinedUtterance", "combine_with_memory"]

# The cues of what denies what was said, and of what is said in its place, not beside it.
_DENYING = frozenset({"correct", "decline", "negate"})
_REPLACING = _DENYING | {"instead"}


class CombinedUtterance(NamedTuple):
    """An utterance with combined entities, and notes for the explanation, each with the entity that
    it is on. ``fallback_notes`` apply if the fallback entities count. A question that
    ``is_relative`` to the memory ("an hour later") or to an offer ("move the first one to nine")
    means nothing without it."""

    utterance: Utterance
    notes: Mapping[str, Entity]
    fallback_notes: Mapping[str, Entity]
    is_relative: bool


def combine_with_memory(
    utterance: Utterance,
    conversation: Conversation,
    at: datetime,
    settings: ConversationSettings,
    combiners: Combiners,
    cues: Sequence[Cue] = (),
) -> CombinedUtterance | None:
    """Combine the entities of a question with pending and remembered ones that they would replace,
    newest first; None if nothing is combined. ``settings`` determine what has expired, the ``cues``
    which of the offers is meant.

    Raises :class:`HandlerError` if a user-defined function fails.
    """
    said = utterance.fallback_entities or utterance.entities
    if not (combiners.completing or combiners.amounts or combiners.may_combine(said)):
        return None
    meant = _select_offer(conversation, said, combiners, cues)
    held = _find_held(conversation, meant)
    if not held:
        return None
    # "The second" is one of the offers, and so is one of several places.
    is_listed = conversation.offers is not None or sum(one.kind == "ordinal" for one in cues) > 1
    is_asked = conversation.pending is not None and not conversation.pending.confirms
    amounts = _find_amount_changes(utterance, said, combiners, conversation)
    has_factor = any(one.kind == "factor" for one in cues)
    by_bot = _find_said_by_bot(conversation) if has_factor else ()
    changes = Changes(utterance, combiners, at, cues, amounts, by_bot)
    completion = Completion(utterance, combiners, at, cues, meant.cues, is_listed, changes)
    combination = _Combination(utterance, combiners, at, cues, meant, is_asked, changes, completion)
    found = combination.combine(held)
    if found is None:
        return None
    left = _find_held(expire(conversation, at, settings)[0], meant)
    return found if left == held else combination.combine(left)


def _find_said_by_bot(conversation: Conversation) -> Sequence[Entity]:
    """What the bot has offered or mentioned."""
    offered = conversation.offers.bundles if conversation.offers else ()
    mentioned = [one.entity for one in conversation.remembered if one.by != "user"]
    return (*mentioned, *(one for bundle in offered for one in bundle))


def _find_amount_changes(
    utterance: Utterance,
    said: Sequence[Entity],
    combiners: Combiners,
    conversation: Conversation,
) -> Sequence[AmountChange]:
    """What the sentence adds to the amounts of the question that waits, or of the last one, unless
    it begins with that anew: "send 50 more". What a number counts begins nothing: "2 people
    less"."""
    counted = {one.tokens[-1] + 1 for one in said if is_number(one)}
    begins = any(
        one.is_from_phrase and one.value is None and one.tokens[0] not in counted for one in said
    )
    if not combiners.amounts or (begins and conversation.pending is None):
        return ()
    return find_amount_changes(utterance, [one for one in said if _may_change(one, combiners)])


def _may_change(entity: Entity, combiners: Combiners) -> bool:
    return entity.is_from_phrase or entity.element in combiners.amounts


class _MeantOffer(NamedTuple):
    """The offer of several that a sentence means, if any, and the cues that say so."""

    bundle: tuple[Entity, ...] = ()
    cues: tuple[Cue, ...] = ()


def _select_offer(
    conversation: Conversation, said: Iterable[Entity], combiners: Combiners, cues: Sequence[Cue]
) -> _MeantOffer:
    """Find the offer of several that a sentence means: "the first one at nine"."""
    offers = conversation.open_offers
    if not combiners.completing or offers is None or len(offers.bundles) < 2:
        return _MeantOffer()
    names = [one for one in said if one.element not in combiners.by_element]
    selection = select_bundles(offers, cues, names)
    if not selection.is_explicit or len(selection.bundles) != 1:
        return _MeantOffer()
    return _MeantOffer(offers.bundles[selection.bundles[0]], selection.cues)


def _find_held(conversation: Conversation, meant: _MeantOffer) -> tuple[Entity, ...]:
    """What the offer that is meant, the question that waits, the one offer on the table, and the
    memory have, each the newest first."""
    pending = conversation.pending.entities[::-1] if conversation.pending else ()
    offers = conversation.open_offers
    newest = sorted(
        conversation.remembered, key=lambda one: (-one.question_number, -one.entity.end)
    )
    remembered = [one.entity for one in newest]
    if offers is not None and meant.bundle:
        return (*meant.bundle, *pending, *remembered)
    offered = offers.bundles[0] if offers and len(offers.bundles) == 1 else ()
    return (*pending, *offered, *remembered)


class _Combination(NamedTuple):
    """Combines an utterance with what the conversation holds. ``is_asked`` says whether the bot
    waits for a value."""

    utterance: Utterance
    combiners: Combiners
    at: datetime
    cues: Sequence[Cue]
    meant: _MeantOffer
    is_asked: bool
    changes: Changes
    completion: Completion

    def combine(self, held: Sequence[Entity]) -> CombinedUtterance | None:
        utterance = self.utterance
        said = utterance.fallback_entities or utterance.entities
        misread = self._find_misread(said)
        combined: list[tuple[Entity, Completed]] = []
        for new in said:
            if self.combiners.can_change(new.element) and new not in misread:
                one = self._combine_with_newest(held, new)
                combined += () if one is None else [(new, one)]
        combined = [(new, self._add_hour(new, one, said)) for new, one in combined]
        notes = {_format_note(new.text, one): one.entity for new, one in combined}
        multiplied = self.changes.multiply(held)
        if multiplied is None and self.changes.by_bot:
            void = self.changes.find_meaningless(held, said)
            if void:
                return self._leave_void(void)
        is_changed = multiplied is not None or any(
            one.base is not None and not is_relative(new) for new, one in combined
        )
        may_complete = self.combiners.completing and not is_changed
        completed = self.completion.complete(held, said, misread) if may_complete else []
        if multiplied is not None:
            completed = [multiplied]
        if not combined and not completed:
            return None
        pairs = [(new, one.entity) for new, one in combined]
        entities = _replace_entities(utterance.entities, pairs)
        longer = {
            index
            for new, one in pairs
            if new.element in self.combiners.dates and len(one.tokens) > len(new.tokens)
            for index in one.tokens
        }
        if longer:  # no, 11 on Friday
            entities = tuple([one for one in entities if not _is_number_in(one, longer)])
        fallback = _replace_entities(utterance.fallback_entities, pairs)
        fallback_notes = dict(notes)
        hours = [one.entity for new, one in combined if self._are_hours(new, one.old, held)]
        if hours and not completed:
            taken = {index for one in hours for index in one.tokens}
            others = [one for one in entities if taken.isdisjoint(one.tokens)]
            entities, fallback = _in_order((*others, *hours)), ()
            notes = fallback_notes
        if completed:
            new_ones = [one.entity for one in completed]
            is_certain = all(
                one.is_certain or self._changes_newest(one, said, held) for one in completed
            )
            if is_certain:
                alike = {one.element for one in new_ones}
                own = [
                    one
                    for one in entities
                    if one.element in alike
                    and one not in misread
                    and (multiplied is None or set(multiplied.entity.tokens).isdisjoint(one.tokens))
                ]
                covered = {index for one in (*new_ones, *own) for index in one.tokens}
                others = [one for one in entities if covered.isdisjoint(one.tokens)]
                entities, fallback = _in_order((*others, *own, *new_ones)), ()
            else:
                others = self._without_new_kinds(fallback or entities, new_ones, held)
                fallback = _in_order((*others, *new_ones))
            added = notes if is_certain else fallback_notes
            added |= {_format_note(one.entity.text, one): one.entity for one in completed}
        utterance = replace(utterance, entities=entities, fallback_entities=fallback)
        found = [*[one for _, one in combined], *completed]
        relative = any(one.base is not None or one.old in self.meant.bundle for one in found)
        return CombinedUtterance(utterance, notes, fallback_notes, relative)

    def _leave_void(self, void: Sequence[Entity]) -> CombinedUtterance:
        """The utterance without entities that mean nothing here."""
        utterance = self.utterance
        entities, fallback = (
            tuple(one for one in listed if one not in void)
            for listed in (utterance.entities, utterance.fallback_entities)
        )
        utterance = replace(utterance, entities=entities, fallback_entities=fallback)
        return CombinedUtterance(utterance, {}, {}, is_relative=True)

    def _read_same_time(self, new: Entity) -> Entity:
        """A week or a month as so much later, where the sentence refers to a time: "the same time
        next week" is that of what was said, and not the time of the question."""
        if not any(cue.kind == "reference" and cue.value in ("same", "time") for cue in self.cues):
            return new
        match new.meta.get("expression"):
            case ["at_now", ["later", *_] as shift]:
                pass
            case ["alike", _, ["amount", _, "week" | "month"] as amount, 1]:
                shift = ["later", amount]
            case ["cell", "week" | "month" as unit, int(number)] if number > 0:
                shift = ["later", ["amount", number, unit]]
            case _:
                return new
        return replace(new, meta={**new.meta, "expression": shift})

    def _combine_with_newest(self, held: Sequence[Entity], new: Entity) -> Completed | None:
        """Combine a new entity with the newest old one that it changes, or is a part of."""
        new = self._read_same_time(new)
        if "seconds" in new.meta:
            moved = (
                self.changes.lengthen(held, new)
                or self.changes.move_again(held, new)
                or self.changes.replace_length(held, new)
            )
            if moved is not None:
                return moved
        for old in held:
            changed = self.changes.change(old, new)
            if changed is not None:
                return changed
            recurs = self._are_of_recurrence(old, new)
            found = self._recur(old, new) if recurs else self._combine_pair(old, new)
            if found is not None:
                return Completed(found, old)
            if recurs:
                return None
        return None

    def _add_hour(self, new: Entity, one: Completed, said: Sequence[Entity]) -> Completed:
        """A corrected day with the bare hour beside it: "no, 11 on Friday"."""
        is_day = new.element in self.combiners.dates and new.meta.get("grain") == "day"
        if self.is_asked or not is_day or not any(cue.kind in _DENYING for cue in self.cues):
            return one
        numbers = [number for number in said if is_number(number) and number.element != new.element]
        if len(numbers) != 1 or not {*numbers[0].tokens}.isdisjoint(new.tokens):
            return one
        beside = {*numbers[0].tokens, *new.tokens}
        cues = {index for cue in self.cues for index in cue.tokens}
        words = {*self.utterance.content_words} - beside - cues
        combiner = self.combiners.by_element[new.element]
        text = numbers[0].text
        found = combiner.complete(one.entity, text, self.utterance.language, self.at)
        if words or found is None or found.end < len(text):
            return one
        tokens = tuple(sorted(beside))
        whole = replace(one.entity, value=found.value, meta=found.meta, tokens=tokens)
        return one._replace(entity=whole)

    def _combine_pair(self, old: Entity, new: Entity) -> Entity | None:
        """Combine an old entity with a new one that would replace it."""
        combiner = self.combiners.by_element.get(new.element)
        if combiner is None or not new.groups <= old.groups:
            return None
        return combiner.combine(old, new, self.at)

    def _are_of_recurrence(self, old: Entity, new: Entity) -> bool:
        """Whether one of two entities is a recurrence and the other one too, or a date."""
        recurring, dates = self.combiners.recurring, self.combiners.dates
        if old.element in recurring:
            return new.element in recurring or new.element in dates
        return old.element in dates and new.element in recurring

    def _recur(self, old: Entity, new: Entity) -> Entity | None:
        """Combine an old recurrence with a new one or a date, or an old date with a recurrence;
        what the sentence adds ("on Wednesday too") stands beside the old days or times."""
        recurring = self.combiners.recurring
        combiner = recurring.get(new.element) or recurring[old.element]
        kinds = {cue.kind for cue in self.cues}
        if "negate" in kinds and old.element in recurring:
            return self._leave_out(combiner, old, new)
        if "add" in kinds and not kinds & _REPLACING and old.element in recurring:
            added = combiner.add(old, new, self.at)
            if added is not None:
                return added
        return combiner.change(old, new, self.at)

    def _leave_out(self, combiner: RecurrenceCombiner, old: Entity, new: Entity) -> Entity | None:
        """Take the only days that the sentence negates from a recurrence: "not on Thursdays"."""
        dates = [one for one in self.utterance.entities if one.element in self.combiners.dates]
        said = [one for one in dates if one.tokens == new.tokens or one is new]
        if len(dates) != len(said) or 0 not in find_negated((new,), self.utterance, self.cues):
            return combiner.change(old, new, self.at)
        rest = combiner.leave_out(old, new, self.at)
        if rest is None:
            return combiner.change(old, new, self.at)
        tokens = {i for cue in self.cues if cue.kind == "negate" for i in cue.tokens}
        return replace(rest, tokens=tuple(sorted({*new.tokens, *tokens})))

    def _are_hours(self, new: Entity, old: Entity, held: Sequence[Entity]) -> bool:
        """Whether a range or a bound that may also be a number is one of hours: German *von acht
        bis zehn*, *bis zehn*, if no number was said after the ``old`` time, nor is asked for."""
        if self.is_asked or new in self.utterance.entities:
            return False
        ranges = [
            one
            for one in self.utterance.entities
            if one.tokens == new.tokens and "comparison" in one.meta
        ]
        newer = held[: held.index(old)]
        is_counted = any(one.groups <= number.groups for one in ranges for number in newer)
        is_from = not self.utterance.tokens[new.tokens[0]].is_content_word
        return bool(ranges) and is_from and not is_counted

    def _changes_newest(
        self, completed: Completed, said: Sequence[Entity], held: Sequence[Entity]
    ) -> bool:
        """Whether a bare number that may change several values changes the one that was said last:
        "no, nine" after "for four" and then "at eight" is a time, and no number of people; nor is
        it one if no such number was said. The answer to what the bot asks for is none."""
        if self.is_asked:
            return False
        if any(cue.kind == "reference" and cue.value == "time" for cue in self.cues):
            return completed.entity.element in self.combiners.dates  # "same day, nine"
        tokens = set(completed.entity.tokens)  # a preposition may be left out: *с 2 до 4*
        alike = [one for one in said if is_number(one) and not tokens.isdisjoint(one.tokens)]
        if completed.entity.meta.get("expression", ("",))[0] == "lasting" and alike:
            return True  # "for two hours" counts no people
        changed = [old for old in held if any(one.groups <= old.groups for one in alike)]
        if not changed:
            return any(cue.kind in _REPLACING and cue.value != "of" for cue in self.cues)
        return held.index(completed.old) < held.index(changed[0])

    def _without_new_kinds(
        self, fallback: Sequence[Entity], completed: Sequence[Entity], held: Sequence[Entity]
    ) -> list[Entity]:
        """The fallback entities without those that say for the first time what the bot has not
        asked for, where the words complete something: "no, four" after "at five" is a time, and no
        amount of money."""
        if self.is_asked:
            return list(fallback)
        words = {one.tokens for one in completed}
        return [
            one
            for one in fallback
            if one.tokens not in words
            or one in self.utterance.entities
            or any(one.groups <= old.groups for old in held)
        ]

    def _find_misread(self, said: Sequence[Entity]) -> list[Entity]:
        """The entities that begin with the last word of a place in the list: "the first one to
        9 pm" is no time from one on."""
        return [
            one
            for one in said
            if one.element in self.combiners.completing
            and any(
                cue.tokens[0] < one.tokens[0] <= cue.tokens[-1] < one.tokens[-1]
                for cue in self.meant.cues
            )
        ]


def _is_number_in(entity: Entity, tokens: Collection[int]) -> bool:
    return is_number(entity) and not entity.is_from_phrase and {*entity.tokens} <= {*tokens}


def _in_order(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple(sorted(entities, key=lambda one: one.tokens))


def _format_note(text: str, one: Completed) -> str:
    old = one.base or one.old
    value = "" if old.value is None else f" ({old.value})"
    return f"'{text}' is combined with '{old.text}'{value}: {one.entity}"


def _replace_entities(
    entities: tuple[Entity, ...], combined: Sequence[tuple[Entity, Entity]]
) -> tuple[Entity, ...]:
    """Replace the entities that are combined; alternatives may become the same one."""
    replaced: list[Entity] = []
    for entity in entities:
        found = next((new for old, new in combined if old == entity), entity)
        if found is entity or found not in replaced:
            replaced.append(found)
    return tuple(replaced)
