"""The rules for what the bot says: mentions are remembered, and offers lie on the table until they
are accepted or declined (rules 11 to 14 of docs/how-it-works.md).

Pure functions from one conversation to the next, like those of :mod:`anaphora.stm.rules`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.stm.conversation import (
    Conversation,
    ForgetRule,
    ForgottenEntity,
    Offers,
    RememberedEntity,
)
from anaphora.stm.rules import change_pending, evict, find_replacement, keep_bundles

__all__ = [
    "age_offers",
    "clear_offers",
    "is_same_meaning",
    "make_offers",
    "mark_meant",
    "remember",
    "remember_mentions",
    "remove_bundles",
    "reopen_offers",
    "replace_offered",
    "take_bundle",
    "takes_back",
]

_MAX_DECLINED = 50  # bundles


def is_same_meaning(entity: Entity, other: Entity) -> bool:
    """Whether two entities are the same value of the same element, or the same element if it has
    no values; what is composed has the values of its parts."""
    if entity.element != other.element:
        return False
    if entity.parts and len(entity.parts) == len(other.parts):
        return all(map(is_same_meaning, entity.parts, other.parts))
    if entity.value is None and other.value is None and entity.is_from_phrase:
        return True
    return entity.value_or_text.casefold() == other.value_or_text.casefold()


def takes_back(negated: Entity, held: Entity) -> bool:
    """Whether a negated entity takes back one that is held: the same, or any value of an element
    that is only named ("no stylist", "forget the stylist")."""
    is_named = negated.is_from_phrase and negated.value is None and not negated.parts
    return is_same_meaning(held, negated) or (is_named and negated.element == held.element)


def remember(
    conversation: Conversation, entities: Iterable[Entity]
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Remember what the bot offered and the user accepted with the question that was just
    recorded; entities that are remembered already stay as they are."""
    return _add(conversation, entities, first=True)


def remember_mentions(
    conversation: Conversation, mentions: Iterable[Entity]
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Remember the facts in the bot's answer to the question that was just recorded (rule 11). Of
    that question, the user's own entities go first."""
    return _add(conversation, mentions, first=False)


def _add(
    conversation: Conversation, entities: Iterable[Entity], *, first: bool
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    at, question, match = conversation.last, conversation.questions, conversation.matches
    assert at is not None
    held = list(conversation.remembered)
    new: list[Entity] = []
    for entity in entities:
        known = [one for one in held if is_same_meaning(one.entity, entity)]
        if known:
            held = [
                replace(one, used_at=at, used_match=match) if one in known else one for one in held
            ]
        elif not any(is_same_meaning(entity, other) for other in new):
            new.append(entity)
    if not new and held == list(conversation.remembered):
        return conversation, ()
    kept, forgotten = evict(held, new)
    added = [RememberedEntity(entity, question, at, at, match, "bot") for entity in new]
    start = 0
    if not first:
        start = sum(one.question_number == question for one in kept)
    remembered = (*kept[:start], *added, *kept[start:])
    return replace(conversation, remembered=remembered), forgotten


def make_offers(
    intent: str,
    bundles: Sequence[tuple[Entity, ...]],
    at: datetime,
    before: Offers | None = None,
    declined: Collection[tuple[Entity, ...]] = (),
    then: str = "",
) -> Offers:
    """Put new ``bundles`` on the table (rule 12).

    They replace those of ``before`` that share a group with them. One bundle that names only some
    of the values of the one before leaves its other values there: a bot that asks again about the
    time still offers the place.
    """
    refused = list(before.declined) if before and before.intent == intent else []
    refused += [bundle for bundle in declined if bundle not in refused]
    is_open = before is not None and before.taken is None
    if before is not None and is_open and len(bundles) == 1 and len(before.bundles) == 1:
        bundle = bundles[0]
        rest = [one for one in before.bundles[0] if find_replacement(one.groups, bundle) is None]
        bundles = ((*bundle, *rest),)
        then = then or before.then
    return Offers(intent, tuple(bundles), at, declined=tuple(refused[-_MAX_DECLINED:]), then=then)


def replace_offered(conversation: Conversation, said: Collection[Entity]) -> Conversation:
    """Remove from the only bundle on the table what the user has replaced with another value; the
    rest of it stays offered."""
    offers = conversation.offers
    if offers is None or len(offers.bundles) != 1 or offers.taken is not None:
        return conversation
    bundle = offers.bundles[0]
    rest = tuple(
        [
            one
            for one in bundle
            if find_replacement(one.groups, said) is None
            or any(is_same_meaning(one, other) for other in said)
        ]
    )
    if len(rest) == len(bundle):
        return conversation
    left = replace(offers, bundles=(rest,)) if rest else None
    return replace(conversation, offers=left)


def remove_bundles(
    conversation: Conversation, declined: Collection[tuple[Entity, ...]]
) -> Conversation:
    """Take the ``declined`` bundles from the table (rule 14). They are kept as declined, even if
    nothing is left on the table."""
    offers = conversation.offers
    if offers is None:
        return conversation
    left = keep_bundles(offers, lambda bundle: bundle not in declined)
    refused = (*offers.declined, *declined)[-_MAX_DECLINED:]
    left = replace(left or replace(offers, bundles=(), intents=()), declined=refused)
    return replace(conversation, offers=left)


def take_bundle(
    conversation: Conversation, index: int
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Mark a bundle as taken; the others stay until the intent that the offers are for is carried
    out. What another bundle that was taken before has left in the memory is forgotten."""
    conversation, forgotten = reopen_offers(conversation)
    offers = conversation.offers
    if offers is not None:
        conversation = replace(conversation, offers=replace(offers, taken=index, idle=0))
    return conversation, forgotten


def mark_meant(conversation: Conversation, index: int) -> Conversation:
    """Note that the next question to be recorded is about a bundle on the table."""
    offers = conversation.offers
    if offers is None:
        return conversation
    meant = index, conversation.questions + 1
    return replace(conversation, offers=replace(offers, meant=meant))


def reopen_offers(
    conversation: Conversation,
) -> tuple[Conversation, tuple[ForgottenEntity, ...]]:
    """Put a bundle that was taken back on the table; what it has left in the memory is
    forgotten."""
    offers = conversation.offers
    if offers is None or offers.taken is None:
        return conversation, ()
    old = offers.bundles[offers.taken]

    def stays(entity: Entity) -> bool:
        return not any(is_same_meaning(entity, one) for one in old)

    kept = tuple([held for held in conversation.remembered if stays(held.entity)])
    gone = [held for held in conversation.remembered if not stays(held.entity)]
    pending = change_pending(conversation.pending, lambda held: tuple(filter(stays, held)))
    offers = replace(offers, taken=None)
    reopened = replace(conversation, remembered=kept, pending=pending, offers=offers)
    return reopened, tuple([ForgottenEntity(held, ForgetRule.EVICTED) for held in gone])


def clear_offers(conversation: Conversation) -> Conversation:
    """Clear the table."""
    return conversation if conversation.offers is None else replace(conversation, offers=None)


def age_offers(conversation: Conversation, depth: int) -> Conversation:
    """Count a question that had nothing to do with the offers; after ``depth`` of them they go."""
    offers = conversation.offers
    if offers is None:
        return conversation
    if offers.idle + 1 >= depth:
        return replace(conversation, offers=None)
    return replace(conversation, offers=replace(offers, idle=offers.idle + 1))
