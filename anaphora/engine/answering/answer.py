"""Answer a question by its decision: call the handler of the best match, render the response,
ask back, or reject."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from copy import deepcopy
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.answering.dialog_update import (
    finish_answer,
    resume_suspended,
    suspend_pending,
)
from anaphora.engine.answering.fallback import answer_fallback, answer_reset, answer_small_talk
from anaphora.engine.answering.prompts import (
    accept_decline,
    acknowledge,
    ask_about_unused,
    ask_for_missing,
    ask_for_optional,
    ask_to_confirm,
    ask_whether_afresh,
    ask_which,
    find_unused_texts,
    make_offer,
)
from anaphora.engine.answering.refusal import (
    find_refused,
    find_refused_question,
    leave_out_refused,
    refuse,
)
from anaphora.engine.answering.rejection import Rejection, find_rejection, from_handler
from anaphora.engine.answering.template_values import build_act_values, build_result_values
from anaphora.engine.bots.bot import Bot
from anaphora.engine.bots.sentence_response import find_sentence_response
from anaphora.engine.callbacks.answer import Answer
from anaphora.engine.callbacks.handlers import Reject, Skip
from anaphora.engine.callbacks.live_conversation import LiveConversation, to_json_data
from anaphora.engine.reply import DECLINED_REASON
from anaphora.entities.variants.free_words import is_free_word
from anaphora.errors import EvaluationError, HandlerError
from anaphora.intents.decision.decide import decide
from anaphora.intents.decision.decision import Decision
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.match import Match, SlotFilling
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, ForgetRule, ForgottenEntity
from anaphora.stm.offers import age_offers, remember

__all__ = ["answer_decision", "answer_error", "dry_run", "is_confirmed"]

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
            answer = suspend_pending(bot, decision, _try_matches(bot, decision, at, _respond))
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
        act=decision.act,
        forgotten=(*stays, *request.forgotten, *again.forgotten),
        forgets_on_purpose=decision.forgets_on_purpose or request.forgets_on_purpose,
    )


def _try_matches(bot: Bot, decision: Decision, at: datetime, respond: _Responder) -> BotAnswer:
    if len(decision.question.utterance.text) > bot.max_characters:
        return _reject(bot, decision, at, find_rejection(bot, decision))
    if decision.pending_action == "declined":
        return resume_suspended(bot, decision, accept_decline(decision, at), at)
    if decision.act and (answer := _answer_act(bot, decision, decision.act, at)):
        return answer
    skipped: list[Match] = []
    for match in decision.matches:
        if bot.asks_before_answer and not is_confirmed(decision):
            match = leave_out_refused(bot, decision, match)
            if answer := _refuse_invalid(bot, decision, match.filling, at):
                return answer
        if bot.model.unused and (unused := find_unused_texts(bot, decision, match.filling)):
            return ask_about_unused(bot, decision, match, unused, at)
        try:
            if bot.asks_before_answer and (answer := _ask_before(bot, decision, match, at)):
                return answer
            return _answer_match(bot, decision, match, tuple(skipped), at, respond)
        except Skip:
            skipped.append(match)
        except Reject as rejection:
            return _reject(bot, decision, at, from_handler(rejection))
    if decision.has_reset_phrase:
        conversation, _ = rules.record_reset(decision.conversation, at)
        return answer_reset(bot, decision, BotAnswer("reset", conversation))
    if decision.bridge and decision.bridge.outcome == "offered":
        return make_offer(bot, decision, decision.bridge, at)
    if decision.incomplete:
        return _ask_for_rest(bot, decision, decision.incomplete, at)
    if decision.bridge and decision.bridge.outcome == "declined":
        return accept_decline(decision, at)
    if not skipped and (refused := _answer_refused(bot, decision, at)):
        return refused
    return _reject(bot, decision, at, find_rejection(bot, decision), tuple(skipped))


def _ask_for_rest(bot: Bot, decision: Decision, incomplete: SlotFilling, at: datetime) -> BotAnswer:
    answer = _refuse_invalid(bot, decision, incomplete, at)
    if answer is None:
        answer = ask_for_missing(bot, decision, incomplete, at)
        answer = _remember_accepted(decision, answer)
    return answer_small_talk(bot, decision, answer)


def _answer_refused(bot: Bot, decision: Decision, at: datetime) -> BotAnswer | None:
    """Answer a sentence that says nothing new while the bot waits for another value than one that
    it has refused: a no drops the question. None if it does not wait for any."""
    conversation, answer = decision.conversation, decision.question.confirmation
    if decision.refusal_reason or conversation.rejections >= bot.model.conversation.depth:
        return None
    again = find_refused_question(bot, decision.question, conversation)
    if again is None or again.incomplete is None or conversation.pending is None:
        return None
    if answer is not None and not answer.is_yes:
        dropped = rules.remember_pending(conversation, conversation.pending)
        decision = replace(decision, conversation=dropped)
        return resume_suspended(bot, decision, accept_decline(decision, at), at)
    return _ask_for_rest(bot, again, again.incomplete, at)


def _answer_act(bot: Bot, decision: Decision, act: DialogAct, at: datetime) -> BotAnswer | None:
    """Answer what the question does to the offers, if no intent does."""
    if act.kind == "unclear":
        return ask_which(bot, decision, act, at)
    if act.kind == "afresh":
        match = decision.matches[0]
        refused = _refuse_invalid(bot, decision, match.filling, at)
        return refused or ask_whether_afresh(decision, match, at)
    if decision.matches or decision.incomplete:
        return None
    if act.kind == "accepted":
        return acknowledge(decision, act, at)
    return accept_decline(decision, at) if act.kind in ("declined", "cancelled") else None


def _ask_before(bot: Bot, decision: Decision, match: Match, at: datetime) -> BotAnswer | None:
    """Ask what is to be asked before an intent is carried out: its optional terms, then whether to
    carry it out."""
    if asked := ask_for_optional(bot, decision, match, at):
        return _remember_accepted(decision, asked)
    if match.intent.id not in bot.model.confirmations or is_confirmed(decision):
        return None
    return _remember_accepted(decision, ask_to_confirm(bot, decision, match, at))


def _refuse_invalid(
    bot: Bot, decision: Decision, filling: SlotFilling, at: datetime
) -> BotAnswer | None:
    """Refuse the values that a validator does not accept; None if all are valid."""
    try:
        refused = find_refused(bot, decision, filling)
    except EvaluationError as error:
        return _reject(bot, decision, at, Rejection(str(error), "refused"))
    if not refused:
        return None
    answer = refuse(bot, decision, filling, refused, at)
    return _remember_accepted(decision, answer, [one.entity for one in refused])


def _remember_accepted(
    decision: Decision, answer: BotAnswer, refused: Sequence[Entity] = ()
) -> BotAnswer:
    """Remember an offer that the user accepts, even if more is to be asked, but for what is
    ``refused`` of it."""
    accepted = decision.act.accepted if decision.act else ()
    if not (accepted := tuple([one for one in accepted if one not in refused])):
        return answer
    conversation, forgotten = remember(answer.conversation, accepted)
    return replace(answer, conversation=conversation, forgotten=(*answer.forgotten, *forgotten))


def is_confirmed(decision: Decision) -> bool:
    """Whether the user has confirmed that the intent be carried out."""
    pending = decision.conversation.pending
    return decision.pending_action == "confirmed" and pending is not None and pending.confirms


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
    new = [
        taken
        for taken in filling.taken
        if not (taken.remembered or taken.offered)
        and taken.entity not in decision.question.referred
        and not is_free_word(taken.entity)
    ]
    conversation, evicted = rules.record_match(
        conversation,
        at,
        intent=match.intent.id,
        new=[taken.entity for taken in new],
        said_before=[taken.entity for taken in new if taken.pending],
        used=[taken.remembered for taken in filling.taken if taken.remembered],
    )
    answer = BotAnswer(
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
    if bot.interpreter is None and not isinstance(result, Answer):
        return answer
    return finish_answer(bot, decision, match, answer, at)


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
            **build_act_values(decision),
        )
        live.replace_data(to_json_data(data, f"the handler of '{match.intent.id}'"))
    is_silent = isinstance(result, Answer) and not result.text
    if result is None or is_silent:
        values = partial(build_result_values, decision, match.filling, result)
        texts = bot.model.responses.get(match.intent.id)
        text = bot.responses.render(texts, utterance.language, values)
        if texts is None:
            text = find_sentence_response(bot, match, utterance.language)
        result = (
            dataclasses.replace(result, text=text or "") if isinstance(result, Answer) else text
        )
    return live, bot.hooks.run_result(match, result)


def _reject(
    bot: Bot,
    decision: Decision,
    at: datetime,
    rejection: Rejection,
    skipped: tuple[Match, ...] = (),
) -> BotAnswer:
    before = decision.before_topic_change  # a rejected topic changes nothing
    if is_confirmed(decision) and before.pending:
        # It is carried out at most once, whatever the handler does.
        before = replace(before, pending=before.pending.suspended)
    if decision.question.small_talk or rejection.text or rejection.kind == "nothing_asked":
        evicted: tuple[ForgottenEntity, ...] = ()
        conversation = rules.record_without_intent(before, at)
        if rejection.kind == "nothing_asked":  # a second yes is still one to a refusal
            conversation = replace(conversation, rejections=before.rejections)
    else:
        conversation, evicted = rules.record_rejection(before, at, bot.model.conversation)
        conversation = age_offers(conversation, bot.model.conversation.depth)
    return BotAnswer(
        "rejected",
        conversation,
        skipped=skipped,
        forgotten=evicted,
        text=rejection.text or rejection.reason,
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
