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

from anaphora.grammar.request import Request, User
from anaphora.intents.bot import Bot
from anaphora.intents.decision import Bridged, Decision, decide
from anaphora.intents.long_term import LongTerm
from anaphora.intents.solver import scenes
from anaphora.intents.wording import answer_in
from anaphora.ltm.exchange import Exchange
from anaphora.models.utterance import Entity, Utterance
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, Offer

__all__ = ["decided"]

_log = logging.getLogger(__name__)


def decided(
    bot: Bot,
    utterance: Utterance,
    conversation: Conversation,
    at: datetime,
    user: User,
    request: Request,
    long_term: LongTerm | None,
) -> Decision:
    """As :meth:`Bot.decide`, with what a standing offer and ``long_term`` have to do with it.

    A long-term memory that cannot be read is logged, and all is as without it.
    """

    def resolve(utterance: Utterance, conversation: Conversation) -> Decision:
        return bot.decide(utterance, conversation, at, user, request)

    def usual(conversation: Conversation) -> Decision:
        decision = resolve(utterance, conversation)
        if long_term is None or decision.matches:
            return decision
        return _bridged(bot, decision, at, long_term)

    if conversation.offer is None:
        return usual(conversation)
    offer = rules.recall(conversation, at, bot.model.conversation)[0].offer
    if offer is None or offer.declined:
        return usual(conversation)
    answer = None
    if not utterance.resets and not utterance.error:
        # "yes" alone says little of its language: any that the model speaks will do.
        languages = (utterance.language, conversation.language, *bot.model.languages)
        answer = answer_in(utterance.text, languages)
    if answer is None:
        decision = usual(rules.without_offer(conversation))
        return replace(decision, bridged=decision.bridged or Bridged("dropped", offer))
    asked = _read_again(bot, offer, at)
    if not answer:
        conversation = rules.declined(conversation)
        decision = resolve(asked, conversation)
        if not decision.asking:
            own = resolve(utterance, conversation)
            if own.failure:
                return own
            decision = Decision(own.question, conversation, scenes(own.question, conversation))
        return replace(decision, bridged=Bridged("declined", offer, said=utterance.text))
    # What the question left pending by itself is part of it already.
    restored = rules.brought_back(conversation, at, offer)
    decision = resolve(asked, replace(restored, pending=None))
    if not decision.matches and restored.pending:
        decision = resolve(asked, restored)
    return replace(decision, bridged=Bridged("accepted", offer, said=utterance.text))


def _read_again(bot: Bot, offer: Offer, at: datetime) -> Utterance:
    """The question to which the offer was made, as it was read when it was asked."""
    language = offer.language if offer.language in bot.model.languages else None
    return bot.read(offer.question, language, at=offer.at.astimezone(at.tzinfo))


def _bridged(bot: Bot, decision: Decision, at: datetime, long_term: LongTerm) -> Decision:
    """The decision with what the long-term memory brings back, if it needs that."""
    settings = bot.model.bridge
    if settings.mode == "off" or not _is_lost(bot, decision):
        return decision
    try:
        latest = long_term.latest(decision.conversation.key, settings.exchanges)
    except Exception:  # whatever a long-term memory comes to, the question is answered
        _log.exception("the long-term memory cannot be read")
        return replace(decision, bridged=Bridged("unreadable"))
    since = decision.conversation.forgotten  # the mark of that may not have come yet
    known = tuple(
        takewhile(lambda one: at - one.at <= settings.within and one.clock >= since, latest)
    )
    looked_at = 0
    for offer in _offers(known, decision, at):
        looked_at += 1
        restored = _fitted(bot, rules.brought_back(decision.conversation, at, offer))
        found = decide(bot.mind, decision.question, restored, at)
        if found.matches and any(taken.remembered for taken in found.matches[0].filling.taken):
            if settings.mode == "automatic":
                forgotten = (*decision.forgotten, *found.forgotten)
                bridged = Bridged("used", offer, looked_at=looked_at)
                return replace(found, forgotten=forgotten, bridged=bridged)
            offer = _as_fitted(offer, restored, decision.conversation)
            return replace(decision, bridged=Bridged("offered", offer, found.matches[0], looked_at))
        if settings.mode == "automatic":
            break
    return replace(decision, bridged=Bridged("nothing found", looked_at=looked_at))


def _is_lost(bot: Bot, decision: Decision) -> bool:
    """Whether something could be meant that only a memory can complete."""
    if decision.error or decision.failure or decision.reset_phrase:
        return False
    if decision.pending_is == "declined":
        return False
    conversation = decision.conversation
    if conversation.remembered or conversation.offer:
        return False
    return bool(decision.question.utterance.entities) or bot.answers_from_memory


def _offers(exchanges: Sequence[Exchange], decision: Decision, at: datetime) -> Iterator[Offer]:
    """What each of the exchanges, newest first, would bring back; nothing from before a reset,
    and no time that was to come when it was said and is over now ("now", "tomorrow")."""
    utterance = decision.question.utterance
    tried: list[tuple[Entity, ...]] = []
    for index, exchange in enumerate(exchanges):
        memory = tuple(one for one in exchange.memory if not _is_over(one, exchange.at, at))
        if memory and memory not in tried:
            tried.append(memory)
            yield Offer(
                question=utterance.text,
                language=utterance.language,
                at=at,
                entities=memory,
                ages=tuple(_age(entity, exchanges[index + 1 :]) for entity in memory),
                exchange=exchange.number,
                said_at=exchange.at,
            )
        if exchange.status == "reset":
            return


def _is_over(entity: Entity, said_at: datetime, at: datetime) -> bool:
    """Whether a time that a recognizer found was not over at ``said_at`` and is ``at``."""
    end = entity.meta.get("end") if not entity.own and "grain" in entity.meta else None
    return isinstance(end, str) and said_at < datetime.fromisoformat(end) <= at


def _age(entity: Entity, before: Sequence[Exchange]) -> int:
    """For how many questions the entity had been remembered."""
    return sum(1 for _ in takewhile(lambda exchange: entity in exchange.memory, before))


def _fitted(bot: Bot, conversation: Conversation) -> Conversation:
    """The conversation with what still fits the model of what was brought back."""
    return bot.fitting.fit(conversation)[0]


def _as_fitted(offer: Offer, restored: Conversation, before: Conversation) -> Offer:
    return replace(
        offer,
        entities=tuple(held.entity for held in restored.remembered),
        ages=tuple(before.questions - held.question for held in restored.remembered),
    )
