"""The rules of short-term memory, as pure functions from one conversation to the next.

============================  ==================================================================
Rule of docs/how-it-works.md  Function
============================  ==================================================================
1. Timeout                    `expire`
2. Age                        `expire`
3. Depth                      `expire`, `record_rejection`
4. Groups                     a field of :class:`~anaphora.models.domain.Element`
5. Eviction                   `evict`, called by `record_match`
6. No mixing                  `split_visible`
7. What is remembered         `record_match`
8. A change of topic          `forget_all`, called by :mod:`anaphora.intents.decision.decide`
9. Explicit reset             `record_reset`, `forget`, `forget_group`, `forget_flow`, `forget_all`
11. to 14. What the bot says  :mod:`anaphora.stm.offers`; offers expire in `expire`
22. Beginning anew            `set_aside`
============================  ==================================================================

Rules 5 and 6 share one inclusion test, `find_replacement`.

No function reads a clock: ``at`` is the time of the question. A time without a time zone raises
ValueError. A function that may forget something returns a pair: the new conversation and the
forgotten entities.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.frozen import freeze
from anaphora.models.domain import ConversationSettings, Element
from anaphora.models.element_values import value_names
from anaphora.models.schema.builtin_entities import is_builtin_name
from anaphora.stm.conversation import (
    Conversation,
    FlowStep,
    ForgetRule,
    ForgottenEntity,
    Offers,
    PendingQuestion,
    RecallOffer,
    RememberedEntity,
)
from anaphora.storage.logical_clock import to_utc

__all__ = [
    "change_pending",
    "decline_recall_offer",
    "drop_recall_offer",
    "evict",
    "expire",
    "find_replacement",
    "forget",
    "forget_all",
    "forget_flow",
    "forget_group",
    "keep_bundles",
    "migrate",
    "record_incomplete",
    "record_match",
    "record_recall_offer",
    "record_rejection",
    "record_repeated_prompt",
    "record_reset",
    "record_without_intent",
    "remember_pending",
    "replace_data",
    "restore_recall_offer",
    "set_aside",
    "split_visible",
    "stamp",
    "suspend",
]

_MAX_FLOW_STEPS = 100


def expire(
    conversation: Conversation, at: datetime, settings: ConversationSettings
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Drop entities, the pending question and the recall offer that have expired (rules 1 to 3).
    A clock that goes backwards expires nothing."""
    at, timeout = to_utc(at), settings.timeout
    if conversation.last is not None and at - conversation.last > timeout:
        return forget_all(conversation, ForgetRule.TIMEOUT)
    forgotten = []
    for held in conversation.remembered:
        if at - held.used_at > timeout:
            forgotten.append(ForgottenEntity(held, ForgetRule.AGE))
        elif conversation.matches - held.used_match >= settings.depth:
            forgotten.append(ForgottenEntity(held, ForgetRule.DEPTH))
    pending = _drop_expired(conversation.pending, at, timeout)
    offer, offers = conversation.recall_offer, conversation.offers
    offer_expired = offer is not None and at - offer.at > timeout
    offers_expired = offers is not None and at - offers.at > timeout
    pending_stays = pending is conversation.pending
    if not forgotten and pending_stays and not offer_expired and not offers_expired:
        return conversation, ()
    after = replace(
        conversation,
        remembered=_remove_forgotten(conversation.remembered, forgotten),
        pending=pending,
        recall_offer=None if offer_expired else offer,
        offers=None if offers_expired else offers,
    )
    return after, tuple(forgotten)


def find_replacement(groups: frozenset[str], new: Iterable[Entity]) -> Entity | None:
    """Return the first ``new`` entity that replaces an entity with these ``groups``: one whose
    groups are equal to them or a subset of them (rules 5 and 6: true set inclusion)."""
    for entity in new:
        if entity.groups <= groups:
            return entity
    return None


def split_visible(
    conversation: Conversation, sentence: Collection[Entity]
) -> tuple[tuple[RememberedEntity, ...], tuple[tuple[RememberedEntity, frozenset[str]], ...]]:
    """Split the memory into what may be matched beside the entities of a ``sentence``, and what
    they hide, each with the groups of the entity that replaces it (rule 6)."""
    visible, hidden = [], []
    for held in conversation.remembered:
        by = find_replacement(held.entity.groups, sentence)
        if by is None:
            visible.append(held)
        else:
            hidden.append((held, by.groups))
    return tuple(visible), tuple(hidden)


