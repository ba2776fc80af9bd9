"""What the user may answer at the push of a button."""

from __future__ import annotations

from msgspec.structs import replace

from anaphora.engine.answering.bundle_names import name_bundles
from anaphora.engine.resolution import resolve
from anaphora.engine.turn import Turn
from anaphora.intents.confirmation import format_quick_replies
from anaphora.stm.conversation import Conversation

__all__ = ["find_quick_replies"]

_MAX_NAMED = 10  # offers; each name is read as if the user had said it


def find_quick_replies(turn: Turn, conversation: Conversation, language: str) -> tuple[str, ...]:
    """The texts of buttons after a turn. One of several offers has its name, if that accepts the
    offer."""
    texts = format_quick_replies(conversation, language)
    offers = conversation.open_offers
    if not 1 < len(texts) <= _MAX_NAMED or offers is None or len(texts) != len(offers.bundles):
        return texts
    if conversation.pending is not None and conversation.pending.confirms:
        return texts
    names = name_bundles(turn.bot, offers.bundles, language, turn.now)
    return tuple(
        [
            str(name) if _accepts(turn, str(name), conversation, index, language) else text
            for index, (name, text) in enumerate(zip(names, texts, strict=True))
        ]
    )


def _accepts(turn: Turn, text: str, conversation: Conversation, index: int, language: str) -> bool:
    """Whether a text accepts the offer with this index."""
    utterance = turn.bot.read(text, language, at=turn.now)
    answer = replace(turn, text=text, language=language, prefetched=None)
    decision = resolve(answer, utterance, conversation)
    after = decision.conversation.offers
    return (
        decision.act is not None
        and decision.act.kind == "accepted"
        and after is not None
        and after.taken == index
    )
