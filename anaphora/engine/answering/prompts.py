"""Answers that ask the user something: for a missing term, about unused words, with an offer."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from msgspec.structs import replace

from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.answering.template_values import build_template_values, find_unused
from anaphora.engine.bot import Bot
from anaphora.intents.confirmation import (
    display_name,
    format_declined,
    format_offer,
    format_unused_question,
)
from anaphora.intents.decision import BridgeResult, Decision, build_pending
from anaphora.intents.match import Match, SlotFilling
from anaphora.stm import rules
from anaphora.stm.conversation import PendingQuestion

__all__ = [
    "DECLINED_REASON",
    "accept_decline",
    "ask_about_unused",
    "ask_for_missing",
    "find_unused_texts",
    "make_offer",
]

DECLINED_REASON = "the offer was declined"


def ask_for_missing(bot: Bot, decision: Decision, filling: SlotFilling, at: datetime) -> BotAnswer:
    """Ask for the first missing term; the question stays pending. If only its unused words are in
    question, ask about them again."""
    before = decision.conversation
    if decision.pending_action == "asked again":
        conversation = rules.record_repeated_prompt(before, at)
    else:
        unused = find_unused_texts(bot, decision, filling)
        pending = replace(build_pending(decision, at), unused=unused)
        conversation = rules.record_incomplete(before, at, pending)
    if not filling.missing:
        assert before.pending is not None
        text = _format_unused_question(bot, decision, filling, before.pending.unused)
        return BotAnswer("incomplete", conversation, filling, text=text)
    prompts = bot.model.prompts.get(filling.intent.id, {})
    prompt = bot.responses.render(
        prompts.get(filling.missing[0].label),
        decision.question.utterance.language,
        partial(build_template_values, decision, filling),
    )
    return BotAnswer("incomplete", conversation, filling, text=prompt or "")


def find_unused_texts(bot: Bot, decision: Decision, filling: SlotFilling) -> tuple[str, ...]:
    """The unused words to ask about before an intent is answered: those of this sentence, and of
    the sentences that it completes."""
    if filling.intent.id not in bot.model.unused or decision.pending_action == "confirmed":
        return ()
    return (
        *_pending_unused_texts(bot, decision, filling),
        *(one.text for one in find_unused(decision, filling)),
    )


def ask_about_unused(
    bot: Bot, decision: Decision, match: Match, unused: tuple[str, ...], at: datetime
) -> BotAnswer:
    """Ask whether to go on without the unused words; nothing is carried out yet."""
    filling = match.filling
    pending = PendingQuestion(
        match.intent.id,
        tuple(taken.entity for taken in filling.taken if not taken.remembered),
        missing=(),
        at=at,
        unused=unused,
    )
    return BotAnswer(
        "incomplete",
        rules.record_incomplete(decision.conversation, at, pending),
        filling,
        winner=match,
        text=_format_unused_question(bot, decision, filling, unused),
        reason=f"it leaves unused: {', '.join(unused)}",
    )


def make_offer(bot: Bot, decision: Decision, bridge: BridgeResult, at: datetime) -> BotAnswer:
    """Ask whether the question is still about the context from the long-term memory."""
    offer, match = bridge.offer, bridge.match
    assert offer is not None
    assert match is not None
    filling = match.filling
    language = decision.question.utterance.language
    values = partial(build_template_values, decision, filling)
    text = bot.responses.render(bot.model.recall_offers.get(filling.intent.id), language, values)
    if not text:
        named = (display_name(taken.entity) for taken in filling.taken if taken.remembered)
        text = format_offer(named, language)
    pending = build_pending(decision, at) if decision.incomplete else None
    conversation = rules.record_recall_offer(decision.conversation, at, offer, pending)
    return BotAnswer("incomplete", conversation, filling, text=text)


def accept_decline(decision: Decision, at: datetime) -> BotAnswer:
    """Acknowledge a no. It does not count as a rejected question."""
    return BotAnswer(
        "rejected",
        rules.record_without_intent(decision.conversation, at),
        text=format_declined(decision.question.utterance.language),
        reason=DECLINED_REASON,
    )


def _pending_unused_texts(bot: Bot, decision: Decision, filling: SlotFilling) -> tuple[str, ...]:
    """The unused words of the sentences that this one completes.

    A sentence that fills a required term anew settles them like a yes, except for qualifiers such
    as "not".
    """
    pending = decision.conversation.pending if decision.pending_entities else None
    if pending is None or pending.missing or not pending.unused:
        return pending.unused if pending else ()
    required = [match.taken for match in filling.terms if match.term.min > 0]
    if all(taken.source == "memory" for entities in required for taken in entities):
        return pending.unused
    language = decision.question.utterance.language
    return tuple([text for text in pending.unused if bot.read(text, language).qualifiers])


def _format_unused_question(
    bot: Bot, decision: Decision, filling: SlotFilling, unused: tuple[str, ...]
) -> str:
    language = decision.question.utterance.language
    values = partial(build_template_values, decision, filling, unused)
    text = bot.responses.render(bot.model.unused.get(filling.intent.id), language, values)
    return text or format_unused_question(unused, language)
