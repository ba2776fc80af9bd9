"""Answer a question by its decision: call the handler of the best match, render the response,
ask back, or reject."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from msgspec.structs import replace

from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.answering.fallback import answer_fallback
from anaphora.engine.answering.prompts import (
    DECLINED_REASON,
    accept_decline,
    ask_about_unused,
    ask_for_missing,
    find_unused_texts,
    make_offer,
)
from anaphora.engine.answering.rejection import Rejection, find_rejection, from_handler
from anaphora.engine.answering.template_values import build_template_values
from anaphora.engine.bot import Bot
from anaphora.engine.callbacks.handlers import Reject, Skip
from anaphora.engine.callbacks.live_conversation import LiveConversation, to_json_data
from anaphora.errors import HandlerError
from anaphora.intents.decision import Decision, decide
from anaphora.intents.match import Match
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, ForgetRule

__all__ = ["answer_decision", "answer_error", "dry_run"]

_Responder: TypeAlias = Callable[[Bot, Decision, Match], tuple[LiveConversation, Any]]

_MAX_REMATCHES = 10  # a hook that always wants another match must come to an end


def answer_decision(bot: Bot, decision: Decision, at: datetime) -> BotAnswer:
    """Answer with the best match whose handler accepts it, ask for what is missing, or reject.

    Raises :class:`HandlerError` if a handler, a hook or a template fails.
    """
    if decision.hook_error:
        raise decision.hook_error
    first = decision
    try:
        early_answer = _run_context_hook(bot, decision, at)
    except Reject as rejection:
        answer = _reject(bot, decision, at, from_handler(rejection))
        return _answer_rejection(bot, decision, answer, at)
    except _RematchRequest as request:
        early_answer, decision = None, _rematch(bot, decision, request, request.conversation, at)
    if early_answer:
        return early_answer
    for _ in range(_MAX_REMATCHES):
        try:
            answer = _try_matches(bot, decision, at, _respond)
        except _RematchRequest as request:
            # The next match starts from the memory before a change of topic.
            same = request.conversation == decision.conversation
            conversation = decision.before_topic_change if same else request.conversation
            decision = _rematch(bot, decision, request, conversation, at)
            continue
        answer = _answer_rejection(bot, decision, answer, at)
        return answer if decision is first else replace(answer, decision=decision)
    reason = f"the hook 'intent' sent back {_MAX_REMATCHES} matches"
    answer = _reject(bot, decision, at, Rejection(reason, "refused"))
    return _answer_rejection(bot, decision, answer, at)


def dry_run(bot: Bot, decision: Decision, at: datetime) -> BotAnswer:
    """The answer if every handler accepted its match; no handler and no hook is called."""
    return _try_matches(
        bot,
        decision,
        at,
        lambda bot, decision, match: (LiveConversation(decision.conversation), None),
    )


def answer_error(bot: Bot, error: HandlerError, conversation: Conversation) -> BotAnswer:
    """The answer of the error hook, with the conversation as it was before the question.

    Raises ``error`` if there is no such hook.
    """
    result = bot.hooks.call("error", error)
    if result is None:
        raise error
    return BotAnswer(
        "rejected",
        conversation,
        text=_text_or_empty(result),
        reason=str(error),
        result=result,
        is_recovered=True,
    )


class _RematchRequest(Exception):  # noqa: N818 - a request, not an error
    """Raised when a hook requests that the question be matched again."""

    def __init__(self, live: LiveConversation) -> None:
        self.conversation, self.forgotten = live.collect_changes()
        self.forgets_on_purpose = live.forgets_on_purpose


def _run_context_hook(bot: Bot, decision: Decision, at: datetime) -> BotAnswer | None:
    """The answer of the context hook, which runs before the intents; None if it leaves the
    question to them.

    Raises :class:`_RematchRequest` if it does so after forgetting something.
    """
    if "context" not in bot.hooks:
        return None
    live = LiveConversation(decision.before_topic_change)
    result = bot.hooks.call("context", decision.question.utterance, live)
    conversation, forgotten = live.collect_changes()
    if result is None and conversation != decision.before_topic_change:
        raise _RematchRequest(live)
    if result is None:
        return None
    return BotAnswer(
        "matched",
        rules.record_without_intent(conversation, at),
        forgotten=forgotten,
        text=_text_or_empty(result),
        result=result,
        forgets_on_purpose=live.forgets_on_purpose,
    )


def _rematch(
    bot: Bot, decision: Decision, request: _RematchRequest, conversation: Conversation, at: datetime
) -> Decision:
    """Match the question again. The conversation already holds what the bridge restored."""
    bridged = decision.bridge
    if bridged and bridged.outcome == "offered":
        bridged = None
    stays = (gone for gone in decision.forgotten if gone.rule is not ForgetRule.TOPIC)
    again = decide(bot.indexed_model, decision.question, conversation, at)
    return replace(
        again,
        bridge=bridged,
        forgotten=(*stays, *request.forgotten, *again.forgotten),
        forgets_on_purpose=decision.forgets_on_purpose or request.forgets_on_purpose,
    )


def _try_matches(bot: Bot, decision: Decision, at: datetime, respond: _Responder) -> BotAnswer:
    if len(decision.question.utterance.text) > bot.max_characters:
        return _reject(bot, decision, at, find_rejection(bot, decision))
    if decision.pending_action == "declined":
        return accept_decline(decision, at)
    skipped: list[Match] = []
    for match in decision.matches:
        if bot.model.unused and (unused := find_unused_texts(bot, decision, match.filling)):
            return ask_about_unused(bot, decision, match, unused, at)
        try:
            return _answer_match(bot, decision, match, tuple(skipped), at, respond)
        except Skip:
            skipped.append(match)
        except Reject as rejection:
            return _reject(bot, decision, at, from_handler(rejection))
    if decision.has_reset_phrase:
        return BotAnswer("reset", rules.record_reset(decision.conversation, at)[0])
    if decision.bridge and decision.bridge.outcome == "offered":
        return make_offer(bot, decision, decision.bridge, at)
    if decision.incomplete:
        return ask_for_missing(bot, decision, decision.incomplete, at)
    if decision.bridge and decision.bridge.outcome == "declined":
        return accept_decline(decision, at)
    return _reject(bot, decision, at, find_rejection(bot, decision), tuple(skipped))


def _answer_match(
    bot: Bot,
    decision: Decision,
    match: Match,
    skipped: tuple[Match, ...],
    at: datetime,
    respond: _Responder,
) -> BotAnswer:
    live, result = respond(bot, decision, match)
    filling = match.filling
    conversation, forgotten = live.collect_changes()
    conversation, evicted = rules.record_match(
        conversation,
        at,
        intent=match.intent.id,
        new=[taken.entity for taken in filling.taken if not taken.remembered],
        used=[taken.remembered for taken in filling.taken if taken.remembered],
    )
    return BotAnswer(
        "matched",
        conversation,
        filling,
        winner=match,
        skipped=skipped,
        forgotten=(*forgotten, *evicted),
        text=_text_or_empty(result),
        result=result,
        forgets_on_purpose=live.forgets_on_purpose,
    )


def _respond(bot: Bot, decision: Decision, match: Match) -> tuple[LiveConversation, Any]:
    """Run the intent hook, the handler or else the response template, and the result hook."""
    conversation, utterance = decision.conversation, decision.question.utterance
    live = LiveConversation(conversation)
    if not bot.hooks.accepts_match(match, live):
        raise _RematchRequest(live)
    handler, result = bot.handlers.get(match.intent.id), None
    if handler:
        data = deepcopy(dict(conversation.data))  # a handler may change it and then fail
        result = handler(
            match,
            data=data,
            text=utterance.text,
            user=conversation.user,
            conversation=live,
            at=decision.question.question_context.at,
            language=utterance.language,
        )
        live.replace_data(to_json_data(data, f"the handler of '{match.intent.id}'"))
    if result is None:
        values = partial(build_template_values, decision, match.filling)
        texts = bot.model.responses.get(match.intent.id)
        result = bot.responses.render(texts, utterance.language, values)
    return live, bot.hooks.run_result(match, result)


def _reject(
    bot: Bot,
    decision: Decision,
    at: datetime,
    rejection: Rejection,
    skipped: tuple[Match, ...] = (),
) -> BotAnswer:
    before = decision.before_topic_change  # a rejected topic changes nothing
    conversation, evicted = rules.record_rejection(before, at, bot.model.conversation)
    return BotAnswer(
        "rejected",
        conversation,
        skipped=skipped,
        forgotten=evicted,
        text=rejection.reason,
        reason=rejection.reason,
        rejection=rejection.kind,
    )


def _answer_rejection(bot: Bot, decision: Decision, answer: BotAnswer, at: datetime) -> BotAnswer:
    """Let the rejection hook answer a rejection, or else the fallback of the model."""
    if answer.status != "rejected" or answer.reason == DECLINED_REASON:
        return answer
    result = bot.hooks.call("rejection", answer.reason)
    if result is None:
        return answer_fallback(bot, decision, answer, at)
    return replace(answer, text=_text_or_empty(result), result=result)


def _text_or_empty(result: Any) -> str:
    return result if isinstance(result, str) else ""
