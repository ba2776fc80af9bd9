"""The path of a question: the eight steps of docs/how-it-works.md, in their order."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final

from msgspec.structs import replace

from anaphora.core.utterance import LazySequence, Utterance
from anaphora.engine.answering.answer import answer_decision, answer_error, dry_run
from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.answering.resolution import find_quick_replies
from anaphora.engine.answering.template_values import find_unused
from anaphora.engine.callbacks.fallback_agent import FallbackAgent, consult_agent
from anaphora.engine.long_term.bridge import resolve_with_long_term
from anaphora.engine.long_term.protocol import LongTerm
from anaphora.engine.long_term.recorder import LogicalTimes, next_clock, record_exchange
from anaphora.engine.reply import Reply
from anaphora.engine.turn import Turn
from anaphora.errors import HandlerError
from anaphora.gc_control import gc_paused
from anaphora.intents import explanation as explanations
from anaphora.intents.decision.decision import Decision
from anaphora.intents.explanation import Explanation
from anaphora.intents.match import build_slots
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, PendingQuestion
from anaphora.stm.stores.store import Session

__all__ = ["ask", "explain"]

_LONG: Final = 1_000  # characters


def ask(
    turn: Turn,
    opened: AbstractContextManager[Session],
    long_term: LongTerm | None = None,
    fallback: FallbackAgent | None = None,
    *,
    confirmed: PendingQuestion | None = None,
) -> Reply:
    """Answer the question of a turn, and remember it in the session ``opened``. What no intent
    fits is answered by the agent ``fallback``. ``confirmed`` is the question that the turn has
    confirmed.

    Raises what :meth:`Engine.ask` raises; the conversation is then as it was before.
    """
    with opened as session:
        conversation = _open(turn, session, confirmed)  # 1
        utterance = _read(turn, conversation)  # 2
        decision = resolve_with_long_term(turn, utterance, conversation, long_term)  # 3
        decision, answer = _answer(turn, decision, conversation)  # 4
        explanation = _explain(turn, decision, answer) if turn.explain else None  # 5
        times = _remember(turn, decision, answer, session, long_term)  # 6
    reply = _build_reply(turn, decision, answer, explanation)  # 7
    if fallback is not None and answer.rejection is not None and answer.result is None:
        reply = consult_agent(fallback, turn.key, turn.text, reply, answer.rejection)
    record_exchange(turn, decision, answer, reply, times, long_term)  # 8
    return reply


def explain(turn: Turn, conversation: Conversation, long_term: LongTerm | None) -> Explanation:
    """Explain how the question of a turn would be answered; nothing is called or remembered."""
    utterance = _read(turn, conversation)
    decision = resolve_with_long_term(turn, utterance, conversation, long_term)
    return _explain(turn, decision, dry_run(turn.bot, decision, turn.now))


def _open(turn: Turn, session: Session, confirmed: PendingQuestion | None) -> Conversation:
    """The stored conversation as the present model has it, with the question that the turn has
    ``confirmed``."""
    conversation = turn.bot.model_upgrade(session.conversation)
    return conversation if confirmed is None else replace(conversation, pending=confirmed)


def _read(turn: Turn, conversation: Conversation) -> Utterance:
    """The tokens of the text, and every entity that may stand in it."""
    if len(turn.text) <= _LONG:
        return _read_text(turn, conversation)
    with gc_paused():  # it would traverse all that is loaded several times: up to half a second
        return _read_text(turn, conversation)


def _read_text(turn: Turn, conversation: Conversation) -> Utterance:
    return turn.bot.read(
        turn.text,
        turn.language,
        preferred_language=conversation.language,
        at=turn.now,
        prefetched=turn.prefetched,
        context=turn.request.data,
        goes_on=bool(conversation.flow),
    )


def _answer(
    turn: Turn, decision: Decision, conversation: Conversation
) -> tuple[Decision, BotAnswer]:
    """The decision that a hook may have replaced, and the answer of hooks, handler or response."""
    try:
        answer = answer_decision(turn.bot, decision, turn.now)
    except HandlerError as error:
        answer = answer_error(turn.bot, error, conversation)
    return answer.decision or decision, answer


def _explain(turn: Turn, decision: Decision, answer: BotAnswer) -> Explanation:
    return explanations.explain(
        turn.bot.indexed_model,
        decision,
        answer.status,
        answer.reason,
        winner=answer.winner,
        skipped=answer.skipped,
        evicted=answer.forgotten,
    )


def _remember(
    turn: Turn, decision: Decision, answer: BotAnswer, session: Session, long_term: LongTerm | None
) -> LogicalTimes:
    """Commit the conversation after the answer."""
    clock = next_clock(session, long_term)
    after = rules.stamp(
        answer.conversation,
        language=decision.question.utterance.language,
        fingerprint=turn.bot.model_upgrade.fingerprint,
        clock=clock,
    )
    if not (decision.has_reset_phrase or decision.forgets_on_purpose or answer.forgets_on_purpose):
        session.commit(after)
        return LogicalTimes(clock)
    # If the question says more than the reset phrase, the reset has a clock of its own before it.
    reset = clock - (answer.status != "reset")
    session.commit(replace(after, forgotten_clock=reset))
    return LogicalTimes(clock, reset)


def _build_reply(
    turn: Turn, decision: Decision, answer: BotAnswer, explanation: Explanation | None
) -> Reply:
    filling = answer.slot_filling
    reply = Reply(
        status=answer.status,
        intent=filling.intent.id if filling else None,
        slots=build_slots(filling) if filling else {},
        missing=tuple(term.label for term in filling.missing) if filling else (),
        prompt=answer.text if answer.status == "incomplete" else None,
        text=answer.text,
        reason=answer.reason,
        result=answer.result,
        memory=tuple(held.entity for held in answer.conversation.remembered),
        unused=find_unused(decision, filling) if filling else (),
        explanation=explanation,
    )
    if turn.bot.interpreter is None:
        return reply
    return _add_bot_side(turn, reply, answer.conversation, decision.question.utterance.language)


def _add_bot_side(turn: Turn, reply: Reply, conversation: Conversation, language: str) -> Reply:
    """The reply with what the bot has said: facts, offers, a question for a yes."""
    pending, offers = conversation.pending, conversation.open_offers
    return replace(
        reply,
        by_bot=tuple([held.entity for held in conversation.remembered if held.by == "bot"]),
        offers=offers.bundles if offers else (),
        offered_by=offers.intent if offers and offers.bundles else "",
        confirms=pending is not None and pending.confirms,
        # Names of offers are read like questions: only if somebody asks for the buttons.
        quick_replies=LazySequence(lambda: find_quick_replies(turn, conversation, language)),
    )
