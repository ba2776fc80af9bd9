"""Answers that ask the user something: for a missing term, about unused words, with an offer."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.answering.bundle_names import name_bundles, name_entities
from anaphora.engine.answering.template_values import build_template_values, find_unused
from anaphora.engine.bots.bot import Bot
from anaphora.engine.reply import DECLINED_REASON
from anaphora.entities.variants.search import find_variants
from anaphora.intents.confirmation import (
    format_accepted,
    format_begin_anew,
    format_choice,
    format_declined,
    format_needed,
    format_offer,
    format_unused_question,
)
from anaphora.intents.decision.decision import BridgeResult, Decision
from anaphora.intents.decision.pending_question import (
    asked_before,
    build_pending,
    is_correction,
    list_as_said,
    repeat_prompt,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.index import may_take
from anaphora.intents.match import Match, SlotFilling
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, PendingQuestion
from anaphora.stm.offers import is_same_meaning, remember

__all__ = [
    "accept_decline",
    "acknowledge",
    "ask_about_unused",
    "ask_for_missing",
    "ask_for_optional",
    "ask_to_confirm",
    "ask_whether_afresh",
    "ask_which",
    "find_options",
    "find_unused_texts",
    "format_pending_question",
    "format_prompt",
    "make_offer",
]


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
    text = format_pending_question(bot, decision, filling)
    is_needed = filling.missing and decision.pending_action == "asked again"
    if is_needed and decision.question.is_indifferent:  # "whatever"
        needed = format_needed(decision.question.utterance.language)
        text = f"{needed} {text}".strip()
    return BotAnswer("incomplete", conversation, filling, text=text)


def format_pending_question(bot: Bot, decision: Decision, filling: SlotFilling) -> str:
    """What the bot asks about an incomplete or pending question."""
    if filling.missing:
        return format_prompt(bot, decision, filling, filling.missing[0].label)
    pending = decision.conversation.pending
    assert pending is not None
    if pending.afresh:
        return format_begin_anew(decision.question.utterance.language)
    if pending.confirms:
        return _format_confirmation(bot, decision, filling)
    if pending.missing:
        return format_prompt(bot, decision, filling, pending.missing[0])
    return _format_unused_question(bot, decision, filling, pending.unused)


def format_prompt(bot: Bot, decision: Decision, filling: SlotFilling, term: str) -> str:
    """The question for a term; empty if the model has none."""
    prompt = bot.responses.render(
        bot.model.prompts.get(filling.intent.id, {}).get(term),
        decision.question.utterance.language,
        partial(build_template_values, decision, filling),
    )
    return prompt or ""


def find_options(
    bot: Bot, question: ParsedQuestion, conversation: Conversation
) -> tuple[Entity, ...]:
    """The values that the pending question names for what it asks for, in their order: Anna and Ben
    in "With Anna or Ben?". Empty if it names fewer than two."""
    pending = conversation.pending
    intent = bot.indexed_model.intents_by_id.get(pending.intent) if pending is not None else None
    if pending is None or intent is None or not pending.missing or not question.variants:
        return ()
    asked = next((term for term in intent.terms if term.label == pending.missing[0]), None)
    again = repeat_prompt(question, conversation, pending, intent)
    if asked is None or again is None or again.incomplete is None:
        return ()
    text = format_pending_question(bot, again, again.incomplete)
    at = question.question_context.at
    variants = find_variants(bot.read(text, question.utterance.language, at=at))
    options: list[Entity] = []
    for one in sorted(variants[0].entities if variants else (), key=lambda one: one.start):
        if may_take(asked, one) and not any(is_same_meaning(one, other) for other in options):
            options.append(one)
    return tuple(options) if len(options) > 1 else ()


def _format_confirmation(bot: Bot, decision: Decision, filling: SlotFilling) -> str:
    text = bot.responses.render(
        bot.model.confirmations.get(filling.intent.id),
        decision.question.utterance.language,
        partial(build_template_values, decision, filling),
    )
    return text or ""


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
    pending = replace(_wait_with(decision, match, at), unused=unused)
    text = _format_unused_question(bot, decision, match.filling, unused)
    return _ask_back(decision, match, pending, text, f"it leaves unused: {', '.join(unused)}")


def ask_to_confirm(bot: Bot, decision: Decision, match: Match, at: datetime) -> BotAnswer:
    """Ask whether to carry the intent out (rule 15); nothing is carried out yet."""
    pending = replace(_wait_with(decision, match, at), confirms=True)
    text = _format_confirmation(bot, decision, match.filling)
    return _ask_back(decision, match, pending, text, "it waits for a yes")


def ask_for_optional(bot: Bot, decision: Decision, match: Match, at: datetime) -> BotAnswer | None:
    """Ask for an optional term that has a prompt, once; None if there is none to ask for."""
    filling = match.filling
    prompts = bot.model.prompts.get(filling.intent.id)
    if not prompts:
        return None
    asked = asked_before(decision.conversation, filling.intent.id)
    for one in filling.terms:
        name = one.term.id
        if name in prompts and not one.taken and one.term.min == 0 and name not in asked:
            break
    else:
        return None
    assert name is not None
    waiting = _wait_with(decision, match, at)
    pending = replace(waiting, missing=(name,), asked=(*asked, name))
    text = format_prompt(bot, decision, filling, name)
    reason = f"it asks once for {name}, which is optional"
    return _ask_back(decision, match, pending, text, reason)


def ask_whether_afresh(decision: Decision, match: Match, at: datetime) -> BotAnswer:
    """Ask whether the question begins afresh or changes the last one (rule 22)."""
    said = tuple(taken.entity for taken in match.filling.from_sentence)
    pending = PendingQuestion(match.intent.id, said, missing=(), at=at, afresh=True)
    text = format_begin_anew(decision.question.utterance.language)
    reason = "it may begin afresh, or change the last question"
    return _ask_back(decision, match, pending, text, reason)


def _wait_with(decision: Decision, match: Match, at: datetime) -> PendingQuestion:
    """The question of a match that is not carried out yet: it lacks nothing."""
    return PendingQuestion(
        match.intent.id,
        list_as_said(match.filling, decision.conversation.pending),
        missing=(),
        at=at,
        asked=asked_before(decision.conversation, match.intent.id),
        corrects=is_correction(decision, match.intent.id),
    )


def _ask_back(
    decision: Decision, match: Match, pending: PendingQuestion, text: str, reason: str
) -> BotAnswer:
    """Answer a match with a question, while its own question is ``pending``."""
    return BotAnswer(
        "incomplete",
        rules.record_incomplete(decision.conversation, pending.at, pending),
        match.filling,
        winner=match,
        text=text,
        reason=reason,
    )


def ask_which(bot: Bot, decision: Decision, act: DialogAct, at: datetime) -> BotAnswer:
    """Ask which of the offers the user takes."""
    offers = decision.conversation.offers
    assert offers is not None
    language = decision.question.utterance.language
    names = name_bundles(bot, act.choices, language, decision.question.question_context.at)
    filling = decision.incomplete
    text = bot.responses.render(
        bot.model.choices.get(offers.intent),
        language,
        lambda: {**build_template_values(decision, filling), "choices": list(names)},
    )
    text = text or format_choice(names, language)
    if filling is None:
        conversation = rules.record_without_intent(decision.conversation, at)
    else:  # a question about one of them
        pending = build_pending(decision, at)
        conversation = rules.record_incomplete(decision.conversation, at, pending)
    reason = "it may mean several of the offers"
    return BotAnswer("incomplete", conversation, filling, text=text, reason=reason)


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
        named = [taken.entity for taken in filling.taken if taken.remembered]
        local_time = decision.question.question_context.at
        texts = (name_entities(bot, (one,), language, local_time)[0] for one in named)
        text = format_offer(texts, language)
    pending = build_pending(decision, at) if decision.incomplete else None
    conversation = rules.record_recall_offer(decision.conversation, at, offer, pending)
    return BotAnswer("incomplete", conversation, filling, text=text)


def acknowledge(decision: Decision, act: DialogAct, at: datetime) -> BotAnswer:
    """Acknowledge that the user accepts an offer that no intent goes on with."""
    conversation = rules.record_without_intent(decision.conversation, at)
    conversation, forgotten = remember(conversation, act.accepted)
    text = format_accepted(decision.question.utterance.language)
    return BotAnswer("matched", conversation, forgotten=forgotten, text=text)


def accept_decline(decision: Decision, at: datetime) -> BotAnswer:
    """Acknowledge a no. It does not count as a rejected question, unless the decision says so."""
    conversation = rules.record_without_intent(decision.conversation, at)
    if decision.acknowledgement:
        conversation = replace(conversation, rejections=decision.conversation.rejections)
    return BotAnswer(
        "rejected",
        conversation,
        text=decision.acknowledgement or format_declined(decision.question.utterance.language),
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
