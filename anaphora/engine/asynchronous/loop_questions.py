"""Questions that an event loop answers itself, because nothing but the store makes them wait."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import datetime

from anaphora.core.request import Request, User
from anaphora.engine.answering.confirmation_claim import claim_in_session
from anaphora.engine.ask import ask
from anaphora.engine.batches import Question
from anaphora.engine.engine import Engine
from anaphora.engine.identity import to_user, user_namespace
from anaphora.engine.reply import Reply
from anaphora.engine.turn import MAX_INLINE_LENGTH
from anaphora.stm.stores.store import AsyncStore, async_store_of

__all__ = ["active_model_in_loop", "ask_in_loop", "store_for_loop"]

_NO_REQUEST = Request()


def store_for_loop(engine: Engine, model: str, text: str) -> AsyncStore | None:
    """The store for a question in an event loop; None if it must run in a thread: because the text
    is long, because the bot may block, or because the store has no side for event loops.

    Raises :class:`UnknownModel`.
    """
    if len(text) > MAX_INLINE_LENGTH or not engine._waits_for_store_only(model):
        return None
    return async_store_of(engine.store)


async def ask_in_loop(
    engine: Engine,
    store: AsyncStore,
    text: str,
    *,
    model: str,
    user: str | User = "user",
    at: datetime | None = None,
    language: str | None = None,
    request: Request = _NO_REQUEST,
    explain: bool = False,
) -> Reply:
    """Answer a question as :meth:`Engine.ask` does, with a ``store`` of :func:`store_for_loop`."""
    turn = engine._prepare(Question(text, user, model, at, language, request, explain))
    confirmed, time_to_live = None, turn.bot.time_to_live
    if turn.bot.model.confirmations:
        async with store.open(turn.key, time_to_live) as session:
            confirmed = claim_in_session(turn, session)
    async with store.open(turn.key, time_to_live) as session:
        return ask(turn, nullcontext(session), confirmed=confirmed)


async def active_model_in_loop(engine: Engine, user: str | User) -> str | None:
    """The active model of a user, as :meth:`Engine.active_model` returns it; None if the store has
    no side for event loops."""
    if (store := async_store_of(engine.store)) is None:
        return None
    noted = await store.get_note(user_namespace(to_user(user)), "model")
    return engine._bots.get_or_default(noted).model.id
