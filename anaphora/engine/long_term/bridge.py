"""The bridge from the long-term memory to the short-term one.

A question that matches nothing, in a conversation that remembers nothing, may be the follow-up of
one that has long been forgotten. Whatever an exchange of then remembered is held against it as if
it still were; what lets it match is offered to the user, or used at once if the model says so.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import takewhile

from msgspec.structs import replace

from anaphora.core.request import Request, User
from anaphora.core.utterance import Entity, Utterance
from anaphora.engine.bot import Bot
from anaphora.engine.long_term.protocol import LongTerm
from anaphora.intents.confirmation import parse_answer
from anaphora.intents.decision import BridgeResult, Decision, decide
from anaphora.intents.solver import build_match_contexts
from anaphora.ltm.exchange import Exchange
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, RecallOffer

__all__ = ["decide_with_long_term"]

_log = logging.getLogger(__name__)


def decide_with_long_term(
    bot: Bot,
    utterance: Utterance,
    conversation: Conversation,
    now: datetime,
    user: User,
    request: Request,
    long_term: LongTerm | None,
) -> Decision:
    """As :meth:`Bot.decide`, with what a standing offer and ``long_term`` have to do with it.

    A long-term memory that cannot be read is logged, and all is as without it.
    """

    def resolve(utterance: Utterance, conversation: Conversation) -> Decision:
        return bot.decide(utterance, conversation, now, user, request)

    def usual(conversation: Conversation) -> Decision:
        decision = resolve(utterance, conversation)
        if long_term is None or decision.matches:
            return decision
        return _recall_context(bot, decision, now, long_term)

    if conversation.offer is None:
        return usual(conversation)
    offer = rules.expire(conversation, now, bot.model.conversation)[0].offer
    if offer is None or offer.declined:
        return usual(conversation)
    answer = None
    if not utterance.resets and not utterance.error:
        # "yes" alone says little of its language: any that the model speaks will do.
        languages = (utterance.language, conversation.language, *bot.model.languages)
        answer = parse_answer(utterance.text, languages)
    if answer is None:
        decision = usual(rules.drop_offer(conversation))
        return replace(decision, bridge=decision.bridge or BridgeResult("dropped", offer))
    asked = _reread_question(bot, offer, now)
    if not answer:
        conversation = rules.decline_offer(conversation)
        decision = resolve(asked, conversation)
        if not decision.incomplete:
            own = resolve(utterance, conversation)
            if own.hook_error:
                return own
            decision = Decision(
                own.question, conversation, build_match_contexts(own.question, conversation)
            )
        return replace(decision, bridge=BridgeResult("declined", offer, answer_text=utterance.text))
    # What the question left pending by itself is part of it already.
    restored = rules.restore_offer(conversation, now, offer)
    decision = resolve(asked, replace(restored, pending=None))
    if not decision.matches and restored.pending:
        decision = resolve(asked, restored)
    return replace(decision, bridge=BridgeResult("accepted", offer, answer_text=utterance.text))


def _reread_question(bot: Bot, offer: RecallOffer, at: datetime) -> Utterance:
    """The question to which the offer was made, as it was read when it was asked."""
    language = offer.language if offer.language in bot.model.languages else None
    return bot.read(offer.question, language, at=offer.at.astimezone(at.tzinfo))


def _recall_context(bot: Bot, decision: Decision, at: datetime, long_term: LongTerm) -> Decision:
    """The decision with what the long-term memory brings back, if it needs that."""
    settings = bot.model.bridge
    if settings.mode == "off" or not _needs_long_term(bot, decision):
        return decision
    try:
        latest = long_term.latest(decision.conversation.key, settings.exchanges)
    except Exception:  # whatever a long-term memory comes to, the question is answered
        _log.exception("the long-term memory cannot be read")
        return replace(decision, bridge=BridgeResult("unreadable"))
    since = decision.conversation.forgotten  # the mark of that may not have come yet
    known = tuple(
        takewhile(lambda one: at - one.at <= settings.within and one.clock >= since, latest)
    )
    looked_at = 0
    for offer in _iter_offers(known, decision, at):
        looked_at += 1
        restored = _migrate_conversation(bot, rules.restore_offer(decision.conversation, at, offer))
        found = decide(bot.indexed_model, decision.question, restored, at)
        if found.matches and any(taken.remembered for taken in found.matches[0].filling.taken):
            if settings.mode == "automatic":
                forgotten = (*decision.forgotten, *found.forgotten)
                bridged = BridgeResult("used", offer, exchanges_tried=looked_at)
                return replace(found, forgotten=forgotten, bridge=bridged)
            offer = _migrate_offer(offer, restored, decision.conversation)
            return replace(
                decision, bridge=BridgeResult("offered", offer, found.matches[0], looked_at)
            )
        if settings.mode == "automatic":
            break
    return replace(decision, bridge=BridgeResult("nothing found", exchanges_tried=looked_at))


def _needs_long_term(bot: Bot, decision: Decision) -> bool:
    """Whether something could be meant that only a memory can complete."""
    if decision.error or decision.hook_error or decision.has_reset_phrase:
        return False
    if decision.pending_action == "declined":
        return False
    conversation = decision.conversation
    if conversation.remembered or conversation.offer:
        return False
    return bool(decision.question.utterance.entities) or bot.has_memory_only_intents


def _iter_offers(
    exchanges: Sequence[Exchange], decision: Decision, at: datetime
) -> Iterator[RecallOffer]:
    """What each of the exchanges, newest first, would bring back; nothing from before a reset,
    and no time that was to come when it was said and is over now ("now", "tomorrow")."""
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
                exchange=exchange.number,
                said_at=exchange.at,
            )
        if exchange.status == "reset":
            return


def _has_ended(entity: Entity, said_at: datetime, at: datetime) -> bool:
    """Whether a time that a recognizer found was not over at ``said_at`` and is ``at``."""
    end = entity.meta.get("end") if not entity.own and "grain" in entity.meta else None
    return isinstance(end, str) and said_at < datetime.fromisoformat(end) <= at


def _count_questions(entity: Entity, before: Sequence[Exchange]) -> int:
    """For how many questions the entity had been remembered."""
    return sum(1 for _ in takewhile(lambda exchange: entity in exchange.memory, before))


def _migrate_conversation(bot: Bot, conversation: Conversation) -> Conversation:
    """The conversation with what still fits the model of what was brought back."""
    return bot.model_upgrade.migrate(conversation)[0]


def _migrate_offer(offer: RecallOffer, restored: Conversation, before: Conversation) -> RecallOffer:
    return replace(
        offer,
        entities=tuple(held.entity for held in restored.remembered),
        ages=tuple(before.questions - held.question for held in restored.remembered),
    )