def evict(
    remembered: Iterable[RememberedEntity], new: Collection[Entity]
) -> tuple[tuple[RememberedEntity, ...], tuple[ForgottenEntity, ...]]:
    """Split ``remembered`` into what stays and what the ``new`` entities evict (rule 5)."""
    kept, forgotten = [], []
    for held in remembered:
        by = find_replacement(held.entity.groups, new)
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
    said_before: Collection[Entity] = (),
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Record a question that ``intent`` answered with ``new`` entities and with ``used``
    remembered ones (rules 5 and 7). New ones that were ``said_before``, in a question that this one
    completes or corrects, keep the number of that question.

    The used ones are refreshed in place. The new ones come first and evict earlier ones, not each
    other. By rule 6 no used entity can be evicted; if a caller passes one, eviction wins.
    """
    at = _latest_time(conversation.last, at)
    question, match = conversation.questions + 1, conversation.matches + 1
    refreshed = [
        replace(held, used_at=at, used_match=match) if held in used else held
        for held in conversation.remembered
    ]
    kept, forgotten = evict(refreshed, new) if refreshed else ((), ())
    stored = [
        RememberedEntity(
            entity,
            _find_question(entity, conversation) if entity in said_before else question,
            at,
            at,
            match,
        )
        for entity in new
    ]
    after = replace(
        conversation,
        remembered=(*stored, *kept),
        flow=(*conversation.flow, FlowStep(intent, at))[-_MAX_FLOW_STEPS:],
        pending=None,
        recall_offer=None,
        last=at,
        questions=question,
        matches=match,
        rejections=0,
    )
    return after, forgotten


def _find_question(entity: Entity, conversation: Conversation) -> int:
    """The number of the question that said a remembered entity; of one that waits, of the last."""
    numbers = (one.question_number for one in conversation.remembered if one.entity == entity)
    return next(numbers, conversation.questions)


def remember_pending(conversation: Conversation, pending: PendingQuestion) -> Conversation:
    """Remember what a question said that the user has not confirmed: "with Carla" after the no
    changes it. A question that it suspended waits again."""
    at = conversation.last
    assert at is not None
    number, match = conversation.questions, conversation.matches
    kept, _ = evict(conversation.remembered, pending.entities)
    held = [RememberedEntity(one, number, at, at, match) for one in pending.entities]
    return replace(conversation, remembered=(*held, *kept), pending=pending.suspended)


def record_rejection(
    conversation: Conversation, at: datetime, settings: ConversationSettings
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Record a question that was not understood. More than ``depth`` of them in a row forget
    everything (rule 3)."""
    counted = _count_question(conversation, at, rejections=conversation.rejections + 1)
    if counted.rejections <= settings.depth:
        return counted, ()
    return forget_all(counted, ForgetRule.REJECTIONS)


def record_incomplete(
    conversation: Conversation, at: datetime, pending: PendingQuestion
) -> Conversation:
    """Record an incomplete question: what it understood is ``pending``, and the memory does not
    change."""
    at = _latest_time(conversation.last, at)
    return _count_question(conversation, at, pending=replace(pending, at=at))


def record_repeated_prompt(conversation: Conversation, at: datetime) -> Conversation:
    """Record a sentence that was not understood while an incomplete question was pending, and
    still is. It counts as a rejection."""
    at, pending = _latest_time(conversation.last, at), conversation.pending
    return _count_question(
        conversation,
        at,
        pending=pending and replace(pending, at=at),
        rejections=conversation.rejections + 1,
    )


def record_recall_offer(
    conversation: Conversation, at: datetime, offer: RecallOffer, pending: PendingQuestion | None
) -> Conversation:
    """Record a question that is answered with ``offer``; what it understood is ``pending`` if it
    can be completed in another way."""
    at = _latest_time(conversation.last, at)
    pending = conversation.pending if pending is None else replace(pending, at=at)
    return _count_question(conversation, at, pending=pending, recall_offer=replace(offer, at=at))


def decline_recall_offer(conversation: Conversation) -> Conversation:
    """Mark the offer as declined."""
    offer = conversation.recall_offer
    return replace(conversation, recall_offer=offer and replace(offer, declined=True))


def drop_recall_offer(conversation: Conversation) -> Conversation:
    """Remove the offer."""
    return replace(conversation, recall_offer=None)


def restore_recall_offer(
    conversation: Conversation, at: datetime, offer: RecallOffer
) -> Conversation:
    """Remember the entities of ``offer`` as if there had been no pause, and as if the last
    matched question had used each of them."""
    at = to_utc(at)
    back = tuple(
        RememberedEntity(
            entity, conversation.questions - age, offer.said_at, at, conversation.matches, by
        )
        for entity, age, by in zip(offer.entities, offer.ages, offer.speakers, strict=True)
    )
    last = _latest_time(conversation.last, at)
    return replace(conversation, remembered=back, recall_offer=None, last=last)


