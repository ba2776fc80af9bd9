"""Resolve an utterance against a conversation: build the question, apply the hooks, decide."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from msgspec.structs import replace

from anaphora.core.utterance import Utterance
from anaphora.engine.bots.bot import Bot
from anaphora.engine.turn import Turn
from anaphora.entities.cues.cue import Cue
from anaphora.entities.variants.search import find_variants
from anaphora.errors import HandlerError
from anaphora.grammar.context import QuestionContext
from anaphora.intents.combination.combination import CombinedUtterance, combine_with_memory
from anaphora.intents.decision.decide import decide
from anaphora.intents.decision.decision import Decision
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import Conversation

__all__ = ["resolve"]

_ENVIRONMENT: Mapping[str, str] = MappingProxyType(os.environ)  # not to be changed by a model


def resolve(turn: Turn, utterance: Utterance, conversation: Conversation) -> Decision:
    """Decide which intent an utterance of the turn matches in this conversation.

    What is part of a remembered value ("on Friday", then "at eight") is first read as combined
    with it; that reading counts only if the question uses the memory.
    """
    bot = turn.bot
    cues: tuple[Cue, ...] = ()
    if bot.interpreter is not None:
        cues = bot.interpreter.read_cues(utterance)
        if cues:
            understood = frozenset([index for cue in cues for index in cue.tokens])
            utterance = replace(utterance, understood=understood)
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
            if refers or decision.uses_memory:
                return _note_combinations(decision, combined)
        question = _build_question(utterance, context, bot)
    except HandlerError as error:
        question = ParsedQuestion(utterance, (), context)
        return Decision(question, conversation, (), refusal_reason=str(error), hook_error=error)
    return _decide(bot, question, cues, conversation, turn.now)


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
    return bot.interpreter.decide(question, cues, conversation, at)


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
