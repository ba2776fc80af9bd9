"""The engine's values as the API shows them: plain data, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from anaphora.core.utterance import Entity
from anaphora.engine.engine import Engine
from anaphora.engine.reply import Reply
from anaphora.engine.samples.runner import Turn, iter_turns
from anaphora.errors import AnaphoraError
from anaphora.models.domain import AskStep, Dialog, Model, PauseStep, Step
from anaphora.models.schema.durations import format_duration
from anaphora.server.auth.keys import ALL_SCOPES, ApiKey
from anaphora.stm.conversation import Conversation, PendingQuestion, RecallOffer, RememberedEntity

__all__ = [
    "check_samples",
    "serialize_conversation",
    "serialize_key",
    "serialize_model",
    "serialize_model_summary",
    "serialize_reply",
    "to_json_bytes",
]


def to_json_bytes(plain: Any) -> bytes:
    """``plain`` as JSON. What no JSON text can hold (``NaN``, half of a surrogate pair, an object
    that a recognizer left in its metadata) is replaced rather than lost with all the rest."""
    try:
        return to_json(plain, inf_nan_mode="null", serialize_unknown=True)
    except PydanticSerializationError:
        return json.dumps(json.loads(json.dumps(plain, default=str))).encode()


def serialize_reply(reply: Reply, *, user: str, model: str) -> dict[str, Any]:
    """A reply, with the user who asked and the model that was asked."""
    plain = reply.to_dict()
    plain |= {"reason": reply.reason, "model": model, "user": user}
    if reply.result is not None and _is_json_serializable(reply.result):
        plain["result"] = reply.result
    if reply.explanation is not None:
        plain["explanation"] = reply.explanation.to_dict()
    return plain


def serialize_conversation(
    conversation: Conversation, model: Model, now: datetime
) -> dict[str, Any]:
    """What a conversation holds at the time ``now``, for which it was recalled."""
    settings, last = model.conversation, conversation.last
    return {
        "user": conversation.user,
        "model": conversation.model,
        "language": conversation.language,
        "questions": conversation.questions,
        "matches": conversation.matches,
        "rejections": conversation.rejections,
        "now": now,
        "last": last,
        "expires": last and _add_timeout(last, settings.timeout),
        "timeout": settings.timeout.total_seconds(),
        "depth": settings.depth,
        "remembered": [
            _serialize_remembered(held, conversation, model) for held in conversation.remembered
        ],
        "flow": [{"intent": step.intent, "at": step.at} for step in conversation.flow],
        "pending": conversation.pending and _serialize_pending(conversation.pending),
        "offer": _serialize_offer(conversation.offer),
    }


def serialize_model_summary(model: Model, *, default: bool) -> dict[str, Any]:
    """A model in short."""
    head = _model_header(model, default=default)
    return head | {"elements": len(model.elements), "intents": len(model.intents)}


def serialize_model(model: Model, *, default: bool) -> dict[str, Any]:
    """A model with its elements, intents and sample questions."""
    return _model_header(model, default=default) | {
        "timeout": model.conversation.timeout.total_seconds(),
        "depth": model.conversation.depth,
        "elements": [
            {
                "id": element.id,
                "groups": sorted(element.groups),
                "topic": element.topic,
                "values": [value.name for value in element.values],
                "description": element.description,
            }
            for element in model.elements
        ],
        "intents": [
            {
                "id": intent.id,
                "terms": [
                    {
                        "name": term.label,
                        "required": term.min > 0,
                        "conversational": term.conversational,
                    }
                    for term in intent.terms
                ],
            }
            for intent in model.intents
        ],
        "samples": [
            [step.text for step in dialog.steps if isinstance(step, AskStep)]
            for dialog in model.samples
        ],
        "warnings": [str(warning) for warning in model.warnings],
    }


def check_samples(model: Model) -> dict[str, Any]:
    """Whether the samples of the model come out as they say, asked in a memory of their own.

    Raises :class:`ModelError` for a model that cannot be brought to life.
    """
    with Engine(model) as engine:
        dialogs = [_check_dialog(engine, dialog) for dialog in model.samples]
    return {"passed": all(dialog["passed"] for dialog in dialogs), "dialogs": dialogs}


def serialize_key(key: ApiKey) -> dict[str, Any]:
    """What the key may do."""
    return {
        "id": key.id,
        "tenant": key.tenant,
        "scopes": [scope for scope in ALL_SCOPES if scope in key.scopes],
        "user": key.user,
        "expires": key.expires,
    }


def _model_header(model: Model, *, default: bool) -> dict[str, Any]:
    return {
        "id": model.id,
        "name": model.name,
        "version": model.version,
        "description": model.description,
        "languages": list(model.languages),
        "default": default,
    }


def _serialize_remembered(
    held: RememberedEntity, conversation: Conversation, model: Model
) -> dict[str, Any]:
    settings = model.conversation
    return _serialize_entity(held.entity) | {
        "stored_at": held.stored_at,
        "used_at": held.used_at,
        "expires_at": _add_timeout(held.used_at, settings.timeout),
        "questions_ago": conversation.questions - held.question,
        "matches_left": settings.depth - (conversation.matches - held.used_match),
    }


def _serialize_pending(pending: PendingQuestion) -> dict[str, Any]:
    return {
        "intent": pending.intent,
        "missing": list(pending.missing),
        "entities": [_serialize_entity(entity) for entity in pending.entities],
        "at": pending.at,
    }


def _serialize_offer(offer: RecallOffer | None) -> dict[str, Any] | None:
    if offer is None or offer.declined:
        return None
    return {
        "question": offer.question,
        "entities": [_serialize_entity(entity) for entity in offer.entities],
        "said_at": offer.said_at,
        "at": offer.at,
    }


def _serialize_entity(entity: Entity) -> dict[str, Any]:
    return {
        "element": entity.element,
        "value": entity.value_or_text,
        "text": entity.text,
        "groups": sorted(entity.groups),
        "meta": dict(entity.meta),
    }


def _add_timeout(time: datetime, timeout: timedelta) -> datetime | None:
    try:
        return time + timeout
    except OverflowError:  # a timeout that is meant to last for ever
        return datetime.max.replace(tzinfo=time.tzinfo)


def _is_json_serializable(result: Any) -> bool:
    if isinstance(result, str):
        return True
    try:
        json.dumps(result, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return not isinstance(result, Mapping) or all(isinstance(key, str) for key in result)


def _check_dialog(engine: Engine, dialog: Dialog) -> dict[str, Any]:
    """A dialog that was run. An error of a handler ends it, and it alone."""
    turns: list[dict[str, Any]] = []
    try:
        turns.extend(map(_serialize_turn, iter_turns(engine, dialog)))
    except AnaphoraError as error:
        step = dialog.steps[len(turns)]
        turns.append(_serialize_step(step, failures=[str(error)]))
    return {
        "name": dialog.name or next((turn["said"] for turn in turns), ""),
        "line": dialog.line,
        "passed": not any(turn["failures"] for turn in turns),
        "turns": turns,
    }


def _serialize_turn(turn: Turn) -> dict[str, Any]:
    reply = turn.reply
    return _serialize_step(
        turn.step,
        status=reply.status if reply else None,
        text=reply.text if reply else "",
        failures=turn.failures,
    )


def _serialize_step(
    step: Step, *, status: str | None = None, text: str = "", failures: Iterable[str] = ()
) -> dict[str, Any]:
    match step:
        case AskStep():
            said = step.text
        case PauseStep(duration):
            said = f"(pause of {format_duration(duration)})"
        case _:
            said = f"(reset: {step.what})"
    return {"said": said, "status": status, "text": text, "failures": list(failures)}
