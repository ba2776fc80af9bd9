"""Take a confirmed question out of the conversation before its intent is carried out, so that it is
carried out at most once: a retry, a restart or another worker finds nothing left to confirm."""

from __future__ import annotations

from msgspec.structs import replace

from anaphora.engine.answering.answer import is_confirmed
from anaphora.engine.answering.resolution import resolve
from anaphora.engine.turn import Turn
from anaphora.stm.conversation import PendingQuestion
from anaphora.stm.stores.store import Session, Store

__all__ = ["claim_confirmation", "claim_in_session"]


def claim_confirmation(turn: Turn, store: Store) -> PendingQuestion | None:
    """Take the pending question that the turn confirms, and store that it is taken. None if the
    turn confirms nothing; then nothing changes."""
    if not turn.bot.model.confirmations:
        return None
    with store.open(turn.key, turn.bot.time_to_live) as session:
        return claim_in_session(turn, session)


def claim_in_session(turn: Turn, session: Session) -> PendingQuestion | None:
    """Do the same in a session, which commits it."""
    bot = turn.bot
    pending, recall = session.conversation.pending, session.conversation.recall_offer
    if pending is None or not pending.confirms:
        return None
    if recall is not None and not recall.declined:
        return None  # the sentence answers that first
    conversation = bot.model_upgrade(session.conversation)
    utterance = bot.read(
        turn.text,
        turn.language,
        preferred_language=conversation.language,
        at=turn.now,
        prefetched=turn.prefetched,
    )
    decision = resolve(turn, utterance, conversation)
    if not is_confirmed(decision):
        return None
    clock = max(session.clock, conversation.clock + 1)
    confirmed = decision.conversation.pending
    suspended = confirmed.suspended if confirmed is not None else None
    session.commit(replace(conversation, pending=suspended, clock=clock))
    return confirmed
