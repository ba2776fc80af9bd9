"""Answer a rejected question by the fallback of the model: its handler, or its texts."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from datetime import datetime
from typing import Any, cast, get_args

from msgspec.structs import replace

from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.bots.bot import Bot
from anaphora.engine.callbacks.fallback_handler import FALLBACK_ROLE, FallbackContext
from anaphora.engine.callbacks.live_conversation import LiveConversation, to_json_data
from anaphora.intents.confirmation import format_accepted, parse_answer
from anaphora.intents.decision.decision import Decision
from anaphora.intents.unused import find_unknown_parts
from anaphora.models.domain import (
    ANY_LANGUAGE,
    Fallback,
    FallbackKind,
    LocalizedText,
    RejectionKind,
    SocialKind,
    choose_translation,
)
from anaphora.models.templates.formatting.filters import FORMAT_LOCALE_KEY
from anaphora.stm import rules

__all__ = ["answer_fallback", "answer_reset", "answer_small_talk", "choose_fallback_text"]

_NEAR_KINDS = frozenset({"unknown", "incomplete", "refused"})
_SOCIAL_KINDS = frozenset(("nothing_asked", *get_args(SocialKind)))


def answer_fallback(bot: Bot, decision: Decision, answer: BotAnswer, at: datetime) -> BotAnswer:
    """Let the fallback of the model put a rejection into words.

    Raises :class:`HandlerError` if its handler or its template fails.
    """
    fallback, handler, kind = bot.model.fallback, bot.fallback_handler, answer.rejection
    if kind is None or (fallback is None and handler is None):
        return answer
    live = LiveConversation(decision.before_topic_change)
    context = _build_context(bot, decision, kind, answer.reason, live)
    if handler is not None:
        result = handler(**context)
        live.replace_data(to_json_data(context["data"], FALLBACK_ROLE))
        answer = _record_changes(bot, answer, live, at)
        if result is not None:
            return replace(answer, text=result if isinstance(result, str) else "", result=result)
    if fallback is None:
        return answer
    failures = context["failures"]
    if kind == "nothing_asked" and kind not in fallback.texts:
        if not _accepts_refusal(bot, context):
            return replace(answer, text=format_accepted(context["language"]))
        kind, failures = "unknown", failures - 1
    texts = choose_fallback_text(
        fallback, kind, failures, context["language"], _near_intent(decision)
    )
    text = _render(bot, texts, context)
    return replace(answer, text=text) if text else answer


def _accepts_refusal(bot: Bot, context: FallbackContext) -> bool:
    """Whether a yes follows a rejected question, which is refused again: an "All right" would say
    that it was done."""
    return context["failures"] > 1 and bool(parse_answer(context["text"], bot.model.languages))


def answer_small_talk(bot: Bot, decision: Decision, answer: BotAnswer) -> BotAnswer:
    """Return small talk before the question that is repeated because the user has said nothing
    else: "You're welcome. For how many?". Whoever says goodbye is not asked again."""
    kind, fallback = cast(SocialKind, decision.question.small_talk), bot.model.fallback
    texts = fallback.texts.get(kind) if fallback else None
    if decision.pending_action != "asked again" or answer.status != "incomplete" or not texts:
        return answer
    live = LiveConversation(decision.conversation)
    text = _render(bot, texts, _build_context(bot, decision, kind, answer.reason, live))
    return replace(answer, text=text if kind == "farewell" else f"{text} {answer.text}".strip())


def answer_reset(bot: Bot, decision: Decision, answer: BotAnswer) -> BotAnswer:
    """Let the fallback say that everything is forgotten."""
    texts = bot.model.fallback.texts.get("reset") if bot.model.fallback else None
    if not texts:
        return answer
    context = _build_context(bot, decision, "reset", "", LiveConversation(answer.conversation))
    return replace(answer, text=_render(bot, texts, context))


def _build_context(
    bot: Bot, decision: Decision, kind: FallbackKind, reason: str, live: LiveConversation
) -> FallbackContext:
    question, before = decision.question, decision.before_topic_change
    utterance = question.utterance
    return {
        "text": utterance.text,
        "reason": reason,
        "kind": kind,
        "unknown": _Listed([part.text for part in find_unknown_parts(utterance)], ", "),
        "examples": _find_examples(bot.model.fallback, utterance.language),
        "failures": before.rejections + 1,
        "user": before.user,
        "language": utterance.language,
        "at": question.question_context.at,
        "conversation": live,
        "data": deepcopy(dict(before.data)),
    }


def _render(bot: Bot, texts: LocalizedText, context: FallbackContext) -> str:
    language = context["language"]
    values: dict[str, Any] = {**context, FORMAT_LOCALE_KEY: (language, context["at"].tzinfo)}
    return bot.responses.render(texts, language, lambda: values) or ""


def choose_fallback_text(
    fallback: Fallback, kind: RejectionKind, failures: int, language: str, intent: str = ""
) -> LocalizedText:
    """The text for a rejection that is the last of so many ``failures`` in a row; empty if there
    is none. ``intent`` is the one that the question comes near. A text in the ``language`` of the
    question goes before a more specific one.

    Small talk for which there is no text is answered like anything unknown, and is no reason to
    escalate.
    """
    texts = [fallback.texts.get(kind), fallback.text]
    if kind in _NEAR_KINDS:
        texts.insert(0, fallback.intents.get(intent))
    if kind in _SOCIAL_KINDS:
        texts.insert(1, fallback.texts.get("unknown"))
    elif failures >= fallback.after:
        texts.insert(0, fallback.escalation)
    known = [text for text in texts if text]
    spoken = (text for text in known if language in text or ANY_LANGUAGE in text)
    return next(spoken, known[0] if known else {})


def _near_intent(decision: Decision) -> str:
    """The id of the intent that a question comes near, or that refuses it ('' for none)."""
    if decision.matches:
        return decision.matches[0].intent.id
    return decision.nearest.intent.id if decision.nearest else ""


def _find_examples(fallback: Fallback | None, language: str) -> _Listed:
    examples = choose_translation(fallback.examples, language) if fallback else None
    return _Listed(examples or (), " ")


def _record_changes(bot: Bot, answer: BotAnswer, live: LiveConversation, at: datetime) -> BotAnswer:
    """Record the rejection of a question whose handler has changed the conversation."""
    conversation, forgotten = live.collect_changes()
    conversation, evicted = rules.record_rejection(conversation, at, bot.model.conversation)
    return replace(
        answer,
        conversation=conversation,
        forgotten=(*forgotten, *evicted),
        forgets_on_purpose=live.forgets_on_purpose,
    )


class _Listed(tuple[str, ...]):
    """Texts that a template may iterate over, or show as they are: joined."""

    separator: str

    def __new__(cls, texts: Iterable[str], separator: str = " ") -> _Listed:
        listed = super().__new__(cls, texts)
        listed.separator = separator
        return listed

    def __str__(self) -> str:
        return self.separator.join(self)
