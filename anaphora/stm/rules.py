"""The rules of short-term memory, as pure functions from one conversation to the next.

No function here reads a clock: ``at`` is the time of the question, with a time zone (a time without
one raises ``ValueError``). The rules have the numbers of docs/how-it-works.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.frozen import freeze
from anaphora.models.domain import ConversationSettings, Element
from anaphora.stm.conversation import (
    Conversation,
    FlowStep,
    ForgetRule,
    ForgottenEntity,
    PendingQuestion,
    RecallOffer,
    RememberedEntity,
)

__all__ = [
    "decline_offer",
    "drop_offer",
    "evict",
    "expire",
    "forget",
    "forget_all",
    "forget_flow",
    "forget_group",
    "migrate",
    "record_answer",
    "record_incomplete",
    "record_match",
    "record_offer",
    "record_rejection",
    "record_repeated_prompt",
    "record_reset",
    "replace_data",
    "restore_offer",
    "split_visible",
    "stamp",
]

_MAX_FLOW_STEPS = 100


def expire(
    conversation: Conversation, at: datetime, settings: ConversationSettings
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """What the conversation still holds at the time ``at``, and what it has forgotten (rules 1
    to 3). A clock that goes backwards forgets nothing."""
    at, timeout = _to_utc(at), settings.timeout
    if conversation.last is not None and at - conversation.last > timeout:
        return forget_all(conversation, ForgetRule.TIMEOUT)
    forgotten = []
    for held in conversation.remembered:
        if at - held.used_at > timeout:
            forgotten.append(ForgottenEntity(held, ForgetRule.AGE))
        elif conversation.matches - held.used_match >= settings.depth:
            forgotten.append(ForgottenEntity(held, ForgetRule.DEPTH))
    pending = conversation.pending
    stale = pending is not None and at - pending.at > timeout
    offer = conversation.offer
    lapsed = offer is not None and at - offer.at > timeout
    if not forgotten and not stale and not lapsed:
        return conversation, ()
    after = replace(
        conversation,
        remembered=_remove_forgotten(conversation.remembered, forgotten),
        pending=None if stale else pending,
        offer=None if lapsed else offer,
    )
    return after, tuple(forgotten)


def split_visible(
    conversation: Conversation, sentence_groups: Iterable[frozenset[str]]
) -> tuple[tuple[RememberedEntity, ...], tuple[tuple[RememberedEntity, frozenset[str]], ...]]:
    """What may be matched beside a sentence whose entities have these groups, and what is
    hidden, each with the groups of the entity that stands in for it (rule 6)."""
    groups = tuple(sentence_groups)
    offers, hidden = [], []
    for held in conversation.remembered:
        by = next((new for new in groups if new <= held.entity.groups), None)
        if by is None:
            offers.append(held)
        else:
            hidden.append((held, by))
    return tuple(offers), tuple(hidden)


def evict(
    remembered: Iterable[RememberedEntity], new: Collection[Entity]
) -> tuple[tuple[RememberedEntity, ...], tuple[ForgottenEntity, ...]]:
    """What stays beside new entities, and what they push out: everything whose groups include
    all the groups of one of them (rule 5: true set inclusion)."""
    kept, forgotten = [], []
    for held in remembered:
        by = next((entity for entity in new if entity.groups <= held.entity.groups), None)
        if by is None:
            kept.append(held)
        else:
            forgotten.append(ForgottenEntity(held, ForgetRule.EVICTED, by))
    return tuple(kept), tuple(forgotten)


def record_match(
    conversation: Conversation,
    at: datetime,
    *,
    intent: str,
    new: Sequence[Entity],
    used: Collection[RememberedEntity],
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """The conversation after a question that ``intent`` answered with ``new`` entities and with
    ``used`` remembered ones (rules 5 and 7).

    The used ones are refreshed where they stand; the new ones evict earlier ones, not each
    other, and come first. By rule 6 nothing that is used can be evicted as well; should a caller
    say otherwise, eviction wins.
    """
    at = _latest_time(conversation.last, at)
    question, match = conversation.questions + 1, conversation.matches + 1
    refreshed = [
        replace(held, used_at=at, used_match=match) if held in used else held
        for held in conversation.remembered
    ]
    kept, forgotten = evict(refreshed, new) if refreshed else ((), ())
    stored = [RememberedEntity(entity, question, at, at, match) for entity in new]
    after = replace(
        conversation,
        remembered=(*stored, *kept),
        flow=(*conversation.flow, FlowStep(intent, at))[-_MAX_FLOW_STEPS:],
        pending=None,
        offer=None,
        last=at,
        questions=question,
        matches=match,
        rejections=0,
    )
    return after, forgotten


def record_rejection(
    conversation: Conversation, at: datetime, settings: ConversationSettings
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """The conversation after a question that was not understood: more than ``depth`` of them in
    a row forget everything (rule 3)."""
    counted = replace(
        conversation,
        last=_latest_time(conversation.last, at),
        questions=conversation.questions + 1,
        rejections=conversation.rejections + 1,
    )
    if counted.rejections <= settings.depth:
        return counted, ()
    return forget_all(counted, ForgetRule.REJECTIONS)


def record_incomplete(
    conversation: Conversation, at: datetime, pending: PendingQuestion
) -> Conversation:
    """The conversation after a question that lacked something: what it understood is pending,
    the memory is as it was."""
    at = _latest_time(conversation.last, at)
    return replace(
        conversation,
        pending=replace(pending, at=at),
        last=at,
        questions=conversation.questions + 1,
        rejections=0,
    )


def record_repeated_prompt(conversation: Conversation, at: datetime) -> Conversation:
    """The conversation after a sentence that was not understood while an incomplete question
    waited, and waits still. It counts as a rejected one."""
    at, pending = _latest_time(conversation.last, at), conversation.pending
    return replace(
        conversation,
        pending=pending and replace(pending, at=at),
        last=at,
        questions=conversation.questions + 1,
        rejections=conversation.rejections + 1,
    )


def record_offer(
    conversation: Conversation, at: datetime, offer: RecallOffer, pending: PendingQuestion | None
) -> Conversation:
    """The conversation after a question to which ``offer`` was made; what it understood is
    ``pending`` if it can be completed otherwise."""
    at = _latest_time(conversation.last, at)
    return replace(
        conversation,
        pending=conversation.pending if pending is None else replace(pending, at=at),
        offer=replace(offer, at=at),
        last=at,
        questions=conversation.questions + 1,
        rejections=0,
    )


def decline_offer(conversation: Conversation) -> Conversation:
    """The conversation with its offer declined."""
    offer = conversation.offer
    return replace(conversation, offer=offer and replace(offer, declined=True))


def drop_offer(conversation: Conversation) -> Conversation:
    """The conversation without its offer."""
    return replace(conversation, offer=None)


def restore_offer(conversation: Conversation, at: datetime, offer: RecallOffer) -> Conversation:
    """The conversation with the entities of ``offer`` as they would be remembered had there been
    no pause, each as if the last matched question had used it."""
    at = _to_utc(at)
    back = tuple(
        RememberedEntity(
            entity, conversation.questions - age, offer.said_at, at, conversation.matches
        )
        for entity, age in zip(offer.entities, offer.ages, strict=True)
    )
    last = _latest_time(conversation.last, at)
    return replace(conversation, remembered=back, offer=None, last=last)


def record_answer(conversation: Conversation, at: datetime) -> Conversation:
    """The conversation after a question that was answered without any intent: nothing new is
    remembered."""
    return replace(
        conversation,
        last=_latest_time(conversation.last, at),
        questions=conversation.questions + 1,
        rejections=0,
    )


def forget_all(
    conversation: Conversation, rule: ForgetRule = ForgetRule.RESET
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Forget entities, flow, what is pending or offered, data and the count of rejections (rules
    1, 8, 9)."""
    fresh = replace(
        conversation, remembered=(), flow=(), pending=None, offer=None, data={}, rejections=0
    )
    return fresh, tuple(ForgottenEntity(held, rule) for held in conversation.remembered)


