"""Complete the answer of an intent: remember what the bot mentions, put its offers on the table,
and repeat the pending question."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.answering.prompts import format_pending_question
from anaphora.engine.answering.refusal import find_refused_question, format_refused
from anaphora.engine.answering.spoken import Spoken, collect_spoken, collect_statement
from anaphora.engine.bots.bot import Bot
from anaphora.engine.callbacks.answer import Answer
from anaphora.errors import HandlerError
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.pending_question import repeat_prompt
from anaphora.intents.match import Match
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, ForgottenEntity, Offers, PendingQuestion
from anaphora.stm.offers import (
    age_offers,
    clear_offers,
    is_same_meaning,
    make_offers,
    remember,
    remember_mentions,
    replace_offered,
)
from anaphora.storage.logical_clock import to_utc

__all__ = ["finish_answer", "record_statement", "resume_suspended", "suspend_pending"]

_MOMENT = timedelta(microseconds=1)


def finish_answer(
    bot: Bot, decision: Decision, match: Match, answer: BotAnswer, at: datetime
) -> BotAnswer:
    """Remember what the user accepted and the bot mentions, put its offers on the table, and go
    back to a question that another one has interrupted."""
    spoken = collect_spoken(bot, decision, match.filling, answer.result)
    conversation, act = answer.conversation, decision.act
    accepted = act.accepted if act else ()
    conversation, replaced = remember(conversation, accepted)
    said = [one.entity for one in match.filling.from_sentence]
    conversation = replace_offered(conversation, said)
    before = conversation.offers
    declined = act.declined if act else ()
    conversation, evicted = _record_spoken(conversation, spoken, match.intent.id, at, declined)
    if before is not None and conversation.offers is before:
        conversation = _settle_table(bot, match, conversation, before, at)
    answer = replace(
        answer,
        conversation=conversation,
        forgotten=(*answer.forgotten, *replaced, *evicted),
        text=answer.text if spoken.text is None else spoken.text,
        result=spoken.result,
    )
    return _resume_pending(bot, decision, match, answer, at)


def suspend_pending(bot: Bot, decision: Decision, answer: BotAnswer) -> BotAnswer:
    """Keep the question that waited before the bot has asked for something else: a question of
    another intent suspends it."""
    before, pending = decision.conversation.pending, answer.conversation.pending
    if bot.interpreter is None or answer.status != "incomplete" or pending is None:
        return answer
    pending = rules.suspend(_without_leftover(before), pending, keeps=decision.act is None)
    return replace(answer, conversation=replace(answer.conversation, pending=pending))


def resume_suspended(bot: Bot, decision: Decision, answer: BotAnswer, at: datetime) -> BotAnswer:
    """Go back to the question that another one had suspended, once the user has given that up."""
    pending = answer.conversation.pending
    if pending is None:
        return answer
    again = _repeat(bot, decision, pending)
    if again is None:
        return replace(answer, conversation=replace(answer.conversation, pending=None))
    return _ask_again(bot, again, pending, answer, at)


def record_statement(
    bot: Bot, conversation: Conversation, answer: Answer, intent: str, at: datetime
) -> Conversation:
    """Record what the bot says without being asked, as if ``intent`` had said it with the answer to
    the last question.

    Raises :class:`HandlerError` for something that is no entity of the model, and for offers
    without an intent of the model.
    """
    source = f"what the bot says ({answer.text!r})"
    language = conversation.language or bot.model.languages[0]
    spoken = collect_statement(bot, answer, language, at, source=source)
    if spoken.offers and bot.model.intent(intent) is None:
        raise HandlerError(f"{source} makes offers of '{intent}': no such intent")
    conversation, _ = rules.expire(conversation, at, bot.model.conversation)
    if conversation.last is None:
        conversation = rules.record_without_intent(conversation, at)
    conversation = replace(conversation, last=max(conversation.last or to_utc(at), to_utc(at)))
    if spoken.offers:  # they ask for an answer instead
        conversation = replace(conversation, pending=None, recall_offer=None)
    return _record_spoken(conversation, spoken, intent, at)[0]


def _record_spoken(
    conversation: Conversation,
    spoken: Spoken,
    intent: str,
    at: datetime,
    declined: tuple[tuple[Entity, ...], ...] = (),
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Remember what the bot mentions, and put what ``intent`` offers on the table."""
    conversation, evicted = remember_mentions(conversation, spoken.mentions)
    if spoken.offers:
        before, time = conversation.offers, to_utc(at)
        offers = make_offers(intent, spoken.offers, time, before, declined, spoken.then)
        conversation = replace(conversation, offers=offers)
    elif spoken.clears_offers:
        offers = Offers(intent, (), to_utc(at), declined=declined, then=spoken.then)
        conversation = replace(conversation, offers=offers)
    return conversation, evicted


