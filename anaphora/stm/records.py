"""Serialize conversations as JSON with a format version, compressed by zlib if it is long.

Fields with default values are omitted. Records of earlier formats can be read.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, Required, TypedDict

from msgspec import Struct, convert
from msgspec.json import Decoder

from anaphora.core.utterance import Entity
from anaphora.errors import StoreError
from anaphora.frozen import freeze
from anaphora.stm.conversation import (
    Conversation,
    ConversationKey,
    FlowStep,
    Offers,
    PendingQuestion,
    RecallOffer,
    RememberedEntity,
    Speaker,
)
from anaphora.storage.logical_clock import from_microseconds, to_microseconds

__all__ = [
    "MISPLACED",
    "dump",
    "entity_from_dict",
    "entity_to_dict",
    "from_dict",
    "load",
    "load_or_reset",
    "to_dict",
]

FORMAT = 5
MISPLACED = "it is the record of another conversation"

_COMPRESS_FROM = 600  # bytes; a longer record is compressed: to half its size in some 10 µs

_log = logging.getLogger(__name__)

# Created once: json.dumps would create an encoder for each record.
_encode_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def dump(conversation: Conversation) -> bytes:
    """Serialize a conversation. Raises :class:`StoreError` if it contains something that JSON
    cannot represent."""
    try:
        text = _encode_json(to_dict(conversation))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"the conversation of {conversation.user!r} with '{conversation.model}' cannot be "
            f"stored: {error}"
        ) from error
    record = text.encode("utf-8", "surrogatepass")
    return record if len(record) <= _COMPRESS_FROM else _compress(record)


def load(record: bytes) -> Conversation:
    """Deserialize a record of :func:`dump`, in the present or an earlier format.

    Raises :class:`StoreError` if it is not a valid record.
    """
    try:
        text = record if record[:1] == b"{" else zlib.decompress(record)
        plain = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError, zlib.error) as error:
        raise StoreError(f"this is not a record of a conversation: {error}") from error
    return from_dict(plain)


def load_or_reset(
    record: bytes, key: ConversationKey, quarantine: Callable[[str], None] | None = None
) -> Conversation:
    """Deserialize the record that was stored for ``key``. One that is invalid, or belongs to
    another conversation, is logged and passed to ``quarantine`` with the reason; then the
    conversation starts empty.

    Raises :class:`StoreError` for a record of a later format: it is not lost, because a later
    version can read it.
    """
    try:
        found = load(record)
    except _NewerFormatError:
        raise
    except StoreError as error:
        reason = str(error)
    else:
        if found.key == key:
            return found
        reason = MISPLACED
    _log.error(
        "a conversation starts empty because its record cannot be read",
        extra={"tenant": key.tenant, "user": key.user, "model": key.model, "reason": reason},
    )
    if quarantine is not None:
        quarantine(reason)
    return Conversation.empty(key)


def to_dict(conversation: Conversation) -> dict[str, Any]:
    """Convert a conversation to JSON-able data with a format version; see :func:`from_dict`.

    Times are microseconds since 1970 in UTC. Fields with default values are omitted.
    """
    pending, offer, offers = conversation.pending, conversation.recall_offer, conversation.offers
    full = {
        "tenant": conversation.tenant,
        "language": conversation.language,
        "fits": conversation.model_fingerprint,
        "last": conversation.last and to_microseconds(conversation.last),
        "questions": conversation.questions,
        "matches": conversation.matches,
        "clock": conversation.clock,
        "forgotten": conversation.forgotten_clock,
        "rejections": conversation.rejections,
        "remembered": [_remembered_to_list(held) for held in conversation.remembered],
        "earlier": [_remembered_to_list(held) for held in conversation.earlier],
        "flow": [[step.intent, to_microseconds(step.at)] for step in conversation.flow],
        "pending": pending and _pending_to_list(pending),
        "offers": offers
        and [
            offers.intent,
            [_entities_to_list(bundle) for bundle in offers.bundles],
            to_microseconds(offers.at),
            *_trim(
                [
                    offers.idle,
                    [_entities_to_list(bundle) for bundle in offers.declined],
                    list(offers.intents),
                    offers.then,
                    None if offers.taken is None else str(offers.taken),
                    list(offers.meant or ()),
                ]
            ),
        ],
        "data": dict(conversation.data),
        "offer": offer
        and [
            offer.question,
            offer.language,
            to_microseconds(offer.at),
            _entities_to_list(offer.entities),
            list(offer.ages),
            offer.exchange,
            to_microseconds(offer.said_at),
            offer.declined,
            list(offer.speakers),
        ],
    }
    head: dict[str, Any] = {
        "format": FORMAT,
        "user": conversation.user,
        "model": conversation.model,
    }
    return head | {name: value for name, value in full.items() if value}


def from_dict(plain: Any) -> Conversation:
    """Invert :func:`to_dict`; earlier formats are migrated.

    Raises :class:`StoreError` for data of another format or structure.
    """
    format = plain.get("format") if isinstance(plain, dict) else None
    if type(format) is not int or format < 1:
        raise StoreError("this is not a record of a conversation: it has no format")
    if format > FORMAT:
        raise _NewerFormatError(
            f"this conversation was stored by a later version (in format {format}; this one reads "
            f"{FORMAT})"
        )
    try:
        # Format 2 is as format 3, but without a logical clock; format 3 as format 4, but without
        # what the bot said; format 4 as format 5, but all that a recall offer has is the user's.
        return _conversation(_migrate_from_1(plain) if format == 1 else plain)
    except (
        AttributeError,
        IndexError,
        KeyError,
        OverflowError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise StoreError(f"this conversation cannot be read: {error!r}") from error


def _remembered_to_list(held: RememberedEntity) -> list[Any]:
    return [
        entity_to_dict(held.entity),
        held.question_number,
        to_microseconds(held.stored_at),
        to_microseconds(held.used_at),
        held.used_match,
        *(() if held.by == "user" else (held.by,)),
    ]


def _pending_to_list(pending: PendingQuestion) -> list[Any]:
    return [
        pending.intent,
        _entities_to_list(pending.entities),
        list(pending.missing),
        to_microseconds(pending.at),
        *_trim(
            [
                list(pending.unused),
                pending.confirms,
                list(pending.asked),
                pending.afresh,
                pending.corrects,
                pending.suspended and _pending_to_list(pending.suspended),
            ]
        ),
    ]


def _entities_to_list(entities: Iterable[Entity]) -> list[dict[str, Any]]:
    return [entity_to_dict(entity) for entity in entities]


def _trim(values: list[Any]) -> list[Any]:
    """Drop empty values from the end."""
    while values and not values[-1]:
        values.pop()
    return values


def _compress(record: bytes) -> bytes:
    """Compress as zlib.compress does, but with so little memory that the allocator has it ready
    (7 µs instead of 25 to 40 for a record of three entities, at the same size)."""
    packer = zlib.compressobj(level=1, memLevel=6)
    return packer.compress(record) + packer.flush()


class _NewerFormatError(StoreError):
    """A record that only a later version can read."""


def entity_to_dict(entity: Entity) -> dict[str, Any]:
    """Convert an entity to JSON-able data without default values: by default its only group is
    its element, and its stem and lemma are its text in lower case."""
    lower = entity.text.lower()
    plain: dict[str, Any] = {"element": entity.element, "text": entity.text}
    if entity.groups != {entity.element}:
        plain["groups"] = sorted(entity.groups)
    if entity.tokens:
        plain["tokens"] = list(entity.tokens)
    if entity.end:
        plain["span"] = [entity.start, entity.end]
    if entity.value is not None:
        plain["value"] = entity.value
    if entity.stem != lower:
        plain["stem"] = entity.stem
    if entity.lemma != lower:
        plain["lemma"] = entity.lemma
    unusual = (
        ("ancestors", list(entity.ancestors)),
        ("meta", dict(entity.meta)),
        ("topic", entity.topic),
        ("loose", not entity.exact),
        ("found", not entity.is_from_phrase),
        ("pos", entity.pos),
        ("aliases", list(entity.aliases)),
        ("parts", [entity_to_dict(part) for part in entity.parts]),
        ("gaps", entity.gaps),
        ("marks", sorted(entity.marks)),
        ("negated", entity.negated),
    )
    if entity.quantity is not None:  # also 0
        plain["quantity"] = entity.quantity
    return plain | {name: value for name, value in unusual if value}


def entity_from_dict(plain: Any) -> Entity:
    """Invert :func:`entity_to_dict`. Raises ValueError for data of another structure."""
    fields = _convert_fields(plain, _EntityFields)
    lower = fields["text"].lower()
    fields.setdefault("groups", frozenset((fields["element"],)))
    fields.setdefault("stem", lower)
    fields.setdefault("lemma", lower)
    if "span" in fields:
        fields["start"], fields["end"] = fields.pop("span")
    if "loose" in fields:
        fields["exact"] = not fields.pop("loose")
    if "found" in fields:
        fields["is_from_phrase"] = not fields.pop("found")
    if "meta" in fields:
        fields["meta"] = freeze(fields["meta"])
    if "parts" in fields:
        fields["parts"] = _to_entities(fields["parts"])
    return Entity(**fields)


class _EntityFields(TypedDict, total=False):
    element: Required[str]
    text: Required[str]
    groups: frozenset[str]
    tokens: tuple[int, ...]
    span: tuple[int, int]
    value: str
    ancestors: tuple[str, ...]
    meta: dict[str, Any]
    topic: bool
    loose: bool
    found: bool
    stem: str
    lemma: str
    pos: str
    aliases: tuple[str, ...]
    parts: list[dict[str, Any]]
    gaps: int
    marks: frozenset[str]
    negated: bool
    quantity: int | float


class _Pending(Struct, array_like=True, forbid_unknown_fields=True):
    intent: str
    entities: list[dict[str, Any]]
    missing: tuple[str, ...]
    at: int
    unused: tuple[str, ...] = ()
    confirms: bool = False
    asked: tuple[str, ...] = ()
    afresh: bool = False
    corrects: bool = False
    suspended: _Pending | None = None


class _Remembered(Struct, array_like=True, forbid_unknown_fields=True):
    entity: dict[str, Any]
    question_number: int
    stored_at: int
    used_at: int
    used_match: int
    by: Speaker = "user"


class _Offers(Struct, array_like=True, forbid_unknown_fields=True):
    intent: str
    bundles: tuple[list[dict[str, Any]], ...]
    at: int
    idle: int = 0
    declined: tuple[list[dict[str, Any]], ...] = ()
    intents: tuple[str, ...] = ()
    then: str = ""
    taken: str | None = None
    meant: tuple[int, ...] = ()


class _RecallOffer(Struct, array_like=True, forbid_unknown_fields=True):
    question: str
    language: str
    at: int
    entities: list[dict[str, Any]]
    ages: tuple[int, ...]
    exchange: int
    said_at: int
    declined: bool
    speakers: tuple[Speaker, ...] | None = None


class _ConversationFields(TypedDict, total=False):
    format: int
    user: Required[str]
    model: Required[str]
    tenant: str
    language: str
    fits: str
    last: int
    questions: int
    matches: int
    clock: int
    forgotten: int
    rejections: int
    remembered: list[_Remembered]
    earlier: list[_Remembered]
    offers: _Offers
    flow: list[tuple[str, int]]
    pending: _Pending
    data: dict[str, Any]
    offer: _RecallOffer


def _conversation(plain: Any) -> Conversation:
    fields = _convert_fields(plain, _ConversationFields)
    del fields["format"]
    fields["model_fingerprint"] = fields.pop("fits", "")
    fields["forgotten_clock"] = fields.pop("forgotten", 0)
    if "last" in fields:
        fields["last"] = _time(fields["last"])
    if "data" in fields:
        fields["data"] = freeze(fields["data"])
    for name in ("remembered", "earlier"):
        if name in fields:
            fields[name] = tuple(map(_to_remembered, fields[name]))
    fields["flow"] = tuple(FlowStep(intent, _time(at)) for intent, at in fields.get("flow", ()))
    if pending := fields.get("pending"):
        fields["pending"] = _to_pending(pending)
    if offers := fields.get("offers"):
        if offers.intents and len(offers.intents) != len(offers.bundles):
            raise ValueError("each of the offers has an intent, or none has")
        if offers.taken is not None and int(offers.taken) not in range(len(offers.bundles)):
            raise ValueError("the offer that is taken is not there")
        meant = (offers.meant[0], offers.meant[1]) if len(offers.meant) == 2 else None
        if offers.meant and (meant is None or meant[0] not in range(len(offers.bundles))):
            raise ValueError("what is meant is none of the offers")
        fields["offers"] = Offers(
            offers.intent,
            tuple(map(_to_entities, offers.bundles)),
            _time(offers.at),
            offers.idle,
            tuple(map(_to_entities, offers.declined)),
            offers.intents,
            offers.then,
            None if offers.taken is None else int(offers.taken),
            meant,
        )
    if offer := fields.pop("offer", None):
        speakers = offer.speakers
        if speakers is None:
            speakers = ("user",) * len(offer.entities)
        if not len(offer.ages) == len(speakers) == len(offer.entities):
            raise ValueError("an offer has an age and a speaker for each of its entities")
        fields["recall_offer"] = RecallOffer(
            offer.question,
            offer.language,
            _time(offer.at),
            _to_entities(offer.entities),
            offer.ages,
            speakers,
            offer.exchange,
            _time(offer.said_at),
            offer.declined,
        )
    return Conversation(**fields)


def _convert_fields(plain: Any, kind: type) -> dict[str, Any]:
    """Check and convert the fields that are present; most have default values."""
    fields: dict[str, Any] = convert(plain, kind)
    if len(fields) < len(plain):
        raise ValueError("it has unknown fields")
    return fields


def _to_pending(pending: _Pending) -> PendingQuestion:
    return PendingQuestion(
        pending.intent,
        _to_entities(pending.entities),
        pending.missing,
        _time(pending.at),
        pending.unused,
        pending.confirms,
        pending.asked,
        pending.afresh,
        pending.corrects,
        None if pending.suspended is None else _to_pending(pending.suspended),
    )


def _to_remembered(held: _Remembered) -> RememberedEntity:
    return RememberedEntity(
        entity_from_dict(held.entity),
        held.question_number,
        _time(held.stored_at),
        _time(held.used_at),
        held.used_match,
        held.by,
    )


def _to_entities(plain: Iterable[Any]) -> tuple[Entity, ...]:
    return tuple(map(entity_from_dict, plain))


# Most times occur in a record several times (0.45 µs each, 0.08 from the cache).
_time = lru_cache(maxsize=256)(from_microseconds)


def _migrate_from_1(old: dict[str, Any]) -> dict[str, Any]:
    """Format 1 named every field and had times in ISO 8601."""

    def moment(text: str) -> int:
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            raise ValueError(f"the time {text} has no time zone")
        return to_microseconds(time)

    def entity(old: dict[str, Any]) -> dict[str, Any]:
        new = {name: value for name, value in old.items() if name not in ("start", "end")}
        new |= {
            "span": [old["start"], old["end"]],
            "loose": not convert(new.pop("exact"), bool),
            "found": not convert(new.pop("own"), bool),
            "parts": [entity(part) for part in old["parts"]],
        }
        if new["value"] is None:
            del new["value"]
        return new

    pending = old["pending"]
    new = old | {
        "last": None if old["last"] is None else moment(old["last"]),
        "remembered": [
            [
                entity(held["entity"]),
                held["question"],
                moment(held["stored_at"]),
                moment(held["used_at"]),
                held["used_match"],
            ]
            for held in old["remembered"]
        ],
        "flow": [[step["intent"], moment(step["at"])] for step in old["flow"]],
        "pending": pending
        and [
            pending["intent"],
            [entity(each) for each in pending["entities"]],
            pending["missing"],
            moment(pending["at"]),
        ],
    }
    return {name: value for name, value in new.items() if value is not None}


# msgspec prepares a type when it is first used, and crashes if two threads do that at once
# (release 0.22). A module is imported by one.
for _kind in (_EntityFields, _ConversationFields):
    Decoder(_kind)
