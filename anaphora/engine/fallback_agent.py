"""An agent that answers what no intent of a model fits."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from anaphora.engine.answering.bot_answer import BotAnswer
from anaphora.engine.identity import tenant_id
from anaphora.engine.reply import Reply
from anaphora.engine.turn import Turn
from anaphora.errors import AnaphoraError

__all__ = ["FallbackAgent", "RejectedQuestion", "consult_agent"]

_UNREADABLE = ("too_long", "empty", "refused")  # what no agent is asked either

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RejectedQuestion:
    """A question that a model rejected, with the ``reason``."""

    text: str
    user: str
    tenant: str
    model: str
    reason: str


class FallbackAgent(Protocol):
    """Answers rejected questions. Any thread may call it."""

    @property
    def name(self) -> str: ...

    def answer_rejected(self, question: RejectedQuestion) -> str:
        """Return the answer; "" for none.

        Raises :class:`AnaphoraError` if there can be none now.
        """

    def erase(self, user: str, *, tenant: str = "") -> int:
        """Erase everything known of a user; return the number of erased records."""


def consult_agent(agent: FallbackAgent, turn: Turn, answer: BotAnswer, reply: Reply) -> Reply:
    """Return a rejection with the answer of the agent. The rejection stays as it is if a handler
    or a limit has rejected the question, or if the agent cannot answer."""
    if answer.rejection is None or answer.rejection in _UNREADABLE or answer.result is not None:
        return reply
    is_social = answer.rejection not in ("unknown", "incomplete")
    if is_social and reply.text:
        return reply
    key = turn.key
    question = RejectedQuestion(turn.text, key.user, tenant_id(turn.user), key.model, reply.reason)
    try:
        text = agent.answer_rejected(question)
    except AnaphoraError as error:
        _log.warning("the agent '%s' does not answer: %s", agent.name, error)
        return reply
    return replace(reply, text=text, answered_by=agent.name) if text else reply
