"""A question on its way to a reply."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from anaphora.core.request import Request, User
from anaphora.engine.bots.bot import Bot
from anaphora.engine.identity import conversation_key
from anaphora.entities.prefetch import PrefetchedUtterances
from anaphora.stm.conversation import ConversationKey

__all__ = ["MAX_INLINE_LENGTH", "Turn"]

MAX_INLINE_LENGTH = 300
"""Characters of a text that an event loop may answer itself, if the bot cannot block: the
processing time grows with them."""


class Turn(Struct, frozen=True):
    """One turn of a dialog: what is asked, by whom, when, and the bot that answers.

    It is checked and complete before a conversation is opened, and never changes. ``now`` is the
    local time of the user; ``prefetched`` is set if the text was read as part of a batch.
    """

    text: str
    bot: Bot
    user: User
    now: datetime
    request: Request
    language: str | None = None
    explain: bool = False
    prefetched: PrefetchedUtterances | None = None

    @property
    def key(self) -> ConversationKey:
        """The key of the conversation."""
        return conversation_key(self.user, self.bot.model.id)
