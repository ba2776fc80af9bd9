"""The model of a bot for some services, made from their schema alone.

An element for each slot, found where the data says so; one for each intent, which all have the
same group, so that the last one named counts; and one for what the user asks about ("What is their
address?"). An intent takes all slots of its service, none of them required: what a question leaves
out comes from memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from anaphora import Model, parse_model
from benchmarks.dialogs.schema_guided import Service

__all__ = ["build_model", "intent_element", "question_element", "slot_element"]

_RECOGNIZER = "benchmarks.dialogs.annotations#find_mentions"


def slot_element(service: str, slot: str) -> str:
    """The id of the element of a slot; its only group."""
    return f"{service}.{slot}"


def intent_element(service: str, intent: str) -> str:
    """The id of the element that names an intent, and of the intent."""
    return f"{service}:{intent}"


def question_element(service: str) -> str:
    """The id of the element of what is asked about."""
    return f"{service}.question"


def build_model(services: Sequence[Service], *, dialog_acts: bool) -> Model:
    """Build the model of a bot for ``services``; with ``dialog_acts``, it reads what the user says
    about the bot's own words."""
    data: dict[str, Any] = {
        "id": ":".join(service.name for service in services),
        "elements": [element for service in services for element in _elements(service)],
        "intents": [text for service in services for text in _intents(service)],
    }
    if dialog_acts:
        data["dialog_acts"] = True
    return parse_model(json.dumps(data), source=data["id"], format="json")


def _elements(service: Service) -> Iterator[dict[str, Any]]:
    for slot in service.slots:
        yield _element(slot_element(service.name, slot))
    for intent in service.intents:
        yield _element(intent_element(service.name, intent)) | {"groups": ["intent"]}
    yield _element(question_element(service.name))


def _element(id: str) -> dict[str, Any]:
    return {"id": id, "recognizer": _RECOGNIZER, "config": {"element": id}}


def _intents(service: Service) -> Iterator[str]:
    slots = "".join(
        f" term~{{# == '{slot_element(service.name, slot)}'}}?"
        for slot in sorted(service.state_slots)
    )
    question = f" term={{# == '{question_element(service.name)}'}}*"
    for intent in service.intents:
        id = intent_element(service.name, intent)
        yield f"intent={id} term~{{# == '{id}'}}{slots}{question}"
