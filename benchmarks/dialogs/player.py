"""Play annotated dialogs through the engine: it hears what the user said, and the bot answers as
the system did."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from anaphora import Answer, Engine, Entity
from benchmarks.dialogs.annotated_cues import AnnotatedInterpreter
from benchmarks.dialogs.annotations import annotate, annotated
from benchmarks.dialogs.bot_turn import BotTurn, read_bot_turn
from benchmarks.dialogs.schema_guided import Dialog, Exchange, Service
from benchmarks.dialogs.scoring import PlayedTurn
from benchmarks.dialogs.service_model import build_model, slot_element

__all__ = ["MODES", "Mode", "Player"]

Mode = Literal["user", "acts", "text"]
MODES: Mapping[Mode, str] = {
    "user": "the memory holds what the user said; what the bot said does not count",
    "acts": "what the bot said counts; the annotation tells what the user accepts",
    "text": "what the bot said counts; the engine reads from the text what the user accepts",
}

_START = datetime(2019, 3, 1, 9, tzinfo=UTC)  # the day on which the dialogs take place
_PACE = timedelta(seconds=20)  # between two turns

_bot_turn: ContextVar[BotTurn] = ContextVar("bot_turn")


class Player:
    """Plays dialogs in one mode; dialogs with the same services share an engine."""

    def __init__(self, mode: Mode) -> None:
        self._mode = mode
        self._engines: dict[tuple[str, ...], Engine] = {}
        self._now = _START

    def play(self, dialog: Dialog) -> list[PlayedTurn]:
        """Ask what the user says, turn by turn."""
        engine = self._engine_for(dialog.services)
        counted = {
            slot_element(service.name, slot)
            for service in dialog.services
            for slot in service.state_slots
        }
        words = _Words()
        turns = []
        for exchange in dialog.exchanges:
            self._now += _PACE
            bot_turn = read_bot_turn(exchange, dialog.services)
            token = _bot_turn.set(bot_turn)
            try:
                with annotated(exchange):
                    reply = engine.ask(exchange.text, user=dialog.id)
            finally:
                _bot_turn.reset(token)
            offered = dict(words.offered)
            words.add_user_turn(exchange)
            words.add_bot_turn(bot_turn)
            conversation = engine.conversation(user=dialog.id)
            remembered = {
                held.entity.element: held.entity.value_or_text
                for held in reversed(conversation.remembered)  # the newest last
                if held.entity.element in counted and not words.is_only_told(held.entity)
            }
            turns.append(PlayedTurn(exchange, remembered, offered, reply.status))
        return turns

    def _engine_for(self, services: tuple[Service, ...]) -> Engine:
        key = tuple(service.name for service in services)
        if key not in self._engines:
            model = build_model(services, dialog_acts=self._mode != "user")
            engine = Engine(model, clock=lambda: self._now)
            for intent in model.intents:
                engine.on(intent.id)(self._answer)
            if self._mode == "acts":
                bot = engine._bots.get(model.id)
                bot.interpreter = AnnotatedInterpreter(bot.indexed_model)
            self._engines[key] = engine
        return self._engines[key]

    def _answer(self) -> Any:
        turn = _bot_turn.get()
        if self._mode == "user":
            return turn.text
        return Answer(
            turn.text,
            mentions=turn.mentions or None,
            offers=turn.offers or None,
            then=turn.then if turn.offers else "",
        )


class _Words:
    """The values that were said so far, by element."""

    def __init__(self) -> None:
        self.offered: dict[str, str] = {}
        self._told: set[tuple[str, str]] = set()
        self._others: set[tuple[str, str]] = set()

    def add_user_turn(self, exchange: Exchange) -> None:
        self._others.update((one.element, one.value) for one in annotate(exchange))

    def add_bot_turn(self, turn: BotTurn) -> None:
        for bundle in turn.offers:
            self.offered |= {element: value["value"] for element, value in bundle.items()}
        self._others |= self.offered.items()
        self._told |= {(element, value["value"]) for element, value in turn.mentions.items()}

    def is_only_told(self, entity: Entity) -> bool:
        """Whether the bot has told a value, without offering it, and the user has not said it. The
        engine remembers it; the data does not count it as what the user wants."""
        said = entity.element, entity.value_or_text
        return said in self._told and said not in self._others
