"""Why a question is rejected."""

from __future__ import annotations

from typing import NamedTuple, cast

from anaphora.engine.bots.bot import Bot
from anaphora.engine.callbacks.handlers import Reject
from anaphora.engine.reply import NOTHING_ASKED_REASON, SMALL_TALK_REASON
from anaphora.entities.cues.cue_finder import find_cues
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.intents.checks.utterance_limits import has_too_many_words
from anaphora.intents.confirmation import format_accepted, parse_answer
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.sentences.history.answers import is_acknowledgement, says_yes
from anaphora.models.domain import RejectionKind, SocialKind

__all__ = ["Rejection", "find_rejection", "from_handler"]


class Rejection(NamedTuple):
    """The reason for a rejection, and its kind: None if a handler has given the reason. ``text`` is
    what the user is told who has asked for nothing; without one it is the reason."""

    reason: str
    kind: RejectionKind | None
    text: str = ""


def from_handler(rejection: Reject) -> Rejection:
    """The rejection by a handler or a hook."""
    text = str(rejection)
    return Rejection(text, None) if text else Rejection("the bot refused it", "refused")


def find_rejection(bot: Bot, decision: Decision) -> Rejection:
    """Find why a question has no answer."""
    utterance = decision.question.utterance
    if len(utterance.text) > bot.max_characters:
        reason = f"the question is longer than {bot.max_characters:,} characters"
        return Rejection(reason, "too_long")
    if decision.refusal_reason:
        is_long = has_too_many_words(bot.model.limits, utterance)
        return Rejection(decision.refusal_reason, "too_long" if is_long else "refused")
    if decision.matches:
        return Rejection("every intent that matched passed on it", "refused")
    if not utterance.text.strip():
        return Rejection("the question is empty", "empty")
    if talk := _find_small_talk(bot, decision):
        return Rejection(f"{SMALL_TALK_REASON}: {talk}", cast(SocialKind, talk))
    if not bot.model.fallback and (acknowledged := _acknowledge(bot, decision)):
        return acknowledged
    if not utterance.entities:
        if bot.model.fallback and parse_answer(utterance.text, bot.model.languages) is not None:
            return Rejection(NOTHING_ASKED_REASON, "nothing_asked")
        return Rejection("nothing in it is known to this bot", "unknown")
    if decision.nearest:
        near = decision.nearest
        if not near.missing:
            reason = f"{near.intent.id} does not match: {near.blocking_reason}"
            return Rejection(reason, "unknown")
        lacking = " and ".join(term.label for term in near.missing)
        return Rejection(f"for {near.intent.id} it lacks: {lacking}", "incomplete")
    named = ", ".join(dict.fromkeys(entity.text for entity in utterance.entities))
    return Rejection(f"no intent can do anything with: {named}", "unknown")


def _acknowledge(bot: Bot, decision: Decision) -> Rejection | None:
    """Acknowledge a yes or thanks to a home. After what was refused, that is refused again, for an
    "All right" would say that it was done. None for anything else."""
    sentences, utterance = bot.indexed_model.sentences, decision.question.utterance
    if sentences is None or not is_acknowledgement(sentences, utterance):
        return None
    if decision.conversation.rejections and says_yes(sentences, utterance):
        return Rejection(sentences.refusals["which"], "unknown")
    return Rejection(NOTHING_ASKED_REASON, "unknown", format_accepted(utterance.language))


def _find_small_talk(bot: Bot, decision: Decision) -> str:
    """The kind of small talk that a question is; without dialog acts, only if the fallback of the
    model answers it. Empty for anything else."""
    utterance, fallback = decision.question.utterance, bot.model.fallback
    if bot.interpreter is not None or fallback is None or utterance.entities:
        return decision.question.small_talk
    cues = find_cues(utterance, load_cue_words(utterance.language))
    kinds = [cue.value for cue in cues if cue.kind == "social" and cue.value in fallback.texts]
    return kinds[-1] if kinds else ""
