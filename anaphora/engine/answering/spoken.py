"""What the bot says with an answer: its text, the facts it tells, and what it offers."""

from __future__ import annotations

from typing import Any, NamedTuple

from anaphora.core.utterance import Entity
from anaphora.engine.answering.bot_entities import (
    Answer,
    build_bundles,
    build_mentions,
    render_mentions,
    render_offers,
)
from anaphora.engine.bot import Bot
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
    intent, declined = filling.intent.id, decision.act.declined if decision.act else ()
    text, then, clears = None, "", False
    mentions: tuple[Entity, ...] = ()
    offers: tuple[tuple[Entity, ...], ...] = ()
    if isinstance(result, Answer):
        if result.offers and bot.interpreter is None:
            raise HandlerError(
                f"the handler of '{intent}' makes offers, but the model does not read the answers "
                "to them: it needs 'dialog_acts: true'"
            )
        mentions = build_mentions(bot, decision, filling, result)
        offers = build_bundles(bot, decision, filling, result)
        text, then, clears = result.text, result.then, result.offers is not None
        result = result.result
    if intent in bot.model.mentions:
        mentions += render_mentions(bot, decision, filling, result)
    if intent in bot.model.offers:
        rendered = render_offers(bot, decision, filling, result)
        offers += tuple([one for one in rendered if not _is_among(one, declined)])
    return Spoken(text, result, mentions, offers, then, clears_offers=clears and not offers)


def _is_among(bundle: tuple[Entity, ...], declined: tuple[tuple[Entity, ...], ...]) -> bool:
    return any(
        len(bundle) == len(other) and all(map(is_same_meaning, bundle, other)) for other in declined
    )
