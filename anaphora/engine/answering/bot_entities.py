"""The entities of an answer: what the bot mentions, and what it offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from anaphora.core.utterance import Entity
from anaphora.engine.answering.entity_builder import build_bundle
from anaphora.engine.answering.template_values import build_result_values
from anaphora.engine.bots.bot import Bot
from anaphora.engine.callbacks.answer import Answer
from anaphora.errors import HandlerError
from anaphora.grammar.function_errors import describe_place
from anaphora.intents.decision.decision import Decision
from anaphora.intents.match import SlotFilling, build_slots
from anaphora.models.domain import OfferTemplate
from anaphora.models.templates.expressions import as_template

__all__ = [
    "BotEntities",
    "build_bot_entities",
    "describe_handler",
    "find_bot_entities",
    "render_mentions",
    "render_offers",
]


class BotEntities(NamedTuple):
    """The entities that an answer mentions, and the bundles of entities that it offers."""

    mentions: tuple[Entity, ...] = ()
    offers: tuple[tuple[Entity, ...], ...] = ()


def find_bot_entities(
    bot: Bot, decision: Decision, filling: SlotFilling, result: Any
) -> BotEntities:
    """The entities of the answer to ``filling``, from the :class:`Answer` that its handler
    returned, else from the model's templates.

    Raises :class:`HandlerError` for what cannot be an entity.
    """
    answer = result if isinstance(result, Answer) else Answer(result=result)
    source = describe_handler(bot, filling.intent.id)
    context = decision.question.question_context
    language = decision.question.utterance.language

    given = build_bot_entities(bot, answer, language, context.at, source=source)
    return BotEntities(
        render_mentions(bot, decision, filling, answer.result)
        if answer.mentions is None
        else given.mentions,
        render_offers(bot, decision, filling, answer.result)
        if answer.offers is None
        else given.offers,
    )


def build_bot_entities(
    bot: Bot, answer: Answer, language: str, at: datetime, *, source: str
) -> BotEntities:
    """The entities that an answer itself gives, read in ``language`` at the local time ``at``.

    Raises :class:`HandlerError`, with ``source`` as its subject, for what cannot be an entity.
    """

    def build(spec: Any, key: str) -> tuple[Entity, ...]:
        return build_bundle(bot, spec, language, at, source=f"{source}, {key}")

    bundles = _check_list(answer.offers, f"{source}, offers")
    offers = filter(None, (build(bundle, "offers") for bundle in bundles))
    return BotEntities(build(answer.mentions, "mentions"), tuple(offers))


def describe_handler(bot: Bot, intent: str) -> str:
    """What messages call the handler of an intent, with its file and line."""
    handler = bot.handlers.get(intent)
    place = describe_place(handler.function.function) if handler else ""
    return f"the handler of '{intent}'{place}"


def render_mentions(
    bot: Bot, decision: Decision, filling: SlotFilling, result: Any
) -> tuple[Entity, ...]:
    """The entities that the model's ``mentions`` of the intent give; ``result`` is what its handler
    returned.

    Raises :class:`HandlerError` for a template that fails or gives what cannot be an entity.
    """
    templates = bot.model.mentions.get(filling.intent.id)
    if templates is None:
        return ()
    if isinstance(templates, tuple):
        slots = build_slots(filling)
        return tuple(
            entity for name in templates if name in slots for entity in slots[name].entities
        )
    values = build_result_values(decision, filling, result)
    return _render_bundle(bot, decision, templates, values, f"'mentions' of '{filling.intent.id}'")


def render_offers(
    bot: Bot, decision: Decision, filling: SlotFilling, result: Any
) -> tuple[tuple[Entity, ...], ...]:
    """The bundles that the model's ``offers`` of the intent give, without empty ones; ``result`` is
    what its handler returned.

    Raises :class:`HandlerError` for a template that fails or gives what cannot be an entity.
    """
    templates = bot.model.offers.get(filling.intent.id, ())
    if not templates:
        return ()
    source = f"'offers' of '{filling.intent.id}'"
    values = build_result_values(decision, filling, result)
    bundles = (
        _render_bundle(bot, decision, template.entities, own_values, source)
        for template in templates
        for own_values in _iter_items(bot, template, values, source)
    )
    return tuple(filter(None, bundles))


def _iter_items(
    bot: Bot, template: OfferTemplate, values: Mapping[str, Any], source: str
) -> Iterator[Mapping[str, Any]]:
    """The variables for each item of the list of a template, or once if it has none."""
    if not template.each:
        yield values
        return
    items = bot.responses.evaluate(as_template(template.each), values)
    for item in _check_list(items, f"{source}, '{template.each}'"):
        yield {**values, "item": item}


def _check_list(items: Any, source: str) -> Iterable[Any]:
    if items is None:
        return ()
    if isinstance(items, Mapping | str | bytes) or not isinstance(items, Iterable):
        raise HandlerError(f"{source}: expected a list, not {items!r}")
    return items


def _render_bundle(
    bot: Bot,
    decision: Decision,
    templates: Mapping[str, str],
    values: Mapping[str, Any],
    source: str,
) -> tuple[Entity, ...]:
    spec = {id: bot.responses.evaluate(text, values) for id, text in templates.items()}
    language, at = decision.question.utterance.language, decision.question.question_context.at
    return build_bundle(bot, spec, language, at, source=source)
