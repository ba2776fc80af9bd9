"""The reply to a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from anaphora.core.html import build_card, build_rows, build_table, build_text
from anaphora.core.utterance import Entity
from anaphora.intents.explanation import Explanation
from anaphora.intents.match import Slot
from anaphora.intents.unused import UnusedPart
from anaphora.models.domain import Status

__all__ = ["DECLINED_REASON", "NOTHING_ASKED_REASON", "SMALL_TALK_REASON", "Reply"]

DECLINED_REASON = "the offer was declined"
NOTHING_ASKED_REASON = "it answers a question, but none was asked"
SMALL_TALK_REASON = "it is small talk"
_ACKNOWLEDGED_REASONS = frozenset((DECLINED_REASON, NOTHING_ASKED_REASON))


class Reply(Struct, frozen=True):
    """The reply to one question.

    ``status`` is ``matched``, ``incomplete`` (``prompt`` asks a question: for the first of the
    ``missing`` terms or, if none is missing, for a yes or a no), ``rejected`` (``reason`` tells
    what was missing) or ``reset``. ``text`` is what the bot says, ``result`` what the handler
    returned. ``slots`` are the filled slots by name, ``memory`` the entities remembered after the
    question, newest first, ``unused`` the parts of the sentence that the reply does not use.
    ``explanation`` is None unless it was requested.

    In a dialog with two sides, ``by_bot`` are the entities of the memory that the bot said, and
    ``offers`` the bundles of entities that lie on the table, ``offered_by`` the intent that offered
    them. It ``confirms`` if it waits for a yes before an intent is carried out. ``quick_replies``
    are texts for buttons: a yes and a no if it confirms, else one that accepts each of the offers.

    ``answered_by`` is the name of the agent that has written the ``text`` of a rejected question.
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
    by_bot: tuple[Entity, ...] = ()
    offers: tuple[tuple[Entity, ...], ...] = ()
    offered_by: str = ""
    confirms: bool = False
    quick_replies: Sequence[str] = ()
    answered_by: str = ""

    @property
    def is_acknowledgement(self) -> bool:
        """Whether the text acknowledges a yes or a no: it was understood, though no intent
        matched."""
        return self.status == "rejected" and self.reason in _ACKNOWLEDGED_REASONS

    @property
    def is_small_talk(self) -> bool:
        """Whether the text answers thanks, a greeting and the like, which no intent matches."""
        return self.status == "rejected" and self.reason.startswith(SMALL_TALK_REASON)

    def __str__(self) -> str:
        slots = ", ".join(f"{name}={slot.value}" for name, slot in self.slots.items())
        understood = " ".join(part for part in (self.intent, f"({slots})" if slots else "") if part)
        return " ".join(part for part in (self.status, understood, f"{self.text!r}") if part)

    def __repr__(self) -> str:
        shown = {
            "intent": self.intent,
            "slots": {name: slot.value for name, slot in self.slots.items()},
            "missing": self.missing,
            "text": self.text,
            "reason": "" if self.reason == self.text else self.reason,
        }
        listed = [f", {name}={value!r}" for name, value in shown.items() if value]
        if self.result is not None and not self.text:
            listed.append(f", result={self.result!r}")
        return f"Reply({self.status!r}{''.join(listed)})"

    def _repr_html_(self) -> str:
        """The reply as HTML, for notebooks: with its explanation, if it has one."""
        text = self.text or ("" if self.result is None else repr(self.result))
        slots = (
            (name, *map(_join, (slot.value, slot.text, slot.source)))
            for name, slot in self.slots.items()
        )
        offers = [("offers", _join([str(entity) for entity in bundle])) for bundle in self.offers]
        card = build_card(
            self.status,
            self.intent or "",
            build_text(text),
            build_table(("slot", "value", "text", "source"), slots),
            build_rows(
                [
                    *([("missing", _join(self.missing))] if self.missing else []),
                    *([("reason", self.reason)] if self.reason not in ("", text) else []),
                    *offers,
                ]
            ),
        )
        return card + (self.explanation._repr_html_() if self.explanation else "")

    def to_dict(self) -> dict[str, Any]:
        """Convert the reply to JSON-able data: what the command line prints. The server adds to it
        (``anaphora.server.schemas.serializers.serialize_reply``). What concerns a dialog with two
        sides is left out where there is nothing to say."""
        memory = [_entity_to_dict(entity) for entity in self.memory]
        for entity in self.by_bot:
            memory[self.memory.index(entity)]["by"] = "bot"
        plain: dict[str, Any] = {
            "status": self.status,
            "intent": self.intent,
            "slots": {name: slot.to_dict() for name, slot in self.slots.items()},
            "missing": list(self.missing),
            "prompt": self.prompt,
            "text": self.text,
            "memory": memory,
            "unused": [one.to_dict() for one in self.unused],
        }
        if self.offers:
            plain["offers"] = [list(map(_entity_to_dict, bundle)) for bundle in self.offers]
            plain["offered_by"] = self.offered_by
        if self.confirms:
            plain["confirms"] = True
        if self.quick_replies:
            plain["quick_replies"] = list(self.quick_replies)
        if self.answered_by:
            plain["answered_by"] = self.answered_by
        return plain


def _join(texts: str | Sequence[str]) -> str:
    return texts if isinstance(texts, str) else ", ".join(texts)


def _entity_to_dict(entity: Entity) -> dict[str, Any]:
    return {
        "element": entity.element,
        "value": entity.value_or_text,
        "groups": sorted(entity.groups),
        **entity.modifiers,
    }