def _settle_table(
    bot: Bot, match: Match, conversation: Conversation, offers: Offers, at: datetime
) -> Conversation:
    """Keep the offers as long as the dialog is about them (rule 12)."""
    if offers.taken is not None:
        return clear_offers(conversation)
    if match.intent.id == offers.intent or any(
        one.offered or _names_offered(one.entity, offers) for one in match.filling.taken
    ):
        return replace(conversation, offers=replace(offers, at=to_utc(at), idle=0))
    return age_offers(conversation, bot.model.conversation.depth)


def _names_offered(entity: Entity, offers: Offers) -> bool:
    return any(is_same_meaning(entity, one) for bundle in offers.bundles for one in bundle)


def _resume_pending(
    bot: Bot, decision: Decision, match: Match, answer: BotAnswer, at: datetime
) -> BotAnswer:
    """Go back to a pending question after another intent has answered in between. It only stays if
    the bot has made offers since, which are answered first."""
    pending = decision.conversation.pending
    if pending is None or decision.previous_topic or decision.has_reset_phrase:
        return answer
    if pending.intent == match.intent.id:
        pending = pending.suspended
    elif decision.act:
        return answer
    else:
        pending = _without_leftover(pending)
    again = _repeat(bot, decision, pending)
    if again is None and pending is not None:
        pending = pending.suspended
        again = _repeat(bot, decision, pending)
    if pending is None or again is None:
        return answer
    before, offers = decision.conversation, answer.conversation.open_offers
    if offers is not None and _is_about_replaced(pending, before.offers, offers):
        return answer
    if offers is not None and (match.intent.id == offers.intent or pending.at < offers.at):
        older = min(pending.at, to_utc(at) - _MOMENT)  # than the offers, which are answered first
        waiting = replace(answer.conversation, pending=replace(pending, at=older))
        return replace(answer, conversation=waiting)
    answer = _ask_again(bot, again, pending, answer, at)
    offers = answer.conversation.offers or before.offers
    return replace(answer, conversation=replace(answer.conversation, offers=offers))


def _without_leftover(pending: PendingQuestion | None) -> PendingQuestion | None:
    """The question that waits after another one: not whether to go on without some words, which
    that drops."""
    if pending is None or pending.missing or pending.confirms or pending.afresh:
        return pending
    return pending.suspended


def _repeat(bot: Bot, decision: Decision, pending: PendingQuestion | None) -> Decision | None:
    """The decision to ask a pending question again; None if it cannot go on."""
    intent = bot.indexed_model.intents_by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return None
    before = replace(decision.conversation, pending=pending)
    again = repeat_prompt(decision.question, before, pending, intent)
    again = again or find_refused_question(bot, decision.question, before)
    return again if again is not None and again.incomplete is not None else None


def _ask_again(
    bot: Bot, again: Decision, pending: PendingQuestion, answer: BotAnswer, at: datetime
) -> BotAnswer:
    """Add the pending question to an answer."""
    assert again.incomplete is not None
    question = format_refused(bot, again, again.incomplete)
    if not question:
        question = format_pending_question(bot, again, again.incomplete)
        pending = again.conversation.pending or pending
    waiting = replace(answer.conversation, pending=replace(pending, at=to_utc(at)))
    return replace(answer, text=f"{answer.text} {question}".strip(), conversation=waiting)


def _is_about_replaced(pending: PendingQuestion, old: Offers | None, new: Offers) -> bool:
    """Whether a pending question was asked about offers that others have replaced."""
    if old is None or new.bundles is old.bundles or pending.intent == new.then:
        return False
    return pending.at >= old.at