def record_without_intent(conversation: Conversation, at: datetime) -> Conversation:
    """Record a question that was answered without any intent: nothing new is remembered."""
    return _count_question(conversation, at)


def forget_all(
    conversation: Conversation, rule: ForgetRule = ForgetRule.RESET
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Forget entities, flow, pending question, offers, data and the count of rejections (rules 1,
    3, 8 and 9)."""
    fresh = replace(
        conversation,
        remembered=(),
        flow=(),
        pending=None,
        recall_offer=None,
        data={},
        rejections=0,
        offers=None,
        earlier=(),
    )
    return fresh, tuple(ForgottenEntity(held, rule) for held in conversation.remembered)


def set_aside(
    conversation: Conversation,
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Set aside what is remembered, because a question begins afresh (rule 22); "the same" brings
    it back."""
    begun = replace(
        conversation, remembered=(), pending=None, offers=None, earlier=conversation.remembered
    )
    return begun, tuple(ForgottenEntity(held, ForgetRule.AFRESH) for held in begun.earlier)


def forget(
    conversation: Conversation, where: Callable[[Entity], bool]
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Forget the remembered and pending entities for which ``where`` is true, and the offers that
    contain one of them (rule 9)."""
    forgotten = tuple(
        ForgottenEntity(held, ForgetRule.RESET)
        for held in conversation.remembered
        if where(held.entity)
    )
    offer = conversation.recall_offer
    if offer is not None and any(map(where, offer.entities)):
        offer = None
    after = replace(
        conversation,
        remembered=_remove_forgotten(conversation.remembered, forgotten),
        pending=change_pending(
            conversation.pending, lambda held: tuple([one for one in held if not where(one)])
        ),
        recall_offer=offer,
        offers=keep_bundles(conversation.offers, lambda one: not any(map(where, one))),
        earlier=tuple(held for held in conversation.earlier if not where(held.entity)),
    )
    return after, forgotten


def forget_group(
    conversation: Conversation, group: str
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Forget the entities that are in ``group`` (rule 9)."""
    return forget(conversation, lambda entity: group in entity.groups)


def forget_flow(
    conversation: Conversation, where: Callable[[FlowStep], bool] | None = None
) -> Conversation:
    """Forget the dialog flow, or those of its steps for which ``where`` is true (rule 9)."""
    kept = () if where is None else tuple(step for step in conversation.flow if not where(step))
    return replace(conversation, flow=kept)


def migrate(
    conversation: Conversation, elements: Iterable[Element]
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Migrate a conversation to a model with these elements.

    Remembered and pending entities whose element or value no longer exists are forgotten, and so
    is an offer of one. The others get the groups, ancestors, topic and metadata that their element
    has now; an entity composed of others stays if all of them do. What a recognizer found keeps its
    metadata and, as long as the element has a recognizer, its value. Built-in entities of which
    the model declares nothing do not change.
    """
    if not (
        conversation.remembered
        or conversation.pending
        or conversation.recall_offer
        or conversation.offers
        or conversation.earlier
    ):
        return conversation, ()
    known = {element.id: element for element in elements}
    kept, forgotten = _migrate_remembered(conversation.remembered, known)
    offer = conversation.recall_offer
    if offer is not None:
        left = _migrate_entities(offer.entities, known)
        offer = replace(offer, entities=left) if len(left) == len(offer.ages) else None
    after = replace(
        conversation,
        remembered=kept,
        pending=change_pending(conversation.pending, lambda held: _migrate_entities(held, known)),
        recall_offer=offer,
        offers=_migrate_bundles(conversation.offers, known),
        earlier=_migrate_remembered(conversation.earlier, known)[0],
    )
    return after, forgotten


def record_reset(
    conversation: Conversation, at: datetime
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Record a reset phrase: everything is forgotten (rule 9)."""
    fresh, forgotten = forget_all(conversation, ForgetRule.RESET)
    return _count_question(fresh, at), forgotten


def stamp(
    conversation: Conversation, *, language: str, fingerprint: str, clock: int = 0
) -> Conversation:
    """Record the language of the question, the fingerprint of its model and the logical time."""
    return replace(
        conversation,
        language=language,
        model_fingerprint=fingerprint,
        clock=max(clock, conversation.clock),
    )


def replace_data(conversation: Conversation, data: Mapping[str, Any]) -> Conversation:
    """Replace the data that handlers keep in the conversation."""
    return replace(conversation, data=freeze(data))


def _migrate_remembered(
    remembered: Iterable[RememberedEntity], known: Mapping[str, Element]
) -> tuple[tuple[RememberedEntity, ...], tuple[ForgottenEntity, ...]]:
    kept, forgotten = [], []
    for held in remembered:
        entity = _migrate_entity(held.entity, known)
        if entity is None:
            forgotten.append(ForgottenEntity(held, ForgetRule.RESET))
        else:
            kept.append(replace(held, entity=entity))
    return tuple(kept), tuple(forgotten)


def _migrate_bundles(offers: Offers | None, known: Mapping[str, Element]) -> Offers | None:
    """Migrate what lies on the table; a bundle goes with any of its entities."""
    if offers is None:
        return None
    left = keep_bundles(offers, lambda one: len(_migrate_entities(one, known)) == len(one))
    return left and replace(
        left, bundles=tuple([_migrate_entities(bundle, known) for bundle in left.bundles])
    )


def change_pending(
    pending: PendingQuestion | None, change: Callable[[tuple[Entity, ...]], tuple[Entity, ...]]
) -> PendingQuestion | None:
    """Change the entities of a pending question, and of the one that it suspends. One that loses
    all of them is dropped."""
    if pending is None:
        return None
    suspended = change_pending(pending.suspended, change)
    left = change(pending.entities)
    if pending.entities and not left:
        return suspended
    return replace(pending, entities=left, suspended=suspended)


def suspend(
    before: PendingQuestion | None, pending: PendingQuestion, *, keeps: bool
) -> PendingQuestion:
    """Let ``pending`` suspend the question that waited ``before`` it, if that is another one and
    the dialog ``keeps`` it. The question that this one has suspended is dropped."""
    if before is None:
        return pending
    if before.intent == pending.intent:
        return replace(pending, suspended=before.suspended)
    return replace(pending, suspended=replace(before, suspended=None)) if keeps else pending


def _drop_expired(
    pending: PendingQuestion | None, at: datetime, timeout: timedelta
) -> PendingQuestion | None:
    """Drop a pending question that has expired, and the one that it suspends if that has."""
    if pending is None:
        return None
    suspended = _drop_expired(pending.suspended, at, timeout)
    if at - pending.at > timeout:
        return suspended
    return pending if suspended is pending.suspended else replace(pending, suspended=suspended)


def keep_bundles(
    offers: Offers | None, stays: Callable[[tuple[Entity, ...]], bool]
) -> Offers | None:
    """Return the offers with the bundles that stay; None if none does."""
    if offers is None:
        return None
    kept = [index for index, bundle in enumerate(offers.bundles) if stays(bundle)]
    if len(kept) == len(offers.bundles):
        return offers
    return (
        replace(
            offers,
            bundles=tuple([offers.bundles[index] for index in kept]),
            intents=tuple([offers.intents[index] for index in kept]) if offers.intents else (),
            taken=kept.index(offers.taken) if offers.taken in kept else None,
        )
        if kept
        else None
    )


def _migrate_entities(
    entities: Iterable[Entity], known: Mapping[str, Element], *, as_parts: bool = False
) -> tuple[Entity, ...]:
    migrated = (_migrate_entity(entity, known, as_part=as_parts) for entity in entities)
    return tuple(entity for entity in migrated if entity is not None)


def _migrate_entity(
    entity: Entity, known: Mapping[str, Element], *, as_part: bool = False
) -> Entity | None:
    """Update an entity from its element; None if its element or value no longer exists."""
    element = known.get(entity.element)
    if element is None and not entity.is_from_phrase and is_builtin_name(entity.element):
        is_undeclared = entity.groups == {entity.element}
        return entity if is_undeclared else None
    if element is None or (element.abstract and not as_part):
        return None
    is_open = not entity.is_from_phrase and element.recognition is not None
    if not (is_open or entity.value is None or entity.value in value_names(element.values)):
        return None
    parts = _migrate_entities(entity.parts, known, as_parts=True)
    if len(parts) < len(entity.parts):
        return None
    return replace(
        entity,
        groups=element.groups,
        ancestors=element.ancestors,
        topic=element.topic,
        meta=element.meta if entity.is_from_phrase else entity.meta,
        parts=parts,
    )


def _remove_forgotten(
    remembered: Iterable[RememberedEntity], forgotten: Iterable[ForgottenEntity]
) -> tuple[RememberedEntity, ...]:
    gone = {id(one.remembered) for one in forgotten}
    return tuple(held for held in remembered if id(held) not in gone)


def _count_question(conversation: Conversation, at: datetime, **changes: Any) -> Conversation:
    """Count a question, by default as not rejected, and apply ``changes``."""
    last, questions = _latest_time(conversation.last, at), conversation.questions + 1
    changes = {"rejections": 0} | changes
    return replace(conversation, last=last, questions=questions, **changes)


def _latest_time(last: datetime | None, at: datetime) -> datetime:
    moment = to_utc(at)
    return moment if last is None else max(last, moment)
