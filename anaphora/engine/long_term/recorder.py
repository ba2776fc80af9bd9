"""Hand questions and resets over to the long-term memory."""

from __future__ import annotations

import logging
from typing import NamedTuple

from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.long_term.exchanges import build_reset_mark, find_sentence_dates
from anaphora.engine.long_term.protocol import LongTerm
from anaphora.engine.reply import Reply
from anaphora.engine.turn import Turn
from anaphora.intents.decision.decision import Decision
from anaphora.ltm.exchange import Exchange
from anaphora.stm import rules
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.store import Session

__all__ = ["LogicalTimes", "add_exchange", "next_clock", "record_exchange"]

_log = logging.getLogger(__name__)


class LogicalTimes(NamedTuple):
    """The logical times of a question, and of the reset that it caused (0 for none)."""

    question: int
    reset: int = 0


def next_clock(session: Session, long_term: LongTerm | None) -> int:
    """The next logical time of a conversation. It skips one, which a reset mark may take."""
    known = 0 if long_term is None else long_term.clock
    return max(session.clock, session.conversation.clock + 1, known + 1) + 1


def record_exchange(
    turn: Turn,
    decision: Decision,
    answer: BotAnswer,
    reply: Reply,
    times: LogicalTimes,
    long_term: LongTerm | None,
) -> None:
    """Hand a question and its answer over, unless the error hook answered it.

    The exchange of an offer has no intent and no slots.
    """
    if long_term is None or answer.is_recovered:
        return
    conversation = answer.conversation
    if 0 < times.reset < times.question:
        mark = build_reset_mark(turn.now, clock=times.reset)
        add_exchange(long_term, conversation.key, mark)
    # Only what the next question would still find is part of the exchange.
    left = rules.expire(conversation, turn.now, turn.bot.model.conversation)[0].remembered
    is_all = left is conversation.remembered
    filling, bridge = answer.slot_filling, decision.bridge
    is_offer = answer.status == "incomplete" and bridge is not None and bridge.outcome == "offered"
    slots = () if is_offer else reply.slots.items()
    exchange = Exchange(
        turn.text,
        reply.text,
        turn.now,
        reply.status,
        None if is_offer else reply.intent,
        {name: tuple([taken.entity.value_or_text for taken in slot.taken]) for name, slot in slots},
        turn.bot.model.locale_of(decision.question.utterance.language),
        reply.memory if is_all else tuple(held.entity for held in left),
        clock=times.question,
        question_dates=find_sentence_dates(filling.taken)
        if filling and turn.bot.has_dates
        else None,
        by_bot=tuple([held.entity for held in left if held.by == "bot"]),
    )
    add_exchange(long_term, conversation.key, exchange)


def add_exchange(long_term: LongTerm, key: ConversationKey, exchange: Exchange) -> None:
    """Add an exchange to the long-term memory; an error is logged, as the question is answered."""
    try:
        long_term.add(key, exchange)
    except Exception:  # users may bring their own long-term memory
        _log.exception("the long-term memory does not take an exchange")