def forget(
    conversation: Conversation, where: Callable[[Entity], bool]
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Forget the remembered and the pending entities for which ``where`` is true, and an offer
    of one of them (rule 9)."""
    forgotten = tuple(
        ForgottenEntity(held, ForgetRule.RESET)
        for held in conversation.remembered
        if where(held.entity)
    )
    pending = conversation.pending
    if pending is not None:
        left = tuple(entity for entity in pending.entities if not where(entity))
        pending = replace(pending, entities=left) if left else None
    offer = conversation.offer
    if offer is not None and any(map(where, offer.entities)):
        offer = None
    kept = _remove_forgotten(conversation.remembered, forgotten)
    return replace(conversation, remembered=kept, pending=pending, offer=offer), forgotten


def forget_group(
    conversation: Conversation, group: str
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Forget the entities that are in ``group`` (rule 9)."""
    return forget(conversation, lambda entity: group in entity.groups)


def forget_flow(
    conversation: Conversation, where: Callable[[FlowStep], bool] | None = None
) -> Conversation:
    """Forget which intents have answered so far, or those steps for which ``where`` is true
    (rule 9)."""
    kept = () if where is None else tuple(step for step in conversation.flow if not where(step))
    return replace(conversation, flow=kept)


def migrate(
    conversation: Conversation, elements: Iterable[Element]
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """The conversation as it goes on with a model that has these elements, and what is forgotten
    of it: remembered and pending entities whose element, or whose value of it, is no more. An
    offer of such an entity is no more either.

    What stays has the groups, ancestors, topic and metadata that its element has now; an entity
    that is composed of others stays if all of them do. Built-in entities, which no model
    declares, stay as they are.
    """
    if not (conversation.remembered or conversation.pending or conversation.offer):
        return conversation, ()
    known = {element.id: element for element in elements}
    kept, forgotten = [], []
    for held in conversation.remembered:
        entity = _migrate_entity(held.entity, known, as_part=False)
        if entity is None:
            forgotten.append(ForgottenEntity(held, ForgetRule.RESET))
        else:
            kept.append(replace(held, entity=entity))
    pending = conversation.pending
    if pending is not None and pending.entities:
        fits = (_migrate_entity(entity, known, as_part=False) for entity in pending.entities)
        left = tuple(entity for entity in fits if entity is not None)
        pending = replace(pending, entities=left) if left else None
    after = replace(
        conversation,
        remembered=tuple(kept),
        pending=pending,
        offer=conversation.offer and _migrate_offer(conversation.offer, known),
    )
    return after, tuple(forgotten)


def record_reset(
    conversation: Conversation, at: datetime
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """The conversation after a reset phrase: everything is forgotten (rule 9)."""
    fresh, forgotten = forget_all(conversation, ForgetRule.RESET)
    last = _latest_time(conversation.last, at)
    return replace(fresh, last=last, questions=conversation.questions + 1), forgotten


def stamp(
    conversation: Conversation, *, language: str, fingerprint: str, clock: int = 0
) -> Conversation:
    """The conversation after a question in ``language`` to the state ``fits`` of its model, at the
    logical time ``clock``."""
    return replace(
        conversation, language=language, fits=fingerprint, clock=max(clock, conversation.clock)
    )


def replace_data(conversation: Conversation, data: Mapping[str, Any]) -> Conversation:
    """The conversation with other data of its handlers."""
    return replace(conversation, data=freeze(data))


def _migrate_offer(offer: RecallOffer, known: Mapping[str, Element]) -> RecallOffer | None:
    fits = (_migrate_entity(entity, known, as_part=False) for entity in offer.entities)
    entities = tuple(entity for entity in fits if entity is not None)
    return replace(offer, entities=entities) if len(entities) == len(offer.ages) else None


def _migrate_entity(
    entity: Entity, known: Mapping[str, Element], *, as_part: bool
) -> Entity | None:
    """The entity as its element is now, None if it no longer fits."""
    if not entity.own:
        return entity
    element = known.get(entity.element)
    if element is None or (element.abstract and not as_part):
        return None
    if entity.value is not None and all(value.name != entity.value for value in element.values):
        return None
    parts = tuple(
        part
        for one in entity.parts
        if (part := _migrate_entity(one, known, as_part=True)) is not None
    )
    if len(parts) < len(entity.parts):
        return None
    return replace(
        entity,
        groups=element.groups,
        ancestors=element.ancestors,
        topic=element.topic,
        meta=element.meta,
        parts=parts,
    )


def _remove_forgotten(
    remembered: Iterable[RememberedEntity], forgotten: Iterable[ForgottenEntity]
) -> tuple[RememberedEntity, ...]:
    gone = {id(one.remembered) for one in forgotten}
    return tuple(held for held in remembered if id(held) not in gone)


def _latest_time(last: datetime | None, at: datetime) -> datetime:
    moment = _to_utc(at)
    return moment if last is None else max(last, moment)


def _to_utc(at: datetime) -> datetime:
    """``at`` in UTC: two times of one zone are subtracted by what their clocks show, which is an
    hour out on the night when the clocks change."""
    if at.utcoffset() is None:
        raise ValueError(f"the time {at} has no time zone")
    return at.astimezone(UTC)
