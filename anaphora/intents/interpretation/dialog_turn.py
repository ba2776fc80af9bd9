"""A question in its dialog, and how its entities are rewritten."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.entities.cues.clauses import QUESTION_MARKS
from anaphora.entities.cues.cue import Cue
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import Conversation, ForgottenEntity, Offers, PendingQuestion

__all__ = ["DialogTurn", "find_affirmed", "remove_referred", "stand_in"]


class DialogTurn(Struct, frozen=True):
    """A question with its ``cues``, the conversation before it, and the time at which it is asked.

    Each step of the interpretation rewrites the question a little further as if the user had said
    it in full; ``forgotten`` is what the conversation has lost by that. ``options`` are the values
    that the question which waits names, in their order: "Anna or Ben?".
    """

    question: ParsedQuestion
    cues: tuple[Cue, ...]
    conversation: Conversation
    at: datetime
    forgotten: tuple[ForgottenEntity, ...] = ()
    options: tuple[Entity, ...] = ()

    @property
    def said(self) -> tuple[Entity, ...]:
        """The entities of the best reading that it does not negate."""
        return find_affirmed(self.question)

    @property
    def negated(self) -> tuple[Entity, ...]:
        """The entities of the best reading that it negates."""
        return _find_negated(self.question)

    @property
    def has_unknown_words(self) -> bool:
        """Whether it has words that neither an entity nor a cue covers."""
        return bool(self.question.variants[0].uncovered)

    @property
    def is_asking(self) -> bool:
        """Whether it is a question by its form."""
        return self.question.utterance.text.rstrip()[-1:] in QUESTION_MARKS

    @property
    def last_answer(self) -> str:
        """Its last yes or no, by the kind of the cue: "okay, no" is a no, "no, that's fine" is a
        yes ('' for neither)."""
        answers = [cue.kind for cue in self.cues if cue.kind in ("accept", "decline")]
        return answers[-1] if answers else ""

    @property
    def pending(self) -> PendingQuestion | None:
        """The question that waits."""
        return self.conversation.pending

    @property
    def waiting(self) -> tuple[Entity, ...]:
        """What the question that waits has."""
        pending = self.conversation.pending
        return pending.entities if pending is not None else ()

    @property
    def offers(self) -> Offers | None:
        """What lies on the table."""
        return self.conversation.open_offers

    @property
    def meant_before(self) -> int | None:
        """The index of the offer that the last question was about, if any."""
        offers = self.offers
        if offers is None or offers.meant is None:
            return None
        index, number = offers.meant
        return index if number == self.conversation.questions else None

    @property
    def answers_pending(self) -> bool:
        """Whether the bot has asked for something after it made the offers on the table."""
        pending, offers = self.pending, self.offers
        return pending is not None and (offers is None or pending.at >= offers.at)

    def has(self, *kinds: str) -> bool:
        """Whether it has a cue of one of these kinds."""
        return any(cue.kind in kinds for cue in self.cues)

    def words_of(self, cue: Cue) -> str:
        """The words of a cue, joined by blanks."""
        return " ".join([self.question.utterance.tokens[index].text for index in cue.tokens])

    def change(self, change: Callable[[Sequence[Entity]], Sequence[Entity]]) -> DialogTurn:
        """Change the entities of each reading."""
        return replace(self, question=_change_entities(self.question, change))

    def read_bare_values(self, names: Callable[[Entity], bool]) -> DialogTurn:
        """Read what counts only where it is needed ("7", "pm"), as that alone, if it is what
        ``names`` accepts and nothing else in the sentence is."""
        fallback = self.question.fallback
        if fallback is None or any(map(names, self.said)):
            return self
        read = replace(self, question=replace(fallback, confirmation=self.question.confirmation))
        found = [one for one in read.said if names(one)]
        tokens = {token for one in found for token in one.tokens}
        if not found:
            return self
        return read.change(
            lambda own: [one for one in own if one in found or tokens.isdisjoint(one.tokens)]
        )

    def add(self, entities: Sequence[Entity]) -> DialogTurn:
        """Let it say these entities before its own."""
        return replace(self, question=_add_entities(self.question, entities))


def stand_in(entity: Entity, tokens: Collection[int], utterance: Utterance) -> Entity:
    """Return ``entity`` as if these tokens of the utterance had said it."""
    indexes = tuple(sorted(tokens))
    start = end = 0
    if indexes:
        start, end = utterance.tokens[indexes[0]].start, utterance.tokens[indexes[-1]].end
    return replace(entity, tokens=indexes, start=start, end=end, negated=False)


def _change_entities(
    question: ParsedQuestion, change: Callable[[Sequence[Entity]], Sequence[Entity]]
) -> ParsedQuestion:
    """Return the question with the entities of each variant changed."""
    variants = []
    everything = list(question.utterance.entities)
    for variant in question.variants:
        entities = tuple(change(variant.entities))
        if entities == variant.entities:
            variants.append(variant)
            continue
        gone = [one for one in variant.entities if not _contains(entities, one)]
        new = [one for one in entities if not _contains(variant.entities, one)]
        everything = [one for one in everything if not _contains(gone, one)]
        everything += [one for one in new if one not in everything]
        variants.append(replace(variant, entities=entities))
    utterance = replace(question.utterance, entities=tuple(everything))
    fallback = question.fallback and _change_entities(question.fallback, change)
    return replace(question, utterance=utterance, variants=tuple(variants), fallback=fallback)


def _add_entities(question: ParsedQuestion, entities: Sequence[Entity]) -> ParsedQuestion:
    """Return the question as if it had also said these entities, before its own."""
    return _change_entities(question, lambda own: (*entities, *own)) if entities else question


def find_affirmed(question: ParsedQuestion) -> tuple[Entity, ...]:
    """The entities of the best reading that it does not negate."""
    variants = question.variants or (Variant(()),)
    return tuple([one for one in variants[0].entities if not one.negated])


def _find_negated(question: ParsedQuestion) -> tuple[Entity, ...]:
    """The entities of the best reading that it negates."""
    return tuple([one for one in question.variants[0].entities if one.negated])


def remove_referred(question: ParsedQuestion) -> ParsedQuestion:
    """Return the question without the entities that its reference words stand for."""
    referred = question.referred
    without = _change_entities(question, lambda own: [one for one in own if one not in referred])
    return replace(without, referred=())


def _contains(entities: Iterable[Entity], entity: Entity) -> bool:
    return any(one is entity for one in entities)
