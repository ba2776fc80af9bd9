"""Resolve an utterance against a conversation: build the question, apply the hooks, decide. What
the user may answer at the push of a button is resolved in the same way."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.engine.answering.bundle_names import name_bundles
from anaphora.engine.answering.prompts import find_options
from anaphora.engine.bots.bot import Bot
from anaphora.engine.turn import Turn
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.negation import stands_behind
from anaphora.entities.variants.search import find_variants
from anaphora.errors import HandlerError
from anaphora.grammar.context import QuestionContext
from anaphora.intents.combination.combination import CombinedUtterance, combine_with_memory
from anaphora.intents.combination.denied_limits import turn_denied_limits
from anaphora.intents.combination.self_corrections import correct_itself
from anaphora.intents.confirmation import format_quick_replies
from anaphora.intents.decision.decide import decide
from anaphora.intents.decision.decision import Decision
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import Conversation

__all__ = ["find_quick_replies", "resolve"]

_MAX_NAMED = 10  # offers; each name is read as if the user had said it
_ENVIRONMENT: Mapping[str, str] = MappingProxyType(os.environ)  # not to be changed by a model


def resolve(turn: Turn, utterance: Utterance, conversation: Conversation) -> Decision:
    """Decide which intent an utterance of the turn matches in this conversation.

    What is part of a remembered value ("on Friday", then "at eight") is first read as combined
    with it; that reading counts only if the question uses the memory or goes on with the last one.
    """
    bot = turn.bot
    cues: tuple[Cue, ...] = ()
    if bot.interpreter is not None:
        cues = bot.interpreter.read_cues(utterance)
        if cues:
            if bot.combiners is not None:
                utterance, cues = correct_itself(utterance, cues, bot.combiners, turn.now)
                utterance, cues = turn_denied_limits(utterance, cues, bot.combiners, turn.now)
            understood = frozenset([index for cue in cues for index in cue.tokens])
            utterance = replace(_without_parts(utterance, cues), understood=understood)
    context = QuestionContext(
        text=utterance.text,
        language=utterance.language,
        at=turn.now,
        request=turn.request,
        user=turn.user,
        model=bot.model_info,
        conversation_data=conversation.data,
        environment=_ENVIRONMENT,
        random=bot.random,
    )
    try:
        if bot.combiners is not None and (
            combined := combine_with_memory(
                utterance, conversation, turn.now, bot.model.conversation, bot.combiners, cues
            )
        ):
            question = _build_question(combined.utterance, context, bot)
            decision = _decide(bot, question, cues, conversation, turn.now)
            refers = combined.is_relative or decision.question.open_reference
            if refers or decision.uses_memory or _goes_on(decision, cues, conversation):
                return _note_combinations(decision, combined)
        question = _build_question(utterance, context, bot)
    except HandlerError as error:
        question = ParsedQuestion(utterance, (), context)
        return Decision(question, conversation, (), refusal_reason=str(error), hook_error=error)
    return _decide(bot, question, cues, conversation, turn.now)


def _without_parts(utterance: Utterance, cues: Sequence[Cue]) -> Utterance:
    """The utterance without entities that are a part of what rejects something: the "too" of
    "that's too late"."""
    rejecting = [
        {*cue.tokens}
        for cue in cues
        if cue.kind == "negate" and len(cue.tokens) > 1 and stands_behind(cue, utterance)
    ]
    if not rejecting:
        return utterance

    def keep(entities: Sequence[Entity]) -> tuple[Entity, ...]:
        return tuple(
            one
            for one in entities
            if not (one.tokens and any({*one.tokens} < tokens for tokens in rejecting))
        )

    return replace(
        utterance,
        entities=keep(utterance.entities),
        fallback_entities=keep(utterance.fallback_entities),
    )


def _goes_on(decision: Decision, cues: Sequence[Cue], conversation: Conversation) -> bool:
    """Whether a question asks more of what was asked last: "and a shave at four"."""
    filling = decision.matches[0].filling if decision.matches else decision.incomplete
    flow = conversation.flow
    return (
        filling is not None
        and bool(flow)
        and flow[-1].intent == filling.intent.id
        and flow[-1].at == conversation.last
        and any(cue.kind == "add" and cue.value == "maybe" for cue in cues)
    )


def _note_combinations(decision: Decision, combined: CombinedUtterance) -> Decision:
    """Note in the question which of the combined entities the answer uses."""
    filling = decision.matches[0].filling if decision.matches else decision.incomplete
    taken = [one.entity for one in filling.taken] if filling is not None else []
    notes = {**combined.notes, **combined.fallback_notes}
    used = [note for note, entity in notes.items() if entity in taken]
    question = replace(decision.question, notes=(*used, *decision.question.notes))
    return replace(decision, question=question)


def _decide(
    bot: Bot,
    question: ParsedQuestion,
    cues: Sequence[Cue],
    conversation: Conversation,
    at: datetime,
) -> Decision:
    if bot.interpreter is None:
        return decide(bot.indexed_model, question, conversation, at)
    chooses = bot.interpreter.may_choose(cues)
    options = find_options(bot, question, conversation) if chooses else ()
    return bot.interpreter.decide(question, cues, conversation, at, options)


def _build_question(utterance: Utterance, context: QuestionContext, bot: Bot) -> ParsedQuestion:
    """The variants of an utterance that the hooks accept."""
    hooks, free_words = bot.hooks, bot.model.free_words
    variants = find_variants(utterance)
    if not hooks.is_empty:
        variants = tuple(filter(hooks.accepts_variant, variants))
    if not utterance.fallback_entities:
        return ParsedQuestion(utterance, variants, context, free_words=free_words)
    other = replace(utterance, entities=utterance.fallback_entities, fallback_entities=())
    fallback = _build_question(other, context, bot)
    return ParsedQuestion(
        utterance,
        variants,
        context,
        fallback if fallback.variants else None,
        free_words=free_words,
    )


def find_quick_replies(turn: Turn, conversation: Conversation, language: str) -> tuple[str, ...]:
    """The texts of buttons after a turn. One of several offers has its name, if that accepts the
    offer."""
    texts = format_quick_replies(conversation, language)
    offers = conversation.open_offers
    if not 1 < len(texts) <= _MAX_NAMED or offers is None or len(texts) != len(offers.bundles):
        return texts
    if conversation.pending is not None and conversation.pending.confirms:
        return texts
    names = name_bundles(turn.bot, offers.bundles, language, turn.now)
    return tuple(
        [
            str(name) if _accepts(turn, str(name), conversation, index, language) else text
            for index, (name, text) in enumerate(zip(names, texts, strict=True))
        ]
    )


def _accepts(turn: Turn, text: str, conversation: Conversation, index: int, language: str) -> bool:
    """Whether a text accepts the offer with this index."""
    utterance = turn.bot.read(text, language, at=turn.now)
    answer = replace(turn, text=text, language=language, prefetched=None)
    decision = resolve(answer, utterance, conversation)
    after = decision.conversation.offers
    return (
        decision.act is not None
        and decision.act.kind == "accepted"
        and after is not None
        and after.taken == index
    )
