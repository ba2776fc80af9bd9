"""The result of resolving a question."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from anaphora.core.utterance import Entity
from anaphora.errors import HandlerError
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.match import Match, SlotFilling
from anaphora.intents.solver import MatchContext, ParsedQuestion
from anaphora.stm.conversation import Conversation, ForgottenEntity, RecallOffer

__all__ = ["BridgeResult", "Decision"]


class BridgeResult(Struct, frozen=True):
    """How the long-term memory, or an offer made from it, affected a question.

    ``match`` is the match of the question with the entities of ``offer``; ``exchanges_tried``
    counts the past exchanges that were tried; ``answer_text`` accepted or declined the offer.
    """

    outcome: Literal[
        "unreadable", "nothing found", "offered", "used", "accepted", "declined", "dropped"
    ]
    offer: RecallOffer | None = None
    match: Match | None = None
    exchanges_tried: int = 0
    answer_text: str = ""


class Decision(Struct, frozen=True):
    """The result of resolving a question, before any handler runs.

    ``conversation`` is the memory after expiry, and after a reset or a change of topic if the
    question causes one; ``forgotten`` is what it lost; ``previous_topic`` is the memory before a
    change of topic. ``matches`` are best first. Without a match, ``incomplete`` is the intent whose
    missing terms can be asked for, and ``nearest`` the intent that came closest: a near miss, or
    one that is blocked. ``pending_entities`` belong to an earlier question that this one completes,
    and ``pending_action`` is what a sentence that adds nothing does to that question;
    ``acknowledgement`` is what the user is told who declines, if it is not the usual text.
    ``refusal_reason`` tells why the question cannot be answered at all (a predicate failed, or a
    limit is broken); ``hook_error`` is to be raised when it is answered. ``bridge`` tells how the
    long-term memory was used; ``forgets_on_purpose`` whether a hook has forgotten something.
    ``act`` is what the question does to what was said before, if it does anything.
    """

    question: ParsedQuestion
    conversation: Conversation
    match_contexts: tuple[MatchContext, ...]
    matches: tuple[Match, ...] = ()
    incomplete: SlotFilling | None = None
    nearest: SlotFilling | None = None
    pending_entities: tuple[Entity, ...] = ()
    forgotten: tuple[ForgottenEntity, ...] = ()
    previous_topic: Conversation | None = None
    has_reset_phrase: bool = False
    refusal_reason: str = ""
    hook_error: HandlerError | None = None
    bridge: BridgeResult | None = None
    forgets_on_purpose: bool = False
    pending_action: Literal["", "asked again", "confirmed", "declined"] = ""
    acknowledgement: str = ""
    act: DialogAct | None = None

    @property
    def uses_memory(self) -> bool:
        """Whether the answer uses remembered or pending entities."""
        filling = self.matches[0].filling if self.matches else self.incomplete
        if filling is None or self.previous_topic is not None or self.has_reset_phrase:
            return False
        return any(taken.source == "memory" for taken in filling.taken)

    @property
    def before_topic_change(self) -> Conversation:
        """The memory before the change of topic, if the question causes one."""
        return self.previous_topic or self.conversation
