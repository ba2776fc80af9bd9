"""Combine what a question says with what is remembered of the same value: "at eight" after "on
Friday" is Friday at eight, and "until the 28th" after "from December 20" is December 28."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Token, Utterance
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.builtin.dates.combining.readings import is_relative
from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS
from anaphora.entities.cues.clauses import COMMAS
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.negation import find_negated
from anaphora.intents.combination.amount_changes import (
    AmountChange,
    find_amount_changes,
    has_trailing_change,
    read_factor,
)
from anaphora.intents.combination.combiners import Combiners
from anaphora.intents.interpretation.selection import select_bundles
from anaphora.models.domain import ConversationSettings
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import expire

if TYPE_CHECKING:
    from anaphora.entities.builtin.dates.recurrences.combiner import RecurrenceCombiner

__all__ = ["CombinedUtterance", "combine_with_memory"]

_MAX_COMPLETING_WORDS = 3  # content words: "no, euros", "kilometers per hour"
# The cues whose words may be a part of what completes a date: the fifth, the next.
_PARTS = frozenset({"ordinal", "other"})
# The cues of what is said in the place of something else, not beside it.
_REPLACING = frozenset({"correct", "instead", "decline", "negate"})


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
    if not (combiners.completing or combiners.may_combine(said)):
        return None
    meant = _select_offer(conversation, said, combiners, cues)
    held = _find_held(conversation, meant)
    if not held:
        return None
    # "The second" is one of the offers, and so is one of several places.
    is_listed = conversation.offers is not None or sum(one.kind == "ordinal" for one in cues) > 1
    is_asked = conversation.pending is not None and not conversation.pending.confirms
    changes = _find_amount_changes(utterance, said, combiners, conversation)
    has_factor = any(one.kind == "factor" for one in cues)
    by_bot = _find_said_by_bot(conversation) if has_factor else ()
    combination = _Combination(
        utterance, combiners, at, cues, meant, is_listed, is_asked, changes, by_bot
    )
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
    it begins with that anew: "send 50 more"."""
    begins = any(one.is_from_phrase and one.value is None for one in said)
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
        conversation.remembered, key=lambda one: (-one.question_number, -one.entity.start)
    )
    remembered = [one.entity for one in newest]
    if offers is not None and meant.bundle:
        return (*meant.bundle, *pending, *remembered)
    offered = offers.bundles[0] if offers and len(offers.bundles) == 1 else ()
    return (*pending, *offered, *remembered)


class _Completed(NamedTuple):
    """An entity that short words complete, and the old one of which it is a part. If it
    ``is_certain``, it is no mere fallback for other readings of its words."""

    entity: Entity
    old: Entity
    is_certain: bool = False


