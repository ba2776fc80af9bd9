"""Convert a reply, also a rejected one, to the event that answers a question.

Home Assistant reads one event for each question. It carries out an ``intent`` itself, and speaks
the text of the others.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from wyoming.event import Eventable
from wyoming.handle import Handled, NotHandled
from wyoming.intent import Entity, Intent, NotRecognized

from anaphora.engine.reply import Reply

__all__ = ["AnswerMode", "to_recognize_answer", "to_transcript_answer"]

AnswerMode: TypeAlias = Literal["auto", "intent", "handled"]
"""Who carries out the intent of a transcript: the client (``intent``), the bot (``handled``), or
whoever can (``auto``)."""

_HOME_ASSISTANT_PREFIX = "Hass"  # of the intents that only Home Assistant carries out


def to_transcript_answer(
    reply: Reply, context: dict[str, Any], *, mode: AnswerMode, has_handler: bool
) -> Eventable:
    """Return the answer to a transcript. ``has_handler`` tells whether the bot has a handler for
    the intent of the reply."""
    is_refused = not (reply.answered_by or (reply.is_acknowledgement and reply.text))
    match reply.status:
        case "matched" if _is_for_client(reply, mode, has_handler=has_handler):
            return _to_intent(reply, context)
        case "rejected" if mode != "handled" and is_refused:
            return NotRecognized(reply.text or None, context)
        case "rejected" if is_refused:
            return NotHandled(reply.text or None, context)
    # Also a question for a slot: Home Assistant speaks it, and the answer is the next transcript.
    return Handled(_spoken_text(reply), context)


def to_recognize_answer(reply: Reply, context: dict[str, Any]) -> Eventable:
    """Return the answer to a request to recognize an intent, which allows only two events."""
    if reply.status == "matched":
        return _to_intent(reply, context)
    return NotRecognized(_spoken_text(reply), context)


def _is_for_client(reply: Reply, mode: AnswerMode, *, has_handler: bool) -> bool:
    if mode != "auto":
        return mode == "intent"
    if has_handler:
        return False
    says_nothing = not reply.text and reply.result is None
    return says_nothing or (reply.intent or "").startswith(_HOME_ASSISTANT_PREFIX)


def _to_intent(reply: Reply, context: dict[str, Any]) -> Intent:
    entities = [Entity(name, slot.value) for name, slot in reply.slots.items()]
    return Intent(reply.intent or "", entities, reply.text or None, context)


def _spoken_text(reply: Reply) -> str | None:
    return reply.text or reply.prompt or None
