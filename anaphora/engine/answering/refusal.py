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
from anaphora.engine.bot import Bot
from anaphora.intents.checks.validation import InvalidEntity, find_invalid
from anaphora.intents.decision import Decision, asked_before
from anaphora.intents.match import Candidate, SlotFilling
from anaphora.models.building.responses import REFUSED_VALUE
from anaphora.models.templates.entity_text import to_template_value
from anaphora.stm import rules
from anaphora.stm.conversation import PendingQuestion
from anaphora.stm.rules import find_replacement

__all__ = ["find_refused", "refuse"]


def find_refused(bot: Bot, decision: Decision, filling: SlotFilling) -> tuple[InvalidEntity, ...]:
    """The entities of the sentence that the validators of the model refuse.

    Raises :class:`EvaluationError` if a predicate cannot be evaluated, and :class:`HandlerError`
    if a function fails.
    """
    if not bot.model.validators:
        return ()
    context, found = decision.question.question_context, []
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
    place; the rest of the question stays pending, with what they would have replaced of it."""
    first = refused[0]
    entities = [one.entity for one in refused]
    rest = _without(filling, refused)
    asked = asked_before(decision.conversation, filling.intent.id)
    optional = [one.term.label for one in refused if one.term.min == 0]
    pending = PendingQuestion(
        filling.intent.id,
        (
            *_find_replaced(decision, filling, entities),
            *[taken.entity for taken in rest.taken if not taken.remembered],
        ),
        missing=tuple([term.label for term in rest.missing]),
        at=at,
        unused=find_unused_texts(bot, decision, filling),
        asked=tuple(dict.fromkeys((*asked, *optional))),
    )
    text = _format_refusal(bot, decision, filling, first)
    return BotAnswer(
        "incomplete",
        rules.record_incomplete(decision.conversation, at, pending),
        rest,
        text=text or format_prompt(bot, decision, rest, first.term.label),
        reason=f"{first.entity} is not accepted for {first.term.label}",
    )


def _format_refusal(
    bot: Bot, decision: Decision, filling: SlotFilling, refused: InvalidEntity
) -> str:
    texts = refused.text
    if isinstance(texts, str):
        return texts

    def build_values() -> dict[str, Any]:
        values = build_template_values(decision, filling)
        return values | {REFUSED_VALUE: to_template_value(refused.entity)}

    return bot.responses.render(texts, decision.question.utterance.language, build_values) or ""


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
