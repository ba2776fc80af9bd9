"""The result of carrying a decision out."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from anaphora.core.utterance import Entity
from anaphora.intents.decision.decision import Decision
from anaphora.intents.match import Match, SlotFilling
from anaphora.models.domain import RejectionKind, Status
from anaphora.stm.conversation import Conversation, ForgottenEntity

__all__ = ["BotAnswer"]


class BotAnswer(Struct, frozen=True):
    """The answer to a question, and the conversation after it.

    ``slot_filling`` is that of the intent that answered, or that is to be completed; ``winner``
    the match that answered; ``skipped`` the matches whose handlers passed. ``decision`` is set if
    a hook requested a new match: it is the decision that led to the answer.
    ``forgets_on_purpose`` says whether a handler or a hook forgot something, ``is_recovered``
    whether the error hook answered. ``mentions`` are the entities that the text tells, ``offers``
    the bundles of entities that it proposes. ``rejection`` is why the question is rejected; None
    if the text says so in words of the bot's author.
    """

    status: Status
    conversation: Conversation
    slot_filling: SlotFilling | None = None
    winner: Match | None = None
    skipped: tuple[Match, ...] = ()
    forgotten: tuple[ForgottenEntity, ...] = ()
    text: str = ""
    reason: str = ""
    result: Any = None
    decision: Decision | None = None
    forgets_on_purpose: bool = False
    is_recovered: bool = False
    mentions: tuple[Entity, ...] = ()
    offers: tuple[tuple[Entity, ...], ...] = ()
    rejection: RejectionKind | None = None
