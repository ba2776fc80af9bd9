"""The parts of an answer: its text, the facts in it, and what it offers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from anaphora.core.name_hints import did_you_mean
from anaphora.core.utterance import Entity
from anaphora.engine.answering.bot_entities import (
    build_bot_entities,
    describe_handler,
    find_bot_entities,
)
from anaphora.engine.bots.bot import Bot
from anaphora.engine.callbacks.answer import Answer
from anaphora.errors import HandlerError
from anaphora.intents.decision.decision import Decision
from anaphora.intents.match import SlotFilling
from anaphora.stm.offers import is_same_meaning

__all__ = ["Spoken", "collect_spoken", "collect_statement"]


class Spoken(NamedTuple):
    """The ``text`` (None: that of the result), the ``result`` of the handler, and what the bot
    mentions and offers: ``then`` is the intent to go on with. It ``clears_offers`` if it says that
    there are none (rather than nothing about them)."""

    text: str | None
    result: Any
    mentions: tuple[Entity, ...] = ()
    offers: tuple[tuple[Entity, ...], ...] = ()
    then: str = ""
    clears_offers: bool = False


def collect_spoken(bot: Bot, decision: Decision, filling: SlotFilling, result: Any) -> Spoken:
    """Collect what a handler returned and what the model says of its intent.

    Raises :class:`HandlerError` for something that is no entity of the model.
    """
    intent = filling.intent.id
    found = find_bot_entities(bot, decision, filling, result)
    templates = bot.model.offers.get(intent, ())
    then = next((one.then for one in templates if one.then), "")
    offers, text, clears = found.offers, None, False
    if isinstance(result, Answer):
        then = result.then or then
        _check_offers(bot, offers, then, describe_handler(bot, intent))
        clears = result.offers is not None and not offers
        text, result = result.text, result.result
    elif decision.act and decision.act.declined:  # templates know nothing of what was declined
        declined = decision.act.declined
        offers = tuple([one for one in offers if not _is_among(one, declined)])
    return Spoken(text, result, found.mentions, offers, then, clears)


def collect_statement(
    bot: Bot, answer: Answer, language: str, at: datetime, *, source: str
) -> Spoken:
    """Collect what an answer to no question says; the model's keys do not add to it.

    Raises :class:`HandlerError`, with ``source`` as its subject, for something that is no entity of
    the model.
    """
    found = build_bot_entities(bot, answer, language, at, source=source)
    _check_offers(bot, found.offers, answer.then, source)
    clears = answer.offers is not None and not found.offers
    return Spoken(answer.text, answer.result, *found, answer.then, clears)


def _check_offers(bot: Bot, offers: tuple[tuple[Entity, ...], ...], then: str, source: str) -> None:
    if then and bot.model.intent(then) is None:
        hint = did_you_mean(then, [one.id for one in bot.model.intents], label="there are")
        message = f"{source} names '{then}' as 'then': no such intent"
        raise HandlerError("; ".join(filter(None, (message, hint))))
    if offers and bot.interpreter is None:
        raise HandlerError(
            f"{source} makes offers, but the model does not read the answers to them: it needs "
            "'dialog_acts: true'"
        )


def _is_among(bundle: tuple[Entity, ...], declined: tuple[tuple[Entity, ...], ...]) -> bool:
    return any(
        len(bundle) == len(other) and all(map(is_same_meaning, bundle, other)) for other in declined
    )
