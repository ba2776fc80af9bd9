"""Refuse what the validators of a model do not accept, and wait for something else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.answering.prompts import find_unused_texts, format_prompt
from anaphora.engine.answering.template_values import build_template_values
from anaphora.engine.bots.bot import Bot
from anaphora.intents.checks.validation import InvalidEntity, find_invalid
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.pending_question import (
    asked_before,
    is_correction,
    list_as_said,
    repeat_prompt,
)
from anaphora.intents.match import Candidate, Match, SlotFilling
from anaphora.intents.solver import ParsedQuestion
from anaphora.models.building.responses import REFUSED_VALUE
from anaphora.models.templates.entity_text import to_template_value
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, PendingQuestion
from anaphora.stm.rules import find_replacement

__all__ = ["find_refused", "find_refused_question", "format_refused", "leave_out_refused", "refuse"]


def find_refused(bot: Bot, decision: Decision, filling: SlotFilling) -> tuple[InvalidEntity, ...]:
    """The entities that the validators of the model refuse.

    Raises :class:`EvaluationError` if a predicate cannot be evaluated, and :class:`HandlerError`
    if a function fails.
    """
    if not bot.model.validators:
        return ()
    corrects = is_correction(decision, filling.intent.id)
    context = replace(decision.question.question_context, correction=corrects)
    found: list[InvalidEntity] = []
    while invalid := find_invalid(bot.model.validators, filling, context):
        found.append(invalid)
        filling = _without(filling, [invalid])
    return tuple(found)


def refuse(
    bot: Bot,
    decision: Decision,
    filling: SlotFilling,
    refused: Sequence[InvalidEntity],
    at: datetime,
) -> BotAnswer:
    """Say why the first of the ``refused`` entities is not accepted, and wait for others in their
    place; the rest of the question stays pending, with what they would have replaced of it.

    What is refused because of other slots stays as well: they may change, and what is said next may
    be combined with it.
    """
    first = refused[0]
    gone = [one for one in refused if not one.depends]
    rest = _without(filling, refused)
    asked = asked_before(decision.conversation, filling.intent.id)
    optional = [one.term.label for one in refused if one.term.min == 0]
    pending = PendingQuestion(
        filling.intent.id,
        (
            *_find_replaced(decision, filling, [one.entity for one in gone]),
            *list_as_said(_without(filling, gone), decision.conversation.pending),
        ),
        missing=tuple([term.label for term in rest.missing]),
        at=at,
        unused=find_unused_texts(bot, decision, filling),
        asked=tuple(dict.fromkeys((*asked, *optional))),
        corrects=is_correction(decision, filling.intent.id),
    )
    before = decision.conversation
    if decision.pending_action == "asked again":
        conversation = rules.record_repeated_prompt(replace(before, pending=pending), at)
    else:
        conversation = rules.record_incomplete(before, at, pending)
    return BotAnswer(
        "incomplete",
        conversation,
        rest,
        text=_format_refusal(bot, decision, filling, first),
        reason=f"{first.entity} is not accepted for {first.term.label}",
    )


def find_refused_question(
    bot: Bot, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """The pending question, with a yes to wait for, if it has a value for all that it waits for:
    refused ones, or those before them. None for any other."""
    pending = conversation.pending
    if pending is None or not pending.missing or not bot.model.validators:
        return None
    intent = bot.indexed_model.intents_by_id.get(pending.intent)
    whole = replace(pending, missing=())
    if pending.intent in bot.model.confirmations:
        conversation = replace(conversation, pending=replace(whole, confirms=True))
    again = repeat_prompt(question, conversation, whole, intent) if intent else None
    if again is None or again.incomplete is None:
        return None
    filled = {one.term.label for one in again.incomplete.terms if any(c.pending for c in one.taken)}
    return again if filled.issuperset(pending.missing) else None


def format_refused(bot: Bot, decision: Decision, filling: SlotFilling) -> str:
    """Why the first of the values that are not accepted is not; empty if all are."""
    refused = find_refused(bot, decision, filling)
    return _format_refusal(bot, decision, filling, refused[0]) if refused else ""


def leave_out_refused(bot: Bot, decision: Decision, match: Match) -> Match:
    """The match of a sentence that adds nothing, such as a "no" to the bot's question for another
    value, without the optional values that are refused."""
    pending = decision.conversation.pending
    if pending is None or not pending.missing or match.filling.from_sentence:
        return match
    refused = find_refused(bot, decision, match.filling)
    if not refused or any(one.term.min for one in refused):
        return match
    return replace(match, filling=_without(match.filling, refused))


def _format_refusal(
    bot: Bot, decision: Decision, filling: SlotFilling, refused: InvalidEntity
) -> str:
    texts = refused.text
    if isinstance(texts, str):
        return texts

    def build_values() -> dict[str, Any]:
        values = build_template_values(decision, filling)
        return values | {REFUSED_VALUE: to_template_value(refused.entity)}

    text = bot.responses.render(texts, decision.question.utterance.language, build_values)
    return text or format_prompt(bot, decision, _without(filling, [refused]), refused.term.label)


def _without(filling: SlotFilling, refused: Collection[InvalidEntity]) -> SlotFilling:
    """The filling without the refused entities, whose terms are missing then."""
    gone = {id(one.entity) for one in refused}
    lacking = {one.label for one in (*filling.missing, *[each.term for each in refused])}

    def keep(taken: Iterable[Candidate]) -> tuple[Candidate, ...]:
        return tuple([one for one in taken if id(one.entity) not in gone])

    return replace(
        filling,
        terms=tuple([replace(one, taken=keep(one.taken)) for one in filling.terms]),
        taken=keep(filling.taken),
        missing=tuple([term for term in filling.intent.terms if term.label in lacking]),
    )


def _find_replaced(
    decision: Decision, filling: SlotFilling, refused: Sequence[Entity]
) -> list[Entity]:
    """The entities of the pending question that the refused ones would have replaced."""
    pending = decision.conversation.pending
    if pending is None or pending.intent != filling.intent.id:
        return []
    return [one for one in pending.entities if find_replacement(one.groups, refused) is not None]