class _Combination(NamedTuple):
    """Combines an utterance with what the conversation holds. ``is_asked`` says whether the bot
    waits for a value."""

    utterance: Utterance
    combiners: Combiners
    at: datetime
    cues: Sequence[Cue]
    meant: _MeantOffer
    is_listed: bool
    is_asked: bool
    changes: Sequence[AmountChange]
    by_bot: Sequence[Entity]

    def combine(self, held: Sequence[Entity]) -> CombinedUtterance | None:
        utterance = self.utterance
        said = utterance.fallback_entities or utterance.entities
        misread = self._find_misread(said)
        combined: list[tuple[Entity, Entity]] = []
        notes: dict[str, Entity] = {}
        refers = is_changed = False
        for new in said:
            if new.element not in self.combiners.by_element or new in misread:
                continue
            for old in held:
                recurs = self._are_of_recurrence(old, new)
                changed = self._change(old, new)
                is_changed = is_changed or changed is not None
                found = changed or (
                    self._recur(old, new) if recurs else self._combine_pair(old, new)
                )
                if found is not None:
                    combined.append((new, found))
                    notes[_format_note(new.text, old, found)] = found
                    refers = refers or old in self.meant.bundle
                if found is not None or recurs:
                    break
        multiplied = self._multiply(held)
        is_changed = is_changed or multiplied is not None
        may_complete = self.combiners.completing and not is_changed
        completed = self._complete(held, said, misread) if may_complete else []
        if multiplied is not None:
            completed = [multiplied]
        refers = refers or any(one.old in self.meant.bundle for one in completed)
        if not combined and not completed:
            return None
        entities = _replace_entities(utterance.entities, combined)
        fallback = _replace_entities(utterance.fallback_entities, combined)
        fallback_notes = dict(notes)
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
            added |= {_format_note(one.text, old, one): one for one, old, _ in completed}
        utterance = replace(utterance, entities=entities, fallback_entities=fallback)
        relative = refers or is_changed or any(is_relative(new) for new, _ in combined)
        return CombinedUtterance(utterance, notes, fallback_notes, relative)

    def _combine_pair(self, old: Entity, new: Entity) -> Entity | None:
        """Combine an old entity with a new one that would replace it."""
        if not new.groups <= old.groups:
            return None
        return self.combiners.by_element[new.element].combine(old, new, self.at)

    def _change(self, old: Entity, new: Entity) -> Entity | None:
        """Add a new amount to an old one: "30 minutes longer". The old one stays if they cannot be
        added: "20 dollars more" than 100 euros."""
        change = next((one for one in self.changes if one.amount is new), None)
        if change is None or not new.groups <= old.groups or new.element != old.element:
            return None
        changed = self.combiners.amounts[new.element].add(old, change.whole, change.sign)
        return changed or replace(change.whole, value=old.value, meta=old.meta)

    def _multiply(self, held: Sequence[Entity]) -> _Completed | None:
        """Multiply the amount that the user said last: "twice as long", "half of that"."""
        for cue in self.cues:
            if cue.kind != "factor":
                continue
            for old in held:
                amounts = self.combiners.amounts.get(old.element)
                factor = read_factor(cue, old)
                if amounts is None or factor is None or old in self.by_bot:
                    continue
                changed = amounts.multiply(old, factor)
                if changed is not None:
                    tokens = [self.utterance.tokens[index] for index in cue.tokens]
                    text = self.utterance.text[tokens[0].start : tokens[-1].end]
                    return _Completed(_place(changed, tokens, text), old, is_certain=True)
        return None

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

    def _changes_newest(
        self, completed: _Completed, said: Sequence[Entity], held: Sequence[Entity]
    ) -> bool:
        """Whether a bare number that may change several values changes the one that was said last:
        "no, nine" after "for four" and then "at eight" is a time, and no number of people. The
        answer to what the bot asks for is none."""
        if self.is_asked:
            return False
        alike = [one for one in said if _is_number(one) and one.tokens == completed.entity.tokens]
        changed = [old for old in held if any(one.groups <= old.groups for one in alike)]
        return bool(changed) and held.index(completed.old) < held.index(changed[0])

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

    def _complete(
        self, held: Sequence[Entity], said: Sequence[Entity], misread: Sequence[Entity]
    ) -> list[_Completed]:
        """Find what is no entity, but completes one: in a short answer, or beside what the sentence
        negates."""
        if misread or any(cue.kind == "negate" for cue in self.cues):
            rest = [one for one in said if one not in misread]
            return self._complete_parts(held, rest, is_short=not misread)
        mentioned = {one.element for one in said}
        incomplete = [one for one in held if one.element in self.combiners.completing - mentioned]
        utterance = replace(self.utterance, understood=self._find_understood())
        if not incomplete or len(utterance.content_words) > _MAX_COMPLETING_WORDS:
            return []
        if has_trailing_change(utterance):  # "eine weniger": of people, and no hour
            return []
        tokens, first, content = _skip_yes_or_no(utterance)
        covered = {index for one in said if not _is_number(one) for index in one.tokens}
        if not content or not covered.isdisjoint(content):
            return []
        references = {i for cue in self.cues if cue.kind == "reference" for i in cue.tokens}
        for end in (len(tokens), content[-1] + 1):  # "quarter past", "eight then"
            if not references.isdisjoint(range(end, len(tokens))):
                continue  # half of THAT is no half past
            found = self._complete_part(tokens[first:end], content, incomplete)
            if found is not None:
                return [found]
        return []

    def _complete_parts(
        self, held: Sequence[Entity], said: Sequence[Entity], *, is_short: bool
    ) -> list[_Completed]:
        """Complete each part of a sentence that has no entity: "not at 8 pm but at *nine*", "not
        this Friday but the *next*". If the sentence ``is_short``, no word may be left."""
        incomplete = [one for one in held if one.element in self.combiners.completing]
        understood = self._find_understood()
        utterance = replace(self.utterance, understood=understood)
        covered = {i: one for one in said if not _is_number(one) for i in one.tokens}
        numbers = {i for one in said if _is_number(one) for i in one.tokens}
        content = [i for i in utterance.content_words if i not in covered]
        if not incomplete or len(content) > _MAX_COMPLETING_WORDS:
            return []
        if any(_is_number(one) and any(_are_same(one, old) for old in held) for one in said):
            return []  # "not two but three": of what is counted
        found: list[_Completed] = []
        noun = ""
        for part in self._split(understood.difference(covered)):
            inside = [covered[token.index] for token in part if token.index in covered]
            if inside:
                if inside[-1].element in self.combiners.completing:
                    noun = part[-1].text
                continue
            own = [token.index for token in part if token.index in content]
            one = self._complete_part(part, own, incomplete, noun)
            if one is not None:
                found.append(one)
            elif own and is_short:
                return []
        is_certain = bool(noun) or any(
            one.entity.value == one.old.value or one.entity.tokens[0] not in numbers
            for one in found
        )
        return [one._replace(is_certain=is_certain) for one in found]

    def _split(self, separators: Collection[int]) -> list[list[Token]]:
        """The parts of the sentence between cues and commas."""
        parts: list[list[Token]] = [[]]
        for token in self.utterance.tokens:
            if token.index in separators or token.text in COMMAS:
                parts.append([])
            else:
                parts[-1].append(token)
        return [part for part in parts if any(token.text[0].isalnum() for token in part)]

    def _find_understood(self) -> frozenset[int]:
        """The words of the cues that cannot be parts of a date."""
        return frozenset(
            [
                index
                for cue in self.cues
                if cue.kind not in _PARTS
                or cue.value == "one"  # the second one is no day
                or self.is_listed
                or cue in self.meant.cues
                for index in cue.tokens
            ]
        )

    def _complete_part(
        self,
        part: Sequence[Token],
        content: Sequence[int],
        incomplete: Sequence[Entity],
        noun: str = "",
    ) -> _Completed | None:
        """Complete an entity with a part of the sentence, with or without the stop words before
        its ``content``, and with the ``noun`` that it leaves out."""
        last = max((token.index for token in part if token.text[0].isalnum()), default=0)
        part = [token for token in part if token.index <= last]
        for at, token in enumerate(part):
            if content and token.index > content[0]:
                break
            place = part[at:]
            text = self.utterance.text[place[0].start : place[-1].end]
            readings = [text, *([f"{noun} {text}", f"{text} {noun}"] if noun else ())]
            for reading in readings:
                for old in _order_by_likelihood(incomplete):
                    combiner = self.combiners.by_element[old.element]
                    found = combiner.complete(old, reading, self.utterance.language, self.at)
                    if found is not None and found.end >= len(reading):
                        new = replace(old, value=found.value, meta=found.meta)
                        return _Completed(_place(new, place, text), old)
        return None


