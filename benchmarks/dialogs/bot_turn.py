"""What the bot says in a turn: the values that it offers, asks to confirm, and tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from benchmarks.dialogs.schema_guided import Action, Exchange, Frame, Service
from benchmarks.dialogs.service_model import intent_element, slot_element

__all__ = ["BotTurn", "Bundle", "read_bot_turn"]

Bundle: TypeAlias = Mapping[str, Mapping[str, str]]
"""Values by the ids of their elements; each has a ``value`` and a ``text``."""


@dataclass(frozen=True, slots=True)
class BotTurn:
    """A text of the bot, the ``offers`` that become the user's if accepted, the intent that goes
    on ``then`` ('' if that is open), and the ``mentions``, which it only tells."""

    text: str
    offers: tuple[Bundle, ...]
    mentions: Bundle
    then: str


def read_bot_turn(exchange: Exchange, services: Iterable[Service]) -> BotTurn:
    """The bot's turn of an exchange. What it offers, what it asks to confirm and the intent that
    it proposes are a bundle each."""
    by_name = {service.name: service for service in services}
    wanted = {frame.service: frame.intent for frame in exchange.frames}
    offers: list[Bundle] = []
    mentions: dict[str, Mapping[str, str]] = {}
    then = ""
    for frame in exchange.answer_frames:
        service = by_name[frame.service]
        offers += [
            _bundle(frame, "OFFER", service.offered_slots),
            _bundle(frame, "CONFIRM", service.state_slots),
            {
                intent_element(frame.service, action.value): _value(action)
                for action in _actions(frame, "OFFER_INTENT")
            },
        ]
        if intent := service.next_intent(wanted.get(frame.service, "")):
            then = intent_element(frame.service, intent)
        mentions |= _bundle(frame, "INFORM", frozenset(service.slots))
    return BotTurn(exchange.answer, tuple(filter(None, offers)), mentions, then)


def _bundle(frame: Frame, act: str, slots: frozenset[str]) -> dict[str, Mapping[str, str]]:
    return {
        slot_element(frame.service, action.slot): _value(action)
        for action in _actions(frame, act)
        if action.slot in slots
    }


def _actions(frame: Frame, act: str) -> Iterator[Action]:
    return (action for action in frame.actions if action.act == act and action.value)


def _value(action: Action) -> Mapping[str, str]:
    return {"value": action.value, "text": action.text}
