"""An agent that answers what no intent of a model fits."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from anaphora.engine.reply import Reply
from anaphora.errors import AnaphoraError
from anaphora.models.domain import RejectionKind
from anaphora.stm.conversation import ConversationKey

__all__ = ["FallbackAgent", "RejectedQuestion", "consult_agent"]

_UNKNOWN = ("unknown", "incomplete")
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


def consult_agent(
    agent: FallbackAgent, key: ConversationKey, text: str, reply: Reply, kind: RejectionKind
) -> Reply:
    """Return the ``reply`` that rejects a question, for a reason of that ``kind``, with the answer
    of the agent. It stays as it is if a handler, a limit or small talk has answered the question,
    or if the agent cannot answer."""
    if kind not in _UNKNOWN and (kind in _UNREADABLE or reply.text):
        return reply
    question = RejectedQuestion(text, key.user, key.tenant, key.model, reply.reason)
    try:
        answer = agent.answer_rejected(question)
    except AnaphoraError as error:
        _log.warning("the agent '%s' does not answer: %s", agent.name, error)
        return reply
    return replace(reply, text=answer, answered_by=agent.name) if answer else reply
