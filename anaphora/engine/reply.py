"""The reply to a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from anaphora.core.utterance import Entity
from anaphora.intents.explanation import Explanation
from anaphora.intents.match import Slot
from anaphora.intents.unused import UnusedPart
from anaphora.models.domain import Status

__all__ = ["Reply"]


class Reply(Struct, frozen=True):
    """The reply to one question.

    ``status`` is ``matched``, ``incomplete`` (``prompt`` asks a question: for the first of the
    ``missing`` terms or, if none is missing, for a yes or a no), ``rejected`` (``reason`` tells
    what was missing) or ``reset``. ``text`` is what the bot says, ``result`` what the handler
    returned. ``slots`` are the filled slots by name, ``memory`` the entities remembered after the
    question, newest first, ``unused`` the parts of the sentence that the reply does not use.
    ``explanation`` is None unless it was requested.
    """

    status: Status
    intent: str | None = None
    slots: Mapping[str, Slot] = {}
    missing: tuple[str, ...] = ()
    prompt: str | None = None
    text: str = ""
    reason: str = ""
    result: Any = None
    memory: tuple[Entity, ...] = ()
    unused: Sequence[UnusedPart] = ()
    explanation: Explanation | None = None

    def __str__(self) -> str:
        slots = ", ".join(f"{name}={slot.value}" for name, slot in self.slots.items())
        understood = " ".join(part for part in (self.intent, f"({slots})" if slots else "") if part)
        return " ".join(part for part in (self.status, understood, f"{self.text!r}") if part)

    def to_dict(self) -> dict[str, Any]:
        """Convert the reply to JSON-able data: what the command line prints. The server adds to it
        (``anaphora.server.schemas.serializers.serialize_reply``)."""
        return {
            "status": self.status,
            "intent": self.intent,
            "slots": {name: slot.to_dict() for name, slot in self.slots.items()},
            "missing": list(self.missing),
            "prompt": self.prompt,
            "text": self.text,
            "memory": [
                {
                    "element": entity.element,
                    "value": entity.value_or_text,
                    "groups": sorted(entity.groups),
                    **entity.modifiers,
                }
                for entity in self.memory
            ],
            "unused": [one.to_dict() for one in self.unused],
        }
