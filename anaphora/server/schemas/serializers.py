"""Convert values of the engine to the types of the API, and these to JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from anaphora.api import conversations, models, operations
from anaphora.api.values import Value, encode, to_plain
from anaphora.core.utterance import Entity
from anaphora.engine.engine import Engine
from anaphora.engine.reply import Reply
from anaphora.engine.samples.runner import DialogResult, run_dialog_safely
from anaphora.intents.confirmation import format_quick_replies
from anaphora.models.domain import AskStep, BotStep, Model, PauseStep, Step
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


def to_json_bytes(value: Any) -> bytes:
    """Encode a value of the API, or plain data, as JSON.

    What JSON can't hold (``NaN``, half of a surrogate pair, an object that a recognizer left in
    its metadata) is replaced, so that the rest isn't lost.
    """
    try:
        if isinstance(value, Value):
            return encode(value)
        return to_json(value, inf_nan_mode="null", serialize_unknown=True)
    except PydanticSerializationError:
        plain = to_plain(value) if isinstance(value, Value) else value
        return json.dumps(json.loads(json.dumps(plain, default=str))).encode()


def serialize_reply(reply: Reply, *, user: str, model: str) -> dict[str, Any]:
    """The JSON object of a :class:`anaphora.api.replies.Reply`: ``reply``, the user who asked and
    the model that answered.

    The engine itself writes replies and explanations in the form of the API. Objects in between
    would cost 8 of some 350 microseconds that a short question takes.
    """
    plain = reply.to_dict() | {"reason": reply.reason, "model": model, "user": user}
    if reply.result is not None and _is_json_serializable(reply.result):
        plain["result"] = reply.result
    if reply.explanation is not None:
        plain["explanation"] = reply.explanation.to_dict()
    return plain


def serialize_conversation(
    conversation: Conversation, model: Model, now: datetime
) -> conversations.Conversation:
    """Serialize the state of a conversation at the time ``now``."""
    settings, last = model.conversation, conversation.last
    offers, pending = conversation.open_offers, conversation.pending
    suspended = pending.suspended if pending is not None else None
    return conversations.Conversation(
        user=conversation.user,
        model=conversation.model,
        language=conversation.language,
        questions=conversation.questions,
        matches=conversation.matches,
        rejections=conversation.rejections,
        now=now,
        last=last,
        expires=last and _add_timeout(last, settings.timeout),
        timeout=settings.timeout,
        depth=settings.depth,
        remembered=tuple(
            _serialize_remembered(held, conversation, model) for held in conversation.remembered
        ),
        flow=tuple(conversations.FlowStep(step.intent, step.at) for step in conversation.flow),
        pending=_serialize_pending(pending) if pending else None,
        suspended=_serialize_pending(suspended) if suspended else None,
        offer=_serialize_offer(conversation.recall_offer),
        offers=tuple(map(_serialize_entities, offers.bundles)) if offers else (),
        offered_by=offers.intent if offers else "",
        offers_expire=_add_timeout(offers.at, settings.timeout) if offers else None,
        quick_replies=format_quick_replies(conversation, conversation.language),
    )


def serialize_model_summary(model: Model, *, default: bool) -> models.ModelSummary:
    """Serialize a model in short."""
    return models.ModelSummary(
        **_model_header(model, default=default),
        elements=len(model.elements),
        intents=len(model.intents),
    )


def serialize_model(model: Model, *, default: bool) -> models.ModelInfo:
    """Serialize a model with its elements, intents and sample questions."""
    return models.ModelInfo(
        **_model_header(model, default=default),
        timeout=model.conversation.timeout,
        depth=model.conversation.depth,
        elements=tuple(
            models.ElementInfo(
                id=element.id,
                groups=tuple(sorted(element.groups)),
                topic=element.topic,
                values=tuple(value.name for value in element.values),
                description=element.description,
            )
            for element in model.elements
        ),
        intents=tuple(
            models.IntentInfo(
                intent.id,
                tuple(
                    models.TermInfo(term.label, term.min > 0, term.conversational)
                    for term in intent.terms
                ),
            )
            for intent in model.intents
        ),
        samples=tuple(
            tuple(step.text for step in dialog.steps if isinstance(step, AskStep))
            for dialog in model.samples
        ),
        warnings=tuple(map(str, model.warnings)),
    )


def check_samples(model: Model) -> models.CheckReport:
    """Run the samples of the model, each in a memory of its own.

    Raises :class:`ModelError` for a model that can't be compiled.
    """
    with Engine(model) as engine:
        results = [run_dialog_safely(engine, dialog) for dialog in model.samples]
    return models.CheckReport(
        all(result.passed for result in results), tuple(map(_serialize_dialog, results))
    )


def serialize_key(key: ApiKey) -> operations.KeyInfo:
    """Serialize what a key may do."""
    scopes = tuple(scope for scope in ALL_SCOPES if scope in key.scopes)
    return operations.KeyInfo(key.id, key.tenant, scopes, key.user, key.expires)


def _model_header(model: Model, *, default: bool) -> dict[str, Any]:
    return {
        "id": model.id,
        "name": model.name,
        "version": model.version,
        "description": model.description,
        "languages": model.languages,
        "default": default,
    }


def _serialize_remembered(
    held: RememberedEntity, conversation: Conversation, model: Model
) -> conversations.Remembered:
    settings = model.conversation
    return conversations.Remembered(
        **_entity_fields(held.entity),
        stored_at=held.stored_at,
        used_at=held.used_at,
        expires_at=_add_timeout(held.used_at, settings.timeout),
        questions_ago=conversation.questions - held.question_number,
        matches_left=settings.depth - (conversation.matches - held.used_match),
        by=held.by,
    )


def _serialize_pending(pending: PendingQuestion) -> conversations.Pending:
    return conversations.Pending(
        intent=pending.intent,
        missing=tuple(pending.missing),
        entities=_serialize_entities(pending.entities),
        at=pending.at,
        confirms=pending.confirms,
    )


def _serialize_offer(offer: RecallOffer | None) -> conversations.Offer | None:
    if offer is None or offer.declined:
        return None
    return conversations.Offer(
        question=offer.question,
        entities=_serialize_entities(offer.entities),
        said_at=offer.said_at,
        at=offer.at,
    )


def _serialize_entities(
    entities: tuple[Entity, ...],
) -> tuple[conversations.ConversationEntity, ...]:
    return tuple(conversations.ConversationEntity(**_entity_fields(entity)) for entity in entities)


def _entity_fields(entity: Entity) -> dict[str, Any]:
    return {
        "element": entity.element,
        "value": entity.value_or_text,
        "text": entity.text,
        "groups": tuple(sorted(entity.groups)),
        "meta": entity.meta,
        **entity.modifiers,
    }


def _add_timeout(time: datetime, timeout: timedelta) -> datetime:
    try:
        return time + timeout
    except OverflowError:  # a timeout that is meant to never expire
        return datetime.max.replace(tzinfo=time.tzinfo)


def _is_json_serializable(result: Any) -> bool:
    if isinstance(result, str):
        return True
    try:
        json.dumps(result, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return not isinstance(result, Mapping) or all(isinstance(key, str) for key in result)


def _serialize_dialog(result: DialogResult) -> models.CheckedDialog:
    turns = [
        models.CheckedTurn(
            said=_describe_step(turn.step),
            status=turn.reply.status if turn.reply else None,
            text=turn.reply.text if turn.reply else "",
            failures=turn.failures,
        )
        for turn in result.steps
    ]
    dialog = result.dialog
    if result.error:
        step = dialog.steps[len(turns)]
        turns.append(models.CheckedTurn(_describe_step(step), failures=(result.error,)))
    name = dialog.name or next((turn.said for turn in turns), "")
    return models.CheckedDialog(name, dialog.line, result.passed, tuple(turns))


def _describe_step(step: Step) -> str:
    match step:
        case AskStep():
            return step.text
        case BotStep():
            return f"(bot: {step.text})"
        case PauseStep(duration):
            return f"(pause of {format_duration(duration)})"
        case _:
            return f"(reset: {step.what})"
