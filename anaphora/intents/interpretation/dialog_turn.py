"""A question in its dialog, as it is interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue import Cue
from anaphora.intents.interpretation.rewriting import (
    add_entities,
    change_entities,
    find_affirmed,
    find_negated_entities,
)
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import Conversation, ForgottenEntity, Offers, PendingQuestion

__all__ = ["DialogTurn"]

_QUESTION_MARKS = ("?", "？", "؟")


class DialogTurn(Struct, frozen=True):
    """A question with its ``cues``, the conversation before it, and the time at which it is asked.

    Each step of the interpretation rewrites the question a little further as if the user had said
    it in full; ``forgotten`` is what the conversation has lost by that.
    """

    question: ParsedQuestion
    cues: tuple[Cue, ...]
    conversation: Conversation
    at: datetime
    forgotten: tuple[ForgottenEntity, ...] = ()

    @property
    def said(self) -> tuple[Entity, ...]:
        """The entities of the best reading that it does not negate."""
        return find_affirmed(self.question)

    @property
    def negated(self) -> tuple[Entity, ...]:
        """The entities of the best reading that it negates."""
        return find_negated_entities(self.question)

    @property
    def has_unknown_words(self) -> bool:
        """Whether it has words that neither an entity nor a cue covers."""
        return bool(self.question.variants[0].uncovered)

    @property
    def is_asking(self) -> bool:
        """Whether it is a question by its form."""
        return self.question.utterance.text.rstrip().endswith(_QUESTION_MARKS)

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
        return replace(self, question=change_entities(self.question, change))

    def add(self, entities: Sequence[Entity]) -> DialogTurn:
        """Let it say these entities before its own."""
        return replace(self, question=add_entities(self.question, entities))
