"""Check the constants among the mentions and offers of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anaphora.engine.answering.entity_builder import build_bundle
from anaphora.engine.bots.bot import Bot
from anaphora.errors import HandlerError, Problem
from anaphora.models.domain import Model
from anaphora.storage.logical_clock import utc_now

__all__ = ["find_wrong_constants"]


def find_wrong_constants(model: Model) -> Iterator[Problem]:
    """What stands under ``mentions`` and ``offers`` as a constant, but is no entity of its
    element."""
    constants = list(_iter_constants(model))
    if not constants:
        return
    bot, now = Bot(model), utc_now()
    for source, element, text in constants:
        try:
            build_bundle(bot, {element: text}, model.languages[0], now, source=source)
        except HandlerError as error:
            message, _, hint = str(error).partition("; ")
            yield Problem(message, model.source, hint=hint)


def _iter_constants(model: Model) -> Iterator[tuple[str, str, str]]:
    """The constants: what they belong to, the element and the text."""
    spoken: list[tuple[str, Mapping[str, str]]] = [
        (f"'mentions' of '{intent}'", entities)
        for intent, entities in model.mentions.items()
        if isinstance(entities, Mapping)
    ]
    spoken += [
        (f"'offers' of '{intent}'", one.entities)
        for intent, templates in model.offers.items()
        for one in templates
    ]
    for source, entities in spoken:
        for element, text in entities.items():
            if "{" not in text:
                yield source, element, text
