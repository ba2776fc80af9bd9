"""The bridge from the long-term memory to the short-term memory.

A question that matches nothing, in a conversation that remembers nothing, may follow up on an
exchange that timed out. The bridge restores what an exchange remembered, newest first. If the
question then matches, the bridge offers that context to the user, or uses it at once if the model
says so.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import takewhile

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.engine.answering.resolution import resolve
from anaphora.engine.bots.bot import Bot
from anaphora.engine.long_term.protocol import LongTerm
from anaphora.engine.turn import Turn
from anaphora.intents.confirmation import parse_answer
from anaphora.intents.decision.decide import decide
from anaphora.intents.decision.decision import BridgeResult, Decision
from anaphora.intents.solver import build_match_contexts
from anaphora.ltm.exchange import Exchange
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, RecallOffer

__all__ = ["resolve_with_long_term"]

_log = logging.getLogger(__name__)


def resolve_with_long_term(
    turn: Turn, utterance: Utterance, conversation: Conversation, long_term: LongTerm | None
) -> Decision:
    """Resolve an utterance as :func:`~anaphora.engine.answering.resolution.resolve` does; if it
    matches nothing, look for its context in the long-term memory. An offer made before is accepted,
    declined or dropped.

    An error of the long-term memory is logged, and the question is answered without it.
    """
    offer = conversation.recall_offer
    if offer is not None:
        offer = rules.expire(conversation, turn.now, turn.bot.model.conversation)[0].recall_offer
    if offer is None or offer.declined:
        offer = None
    else:
        answer = _parse_offer_answer(turn, utterance, conversation)
        if answer is not None:
            resolve_answer = _accept_offer if answer else _decline_offer
            return resolve_answer(turn, utterance, conversation, offer)
        conversation = rules.drop_recall_offer(conversation)
    decision = resolve(turn, utterance, conversation)
    if long_term is not None and not decision.matches:
        decision = _recall_context(turn.bot, decision, turn.now, long_term)
    if offer is not None and not decision.bridge:
        decision = replace(decision, bridge=BridgeResult("dropped", offer))
    return decision


def _parse_offer_answer(
    turn: Turn, utterance: Utterance, conversation: Conversation
) -> bool | None:
    """The utterance as a yes or a no; None for another question."""
    if utterance.resets or utterance.error:
        return None
    # "yes" alone hardly tells its language: any that the model speaks will do.
    languages = (utterance.language, conversation.language, *turn.bot.model.languages)
    return parse_answer(utterance.text, languages)


def _accept_offer(
    turn: Turn, utterance: Utterance, conversation: Conversation, offer: RecallOffer
) -> Decision:
    asked = _reread_question(turn, offer)
    restored = rules.restore_recall_offer(conversation, turn.now, offer)
    pending = restored.pending
    if pending is not None and not pending.confirms:
        # What the offer left waiting is a part of the restored question.
        pending = pending.suspended
    decision = resolve(turn, asked, replace(restored, pending=pending))
    if not decision.matches and restored.pending:
        decision = resolve(turn, asked, restored)
    return replace(decision, bridge=BridgeResult("accepted", offer, answer_text=utterance.text))


def _decline_offer(
    turn: Turn, utterance: Utterance, conversation: Conversation, offer: RecallOffer
) -> Decision:
    conversation = rules.decline_recall_offer(conversation)
    decision = resolve(turn, _reread_question(turn, offer), conversation)
    if not decision.incomplete:
        own = resolve(turn, utterance, conversation)
        if own.hook_error:
            return own
        contexts = build_match_contexts(own.question, conversation)
        decision = Decision(own.question, conversation, contexts)
    return replace(decision, bridge=BridgeResult("declined", offer, answer_text=utterance.text))


def _reread_question(turn: Turn, offer: RecallOffer) -> Utterance:
    """The question to which the offer was made, as it was read when it was asked."""
    language = turn.bot.model.find_language(offer.language)
    return turn.bot.read(offer.question, language, at=offer.at.astimezone(turn.now.tzinfo))


def _recall_context(bot: Bot, decision: Decision, at: datetime, long_term: LongTerm) -> Decision:
    """Search the long-term memory for the context of a decision that needs one."""
    settings = bot.model.bridge
    if settings.mode == "off" or not _needs_long_term(bot, decision):
        return decision
    try:
        latest = long_term.latest(decision.conversation.key, settings.exchanges)
    except Exception:  # a user-defined long-term memory may raise anything
        _log.exception("the long-term memory cannot be read")
        return replace(decision, bridge=BridgeResult("unreadable"))
    since = decision.conversation.forgotten_clock  # its mark may not be stored yet
    known = tuple(
        takewhile(lambda one: at - one.at <= settings.within and one.clock >= since, latest)
    )
    exchanges_tried = 0
    for offer in _iter_offers(known, decision, at):
        exchanges_tried += 1
        restored = rules.restore_recall_offer(decision.conversation, at, offer)
        restored = bot.model_upgrade.migrate(restored)[0]
        found = decide(bot.indexed_model, decision.question, restored, at)
        if found.matches and any(taken.remembered for taken in found.matches[0].filling.taken):
            if settings.mode == "automatic":
                forgotten = (*decision.forgotten, *found.forgotten)
                bridged = BridgeResult("used", offer, exchanges_tried=exchanges_tried)
                return replace(found, forgotten=forgotten, bridge=bridged)
            offer = _migrate_offer(offer, restored, decision.conversation)
            return replace(
                decision, bridge=BridgeResult("offered", offer, found.matches[0], exchanges_tried)
            )
        if settings.mode == "automatic":
            break
    return replace(decision, bridge=BridgeResult("nothing found", exchanges_tried=exchanges_tried))


def _needs_long_term(bot: Bot, decision: Decision) -> bool:
    """Whether something could be meant that only a memory can complete."""
    if decision.refusal_reason or decision.hook_error or decision.has_reset_phrase:
        return False
    if decision.pending_action == "declined":
        return False
    conversation = decision.conversation
    if conversation.remembered or conversation.recall_offer:
        return False
    return bool(decision.question.utterance.entities) or bot.has_memory_only_intents


def _iter_offers(
    exchanges: Sequence[Exchange], decision: Decision, at: datetime
) -> Iterator[RecallOffer]:
    """Yield an offer for each exchange, newest first, back to the last reset. Times that were in
    the future at the exchange and are past now ("tomorrow") are left out."""
    utterance = decision.question.utterance
    tried: list[tuple[Entity, ...]] = []
    for index, exchange in enumerate(exchanges):
        memory = tuple(one for one in exchange.memory if not _has_ended(one, exchange.at, at))
        if memory and memory not in tried:
            tried.append(memory)
            yield RecallOffer(
                question=utterance.text,
                language=utterance.language,
                at=at,
                entities=memory,
                ages=tuple(_count_questions(entity, exchanges[index + 1 :]) for entity in memory),
                speakers=tuple("bot" if one in exchange.by_bot else "user" for one in memory),
                exchange=exchange.number,
                said_at=exchange.at,
            )
        if exchange.status == "reset":
            return


def _has_ended(entity: Entity, said_at: datetime, at: datetime) -> bool:
    """Whether a time that a recognizer found was not over at ``said_at`` and is ``at``."""
    end = entity.meta.get("end") if not entity.is_from_phrase and "grain" in entity.meta else None
    return isinstance(end, str) and said_at < datetime.fromisoformat(end) <= at


def _count_questions(entity: Entity, before: Sequence[Exchange]) -> int:
    """For how many questions the entity had been remembered."""
    return sum(1 for _ in takewhile(lambda exchange: entity in exchange.memory, before))


def _migrate_offer(offer: RecallOffer, restored: Conversation, before: Conversation) -> RecallOffer:
    return replace(
        offer,
        entities=tuple(held.entity for held in restored.remembered),
        ages=tuple(before.questions - held.question_number for held in restored.remembered),
        speakers=tuple(held.by for held in restored.remembered),
    )
