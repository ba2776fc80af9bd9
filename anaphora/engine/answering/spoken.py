"""The parts of an answer: its text, the facts in it, and what it offers."""

from __future__ import annotations

from typing import Any, NamedTuple

from anaphora.core.name_hints import did_you_mean
from anaphora.core.utterance import Entity
from anaphora.engine.answering.bot_entities import describe_handler, find_bot_entities
from anaphora.engine.bot import Bot
from anaphora.engine.callbacks.answer import Answer
from anaphora.errors import HandlerError
from anaphora.intents.decision import Decision
from anaphora.intents.match import SlotFilling
from anaphora.stm.offers import is_same_meaning

__all__ = ["Spoken", "collect_spoken"]


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
        if then and bot.model.intent(then) is None:
            hint = did_you_mean(then, [one.id for one in bot.model.intents], label="there are")
            message = f"{describe_handler(bot, intent)} names '{then}' as 'then': no such intent"
            raise HandlerError("; ".join(filter(None, (message, hint))))
        clears = result.offers is not None and not offers
        text, result = result.text, result.result
        if offers and bot.interpreter is None:
            raise HandlerError(
                f"{describe_handler(bot, intent)} makes offers, but the model does not read the "
                "answers to them: it needs 'dialog_acts: true'"
            )
    elif decision.act and decision.act.declined:  # templates know nothing of what was declined
        declined = decision.act.declined
        offers = tuple([one for one in offers if not _is_among(one, declined)])
    return Spoken(text, result, found.mentions, offers, then, clears)


def _is_among(bundle: tuple[Entity, ...], declined: tuple[tuple[Entity, ...], ...]) -> bool:
    return any(
        len(bundle) == len(other) and all(map(is_same_meaning, bundle, other)) for other in declined
    )
