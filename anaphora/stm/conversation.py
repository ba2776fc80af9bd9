"""The conversation as a value: what is remembered, the dialog flow, what is pending.

Nothing here knows a rule: :mod:`anaphora.stm.rules` makes a new conversation of an old one, and
:mod:`anaphora.stm.records` makes it something that a store can keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.frozen import EMPTY

__all__ = [
    "Conversation",
    "ConversationKey",
    "FlowStep",
    "ForgetRule",
    "ForgottenEntity",
    "PendingQuestion",
    "RecallOffer",
    "RememberedEntity",
]


class ConversationKey(NamedTuple):
    """Whose conversation with which model it is. The users of one ``tenant`` are not those of
    another, whatever their ids ('' where there is but one)."""

    user: str
    model: str
    tenant: str = ""


class ForgetRule(StrEnum):
    """By which rule something left the memory."""

    TIMEOUT = "timeout"
    AGE = "age"
    DEPTH = "depth"
    REJECTIONS = "rejections"
    EVICTED = "evicted"
    TOPIC = "topic"
    RESET = "reset"


class RememberedEntity(Struct, frozen=True, gc=False):
    """An entity that the conversation remembers.

    ``question`` is the number of the question that stored it, ``used_match`` that of the
    matched question that last used it; both count from 1 in their conversation. What was brought
    back from an earlier one has a number that keeps its distance, be it below 1.
    """

    entity: Entity
    question: int
    stored_at: datetime
    used_at: datetime
    used_match: int


class PendingQuestion(Struct, frozen=True, gc=False):
    """What an incomplete question understood, until it is completed or dropped.

    ``unused`` is what of its text it did not use, where the bot asks about that; if nothing is
    missing, it is asked whether to go on without.
    """

    intent: str
    entities: tuple[Entity, ...]
    missing: tuple[str, ...]
    at: datetime
    unused: tuple[str, ...] = ()


class RecallOffer(Struct, frozen=True, gc=False):
    """What a past exchange would bring back, until the user says yes or something else.

    ``question`` is the text that it would let answer, asked ``at`` that time in ``language``;
    ``entities`` are newest first, ``ages`` how many questions before the end of their
    conversation each was stored. The exchange has the number ``exchange`` and was at ``said_at``.
    One that was ``declined`` stays for as long as it would have stood: nothing is offered then.
    """

    question: str
    language: str
    at: datetime
    entities: tuple[Entity, ...]
    ages: tuple[int, ...]
    exchange: int
    said_at: datetime
    declined: bool = False


class FlowStep(Struct, frozen=True, gc=False):
    """An intent that answered, and when."""

    intent: str
    at: datetime


class ForgottenEntity(Struct, frozen=True, gc=False):
    """An entity that left the memory, by which rule, and which new entity pushed it out."""

    remembered: RememberedEntity
    rule: ForgetRule
    by: Entity | None = None


class Conversation(Struct, frozen=True):
    """The conversation of one user (of one tenant) with one model.

    ``remembered`` is newest first and, within one question, in the order of its terms;
    ``flow`` is oldest first. ``questions`` counts all questions, ``matches`` those that
    matched, ``rejections`` those rejected in a row. ``last`` is the time of the last question,
    ``language`` what it was asked in ('' before the first). ``fits`` tells which state of the
    model its entities fit ('' if that is not known). ``offer`` is what the long-term memory
    would bring back. ``clock`` is the logical time of the last question (0 before the first),
    by which whatever the conversation leads to elsewhere is ordered, ``forgotten`` the one at which
    something was last forgotten on purpose: nothing from before may be brought back.
    """

    user: str
    model: str
    remembered: tuple[RememberedEntity, ...] = ()
    flow: tuple[FlowStep, ...] = ()
    pending: PendingQuestion | None = None
    data: Mapping[str, Any] = EMPTY
    last: datetime | None = None
    questions: int = 0
    matches: int = 0
    rejections: int = 0
    language: str = ""
    tenant: str = ""
    fits: str = ""
    offer: RecallOffer | None = None
    clock: int = 0
    forgotten: int = 0

    @classmethod
    def empty(cls, key: ConversationKey) -> Conversation:
        """The conversation of ``key`` before its first question."""
        return cls(key.user, key.model, tenant=key.tenant)

    @property
    def is_new(self) -> bool:
        """Whether nothing is in it, so that no store need keep it."""
        return not self.questions and replace(self, clock=0) == Conversation.empty(self.key)

    @property
    def key(self) -> ConversationKey:
        return ConversationKey(self.user, self.model, self.tenant)