def _order_by_likelihood(incomplete: Iterable[Entity]) -> Sequence[Entity]:
    """The entities, the newest first, in the order in which a bare number may change them, the
    likeliest first: it changes an amount (three nights) rather than giving an hour to a day; beside
    a time, what was said last."""
    held = list(incomplete)
    if any(one.meta.get("grain") in CLOCK_GRAINS for one in held):
        return held
    return sorted(held, key=lambda one: "amount" not in one.meta)


def _in_order(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple(sorted(entities, key=lambda one: one.tokens))


def _skip_yes_or_no(utterance: Utterance) -> tuple[Sequence[Token], int, Sequence[int]]:
    """The tokens, the first one behind a yes, a no or another cue, and the content words from there
    on."""
    tokens = utterance.tokens
    content: Sequence[int] = utterance.content_words or [  # numerals may be stop words: "no, nine"
        one.index
        for one in tokens
        if one.text[0].isalnum() and one.index not in utterance.understood
    ]
    first = 0
    if content and parse_yes_no(tokens[content[0]].text, utterance.language) is not None:
        first, content = content[0] + 1, content[1:]
    understood = utterance.understood
    while content and first < content[0]:
        if tokens[first].text[0].isalnum() and first not in understood:
            break
        first += 1
    return tokens, first, content


def _is_number(entity: Entity) -> bool:
    """Whether it is a number, which may count something else."""
    number = entity.meta.get("value", entity.meta.get("amount"))
    is_plain = not entity.is_from_phrase and "seconds" not in entity.meta
    return is_plain and isinstance(number, int | float)


def _are_same(number: Entity, old: Entity) -> bool:
    value = (number.value or "").removeprefix("!=")
    return number.element == old.element and value == old.value


def _place(entity: Entity, tokens: Sequence[Token], text: str) -> Entity:
    """The entity as if these tokens said it."""
    return replace(
        entity,
        text=text,
        tokens=tuple([one.index for one in tokens]),
        start=tokens[0].start,
        end=tokens[-1].end,
        stem=" ".join([one.stem for one in tokens]),
        lemma=" ".join([one.lower for one in tokens]),
    )


def _format_note(text: str, old: Entity, combined: Entity) -> str:
    value = "" if old.value is None else f" ({old.value})"
    return f"'{text}' is combined with '{old.text}'{value}: {combined}"


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
