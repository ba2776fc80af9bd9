"""Complete the answer of an intent: remember what the bot mentions, put its offers on the table,
and repeat the pending question."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.answering.prompts import format_pending_question
from anaphora.engine.answering.spoken import collect_spoken
from anaphora.engine.bot import Bot
from anaphora.intents.decision import Decision, repeat_prompt
from anaphora.intents.match import Match
from anaphora.stm.conversation import Conversation, Offers
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

__all__ = ["finish_answer"]

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
    conversation, evicted = remember_mentions(conversation, spoken.mentions)
    said = [one.entity for one in match.filling.from_sentence]
    conversation = replace_offered(conversation, said)
    before = conversation.offers
    if spoken.offers:
        declined = act.declined if act else ()
        offers = make_offers(
            match.intent.id, spoken.offers, to_utc(at), before, declined, spoken.then
        )
        conversation = replace(conversation, offers=offers)
    elif spoken.clears_offers:
        declined = act.declined if act else ()
        offers = Offers(match.intent.id, (), to_utc(at), declined=declined, then=spoken.then)
        conversation = replace(conversation, offers=offers)
    elif before is not None:
        conversation = _settle_table(bot, match, conversation, before, at)
    answer = replace(
        answer,
        conversation=conversation,
        forgotten=(*answer.forgotten, *replaced, *evicted),
        text=answer.text if spoken.text is None else spoken.text,
        result=spoken.result,
    )
    return _resume_pending(bot, decision, match, answer, at)


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
    if pending is None or pending.intent == match.intent.id or decision.previous_topic:
        return answer
    intent = bot.indexed_model.intents_by_id.get(pending.intent)
    if intent is None or decision.act or decision.has_reset_phrase:
        return answer
    again = repeat_prompt(decision.question, decision.conversation, pending, intent)
    if again is None or again.incomplete is None:
        return answer
    offers = answer.conversation.open_offers
    if offers is not None and (match.intent.id == offers.intent or pending.at < offers.at):
        older = min(pending.at, to_utc(at) - _MOMENT)  # than the offers, which are answered first
        waiting = replace(answer.conversation, pending=replace(pending, at=older))
        return replace(answer, conversation=waiting)
    question = format_pending_question(bot, again, again.incomplete)
    text = f"{answer.text} {question}".strip()
    waiting = replace(
        answer.conversation,
        pending=replace(pending, at=to_utc(at)),
        offers=answer.conversation.offers or decision.conversation.offers,
    )
    return replace(answer, text=text, conversation=waiting)
